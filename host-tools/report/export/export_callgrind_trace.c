/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of all branches in Callgrind's format: executed instructions by function, and the
 * number of calls from each function to each other. Source: Valgrind manual, "Callgrind Format
 * Specification".
 *
 * A jump to the first instruction of another function is counted as a call (tail call). An
 * interrupt is not a call, and its instructions are not the interrupted function's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/branches/call_walk.h"
#include "host-tools/report/export/export_format.h"
#include "host-tools/util/array.h"

struct trace {
	struct export *export;
	struct call_walk walk;
	struct intern calls; /* a, b: numbers of the functions */
	struct call {
		uint64_t count, inclusive;
	} * counts; /* indexed like calls */
	uint32_t calls_room;
};

static struct call *find_call(struct trace *trace, const struct call_frame *frame)
{
	uint32_t number = intern(&trace->calls, frame->caller, frame->function);
	struct call *counts;

	if (number == INTERN_NONE)
		return NULL;
	counts = array_reach(trace->counts, &trace->calls_room, number, sizeof(*counts));
	if (!counts)
		return NULL;
	trace->counts = counts;
	return &counts[number];
}

static int add_left(void *context, const struct call_cpu *cpu, const struct call_frame *frame,
                    bool is_return)
{
	struct call *call;

	(void)cpu;
	(void)is_return;
	if (!frame->is_entry_seen || frame->is_interrupt)
		return 0;
	call = find_call(context, frame);
	if (!call)
		return -ENOMEM;
	call->count++;
	call->inclusive += frame->self + frame->callees;
	return 0;
}

/* ---- The file ---- */

static void put_function(const struct trace *trace, const char *prefix, uint32_t number)
{
	struct symbol symbol = call_walk_symbol(&trace->walk, number);
	FILE *out = trace->export->out;

	fprintf(out, "%sob=", prefix);
	export_put_line(out, symbol.file ? symbol.file : "[unknown]");
	fprintf(out, "%sfl=???\n%sfn=", prefix, prefix);
	export_put_line(out, symbol.name ? symbol.name : "[unknown]");
}

/* Write the count of each instruction, for all functions of a mapping. */
static int put_selves(struct trace *trace, size_t mapping)
{
	struct symbols *symbols = trace->export->file->symbols;
	struct symbol_mapping where;
	struct symbol function;
	uint64_t last = 0;

	for (size_t i = 0; symbols_mapping(symbols, mapping, &where) &&
	                   symbols_function(symbols, mapping, i, &function);
	     i++) {
		uint64_t start = where.start + (function.offset - where.file_offset);
		struct code_instruction instruction;
		struct symbol_code code;
		uint64_t done = 0;
		uint32_t number;

		if (start - where.start >= where.end - where.start ||
		    !symbols_code(symbols, start, &code) || code.address != start || start == last)
			continue;
		last = start;
		for (uint64_t at = start; at - start < code.size &&
		                          branch_runs_code(&trace->walk.runs, at, &instruction);
		     at += instruction.size)
			done += branch_runs_at(&trace->walk.runs, at).done;
		if (!done)
			continue;
		number = call_walk_function(&trace->walk, start);
		if (number == INTERN_NONE)
			return -ENOMEM;
		put_function(trace, "", number);
		fprintf(trace->export->out, "0 %" PRIu64 "\n", done);
	}
	return 0;
}

static int put_file(struct trace *trace)
{
	struct symbol_mapping mapping;
	FILE *out = trace->export->out;
	int code = 0;

	fputs("# callgrind format\nversion: 1\ncreator: bareperf " BAREPERF_VERSION
	      "\npositions: line\nevents: Ir\n\n",
	      out);
	for (size_t i = 0; !code && symbols_mapping(trace->export->file->symbols, i, &mapping); i++)
		code = mapping.path ? put_selves(trace, i) : 0;
	for (uint32_t i = 0; !code && i < trace->calls.count; i++) {
		put_function(trace, "", (uint32_t)trace->calls.keys[i].a);
		put_function(trace, "c", (uint32_t)trace->calls.keys[i].b);
		fprintf(out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n", trace->counts[i].count,
		        trace->counts[i].inclusive);
	}
	return code;
}

int export_callgrind_trace(struct export *export, struct error *error)
{
	struct trace trace = { .export = export, .walk = { .left = add_left } };
	int code = export_check_whole(export, error);

	trace.walk.runs.file = export->file;
	trace.walk.context = &trace;
	if (code)
		return code;
	code = call_walk_read(&trace.walk, error);
	if (code == -ENODATA)
		error_set(error, code, "%s has no samples, and no trace of branches",
		          export->file->reader.path);
	if (!code && put_file(&trace))
		code = error_set(error, -ENOMEM, "no memory for the functions");
	free(trace.counts);
	intern_free(&trace.calls);
	call_walk_free(&trace.walk);
	return code;
}
