/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_SPE_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_SPE_H

#include "host-tools/report/dump/dump.h"

/* Count the SPE records of a piece, and print each in a line unless quiet; what is no record is
 * counted as an error, the first one's place kept. position is the piece's in the AUX area. */
void dump_spe(struct dump *dump, const uint8_t *bytes, size_t size, uint64_t position);

#endif
