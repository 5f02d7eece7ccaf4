/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_SPE_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_SPE_H

#include "host-tools/report/dump/dump.h"

/* Count the SPE records of a piece of an AUX area, and print one line for each unless dump->quiet
 * is set. Bytes that are not a record are counted as an error; the position of the first error is
 * kept. position: the piece's position in the AUX area. */
void dump_spe(struct dump *dump, const uint8_t *bytes, size_t size, uint64_t position);

#endif
