/* SPDX-License-Identifier: MIT */
/*
 * Single-step on a model of a CPU with a few instructions, whose exclusive monitor each exception
 * clears, as hardware does. The CPU notes the branches that it takes; the walk must report the same
 * ones. The words come from GNU as.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/step_code.h"
#include "arch/aarch64/pmu/step_walk.h"
#include "arch/step.h"

#define BASE     0x40000000UL
#define RETURN   0x50000000UL /* return address of the program */
#define BRANCHES 256U
#define STEPS    9000U /* more than these programs need, but fewer than an endless loop takes */
#define TICK     100U  /* instructions between two ticks */

struct branches {
	unsigned count;
	struct step_branch list[BRANCHES];
	uint64_t missed;
};

static struct {
	const uint32_t *program;
	unsigned words;
	uint64_t pc, x[32], memory[2];
	bool equal, monitor;
	struct branches taken;
} cpu;
static struct step_walk walk;
static struct branches reported;
static unsigned limit;
static bool unknown;

static void note(struct branches *b, uint64_t from, uint64_t to)
{
	assert_true(b->count < BRANCHES);
	b->list[b->count++] = (struct step_branch){ from, to };
}

/* ---- The CPU ---- */

static bool fetch(uint64_t pc, uint32_t *word)
{
	if (pc < BASE || pc >= BASE + 4UL * cpu.words)
		return false;
	*word = cpu.program[(pc - BASE) / 4];
	return true;
}

static void go_to(uint64_t to)
{
	note(&cpu.taken, cpu.pc, to);
	cpu.pc = to;
}

static void branch_if(bool condition, uint32_t word)
{
	if (condition)
		go_to(step_target(word, cpu.pc));
	else
		cpu.pc += 4;
}

static void access_exclusively(uint32_t word)
{
	unsigned t = word & 31, t2 = word >> 10 & 31, status = word >> 16 & 31;
	bool pair = word & 1U << 21;

	cpu.pc += 4;
	if (step_is_load_exclusive(word)) {
		cpu.x[t] = cpu.memory[0];
		if (pair)
			cpu.x[t2] = cpu.memory[1];
		cpu.monitor = true;
		return;
	}
	cpu.x[status] = !cpu.monitor;
	if (cpu.monitor) {
		cpu.memory[0] = cpu.x[t];
		if (pair)
			cpu.memory[1] = cpu.x[t2];
	}
	cpu.monitor = false;
}

static void calculate(uint32_t word)
{
	unsigned d = word & 31, n = word >> 5 & 31, m = word >> 16 & 31;
	uint64_t immediate = word >> 10 & 0xfff;

	cpu.pc += 4;
	if ((word & 0xff800000) == 0xd2800000) /* MOVZ */
		cpu.x[d] = word >> 5 & 0xffff;
	else if ((word & 0xffc00000) == 0x91000000) /* ADD */
		cpu.x[d] = cpu.x[n] + immediate;
	else if ((word & 0xffc00000) == 0xd1000000) /* SUB */
		cpu.x[d] = cpu.x[n] - immediate;
	else if ((word & 0xffe0fc1f) == 0xeb00001f) /* CMP */
		cpu.equal = cpu.x[n] == cpu.x[m];
	else if ((word & 0xffe0ffe0) == 0xaa0003e0) /* MOV */
		cpu.x[d] = cpu.x[m];
	else
		assert_int_equal(word, 0xd503201f); /* NOP */
}

static void execute(void)
{
	uint32_t word = 0;

	assert_true(fetch(cpu.pc, &word));
	if (step_is_bcond(word))
		branch_if(!cpu.equal, word); /* B.NE */
	else if (step_is_compare_branch(word))
		branch_if(!cpu.x[word & 31] == !(word & 1U << 24), word);
	else if (step_is_jump(word))
		go_to(step_target(word, cpu.pc));
	else if (word == 0xd65f03c0) /* RET */
		go_to(cpu.x[30]);
	else if (step_is_call_or_indirect(word)) {
		cpu.x[30] = cpu.pc + 4;
		go_to(step_target(word, cpu.pc));
	} else if (step_is_exclusive(word))
		access_exclusively(word);
	else
		calculate(word);
}

/* ---- Single-step ---- */

static void report(uint64_t from, uint64_t to)
{
	note(&reported, from, to);
}

static void missed(uint64_t count)
{
	if (count == ARCH_MISSED_UNKNOWN)
		unknown = true;
	else
		reported.missed += count;
}

static const struct step_walk_ops ops = { fetch, report, missed };

static bool at_an_exit(void)
{
	return step_sequence_exit(&walk.over, cpu.pc);
}

/* Run until the next debug exception. A breakpoint comes before its instruction, also before the
 * first one. */
static void run(unsigned *steps)
{
	if (walk.way == STEP_ONE) {
		execute();
		++*steps;
		return;
	}
	while (!at_an_exit() && cpu.pc != RETURN) {
		execute();
		if (++*steps % TICK == 0 && step_walk_look(&walk)) {
			missed(ARCH_MISSED_UNKNOWN);
			step_walk_forget(&walk);
			return;
		}
		assert_true(*steps < STEPS);
	}
}

static void trace(const uint32_t *program, size_t size)
{
	unsigned steps = 0;

	cpu.program = program;
	cpu.words = (unsigned)(size / sizeof(*program));
	cpu.pc = BASE;
	cpu.x[30] = cpu.x[9] = RETURN;
	cpu.taken.count = reported.count = 0;
	reported.missed = 0;
	unknown = false;
	step_walk_forget(&walk);
	while (cpu.pc != RETURN) {
		step_walk_report(&walk, cpu.pc, &ops);
		step_walk_go(&walk, cpu.pc, limit, &ops);
		cpu.monitor = false; /* the exception's return clears the exclusive monitor */
		run(&steps);
		cpu.monitor = false;
		assert_true(steps < STEPS);
	}
	step_walk_report(&walk, cpu.pc, &ops);
}

static void reported_all(unsigned count)
{
	assert_false(unknown);
	assert_int_equal(reported.missed, 0);
	assert_int_equal(reported.count, count);
	assert_int_equal(cpu.taken.count, count);
	assert_memory_equal(reported.list, cpu.taken.list, count * sizeof(reported.list[0]));
}

static int set_up(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	memset(&walk, 0, sizeof(walk));
	limit = STEP_EXITS;
	return 0;
}

static void an_atomic_addition_succeeds_at_the_first_try(void **state)
{
	static const uint32_t program[] = {
		0xd2800061, /*	mov x1, #3 */
		0xc85f7c02, /* 1: ldxr x2, [x0] */
		0x91000442, /*	add x2, x2, #1 */
		0xc8037c02, /*	stxr w3, x2, [x0] */
		0x35ffffa3, /*	cbnz w3, 1b */
		0xd1000421, /*	sub x1, x1, #1 */
		0xb5ffff61, /*	cbnz x1, 1b */
		0xd65f03c0, /*	ret */
	};

	(void)state;
	trace(program, sizeof(program));
	assert_int_equal(cpu.memory[0], 3);
	reported_all(3); /* 2 branches of the loop, and RET */
}

static const uint32_t compare_and_swap[] = {
	0xc85ffc02, /* 1: ldaxr x2, [x0] */
	0xeb01005f, /*	cmp x2, x1 */
	0x54000061, /*	b.ne 2f */
	0xc803fc04, /*	stlxr w3, x4, [x0] */
	0x35ffff83, /*	cbnz w3, 1b */
	0xd65f03c0, /* 2: ret */
};

static void the_exit_shows_whether_the_branch_before_the_store_was_taken(void **state)
{
	(void)state;
	cpu.x[4] = 7;
	trace(compare_and_swap, sizeof(compare_and_swap));
	assert_int_equal(cpu.memory[0], 7);
	reported_all(1);
	cpu.x[4] = 8;
	/* the value is no longer 0, so the comparison fails */
	trace(compare_and_swap, sizeof(compare_and_swap));
	assert_int_equal(cpu.memory[0], 7);
	reported_all(2);
	assert_int_equal(reported.list[0].from, BASE + 8);
	assert_int_equal(reported.list[0].to, BASE + 20);
}

/* A load of a pair is a single access only if the store succeeds, so clang stores the old value. */
static void both_ways_of_a_sequence_may_have_a_store(void **state)
{
	static const uint32_t program[] = {
		0xc87f8c02, /* 1: ldaxp x2, x3, [x0] */
		0xeb01005f, /*	cmp x2, x1 */
		0x54000081, /*	b.ne 3f */
		0xc8258c04, /*	stlxp w5, x4, x3, [x0] */
		0x35ffff85, /*	cbnz w5, 1b */
		0xd65f03c0, /*	ret */
		0xc8258c02, /* 3: stlxp w5, x2, x3, [x0] */
		0x35ffff25, /*	cbnz w5, 1b */
		0xd65f03c0, /*	ret */
	};

	(void)state;
	cpu.x[4] = 9;
	trace(program, sizeof(program));
	assert_int_equal(cpu.memory[0], 9);
	reported_all(1);
	trace(program, sizeof(program));
	reported_all(2);
}

static void a_jump_before_the_store_is_reported(void **state)
{
	static const uint32_t program[] = {
		0xc85f7c02, /* 1: ldxr x2, [x0] */
		0x14000002, /*	b 2f */
		0xd503201f, /*	nop */
		0xc8037c02, /* 2: stxr w3, x2, [x0] */
		0x35ffff83, /*	cbnz w3, 1b */
		0xd65f03c0, /*	ret */
	};

	(void)state;
	trace(program, sizeof(program));
	reported_all(2);
}

static const uint32_t two_branches[] = {
	0xc87f0c02, /* 1: ldxp x2, x3, [x0] */
	0xb5000082, /*	cbnz x2, 2f */
	0xb5000063, /*	cbnz x3, 2f */
	0xc8251001, /*	stxp w5, x1, x4, [x0] */
	0x35ffff85, /*	cbnz w5, 1b */
	0xd65f03c0, /* 2: ret */
};

static void one_of_two_branches_with_one_target_is_counted_as_lost(void **state)
{
	(void)state;
	cpu.memory[1] = 1;
	trace(two_branches, sizeof(two_branches));
	assert_false(unknown);
	assert_int_equal(reported.missed, 1);
	assert_int_equal(reported.count + reported.missed, cpu.taken.count);
	cpu.memory[1] = 0;
	trace(two_branches, sizeof(two_branches));
	reported_all(1);
}

static void a_number_of_branches_that_nothing_shows_is_unknown(void **state)
{
	static const uint32_t skip[] = {
		0xc85f7c02, /* 1: ldxr x2, [x0] */
		0xb4000042, /*	cbz x2, 2f */
		0x91000442, /*	add x2, x2, #1 */
		0xc8037c02, /* 2: stxr w3, x2, [x0] */
		0x35ffff83, /*	cbnz w3, 1b */
		0xd65f03c0, /*	ret */
	};
	static const uint32_t spin[] = {
		0xc85ffc02, /* 1: ldaxr x2, [x0] */
		0xb5ffffe2, /*	cbnz x2, 1b */
		0xc8037c01, /*	stxr w3, x1, [x0] */
		0x35ffffa3, /*	cbnz w3, 1b */
		0xd65f03c0, /*	ret */
	};

	(void)state;
	trace(skip, sizeof(skip));
	assert_true(unknown);
	assert_int_equal(reported.count, 1); /* RET */
	trace(spin, sizeof(spin));
	assert_true(unknown);
	assert_int_equal(reported.count, 1);
}

static void more_exits_than_breakpoints_are_unknown_and_end_at_a_tick(void **state)
{
	(void)state;
	limit = 1;
	cpu.memory[0] = 1;
	trace(compare_and_swap, sizeof(compare_and_swap)); /* the loop leaves by its other exit */
	assert_true(unknown);
}

static void a_load_without_a_store_is_stepped(void **state)
{
	static const uint32_t program[] = {
		0xc85ffc02, /* 1: ldaxr x2, [x0] */
		0xb5ffffe2, /*	cbnz x2, 1b */
		0xd65f03c0, /*	ret */
	};

	(void)state;
	trace(program, sizeof(program));
	reported_all(1);
}

static void a_store_that_no_load_leads_to_is_let_go_in_the_end(void **state)
{
	static const uint32_t program[] = {
		0xc85f7c02, /* 1: ldxr x2, [x0] */
		0x94000005, /*	bl 2f */
		0xc8037c02, /*	stxr w3, x2, [x0] */
		0x35ffffa3, /*	cbnz w3, 1b */
		0xaa0903fe, /*	mov x30, x9 */
		0xd65f03c0, /*	ret */
		0xd65f03c0, /* 2: ret */
	};

	(void)state;
	trace(program, sizeof(program));
	assert_true(unknown);
	assert_in_range(reported.count, 40, 80); /* 3 branches per attempt */
}

static void behind_a_redirection_no_branch_is_reported(void **state)
{
	uint32_t word = 0xd503201f; /* nop */

	(void)state;
	cpu.program = &word;
	cpu.words = 1;
	reported.count = 0;
	step_walk_go(&walk, BASE, limit, &ops);
	step_walk_forget(&walk);
	step_walk_report(&walk, BASE + 0x1000, &ops);
	assert_int_equal(reported.count, 0);
	step_walk_go(&walk, BASE, limit, &ops);
	step_walk_report(&walk, BASE + 0x1000, &ops);
	assert_int_equal(reported.count,
	                 1); /* NOP cannot fault, but it shows that the state is kept */
}

static void code_that_cannot_be_read_is_stepped(void **state)
{
	(void)state;
	cpu.words = 0;
	reported.count = 0;
	step_walk_go(&walk, BASE, limit, &ops);
	assert_int_equal(walk.way, STEP_ONE);
	step_walk_report(&walk, BASE + 4, &ops);
	assert_int_equal(reported.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_atomic_addition_succeeds_at_the_first_try, set_up),
		cmocka_unit_test_setup(the_exit_shows_whether_the_branch_before_the_store_was_taken,
		                       set_up),
		cmocka_unit_test_setup(both_ways_of_a_sequence_may_have_a_store, set_up),
		cmocka_unit_test_setup(a_jump_before_the_store_is_reported, set_up),
		cmocka_unit_test_setup(one_of_two_branches_with_one_target_is_counted_as_lost,
		                       set_up),
		cmocka_unit_test_setup(a_number_of_branches_that_nothing_shows_is_unknown, set_up),
		cmocka_unit_test_setup(more_exits_than_breakpoints_are_unknown_and_end_at_a_tick,
		                       set_up),
		cmocka_unit_test_setup(a_load_without_a_store_is_stepped, set_up),
		cmocka_unit_test_setup(a_store_that_no_load_leads_to_is_let_go_in_the_end, set_up),
		cmocka_unit_test_setup(behind_a_redirection_no_branch_is_reported, set_up),
		cmocka_unit_test_setup(code_that_cannot_be_read_is_stepped, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
