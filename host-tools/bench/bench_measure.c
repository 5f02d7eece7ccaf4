/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/machine.h"
#include "host-tools/bench/bench_aggregate.h"
#include "host-tools/bench/bench_snippet.h"
#include "host-tools/util/array.h"

#define INTEL_NO_MEM 4U /* values that nanoBench keeps in registers: R8 to R11 */
#define MOST_NO_MEM  6U
#define MSR_MPERF    0xe7U
#define MSR_APERF    0xe8U

/* Everything that one call of bench_measure() needs. */
struct run {
	struct bench_measurement *measurement;
	struct bench_link *link;
	const struct bench_options *options;
	struct bench_request request;           /* without counters: the same for all groups */
	struct blob parts[BENCH_PARTS];         /* the machine code */
	struct bench_events events;             /* of -config */
	struct bench_events registers;          /* of -msr_config */
	char names[BENCH_COUNTERS][BENCH_NAME]; /* of the present group */
	unsigned columns[BENCH_COUNTERS];       /* counters of the present group, for -verbose */
	unsigned groups;
	int64_t *values; /* BENCH_VALUES, of a result */
};

/* ---- Preparing ---- */

static int no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "no memory for the measurements");
}

static int take_parts(struct run *run, struct error *error)
{
	static const char *const names[] = { "-asm", "-asm_init", "-asm_late_init",
		                             "-asm_one_time_init" };
	const struct bench_options *options = run->options;
	int code = 0;

	for (unsigned i = 0; i < BENCH_PARTS && !code; i++) {
		if (options->assembly[i])
			code = bench_snippet_assemble(options->assembly[i], names[i],
			                              bench_link_machine(run->link), &run->parts[i],
			                              error);
		else if (options->files[i])
			code = bench_snippet_read(options->files[i], &run->parts[i], error);
		else if (options->raw[i].bytes)
			blob_add(&run->parts[i], options->raw[i].bytes, options->raw[i].size);
		if (!code && run->parts[i].failed)
			code = no_memory(error);
		if (!code && run->parts[i].size > BENCH_REQUEST)
			code = error_set(error, -E2BIG, "%s: the code is larger than 256 KiB",
			                 names[i]);
		run->request.parts[i].bytes = run->parts[i].bytes;
		run->request.parts[i].size = (uint32_t)run->parts[i].size;
	}
	return code;
}

static int take_events(struct run *run, struct error *error)
{
	const struct bench_options *options = run->options;
	bool arm = bench_link_machine(run->link) == EM_AARCH64;
	int code = 0;

	if (options->msr_config || options->msr_config_text) {
		if (arm)
			return error_set(error, -EINVAL, "-msr_config: aarch64 has no MSRs");
		if (options->user)
			return error_set(error, -EINVAL,
			                 "-msr_config cannot be combined with --user: ring 3 "
			                 "cannot read MSRs");
	}
	if (options->config)
		code = bench_config_read(&run->events, options->config, false, arm, error);
	if (!code && options->config_text)
		code = bench_config_parse(&run->events, options->config_text, false, arm,
		                          "-config_text", error);
	if (!code && options->msr_config)
		code = bench_config_read(&run->registers, options->msr_config, true, arm, error);
	if (!code && options->msr_config_text)
		code = bench_config_parse(&run->registers, options->msr_config_text, true, arm,
		                          "-msr_config_text", error);
	return code;
}

static void prepare_request(struct run *run)
{
	const struct bench_options *options = run->options;

	run->request = (struct bench_request){
		.flags = (options->no_mem ? BENCH_NO_MEM : 0) | (options->basic ? BENCH_BASIC : 0) |
		         (options->drain ? BENCH_DRAIN : 0) | (options->user ? BENCH_USER : 0) |
		         (options->frozen ? BENCH_CYCLE : 0),
		.cpu = options->cpu,
		.measurements = options->measurements,
		.warm_up = options->warm_up,
		.initial_warm_up = options->initial_warm_up,
		.unroll = options->unroll,
		.loop = options->loop,
		.alignment = options->alignment,
		.offset = options->offset,
		.cycle = options->cycle,
		.bound_ms = options->limit_ms,
	};
}

/* ---- Groups ---- */

static void begin_group(struct run *run, struct bench_request *request)
{
	*request = run->request;
	run->groups++;
}

static void add(struct run *run, struct bench_request *request, struct bench_counter counter,
                unsigned column, const char *name)
{
	unsigned i = request->nr_counters++;

	request->counters[i] = counter;
	run->columns[i] = column;
	snprintf(run->names[i], BENCH_NAME, "%s", name);
}

/* Note a result's values of one counter. */
static int keep(struct run *run, const struct bench_result *result, unsigned counter,
                const struct bench_counter *kind, struct error *error)
{
	struct bench_measurement *m = run->measurement;
	size_t size = result->measurements * sizeof(int64_t);
	struct bench_measured *one;

	if (!ARRAY_ROOM(m->list, m->count))
		return no_memory(error);
	one = &m->list[m->count];
	*one = (struct bench_measured){ .group = run->groups,
		                        .column = run->columns[counter],
		                        .base = malloc(size),
		                        .values = malloc(size) };
	m->count++;
	if (!one->base || !one->values)
		return no_memory(error);
	one->voids = bench_void(&result->noise, kind);
	memcpy(one->name, run->names[counter], BENCH_NAME);
	memcpy(one->base, &result->values[bench_value(result, 0, counter, 0)], size);
	memcpy(one->values, &result->values[bench_value(result, 1, counter, 0)], size);
	return 0;
}

static uint64_t sum(uint64_t one, uint64_t other)
{
	return one == BENCH_UNKNOWN || other == BENCH_UNKNOWN ? BENCH_UNKNOWN : one + other;
}

static void add_noise(struct bench_noise *to, const struct bench_noise *noise)
{
	to->smis = sum(to->smis, noise->smis);
	to->interrupts = sum(to->interrupts, noise->interrupts);
	to->hit = sum(to->hit, noise->hit);
	to->stolen = sum(to->stolen, noise->stolen);
	to->machine_checks = sum(to->machine_checks, noise->machine_checks);
	to->throttled = sum(to->throttled, noise->throttled);
	to->frozen = noise->frozen;
	memcpy(to->ratio, noise->ratio, sizeof(to->ratio));
}

static int run_group(struct run *run, const struct bench_request *request, struct error *error)
{
	struct bench_result result = { .values = run->values };
	int code = bench_link_ask(run->link, request, &result, error);

	if (code)
		return code;
	if (result.status)
		return error_set(error, -ECANCELED, "%s", result.text);
	if (result.counters != request->nr_counters || result.measurements != request->measurements)
		return error_set(error, -EPROTO, "the machine's result is of another request");
	add_noise(&run->measurement->noise, &result.noise);
	for (unsigned i = 0; i < result.counters && !code; i++)
		code = keep(run, &result, i, &request->counters[i], error);
	return code;
}

/* The clock, and the counters that always count the same. */
static int run_fixed(struct run *run, struct error *error)
{
	static const char *const names[] = { "Instructions retired", "Core cycles",
		                             "Reference cycles", "Slots" };
	const struct bench_hardware *h = &run->measurement->hardware;
	struct bench_request request;

	begin_group(run, &request);
	if (!run->options->frozen)
		add(run, &request, (struct bench_counter){ BENCH_CLOCK, 0, 0 }, 0,
		    h->vendor == BENCH_ARM ? "CNTVCT" : "RDTSC");
	if (h->vendor == BENCH_AMD && h->aperf && !run->options->user) {
		add(run, &request, (struct bench_counter){ BENCH_REGISTER, 0, MSR_MPERF }, 1,
		    "MPERF");
		add(run, &request, (struct bench_counter){ BENCH_REGISTER, 0, MSR_APERF }, 2,
		    "APERF");
	}
	for (unsigned i = 0; i < 3 && h->vendor != BENCH_AMD; i++) {
		if (h->fixed >> i & 1)
			add(run, &request, (struct bench_counter){ BENCH_FIXED, i, 0 }, i + 1,
			    h->vendor == BENCH_ARM ? "Core cycles" : names[i]);
	}
	return run_group(run, &request, error);
}

/* The general counters of one run. */
static unsigned counters_of(const struct run *run)
{
	const struct bench_hardware *h = &run->measurement->hardware;
	unsigned most = h->general < BENCH_COUNTERS ? h->general : BENCH_COUNTERS;
	unsigned no_mem = h->vendor == BENCH_INTEL ? INTEL_NO_MEM : MOST_NO_MEM;

	return run->options->no_mem && most > no_mem ? no_mem : most;
}

/* On some of Intel's CPUs one counter does not freeze together with the others: counter 0 on Alder
 * Lake (model 97H), counter 1 on others (nanoBench's findings). */
static bool is_avoided(const struct run *run, unsigned counter)
{
	uint32_t signature = run->measurement->hardware.signature;
	uint32_t model = (signature >> 4 & 0xf) | (signature >> 12 & 0xf0);

	return run->options->frozen && counter == (model == 0x97 ? 0 : 1);
}

/* Give each counter in its order the next event, if that may use it. */
static void fill_group(struct run *run, struct bench_request *request, size_t *next)
{
	const struct bench_events *events = &run->events;
	unsigned counters = counters_of(run);

	for (unsigned i = 0; i < counters && *next < events->count; i++) {
		const struct bench_event *event = &events->list[*next];
		struct bench_counter counter = { BENCH_GENERAL, i,
			                         bench_config_select(
			                             event, run->measurement->hardware.vendor) };

		if (event->counter >= 0 ? event->counter != (int)i : is_avoided(run, i))
			continue;
		if ((event->alone && request->nr_counters) ||
		    request->nr_writes + event->nr_writes > BENCH_WRITES)
			return;
		add(run, request, counter, i, event->name);
		memcpy(request->writes + request->nr_writes, event->writes,
		       event->nr_writes * sizeof(*event->writes));
		request->nr_writes += event->nr_writes;
		++*next;
		if (event->alone)
			return;
	}
}

static int check_counters(const struct run *run, struct error *error)
{
	unsigned counters = counters_of(run);

	if (!counters)
		return error_set(error, -ENODEV,
		                 "the CPU has no counters for the events of -config: an emulated "
		                 "x86 CPU has none, and some hypervisors hide them");
	for (size_t i = 0; i < run->events.count; i++) {
		if (run->events.list[i].counter >= (int)counters)
			return error_set(
			    error, -EINVAL, "event %s: CTR=%d: there are counters 0 to %u",
			    run->events.list[i].name, run->events.list[i].counter, counters - 1);
	}
	return 0;
}

static int run_events(struct run *run, struct error *error)
{
	size_t next = 0;
	int code = run->events.count ? check_counters(run, error) : 0;

	while (!code && next < run->events.count) {
		struct bench_request request;

		begin_group(run, &request);
		fill_group(run, &request, &next);
		code = run_group(run, &request, error);
	}
	return code;
}

static int run_registers(struct run *run, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < run->registers.count && !code; i++) {
		const struct bench_event *event = &run->registers.list[i];
		struct bench_request request;

		begin_group(run, &request);
		add(run, &request, (struct bench_counter){ BENCH_REGISTER, 0, event->read }, 0,
		    event->name);
		memcpy(request.writes, event->writes, sizeof(request.writes));
		request.nr_writes = event->nr_writes;
		code = run_group(run, &request, error);
	}
	return code;
}

/* ---- */

static int describe(struct run *run, struct error *error)
{
	const struct bench_request about = { .flags = BENCH_ABOUT };
	struct bench_result result = { .values = run->values };
	int code = bench_link_ask(run->link, &about, &result, error);

	if (!code && result.status)
		return error_set(error, -ECANCELED, "%s", result.text);
	run->measurement->hardware = result.hardware;
	return code;
}

int bench_describe(struct bench_hardware *hardware, struct bench_link *link, struct error *error)
{
	const struct bench_options options = { .measurements = 1, .unroll = 1 };
	struct bench_measurement m;
	int code = bench_measure(&m, link, &options, error);

	*hardware = m.hardware;
	bench_measure_free(&m);
	return code;
}

static int measure(struct run *run, struct error *error)
{
	int code = describe(run, error);

	prepare_request(run);
	if (!code)
		code = take_parts(run, error);
	if (!code)
		code = take_events(run, error);
	if (!code && run->options->fixed_counters)
		code = run_fixed(run, error);
	if (!code)
		code = run_events(run, error);
	if (!code)
		code = run_registers(run, error);
	for (size_t i = 0; i < run->measurement->count && !code; i++)
		code = bench_aggregate_all(&run->measurement->list[i], run->options, error);
	return code;
}

int bench_measure(struct bench_measurement *measurement, struct bench_link *link,
                  const struct bench_options *options, struct error *error)
{
	struct run run = { .measurement = measurement, .link = link, .options = options };
	int code;

	*measurement = (struct bench_measurement){ 0 };
	run.values = malloc(BENCH_VALUES * sizeof(*run.values));
	code = run.values ? measure(&run, error) : no_memory(error);
	for (unsigned i = 0; i < BENCH_PARTS; i++)
		blob_free(&run.parts[i]);
	bench_config_free(&run.events);
	bench_config_free(&run.registers);
	free(run.values);
	return code;
}

void bench_measure_free(struct bench_measurement *measurement)
{
	for (size_t i = 0; i < measurement->count; i++) {
		free(measurement->list[i].base);
		free(measurement->list[i].values);
	}
	free(measurement->list);
	*measurement = (struct bench_measurement){ 0 };
}
