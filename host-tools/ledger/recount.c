/* SPDX-License-Identifier: MIT */
#include "host-tools/ledger/recount.h"

#include <string.h>

#include "host-tools/perfdata/perf_reader.h"
#include "writer/perfdata/sample.h"

/* Whether the record was added by a tool: such records have id 0, and no ledger counts them. The
 * machine itself writes the records of images that it loads during the run. */
static bool is_made_up(const struct perf_event_header *record)
{
	uint64_t id;

	if (record->type == PERF_RECORD_MMAP2)
		return !sample_id(record, &id) || !id;
	return record->type >= PERF_FILE_RECORD_FIRST || record->type == PERF_RECORD_LOST_SAMPLES ||
	       record->type == PERF_RECORD_COMM || record->type == PERF_RECORD_FORK ||
	       record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_SWITCH;
}

static void learn_piece(struct recount *recount, const struct perf_event_header *record)
{
	const struct perf_record_aux *aux = (const void *)record;

	if (record->size < sizeof(*aux))
		return;
	recount->aux_offset = aux->aux_offset;
	recount->aux_size = aux->aux_size;
}

/* A complete piece counts as the bytes that the AUX record before it announces. */
static void count_piece(struct recount *recount, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;

	if (record->header->size >= sizeof(*trace) &&
	    trace->idx < recount->ledger->head.ring_count && trace->offset == recount->aux_offset &&
	    record->trace_size >= recount->aux_size)
		recount->ledger->rings[trace->idx].found.aux_delivered += recount->aux_size;
}

void recount_record(struct recount *recount, const struct perf_reader_record *record)
{
	if (record->header->type == PERF_RECORD_AUX)
		learn_piece(recount, record->header);
	if (record->header->type == PERF_FILE_RECORD_AUXTRACE)
		count_piece(recount, record);
	else if (!is_made_up(record->header))
		ledger_count(recount->ledger, record->header, LEDGER_DELIVERED);
}

int recount_file(struct ledger *ledger, const char *path, struct error *error)
{
	struct recount recount = { .ledger = ledger };
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	int code;

	ledger_recount(ledger);
	code = perf_reader_open(&reader, path, error);
	if (code)
		return code;
	while ((code = perf_reader_next(&reader, &offset, &record, error)) > 0)
		recount_record(&recount, &record);
	perf_reader_close(&reader);
	return code;
}
