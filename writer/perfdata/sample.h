/* SPDX-License-Identifier: MIT */
/*
 * Taking perf's records apart. A record comes from a machine or a file that is
 * not trusted: nothing outside its own size is ever read.
 * Source of the layouts: perf_event_open(2), "Overflow handling", PERF_RECORD_*.
 */
#ifndef WRITER_PERFDATA_SAMPLE_H
#define WRITER_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"

/* A sample's fields; those that sample_type does not name are zero. */
struct sample {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	const uint64_t *chain; /* callchain with its PERF_CONTEXT_* markers, innermost first */
	uint64_t chain_length; /* words */
	const uint8_t *raw;
	uint32_t raw_size;
	const uint64_t *read; /* the READ block, of read_words words */
	size_t read_words;
	const struct perf_branch_entry *branches; /* the branch stack, newest branch first */
	uint64_t nr_branches;
	uint64_t weight, data_src, phys_addr; /* weight: of WEIGHT or WEIGHT_STRUCT */
	bool is_call_stack; /* the branches are the open calls (PERF_SAMPLE_BRANCH_CALL_STACK) */
};

/* Take a PERF_RECORD_SAMPLE apart by its event's attr (sample_type, read_format and
 * branch_sample_type, registers). Fields behind the physical address are not looked at. False if
 * the record ends too early. */
bool sample_parse(const struct perf_event_header *record, const struct perf_event_attr *attr,
                  struct sample *sample);

/* The fields behind every other record, where sample_id_all is set. False if it is too short. */
bool sample_parse_trailer(const struct perf_event_header *record, uint64_t sample_type,
                          struct sample *sample);

/* The id of the event that wrote a record. Events have IDENTIFIER, so the id has a fixed place:
 * first in a sample, last in any other record. False if the record is too short. */
static inline bool sample_id(const struct perf_event_header *record, uint64_t *id)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	if (record->size < 16)
		return false;
	*id = record->type == PERF_RECORD_SAMPLE ? words[1] : words[record->size / 8 - 1];
	return true;
}

/* "SAMPLE" for PERF_RECORD_SAMPLE, also for the types that only perf.data files have; NULL for
 * a type that we do not know. */
const char *record_name(uint32_t type);

#endif
