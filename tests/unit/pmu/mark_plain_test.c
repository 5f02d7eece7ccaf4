/* SPDX-License-Identifier: MIT */
/*
 * A program's mark, through the function that it calls, single-stepped: at each instruction
 * handlers mark as well, or the program is ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/payload/payload.h"
#include "agent/payload/payload_calls.h"
#include "agent/payload/payload_fetch.h"
#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_memory.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/payload/payload_threads.h"
#include "agent/record/record_regions.h"
#include "agent/record/recording.h"
#include "arch/host/fake_cpu.h"
#include "arch/host/step.h"
#include "lib/image.h"
#include "lib/panic.h"
#include "lib/platform.h"
#include "lib/syscalls.h"
#include "tests/unit/pmu/mark_rig.h"
#include "workload/sdk/include/bareperf/mark.h"

#define PROGRAM __attribute__((section("payload_code"), noinline))

unsigned ring_faults;
__thread const struct bareperf_marks *bareperf_marks_here;

/* The program's code; the image and its workloads have no addresses here. */
extern const char __start_payload_code[], __stop_payload_code[];
__asm__(
    ".globl __image_start, __image_end, __workload_start, __workload_end\n"
    ".hidden __image_start, __image_end, __workload_start, __workload_end\n"
    "__image_start:\n__image_end:\n__workload_start:\n__workload_end:\n");
extern const char __executable_start[], _end[]; /* of this test: contains the program's marks */

static struct world {
	struct traced_cpu cpu;
	struct mark_rig rig;
	uint64_t marked;
	char wrong[160];
} world;

/* ---- The calls' environment ---- */

static bool endable_anywhere; /* a mutant: bareperf's own code is ended and marks, too */

bool payload_contains(uint64_t address, uint64_t *offset)
{
	*offset = address - (uint64_t)__start_payload_code;
	return endable_anywhere || *offset < (uint64_t)(__stop_payload_code - __start_payload_code);
}

const void *payload_memory(uint64_t *size)
{
	*size = (uint64_t)(_end - __executable_start);
	return __executable_start;
}

bool payload_owns(const void *bytes, uint64_t size)
{
	return bytes && size;
}

const struct boot_entry *boot_entry(void)
{
	static const struct boot_entry entry = { .epoch = 0 };

	return &entry;
}

void payload_output_write(enum tr_stream_kind kind, const void *bytes, uint64_t size)
{
	(void)kind, (void)bytes, (void)size;
}

void payload_fetch_offer(int (*find)(const char *name, const void **bytes, uint64_t *size))
{
	(void)find;
}

unsigned payload_threads_cpus(void)
{
	return 0;
}

int payload_thread_start(int cpu, int (*fn)(void *argument), void *argument)
{
	(void)cpu, (void)fn, (void)argument;
	return -1;
}

int payload_thread_join(int cpu, int *result)
{
	(void)cpu, (void)result;
	return -1;
}

unsigned arch_cpu_count(void)
{
	return 1;
}

void arch_cpu_wake(unsigned cpu)
{
	(void)cpu;
}

static const struct ring *ring_here(void)
{
	return endable_anywhere ? NULL : &world.cpu.ring;
}

static const struct payload_hooks ring_hooks = { .ring = ring_here };
const struct payload_hooks *payload_hooks = &ring_hooks;

void regions_begin(const char *name, size_t room)
{
	(void)name, (void)room;
}

void regions_end(const char *name, size_t room)
{
	(void)name, (void)room;
}

void panic_set_payload(const struct panic_payload *hooks)
{
	(void)hooks;
}

void syscalls_set_exit(void (*leave)(int status))
{
	(void)leave;
}

/* ---- A ring, its event, its reader ---- */

static void begin_world(uint32_t size_before)
{
	struct bareperf_system system = { .version = 0 };
	struct perf_event *event = &world.rig.event;

	memset(&world, 0, sizeof(world));
	event->attr.sample_period = event->attr.sample_freq = 4000;
	event->attr.flags = PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_USER;
	event->account.id = 77;
	mark_rig_begin(&world.rig, &world.cpu.ring);
	assert_int_equal(event->attr.flags, PERF_ATTR_EXCLUDE_USER);
	payload_calls_mark(MARKS_RECORDED);
	payload_calls_fill(&system);
	bareperf_marks_here = system.marks();
	for (uint32_t i = 0; i < size_before; i++, world.marked++)
		bareperf_mark("filler %u", 0);
}

static void end_world(void)
{
	if (world.rig.event.state == EVENT_ACTIVE)
		pmu_marks.stop(&world.rig.event);
	event_set_state(&world.rig.event, EVENT_OFF, 0);
}

static void look_at(void *context, const char *text)
{
	unsigned number = 0;

	(void)context;
	if (sscanf(text, "value -5 of %u, ff 2.5", &number) != 1 &&
	    sscanf(text, "filler %u", &number) != 1 && sscanf(text, "nested %u", &number) != 1)
		snprintf(world.wrong, sizeof(world.wrong), "a mark says: %.100s", text);
}

/* Not interruptible: the library's own changes are the library's. */
static void drain(void)
{
	mark_rig_drain(&world.rig, look_at, NULL);
	if (world.rig.damaged)
		strcpy(world.wrong, "a mark is damaged");
	if (world.rig.broken)
		strcpy(world.wrong, "the ring's chain is broken");
}

/* Everything was read: does the ledger balance, and does the next mark arrive at once? */
static const char *settle(void)
{
	const struct perf_event *event = &world.rig.event;
	const struct ring_account *account = &event->account;
	uint64_t before;

	if (ring_is_writing(&world.cpu.ring) || world.cpu.ring.nest)
		return "somebody still has a claim on the ring";
	drain();
	before = world.rig.delivered;
	bareperf_mark("filler %u", 0);
	world.marked++;
	drain();
	if (world.rig.delivered != before + 1)
		return "the next mark does not arrive";
	if (*world.wrong)
		return world.wrong;
	end_world();
	event_read(&world.rig.event);
	if (account->generated != world.marked ||
	    account->generated != account->written + account->lost)
		return "generated is not written and lost";
	if (account->written != world.rig.delivered || world.cpu.ring.lost != world.rig.reported ||
	    account->lost != world.cpu.ring.lost)
		return "written is not delivered, or lost not reported";
	if (event->count != account->period || event->count != event->sampled ||
	    account->period != world.rig.delivered + account->period_lost)
		return "the periods do not add up";
	return NULL;
}

/* ---- A program that is stepped through ---- */

/* Before each instruction a process is forked in which the event happens there, and which continues
 * without stepping. */
static enum trial { A_HANDLER_MARKS, IT_IS_ENDED, IT_IS_ENDED_WITHIN_A_HANDLER } trial;
/* failed: exit status of the first child that reported an error */
static volatile int step, failed;
static bool split_off, is_quiet;
static void (*volatile landing)(void *arg);
static void *volatile landing_arg;

void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg, uint64_t sp)
{
	(void)regs, (void)sp;
	landing = fn;
	landing_arg = arg;
}

static void land(void)
{
	landing(landing_arg);
}

/* A signal or a tick that interrupts the program, or a handler of the program that has interrupted
 * it. */
static void end_here(ucontext_t *context)
{
	const struct arch_regs at = {
		.pc = trial == IT_IS_ENDED ? host_step_at(context) : (uint64_t)__start_payload_code,
	};

	payload_end_all();
	payload_interrupted(&at);
	if (landing)
		host_step_redirect(context, land);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	pid_t child;
	int status;

	(void)signal, (void)info;
	step++;
	child = failed ? -1 : fork();
	if (child) {
		if (child > 0 && waitpid(child, &status, 0) == child)
			failed = status;
		return;
	}
	split_off = true;
	alarm(60);
	host_step_leave(context);
	if (trial != A_HANDLER_MARKS) {
		end_here(context);
		return;
	}
	bareperf_mark("nested %u", 1000);
	world.marked++;
}

static PROGRAM int program(void *argument)
{
	(void)argument;
	host_step_start();
	bareperf_mark("value %d of %u, %hhx %.1f", -5, 7U, (unsigned char)0xff, 2.5);
	host_step_end();
	payload_leave_if_ending();
	return 0;
}

/* Rings that are open, have room for only one more record, are full, wrap, and have lost records to
 * report as well. A filler has 96 bytes, the program's record 184. */
static const struct before {
	uint32_t marks;
	bool read;
} BEFORE[] = { { 1, false }, { 40, false }, { 60, false }, { 42, true }, { 60, true } };

/* In the process that steps, and in each forked one. */
static const char *try_one(const struct before *before)
{
	enum payload_end how;

	begin_world(before->marks);
	if (before->read)
		drain();
	payload_begin();
	payload_run(program, NULL, &how);
	if (how != (split_off && trial != A_HANDLER_MARKS ? PAYLOAD_ENDED : PAYLOAD_RETURNED))
		return "it has not ended as it should";
	if (how == PAYLOAD_ENDED) /* it may or may not have marked */
		world.marked = world.rig.event.account.generated;
	else
		world.marked++;
	return settle();
}

static const char *try_everywhere(enum trial which)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	const char *wrong = NULL;

	trial = which;
	sigaction(SIGTRAP, &action, NULL);
	for (size_t i = 0; i < sizeof(BEFORE) / sizeof(*BEFORE) && !wrong && !failed; i++) {
		step = 0;
		wrong = try_one(&BEFORE[i]);
		if (split_off) {
			if (wrong && !is_quiet)
				fprintf(stderr, "before %u, instruction %d: %s\n", (unsigned)i,
				        step, wrong);
			_exit(wrong ? 1 : 0);
		}
	}
	return failed ? "one that was split off complains" : wrong;
}

/* ---- Claims ---- */

static void holds(const char *wrong)
{
	if (wrong)
		fail_msg("%s", wrong);
}

static void a_handler_marks_before_any_instruction_of_a_mark(void **state)
{
	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	holds(try_everywhere(A_HANDLER_MARKS));
	assert_true(step > 50); /* it did step through instructions */
}

static void a_program_is_ended_at_any_instruction_of_a_mark_and_leaves_no_claim(void **state)
{
	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	holds(try_everywhere(IT_IS_ENDED));
	holds(try_everywhere(IT_IS_ENDED_WITHIN_A_HANDLER));
}

/* Whether the trial reports an error, in a separate process. */
static bool caught(unsigned fault, bool anywhere, enum trial which)
{
	pid_t child = fork();
	int status;

	if (!child) {
		ring_faults = fault;
		endable_anywhere = anywhere;
		is_quiet = true;
		alarm(60);
		_exit(try_everywhere(which) ? 1 : 0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void ending_in_the_middle_of_a_mark_would_be_caught(void **state)
{
	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	assert_true(caught(0, true, IT_IS_ENDED));
	assert_true(caught(0, true, IT_IS_ENDED_WITHIN_A_HANDLER));
}

static void faults_of_the_ring_are_caught(void **state)
{
	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	assert_true(caught(RING_FAULT_TORN_RESERVE, false, A_HANDLER_MARKS));
	assert_true(caught(RING_FAULT_NO_REPUBLISH, false, A_HANDLER_MARKS));
	assert_true(caught(RING_FAULT_FORGET_LOST, false, A_HANDLER_MARKS));
}

static void samples_that_are_no_marks_are_skipped(void **state)
{
	static const _Alignas(8) struct {
		uint32_t size;
		char text[12];
	} bad[] = { { 0, "none" },
		    { 4, "short" },
		    { 13, "odd" },
		    { 164, "long" },
		    { UINT32_MAX - 3, "wrap" } };

	static const _Alignas(8) struct {
		uint32_t size;
		char text[12];
	} none = { 12, "no values" };

	(void)state;
	begin_world(0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		bareperf_marks_here->mark0(bareperf_marks_here, (const void *)&bad[i]);
	bareperf_marks_here->mark0(bareperf_marks_here, NULL);
	bareperf_marks_here->mark0(bareperf_marks_here, (const void *)((uintptr_t)_end - 8));
	bareperf_marks_here->mark1(bareperf_marks_here, (const void *)&none, 1);
	assert_int_equal(world.rig.event.account.generated, 0);
	assert_null(settle());
}

static void a_mark_that_is_under_way_when_its_event_stops_is_in_the_ledger(void **state)
{
	(void)state;
	begin_world(3);
	pmu_marks.stop(&world.rig.event);
	event_set_state(&world.rig.event, EVENT_OFF, 0);
	/* it continues as after finding its event */
	mark_put_slow(&world.rig.event, 1,
	              (const uint64_t *)(const void *)"\14\0\0\0filler 5\0\0\0", 16, 0, NULL);
	event_read(&world.rig.event); /* as the next publication does */
	drain();
	assert_int_equal(world.rig.delivered, 4);
	assert_int_equal(world.rig.event.count, 4);
	assert_int_equal(world.rig.event.account.period, 4);
	assert_int_equal(world.rig.event.sampled, 4);
}

static void marks_without_a_recording_are_dropped(void **state)
{
	struct bareperf_system system = { .version = 0 };

	(void)state;
	begin_world(0);
	end_world();
	bareperf_mark("filler %u", 1); /* the mark's CPU has no event for marks */
	assert_int_equal(world.rig.event.account.generated, 0);
	payload_calls_mark(MARKS_UNWANTED);
	payload_calls_fill(&system);
	assert_null(system.marks());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_handler_marks_before_any_instruction_of_a_mark),
		cmocka_unit_test(
		    a_program_is_ended_at_any_instruction_of_a_mark_and_leaves_no_claim),
		cmocka_unit_test(ending_in_the_middle_of_a_mark_would_be_caught),
		cmocka_unit_test(faults_of_the_ring_are_caught),
		cmocka_unit_test(samples_that_are_no_marks_are_skipped),
		cmocka_unit_test(a_mark_that_is_under_way_when_its_event_stops_is_in_the_ledger),
		cmocka_unit_test(marks_without_a_recording_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
