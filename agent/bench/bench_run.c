/* SPDX-License-Identifier: MIT */
#include "agent/bench/bench_run.h"

#include <errno.h>
#include <string.h>

#include "agent/bench/bench_call.h"
#include "agent/bench/bench_memory.h"
#include "agent/bench/bench_noise.h"
#include "arch/arch.h"
#include "arch/bench.h"
#include "lib/print.h"
#include "pmu/bench_counters.h"
#include "pmu/clock/clock.h"
#include "pmu/timer.h"

_Static_assert(ARCH_BENCH_AREAS == BENCH_AREAS, "areas");
_Static_assert((2 * BENCH_COUNTERS + ARCH_BENCH_SCRATCH) * 8 <= ARCH_PAGE, "reading");

/* A request while it is carried out. */
struct bench_job {
	const struct bench_request *request;
	struct bench_result *result;
	struct bench_unit unit;
	struct bench_task tasks[BENCH_COUNTERS];
	unsigned nr_tasks;
	struct arch_bench_read reads[BENCH_COUNTERS];
	uint64_t masks[BENCH_COUNTERS];
	uint32_t gate; /* the counters count while this register has the value gate_on; 0: none */
	uint64_t gate_on;
	uint64_t *values;              /* bench_memory()->reading */
	uint64_t former[BENCH_WRITES]; /* the set registers' values before */
};

static int bench_refuse(struct bench_result *result, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int bench_refuse(struct bench_result *result, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_text_v(result->text, sizeof(result->text), format, arguments);
	va_end(arguments);
	result->status = code;
	return code;
}

/* ---- Code ---- */

/* Build the code with so many copies. bytes: the snippet. */
static int bench_build(struct bench_job *job, const struct arch_bench_bytes parts[BENCH_PARTS],
                       uint32_t copies, uint32_t loops)
{
	const struct bench_request *request = job->request;
	const struct bench_memory *memory = bench_memory();
	struct arch_bench_places places;
	struct bench_built built;
	struct arch_bench_code code = {
		.init = parts[BENCH_INIT],
		.late_init = parts[BENCH_LATE_INIT],
		.code = parts[BENCH_CODE],
		.reads = job->reads,
		.nr_reads = request->nr_counters,
		.values = job->values,
		.gate = job->gate,
		.gate_on = job->gate_on,
		.copies = copies,
		.loops = loops,
		.alignment = request->alignment,
		.no_mem = request->flags & BENCH_NO_MEM,
		.drain = request->flags & BENCH_DRAIN,
		.user = request->flags & BENCH_USER,
	};

	for (unsigned i = 0; i < BENCH_AREAS; i++)
		code.areas[i] = (uint64_t)memory->areas[i] + BENCH_AREA / 2;
	built.start = memory->code + request->offset;
	built.size =
	    arch_bench_build(&code, built.start, BENCH_CODE_ROOM - request->offset, &places);
	built.copies_at = places.copies;
	built.exit_at = places.exit;
	built.user = code.user;
	built.copies = copies;
	built.copy_size = code.code.size ? code.code.size : 1;
	if (!built.size)
		return bench_refuse(job->result, -E2BIG,
		                    "%u copies of %lu bytes do not fit into the %u KiB for "
		                    "generated code: try a smaller unroll count and a loop",
		                    copies, (unsigned long)code.code.size, BENCH_CODE_ROOM >> 10);
	arch_bench_ready(built.start, built.size);
	bench_call_set(&built);
	return 0;
}

/* The request's parts; only: this part alone, as the code before a run (init). */
static void bench_take_parts(const struct bench_request *request,
                             struct arch_bench_bytes parts[BENCH_PARTS])
{
	for (unsigned i = 0; i < BENCH_PARTS; i++)
		parts[i] =
		    (struct arch_bench_bytes){ request->parts[i].bytes, request->parts[i].size };
}

/* ---- Counters ---- */

static int bench_take_counter(struct bench_job *job, unsigned i)
{
	const struct bench_counter *counter = &job->request->counters[i];
	struct bench_task *task = &job->tasks[job->nr_tasks];
	bool fixed = counter->kind == BENCH_FIXED;

	if (job->request->flags & BENCH_CYCLE && counter->kind != BENCH_FIXED &&
	    counter->kind != BENCH_GENERAL)
		return bench_refuse(job->result, -EINVAL,
		                    "cycle by cycle reads counters alone: no clock, no MSR");
	job->reads[i] = (struct arch_bench_read){ ARCH_BENCH_CLOCK, 0 };
	job->masks[i] = UINT64_MAX;
	if (counter->kind == BENCH_CLOCK)
		return 0;
	if (counter->kind == BENCH_REGISTER) {
		job->reads[i] =
		    (struct arch_bench_read){ ARCH_BENCH_REGISTER, (uint32_t)counter->config };
		return arch_bench_can_read(ARCH_BENCH_REGISTER, job->request->flags & BENCH_USER)
		           ? 0
		           : bench_refuse(job->result, -ENOTSUP,
		                          "the snippet's level has no registers that counts "
		                          "can be read from");
	}
	if (fixed ? counter->index >= 32 || !(job->unit.fixed >> counter->index & 1)
	          : counter->index >= job->unit.general)
		return bench_refuse(job->result, -ENODEV,
		                    "the CPU has no %s counter %u (it has %u general counters)",
		                    fixed ? "fixed" : "general", counter->index, job->unit.general);
	*task = (struct bench_task){ fixed, counter->index, counter->config };
	job->nr_tasks++;
	job->masks[i] = fixed ? job->unit.fixed_mask : job->unit.general_mask;
	job->reads[i] =
	    (struct arch_bench_read){ ARCH_BENCH_COUNTER, bench_counters->selector(task) };
	return 0;
}

static int bench_take_counters(struct bench_job *job)
{
	unsigned most = arch_bench_no_mem_reads();
	int code = 0;

	bench_counters->look(&job->unit);
	if (job->request->flags & BENCH_CYCLE && !job->unit.gates)
		return bench_refuse(job->result, -ENOTSUP,
		                    "cycle by cycle needs counters that freeze at an overflow "
		                    "(Intel's FREEZE_PERFMON_ON_PMI), and a counter of core "
		                    "cycles");
	if (job->request->flags & BENCH_CYCLE && job->request->flags & BENCH_USER)
		return bench_refuse(job->result, -ENOTSUP,
		                    "cycle by cycle runs at ring 0 alone: it writes an MSR");
	if (job->request->flags & BENCH_NO_MEM && job->request->nr_counters > most)
		return bench_refuse(job->result, -EINVAL,
		                    "without memory accesses only %u values can be read at once",
		                    most);
	for (unsigned i = 0; i < job->request->nr_counters && !code; i++)
		code = bench_take_counter(job, i);
	return code;
}

static void bench_set_registers(struct bench_job *job)
{
	for (unsigned i = 0; i < job->request->nr_writes; i++) {
		job->former[i] = arch_reg_read(job->request->writes[i].reg);
		arch_reg_write(job->request->writes[i].reg, job->request->writes[i].value);
	}
}

static void bench_restore_registers(struct bench_job *job)
{
	for (unsigned i = job->request->nr_writes; i; i--)
		arch_reg_write(job->request->writes[i - 1].reg, job->former[i - 1]);
}

/* ---- Runs ---- */

static void bench_start_counters(struct bench_job *job)
{
	bool user = job->request->flags & BENCH_USER;

	if (job->request->flags & BENCH_CYCLE)
		job->gate_on =
		    bench_counters->gate(&job->unit, job->tasks, job->nr_tasks, user, &job->gate);
	else
		bench_counters->start(&job->unit, job->tasks, job->nr_tasks, user);
}

/* Cycle by cycle: tasks and counters of the request have the same numbers. */
static int bench_run_once(struct bench_job *job, bool bounded)
{
	if (job->gate)
		bench_counters->arm(&job->unit, job->request->cycle);
	return bench_call(bounded);
}

/* The counts of the last call. */
static uint64_t bench_count(const struct bench_job *job, unsigned i)
{
	if (job->gate)
		return bench_counters->read(&job->unit, &job->tasks[i], job->request->cycle);
	return (job->values[job->request->nr_counters + i] - job->values[i]) & job->masks[i];
}

/* With other tasks than the measurement: the counters are stopped, and nothing is kept. */
static int bench_run_unmeasured(struct bench_job *job)
{
	const struct bench_request *request = job->request;
	struct arch_bench_bytes parts[BENCH_PARTS], once[BENCH_PARTS] = { 0 };
	int code = 0;

	bench_take_parts(request, parts);
	once[BENCH_INIT] = parts[BENCH_ONE_TIME_INIT];
	if (once[BENCH_INIT].size)
		code = bench_build(job, once, 0, 0);
	if (!code && once[BENCH_INIT].size)
		code = bench_run_once(job, true);
	if (code || !request->initial_warm_up)
		return code;
	code = bench_build(job, parts, request->unroll, request->loop);
	for (uint32_t i = 0; i < request->initial_warm_up && !code; i++)
		code = bench_run_once(job, i == 0);
	return code;
}

/* The first run of the code is bounded: it may not end. */
static int bench_measure(struct bench_job *job, unsigned run, uint32_t copies, uint32_t loops)
{
	const struct bench_request *request = job->request;
	struct arch_bench_bytes parts[BENCH_PARTS];
	unsigned n = request->nr_counters;
	int code;

	bench_take_parts(request, parts);
	code = bench_build(job, parts, copies, loops);
	for (uint32_t i = 0; i < request->warm_up && !code; i++)
		code = bench_run_once(job, i == 0);
	bench_noise_run_begin();
	for (uint32_t i = 0; i < request->measurements && !code; i++) {
		bench_noise_call_begin();
		code = bench_run_once(job, i + request->warm_up == 0);
		bench_noise_call_end(&job->result->noise);
		for (unsigned c = 0; c < n; c++)
			job->result->values[bench_value(job->result, run, c, i)] =
			    (int64_t)bench_count(job, c);
	}
	bench_noise_run_end(&job->result->noise, run);
	return code;
}

static int bench_run_all(struct bench_job *job)
{
	const struct bench_request *request = job->request;
	bool basic = request->flags & BENCH_BASIC;
	int code = bench_run_unmeasured(job);

	if (!code)
		code =
		    bench_measure(job, 0, basic ? 0 : request->unroll, basic ? 0 : request->loop);
	if (!code)
		code = bench_measure(job, 1, basic ? request->unroll : 2 * request->unroll,
		                     request->loop);
	return code;
}

static void bench_run_masked(struct bench_job *job)
{
	uint64_t irq = arch_irq_save();
	int code;

	bench_call_begin(job->request->bound_ms);
	for (unsigned i = 0; i < BENCH_AREAS; i++)
		memset(bench_memory()->areas[i], 0, BENCH_AREA);
	bench_start_counters(job);
	bench_set_registers(job); /* they may start other counters */
	bench_noise_begin(&job->result->noise);
	job->result->noise.frozen = job->unit.freezes;
	code = bench_run_all(job);
	bench_restore_registers(job);
	bench_counters->stop(&job->unit);
	bench_call_end();
	arch_irq_restore(irq);
	if (code == -EFAULT || code == -ETIMEDOUT)
		bench_refuse(job->result, code, "%s", bench_call_error());
}

static int bench_check(const struct bench_request *request, struct bench_result *result)
{
	if (request->cpu >= arch_cpu_count())
		return bench_refuse(result, -ENODEV, "there is no CPU %u: CPUs are 0 to %u",
		                    request->cpu, arch_cpu_count() - 1);
	if (request->unroll > BENCH_CODE_ROOM || request->offset >= BENCH_CODE_ROOM)
		return bench_refuse(result, -E2BIG,
		                    "%u copies at offset %u do not fit into the %u KiB for "
		                    "generated code",
		                    request->unroll, request->offset, BENCH_CODE_ROOM >> 10);
	if (request->alignment > BENCH_AREA)
		return bench_refuse(result, -E2BIG, "the alignment offset %u is over 1 MiB",
		                    request->alignment);
	return 0;
}

/* The counters are those of the CPU that runs this. */
static void bench_run_here(void *context)
{
	struct bench_job *job = context;

	if (!bench_take_counters(job))
		bench_run_masked(job);
}

static void bench_run_there(void *context)
{
	timer_init();
	bench_run_here(context);
}

static void bench_run_on(unsigned cpu, struct bench_job *job)
{
	int code = cpu ? arch_cpu_run(cpu, bench_run_there, job) : 0;

	if (code)
		bench_refuse(job->result, code, "CPU %u cannot be used: %s", cpu, strerror(-code));
	else if (!cpu)
		bench_run_here(job);
	while (cpu && !code && !arch_cpu_idle(cpu))
		arch_relax();
}

int bench_run(const struct bench_request *request, struct bench_result *result)
{
	struct bench_job job = { .request = request,
		                 .result = result,
		                 .values = bench_memory()->reading };

	result->counters = request->nr_counters;
	result->measurements = request->measurements;
	if (bench_check(request, result))
		return result->status;
	bench_run_on(request->cpu, &job);
	return result->status;
}

void bench_run_describe(struct bench_hardware *hardware)
{
	static const enum bench_vendor vendors[] = {
		[BENCH_UNIT_NONE] = BENCH_OTHER,
		[BENCH_UNIT_INTEL] = BENCH_INTEL,
		[BENCH_UNIT_AMD] = BENCH_AMD,
		[BENCH_UNIT_ARM] = BENCH_ARM,
	};
	const struct bench_memory *memory = bench_memory();
	struct arch_cpu_id id;
	struct bench_unit unit;

	arch_cpu_identify(&id);
	bench_counters->look(&unit);
	*hardware = (struct bench_hardware){
		.vendor = vendors[unit.vendor],
		.general = unit.general,
		.fixed = unit.fixed,
		.aperf = unit.aperf,
		.signature = (uint32_t)id.signature,
		.frequency = machine_clock.frequency,
		.code = (uint64_t)memory->code,
		.code_size = BENCH_CODE_ROOM,
	};
	for (unsigned i = 0; i < BENCH_AREAS; i++)
		hardware->areas[i] = (uint64_t)memory->areas[i] + BENCH_AREA / 2;
}
