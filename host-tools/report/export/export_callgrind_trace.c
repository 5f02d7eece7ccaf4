/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of all branches in Callgrind's format: executed instructions by function, and the
 * number of calls from each function to each other. Source: Valgrind manual, "Callgrind Format
 * Specification".
 *
 * A jump to the first instruction of another function is counted as a call (tail call). Such a call
 * ends when the jumping function would have returned, or when a jump leads back into the middle of
 * the caller (FUNCTION.cold). Code without a file (firmware) is not a function; a call that passes
 * through such code ends at the return to its caller.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/export/branch_runs.h"
#include "host-tools/report/export/export_format.h"
#include "host-tools/util/array.h"

/* A function that was entered and has not returned. */
struct frame {
	uint64_t back;    /* return address; 0: the frame below's */
	uint64_t entered; /* the CPU's instruction count at entry */
	uint32_t call;
};

struct thread {
	uint32_t cpu;
	uint64_t done; /* instructions executed so far */
	uint64_t to;   /* target of the last run */
	struct frame *frames;
	size_t depth, room;
};

/* The class of a jump: not classified yet; inside one function; into the middle of another
 * function; CALL_FIRST + number of a call. */
enum { CALL_UNSEEN, CALL_NONE, CALL_MIDST, CALL_FIRST };

#define BACK_MOST 4096U /* most frames that one return may end */

/* A function's number is its index in functions + 1; 0: unknown. */
struct trace {
	struct export *export;
	struct branch_runs runs;
	struct thread *threads;
	uint32_t thread_count;
	struct intern functions; /* a: address where the function begins */
	struct intern lengths;   /* a: a run's first instruction, b: its last one */
	struct intern jumps;     /* a: address of the jump, b: its target */
	struct intern calls;     /* a, b: numbers of functions */
	uint32_t *instructions;  /* number of instructions, indexed like lengths */
	uint32_t *jump_calls;    /* class of the jump, indexed like jumps */
	struct call {
		uint64_t count, inclusive;
	} * counts; /* indexed like calls */
	uint32_t lengths_room, jumps_room, calls_room;
};

/* Grow an array of entries of size bytes until it has entry number; new entries are 0. Returns the
 * array. NULL: memory is short; the old array is still valid. */
static void *with_room(void *array, uint32_t *room, uint32_t number, size_t size)
{
	uint32_t more = *room ? *room : 256;
	char *bigger;

	while (more <= number)
		more *= 2;
	if (number < *room)
		return array;
	bigger = realloc(array, more * size);
	if (!bigger)
		return NULL;
	memset(bigger + *room * size, 0, (more - *room) * size);
	*room = more;
	return bigger;
}

static struct thread *find_thread(struct trace *trace, uint32_t cpu)
{
	struct thread *threads;

	for (uint32_t i = 0; i < trace->thread_count; i++) {
		if (trace->threads[i].cpu == cpu)
			return &trace->threads[i];
	}
	threads = array_grow(trace->threads, trace->thread_count, sizeof(*threads));
	if (!threads)
		return NULL;
	trace->threads = threads;
	threads[trace->thread_count] = (struct thread){ .cpu = cpu };
	return &threads[trace->thread_count++];
}

/* Get the number of the function around an address, and its first address in begins. INTERN_NONE:
 * memory is short. */
static uint32_t function_of(struct trace *trace, uint64_t address, uint64_t *begins)
{
	struct symbol_code code;
	uint32_t number;

	*begins = 0;
	if (!symbols_code(trace->export->file->symbols, address, &code))
		return 0;
	*begins = code.address;
	number = intern(&trace->functions, code.address, 0);
	return number == INTERN_NONE ? number : number + 1;
}

/* Count the instructions of a run, and remember the count for equal runs. */
static int measure(struct trace *trace, const struct branch_run *run, uint32_t *length)
{
	uint32_t number = intern(&trace->lengths, run->start, run->end);
	struct code_instruction instruction;
	uint32_t *bigger;

	if (number == INTERN_NONE)
		return -ENOMEM;
	bigger = with_room(trace->instructions, &trace->lengths_room, number, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	trace->instructions = bigger;
	for (uint64_t at = run->start; !trace->instructions[number] && at <= run->end;
	     at += instruction.size) {
		if (!branch_runs_code(&trace->runs, at, &instruction))
			break;
		++*length;
	}
	if (!trace->instructions[number])
		trace->instructions[number] = *length;
	*length = trace->instructions[number];
	if (*length && run->kind == CODE_OTHER)
		--*length;
	return 0;
}

/* End all calls above depth, and add their instructions to the calls' inclusive counts. */
static void leave(struct trace *trace, struct thread *thread, size_t depth)
{
	while (thread->depth > depth) {
		const struct frame *frame = &thread->frames[--thread->depth];

		trace->counts[frame->call].inclusive += thread->done - frame->entered;
	}
}

/* Handle a return to address to: end the innermost call with this return address, and all calls
 * above it. */
static void go_back(struct trace *trace, struct thread *thread, uint64_t to)
{
	for (size_t i = 1; i <= thread->depth && i <= BACK_MOST; i++) {
		if (thread->frames[thread->depth - i].back == to) {
			leave(trace, thread, thread->depth - i);
			return;
		}
	}
}

static int enter(struct trace *trace, struct thread *thread, uint32_t call, uint64_t back)
{
	size_t room = thread->room ? 2 * thread->room : 64;
	struct frame *frames = thread->frames;

	if (thread->depth == thread->room) {
		frames = reallocarray(thread->frames, room, sizeof(*frames));
		if (!frames)
			return -ENOMEM;
		thread->frames = frames;
		thread->room = room;
	}
	frames[thread->depth++] = (struct frame){ back, thread->done, call };
	trace->counts[call].count++;
	return 0;
}

/* Handle a jump to a function's first instruction. If the function was already entered by a jump
 * since the last call, its old frame continues. Otherwise functions that jump to each other without
 * end would fill the stack. */
static int jump_on(struct trace *trace, struct thread *thread, uint32_t call)
{
	uint64_t to = trace->calls.keys[call].b;

	for (size_t depth = thread->depth; depth && !thread->frames[depth - 1].back; depth--) {
		if (trace->calls.keys[thread->frames[depth - 1].call].b == to) {
			leave(trace, thread, depth);
			trace->counts[call].count++;
			return 0;
		}
	}
	return enter(trace, thread, call, 0);
}

/* Handle a jump into the middle of a function: if this function had left by jumps to the current
 * function, end these tail calls. */
static int jump_back(struct trace *trace, struct thread *thread, uint64_t address)
{
	uint64_t begins;
	uint32_t to = function_of(trace, address, &begins);

	if (to == INTERN_NONE)
		return -ENOMEM;
	for (size_t depth = thread->depth; depth && !thread->frames[depth - 1].back; depth--) {
		if (trace->calls.keys[thread->frames[depth - 1].call].a == to) {
			leave(trace, thread, depth - 1);
			break;
		}
	}
	return 0;
}

/* Classify a jump or call between two functions, or within a recursive function. */
static int look(struct trace *trace, const struct branch_run *run, uint32_t *found)
{
	uint64_t begins;
	uint32_t from = function_of(trace, run->end, &begins);
	uint32_t to = function_of(trace, run->to, &begins);
	struct call *bigger;
	uint32_t call;

	*found = CALL_NONE;
	if (from == INTERN_NONE || to == INTERN_NONE)
		return -ENOMEM;
	if (run->kind != CODE_CALL && (from == to || begins != run->to)) {
		*found = from == to ? CALL_NONE : CALL_MIDST;
		return 0;
	}
	call = intern(&trace->calls, from, to);
	if (call == INTERN_NONE)
		return -ENOMEM;
	bigger = with_room(trace->counts, &trace->calls_room, call, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	trace->counts = bigger;
	*found = CALL_FIRST + call;
	return 0;
}

static int find_call(struct trace *trace, const struct branch_run *run, uint32_t *found)
{
	uint32_t number = intern(&trace->jumps, run->end, run->to);
	uint32_t *bigger;
	int code = 0;

	if (number == INTERN_NONE)
		return -ENOMEM;
	bigger = with_room(trace->jump_calls, &trace->jumps_room, number, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	trace->jump_calls = bigger;
	if (trace->jump_calls[number] == CALL_UNSEEN)
		code = look(trace, run, &trace->jump_calls[number]);
	*found = trace->jump_calls[number];
	return code;
}

static int follow(struct trace *trace, struct thread *thread, const struct branch_run *run)
{
	struct code_instruction instruction;
	uint32_t call = CALL_NONE;
	int code;

	if (run->kind == CODE_RETURN || run->kind == CODE_IRET) {
		go_back(trace, thread, run->to);
		return 0;
	}
	if (run->kind == CODE_OTHER || run->kind == CODE_TRAP)
		return 0;
	code = find_call(trace, run, &call);
	if (code || call == CALL_NONE)
		return code;
	if (call == CALL_MIDST)
		return jump_back(trace, thread, run->to);
	if (run->kind != CODE_CALL || !branch_runs_code(&trace->runs, run->end, &instruction))
		return jump_on(trace, thread, call - CALL_FIRST);
	return enter(trace, thread, call - CALL_FIRST, run->end + instruction.size);
}

static int add_run(void *context, const struct branch_run *run)
{
	struct trace *trace = context;
	struct thread *thread = find_thread(trace, run->cpu);
	uint32_t length = 0;
	int code;

	if (!thread)
		return -ENOMEM;
	if (run->is_gap) {
		leave(trace, thread, 0);
		thread->to = 0;
		return 0;
	}
	if (run->start != thread->to)
		go_back(trace, thread, run->start);
	code = measure(trace, run, &length);
	thread->done += length;
	thread->to = run->kind == CODE_OTHER ? run->end : run->to;
	return code ? code : follow(trace, thread, run);
}

/* ---- The file ---- */

static void put_function(const struct trace *trace, const char *prefix, uint32_t number)
{
	struct symbol symbol = { 0 };
	FILE *out = trace->export->out;

	if (number)
		symbol =
		    symbols_find(trace->export->file->symbols, trace->functions.keys[number - 1].a);
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
		uint64_t start = where.start + (function.offset - where.file_offset), begins;
		struct code_instruction instruction;
		struct symbol_code code;
		uint64_t done = 0;
		uint32_t number;

		if (start - where.start >= where.end - where.start ||
		    !symbols_code(symbols, start, &code) || code.address != start || start == last)
			continue;
		last = start;
		for (uint64_t at = start;
		     at - start < code.size && branch_runs_code(&trace->runs, at, &instruction);
		     at += instruction.size)
			done += branch_runs_at(&trace->runs, at).done;
		if (!done)
			continue;
		number = function_of(trace, start, &begins);
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
	struct trace trace = { .export = export };
	int code = export_check_whole(export, error);

	trace.runs.file = export->file;
	trace.runs.visit = add_run;
	trace.runs.context = &trace;
	if (!code)
		code = branch_runs_read(&trace.runs, error);
	if (!code && !trace.runs.branches)
		code = error_set(error, -ENODATA, "%s has no samples, and no trace of branches",
		                 export->file->reader.path);
	if (!code && put_file(&trace))
		code = error_set(error, -ENOMEM, "no memory for the functions");
	for (uint32_t i = 0; i < trace.thread_count; i++)
		free(trace.threads[i].frames);
	free(trace.threads);
	free(trace.instructions);
	free(trace.jump_calls);
	free(trace.counts);
	intern_free(&trace.functions);
	intern_free(&trace.lengths);
	intern_free(&trace.jumps);
	intern_free(&trace.calls);
	branch_runs_free(&trace.runs);
	return code;
}
