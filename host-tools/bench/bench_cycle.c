/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_cycle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/bench_aggregate.h"
#include "host-tools/bench/bench_measure.h"
#include "host-tools/bench/bench_snippet.h"
#include "writer/util/blob.h"

#define TAIL 9 /* instructions behind the LFENCE: arch/x86_64/bench/bench.c, bench_emit_gate() */

/* The tool's own events, behind the user's; nanoBench's names. */
#define MITE       "IDQ.MITE_UOPS_internal"
#define INST       "INST_RETIRED_internal"
#define OWN_EVENTS 2U
#define OWN_CONFIG "\n79.04 " MITE "\nC0.00 " INST "\n"

/* One call of bench_cycles_measure(). */
struct work {
	struct bench_cycles *cycles;
	struct bench_link *link;
	struct bench_options options; /* of each measurement */
	struct blob parts[BENCH_PARTS], config;
	int64_t empty_instructions, instructions; /* to the end, without and with the code */
};

static int no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "no memory for the cycles");
}

/* Assemble once, not in each measurement. */
static int assemble(struct work *work, struct error *error)
{
	static const char *const names[] = { "-asm", "-asm_init", "-asm_late_init",
		                             "-asm_one_time_init" };
	struct bench_options *options = &work->options;
	int code = 0;

	for (unsigned i = 0; i < BENCH_PARTS && !code; i++) {
		if (options->assembly[i])
			code = bench_snippet_assemble(options->assembly[i], names[i],
			                              bench_link_machine(work->link),
			                              &work->parts[i], error);
		else if (options->files[i])
			code = bench_snippet_read(options->files[i], &work->parts[i], error);
		else
			continue;
		options->assembly[i] = options->files[i] = NULL;
		options->raw[i].bytes = work->parts[i].bytes;
		options->raw[i].size = work->parts[i].size;
	}
	return code;
}

static int prepare(struct work *work, struct error *error)
{
	struct bench_options *options = &work->options;
	if (!options->config && !options->config_text)
		return error_set(error, -EINVAL, "-cycle_by_cycle needs events: give -config FILE");
	if (options->msr_config || options->msr_config_text || options->fixed_counters)
		return error_set(error, -EINVAL,
		                 "-cycle_by_cycle cannot be combined with -msr_config or "
		                 "-fixed_counters");
	options->basic = true;
	options->no_mem = false;
	options->no_normalization = true;
	options->frozen = true;
	blob_printf(&work->config, "%s" OWN_CONFIG,
	            options->config_text ? options->config_text : "");
	blob_add(&work->config, "", 1);
	if (work->config.failed)
		return no_memory(error);
	return assemble(work, error);
}

static int64_t aggregate(const struct work *work, int64_t *values, enum bench_aggregate aggregate)
{
	return bench_aggregate(values, work->options.measurements, 1, aggregate);
}

/* How many instructions and cycles it takes to the end, if no counter freezes. */
static int measure_end(struct work *work, struct error *error)
{
	struct bench_options options = work->options;
	struct bench_measurement m;
	int64_t cycles[2] = { 0, 0 }, most;
	int code;

	options.config = options.config_text = NULL;
	options.fixed_counters = true;
	options.cycle = UINT32_MAX;
	code = bench_measure(&m, work->link, &options, error);
	if (!code && m.count < 2)
		code = error_set(error, -ENODEV, "the CPU has no counter of core cycles");
	if (!code) {
		enum bench_aggregate how = options.aggregate;

		work->empty_instructions = aggregate(work, m.list[0].base, how);
		work->instructions = aggregate(work, m.list[0].values, how);
		cycles[0] = aggregate(work, m.list[1].base, how);
		cycles[1] = aggregate(work, m.list[1].values, how);
	}
	bench_measure_free(&m);
	most = cycles[0] > cycles[1] ? cycles[0] : cycles[1];
	if (!code && (most < 0 || most >= (int64_t)BENCH_CYCLES))
		return error_set(error, -EINVAL,
		                 "the code takes %" PRId64
		                 " cycles, and at most %u can be measured "
		                 "one by one: give a smaller -unroll_count or -loop_count",
		                 most, BENCH_CYCLES);
	work->cycles->cycles = (uint32_t)most + 1;
	work->cycles->last = (uint32_t)cycles[1];
	return code;
}

static int make_series(struct work *work, const struct bench_measurement *m, struct error *error)
{
	struct bench_cycles *cycles = work->cycles;

	cycles->list = calloc(m->count, sizeof(*cycles->list));
	if (!cycles->list)
		return no_memory(error);
	cycles->count = m->count;
	for (size_t i = 0; i < m->count; i++) {
		struct bench_series *one = &cycles->list[i];
		int64_t **const lists[] = { &one->empty, &one->values, &one->least, &one->most };

		memcpy(one->name, m->list[i].name, BENCH_NAME);
		for (unsigned j = 0; j < 4; j++) {
			*lists[j] = calloc(cycles->cycles, sizeof(int64_t));
			if (!*lists[j])
				return no_memory(error);
		}
	}
	return 0;
}

static int measure_cycle(struct work *work, uint32_t cycle, struct error *error)
{
	struct bench_cycles *cycles = work->cycles;
	struct bench_measurement m;
	int code;

	work->options.cycle = cycle;
	work->options.config_text = (const char *)work->config.bytes;
	code = bench_measure(&m, work->link, &work->options, error);
	if (!code && !cycles->list)
		code = make_series(work, &m, error);
	for (size_t i = 0; i < m.count && !code; i++) {
		struct bench_series *one = &cycles->list[i];

		one->empty[cycle] = aggregate(work, m.list[i].base, work->options.aggregate);
		one->values[cycle] = aggregate(work, m.list[i].values, work->options.aggregate);
		one->least[cycle] = aggregate(work, m.list[i].values, BENCH_MIN);
		one->most[cycle] = aggregate(work, m.list[i].values, BENCH_MAX);
	}
	bench_measure_free(&m);
	return code;
}

/* The first cycle after which so many instructions have retired. */
static uint32_t cycle_of(const struct bench_cycles *cycles, const int64_t *retired, int64_t count)
{
	uint32_t cycle = 0;

	while (cycle + 1 < cycles->cycles && retired[cycle] < count)
		cycle++;
	return cycle;
}

/* The first cycle whose instructions of the code enter the queue: before it, more than one
 * micro-operation of the code before came in a cycle. */
static uint32_t first_cycle(const struct bench_cycles *cycles, const int64_t *uops)
{
	int64_t later = 0;

	for (uint32_t cycle = cycles->empty > 3 ? cycles->empty - 3 : 0; cycle; cycle--) {
		if (later && later - uops[cycle] > 1)
			return cycle + 1;
		later = uops[cycle];
	}
	return 0;
}

static void choose_cycles(struct work *work)
{
	struct bench_cycles *cycles = work->cycles;
	const struct bench_series *inst = &cycles->list[cycles->count - 1];
	const struct bench_series *mite = &cycles->list[cycles->count - 2];

	cycles->own = OWN_EVENTS;
	cycles->empty_fence = cycle_of(cycles, inst->empty, work->empty_instructions - TAIL);
	cycles->empty = cycle_of(cycles, inst->empty, work->empty_instructions - TAIL - 1);
	if (work->options.end_to_end)
		return;
	cycles->first = first_cycle(cycles, mite->empty);
	cycles->last = cycle_of(cycles, inst->values, work->instructions - TAIL);
}

int bench_cycles_measure(struct bench_cycles *cycles, struct bench_link *link,
                         const struct bench_options *options, struct error *error)
{
	struct work work = { .cycles = cycles, .link = link, .options = *options };
	int code;

	*cycles = (struct bench_cycles){ 0 };
	code = prepare(&work, error);
	if (!code)
		code = measure_end(&work, error);
	for (uint32_t cycle = 0; cycle < cycles->cycles && !code; cycle++)
		code = measure_cycle(&work, cycle, error);
	if (!code)
		choose_cycles(&work);
	for (unsigned i = 0; i < BENCH_PARTS; i++)
		blob_free(&work.parts[i]);
	blob_free(&work.config);
	return code;
}

void bench_cycles_print(const struct bench_cycles *cycles, const struct bench_options *options,
                        FILE *out)
{
	for (size_t i = 0; i < cycles->count - cycles->own; i++) {
		const struct bench_series *one = &cycles->list[i];

		fprintf(out, "%s,%" PRId64 ",%" PRId64, one->name, one->empty[cycles->empty],
		        one->empty[cycles->empty_fence]);
		for (uint32_t cycle = cycles->first; cycle <= cycles->last; cycle++) {
			fprintf(out, ",%" PRId64, one->values[cycle]);
			if (options->range)
				fprintf(out, ",%" PRId64 ",%" PRId64, one->least[cycle],
				        one->most[cycle]);
		}
		fputc('\n', out);
	}
}

void bench_cycles_free(struct bench_cycles *cycles)
{
	for (size_t i = 0; i < cycles->count; i++) {
		free(cycles->list[i].empty);
		free(cycles->list[i].values);
		free(cycles->list[i].least);
		free(cycles->list[i].most);
	}
	free(cycles->list);
	*cycles = (struct bench_cycles){ 0 };
}
