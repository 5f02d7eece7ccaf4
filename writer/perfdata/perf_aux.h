/* SPDX-License-Identifier: MIT */
/* The AUX formats that perf's decoders know. Any thread. */
#ifndef WRITER_PERFDATA_PERF_AUX_H
#define WRITER_PERFDATA_PERF_AUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf's number of a decoder, and the size of a record if the decoder drops the last record of each
 * buffer, so that an empty one must be appended; 0: it drops none. */
struct perf_aux_format {
	uint32_t source; /* perf_event_attr.type */
	uint32_t type;   /* of AUXTRACE_INFO */
	uint32_t padding;
	bool wants_clock; /* as a record of its own, before AUXTRACE_INFO */
	/* Change a copy of a piece so that perf's decoder can read it; NULL: no change is needed.
	 */
	void (*adapt)(uint8_t *bytes, size_t size, uint64_t position, bool partial);
};

/* The format in which events of this perf_event_attr.type fill AUX areas; NULL: they fill none, or
 * in a format that is not known. */
const struct perf_aux_format *perf_aux_format(uint32_t type);

#endif
