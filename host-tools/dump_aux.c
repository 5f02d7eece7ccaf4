/* SPDX-License-Identifier: MIT */
/* What is inside AUX pieces, as text. */
#include <string.h>

#include "host-tools/dump.h"
#include "host-tools/dump_spe.h"
#include "host-tools/perf_file.h"

/* TIME_CONV: shift, mult, zero; a file may claim anything. */
static void learn_clock(struct dump *dump, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	if (record->size < 32 || words[1] > 63 || words[2] > UINT32_MAX)
		return;
	dump->clock.time_shift = (uint16_t)words[1];
	dump->clock.time_mult = (uint32_t)words[2];
	dump->clock.time_zero = words[3];
}

void dump_auxtrace(struct dump *dump, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;

	if (record->header->type == PERF_FILE_RECORD_TIME_CONV)
		learn_clock(dump, record->header);
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE_INFO &&
	         record->header->size >= 16)
		memcpy(&dump->aux_type, record->header + 1, sizeof(dump->aux_type));
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE &&
	         record->header->size >= sizeof(*trace) &&
	         dump->aux_type == PERF_FILE_AUXTRACE_ARM_SPE)
		dump_spe(dump, record->payload, record->payload_size, trace->offset);
}
