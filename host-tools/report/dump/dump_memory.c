/* SPDX-License-Identifier: MIT */
#include "host-tools/report/dump/dump_memory.h"

void dump_memory(struct format *f, const struct perf_event_attr *attr, const struct sample *sample)
{
	uint64_t type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		format_line(f);
		format_literal(f, "... weight: ");
		format_decimal(f, type & PERF_SAMPLE_WEIGHT ? sample->weight
		                                            : sample->weight & UINT32_MAX);
		*f->at++ = '\n';
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		format_line(f);
		format_literal(f, " . data_src: ");
		format_hex(f, sample->data_src);
		*f->at++ = '\n';
	}
	if (type & PERF_SAMPLE_PHYS_ADDR) {
		format_line(f);
		format_literal(f, " .. phys_addr: ");
		format_hex(f, sample->phys_addr);
		*f->at++ = '\n';
	}
}
