/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/branch_samples.h"

#include <errno.h>
#include <string.h>

#include "writer/perfdata/arm_spe_decode.h"
#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/sample.h"

#define SPE_NOT_TAKEN (1ULL << 6) /* event of a conditional branch. DDI 0487, D18.2.6 */

/* A branch that the CPU foresaw and did not take: on AMD's CPUs branch stacks have these too. */
static bool is_wrong_path(const struct perf_branch_entry *branch)
{
	return (branch->flags >> PERF_BRANCH_SPEC & 3) == 1;
}

/* Arm's records of exceptions between a level that is recorded and one that is not have only one of
 * the two addresses; the other one is 0. */
static bool is_whole(const struct perf_branch_entry *branch)
{
	return branch->from && branch->to;
}

/* Count the branches of a sample's branch stack, the newest first. Between the target of a branch
 * and the source of the next newer one lies a straight line. */
static int add_stack(void *context, struct perf_reader *reader,
                     const struct perf_event_header *record)
{
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	struct branch_edges *edges = context;
	const struct symbols *symbols = edges->runs.file->symbols;
	struct sample sample;
	uint64_t to, from;
	int code = 0;

	if (record->type != PERF_RECORD_SAMPLE || !event ||
	    !(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) ||
	    !sample_parse(record, &event->attr, &sample))
		return 0;
	for (uint64_t i = 0; !code && i < sample.nr_branches; i++) {
		struct perf_branch_entry now, older = { 0 };

		memcpy(&now, sample.branches + i, sizeof(now));
		if (i + 1 < sample.nr_branches)
			memcpy(&older, sample.branches + i + 1, sizeof(older));
		if (is_wrong_path(&now))
			continue;
		from = symbols_at(symbols, now.from, sample.time);
		if (is_whole(&now))
			code = branch_pairs_count(&edges->taken, from,
			                          symbols_at(symbols, now.to, sample.time));
		to = older.to && !is_wrong_path(&older) ? symbols_at(symbols, older.to, sample.time)
		                                        : 0;
		if (!code && to && to <= from)
			code = branch_pairs_count(&edges->lines, to, from);
	}
	return code;
}

/* An SPE record is one sampled instruction. If it branched, the record has the target; CPUs with
 * FEAT_SPE_PBT also write the target of the branch before it, where the straight line to the
 * instruction began. */
static int add_operation(struct branch_edges *edges, const struct spe_record *record)
{
	const uint64_t at = SPE_INSTRUCTION(record->address[SPE_PC]);
	const uint64_t target = SPE_INSTRUCTION(record->address[SPE_TARGET]);
	const uint64_t start = SPE_INSTRUCTION(record->address[SPE_PREVIOUS_TARGET]);
	int code;

	if (!(record->has & SPE_HAS_ADDRESS(SPE_PC)))
		return 0;
	code = branch_pairs_count(&edges->points, at, at);
	if (!code && record->has & SPE_HAS_ADDRESS(SPE_TARGET) && !(record->events & SPE_NOT_TAKEN))
		code = branch_pairs_count(&edges->taken, at, target);
	if (!code && record->has & SPE_HAS_ADDRESS(SPE_PREVIOUS_TARGET) && start <= at)
		code = branch_pairs_count(&edges->lines, start, at);
	return code;
}

static int add_trace(void *context, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;
	struct spe_decoder decoder = { .bytes = record->trace, .size = record->trace_size };
	struct spe_record operation;
	int code = 0, found;

	if (record->header->type != PERF_FILE_RECORD_AUXTRACE ||
	    record->header->size < sizeof(*trace))
		return 0;
	decoder.position = trace->offset;
	while (!code && (found = spe_decode(&decoder, &operation)) != 0) {
		if (found > 0)
			code = add_operation(context, &operation);
	}
	return code;
}

int branch_samples_read(struct branch_edges *edges, struct error *error)
{
	int code = recording_file_walk(edges->runs.file, add_stack, edges, error);

	if (!code && edges->runs.aux_type == PERF_FILE_AUXTRACE_ARM_SPE)
		code = recording_file_records(edges->runs.file, add_trace, edges, error);
	return code;
}

int branch_samples_no_trace(const struct branch_runs *runs, struct error *error)
{
	return error_set(error, -ENODATA, "%s %s: record -e branch-trace//",
	                 runs->file->reader.path,
	                 runs->aux_type == PERF_FILE_AUXTRACE_ARM_SPE
	                     ? "has SPE's samples of single instructions, no trace of all branches"
	                     : "has no trace of branches");
}
