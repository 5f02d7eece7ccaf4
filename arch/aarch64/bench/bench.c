/* SPDX-License-Identifier: MIT */
/* The code around a snippet. Instructions by their encodings: Arm ARM DDI 0487, C6.2. */
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"
#include "arch/bench_emit.h"

#define NO_MEM_READS 6U                            /* values in registers: X8 to X13 */
#define SCRATCH(n)   (8 * (2 * c->nr_reads + (n))) /* offset of a word of ours in values */
#define DRAIN        1024U                         /* NOPs */
#define LOOP         24U                           /* X24 counts the loops */
#define TEMPORARY    14U                           /* X14: changed by readings with no_mem */
#define SP           31U
#define SAVED        96 /* bytes: X19 to X30 */

static void bench_emit_word(struct bench_emitter *e, uint32_t word)
{
	bench_emit(e, &word, sizeof(word));
}

/* MOVZ and three MOVK: any value by the same number of instructions. */
static void bench_emit_load(struct bench_emitter *e, unsigned reg, uint64_t value)
{
	bench_emit_word(e, 0xd2800000U | (uint32_t)(value & 0xffff) << 5 | reg);
	for (unsigned i = 1; i < 4; i++)
		bench_emit_word(e, 0xf2800000U | i << 21 |
		                       (uint32_t)(value >> 16 * i & 0xffff) << 5 | reg);
}

/* STR and LDR of a 64-bit register at [base + offset]. */
static void bench_emit_str(struct bench_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	bench_emit_word(e, 0xf9000000U | offset / 8 << 10 | base << 5 | reg);
}

static void bench_emit_ldr(struct bench_emitter *e, unsigned reg, unsigned base, unsigned offset)
{
	bench_emit_word(e, 0xf9400000U | offset / 8 << 10 | base << 5 | reg);
}

/* ADD register, from, #0: MOV to or from SP. */
static void bench_emit_move_sp(struct bench_emitter *e, unsigned to, unsigned from)
{
	bench_emit_word(e, 0x91000000U | from << 5 | to);
}

static void bench_emit_nops(struct bench_emitter *e, size_t count)
{
	for (size_t i = 0; i < count && !e->full; i++)
		bench_emit_word(e, 0xd503201fU);
}

static void bench_emit_isb(struct bench_emitter *e)
{
	bench_emit_word(e, 0xd5033fdfU);
}

/* ---- Readings ---- */

static void bench_emit_value(struct bench_emitter *e, const struct arch_bench_read *read,
                             unsigned reg)
{
	uint32_t n = read->selector;

	if (read->kind == ARCH_BENCH_CLOCK)
		bench_emit_word(e, 0xd53be040U | reg); /* MRS CNTVCT_EL0 */
	else if (n == 31)
		bench_emit_word(e, 0xd53b9d00U | reg); /* MRS PMCCNTR_EL0 */
	else
		bench_emit_word(e, 0xd53be800U | (n / 8) << 8 | (n % 8) << 5 |
		                       reg); /* MRS PMEVCNTR<n>_EL0 */
}

/* X0 is kept in TPIDR_EL0, and X1 in memory; no instruction here changes flags. */
static void bench_emit_reading(struct bench_emitter *e, const struct arch_bench_code *c,
                               unsigned first)
{
	bench_emit_word(e, 0xd51bd040U); /* MSR TPIDR_EL0, X0 */
	bench_emit_load(e, 0, (uint64_t)c->values);
	bench_emit_str(e, 1, 0, SCRATCH(0));
	bench_emit_isb(e);
	for (unsigned i = 0; i < c->nr_reads; i++) {
		bench_emit_value(e, &c->reads[i], 1);
		bench_emit_str(e, 1, 0, 8 * (first + i));
	}
	bench_emit_ldr(e, 1, 0, SCRATCH(0));
	bench_emit_word(e, 0xd53bd040U); /* MRS X0, TPIDR_EL0 */
	bench_emit_isb(e);
}

/* X8 + i changes by the value: subtracted where counting starts, added where it stops. */
static void bench_emit_register_reading(struct bench_emitter *e, const struct arch_bench_code *c,
                                        bool starts)
{
	bench_emit_isb(e);
	for (unsigned i = 0; i < c->nr_reads; i++) {
		bench_emit_value(e, &c->reads[i], TEMPORARY);
		bench_emit_word(e, (starts ? 0xcb000000U : 0x8b000000U) | TEMPORARY << 16 |
		                       (8 + i) << 5 | (8 + i)); /* SUB, ADD */
	}
	bench_emit_isb(e);
}

static void bench_emit_first_reading(struct bench_emitter *e, const struct arch_bench_code *c)
{
	if (!c->no_mem) {
		bench_emit_reading(e, c, 0);
		return;
	}
	for (unsigned i = 0; i < c->nr_reads; i++)
		bench_emit_word(e, 0xd2800000U | (8 + i)); /* MOVZ, #0 */
	bench_emit_register_reading(e, c, true);
}

static void bench_emit_second_reading(struct bench_emitter *e, const struct arch_bench_code *c)
{
	if (!c->no_mem) {
		bench_emit_reading(e, c, c->nr_reads);
		return;
	}
	bench_emit_register_reading(e, c, false);
	bench_emit_load(e, TEMPORARY, (uint64_t)&c->values[c->nr_reads]);
	for (unsigned i = 0; i < c->nr_reads; i++)
		bench_emit_str(e, 8 + i, TEMPORARY, 8 * i);
}

/* ---- Code ---- */

/* STP and LDP of X19 to X30 at [SP, #16 * i]; the first STP makes the room, the last LDP gives it
 * back. */
static void bench_emit_pair(struct bench_emitter *e, uint32_t instruction, unsigned first,
                            int offset)
{
	bench_emit_word(e, instruction | ((uint32_t)(offset / 8) & 0x7f) << 15 | (first + 1) << 10 |
	                       SP << 5 | first);
}

static void bench_emit_save(struct bench_emitter *e, const struct arch_bench_code *c)
{
	bench_emit_pair(e, 0xa9800000U, 19, -SAVED); /* STP, pre-index */
	for (unsigned i = 1; i < SAVED / 16; i++)
		bench_emit_pair(e, 0xa9000000U, 19 + 2 * i, (int)(16 * i)); /* STP */
	bench_emit_load(e, 1, (uint64_t)c->values);
	bench_emit_move_sp(e, 0, SP);
	bench_emit_str(e, 0, 1, SCRATCH(3));
}

static void bench_emit_areas(struct bench_emitter *e, const struct arch_bench_code *c)
{
	static const uint8_t areas[ARCH_BENCH_AREAS] = { 28, 26, 27, 25, SP };

	for (unsigned i = 0; i < ARCH_BENCH_AREAS; i++) {
		bench_emit_load(e, areas[i] == SP ? 0 : areas[i], c->areas[i]);
		if (areas[i] == SP)
			bench_emit_move_sp(e, SP, 0);
	}
}

static void bench_emit_restore(struct bench_emitter *e, const struct arch_bench_code *c)
{
	bench_emit_load(e, 1, (uint64_t)c->values);
	bench_emit_ldr(e, 0, 1, SCRATCH(3));
	bench_emit_move_sp(e, SP, 0);
	for (unsigned i = SAVED / 16 - 1; i; i--)
		bench_emit_pair(e, 0xa9400000U, 19 + 2 * i, (int)(16 * i)); /* LDP */
	bench_emit_pair(e, 0xa8c00000U, 19, SAVED);                         /* LDP, post-index */
	bench_emit_word(e, 0xd65f03c0U);                                    /* RET */
}

static void bench_emit_drain(struct bench_emitter *e)
{
	bench_emit_isb(e);
	bench_emit_nops(e, DRAIN);
}

static void bench_emit_padding(struct bench_emitter *e, size_t size)
{
	bench_emit_nops(e, size / 4);
}

static void bench_emit_loop_begin(struct bench_emitter *e, uint32_t loops)
{
	bench_emit_load(e, LOOP, loops);
}

/* CBZ skips B, which reaches 128 MiB. */
static void bench_emit_loop_end(struct bench_emitter *e, const uint8_t *start)
{
	bench_emit_word(e, 0xd1000400U | LOOP << 5 | LOOP); /* SUB X24, X24, #1 */
	bench_emit_word(e, 0xb4000040U | LOOP);             /* CBZ X24, +8 */
	bench_emit_word(e, 0x14000000U | ((uint32_t)((start - e->at) / 4) & 0x3ffffff));
}

static const uint8_t bench_exit[4] = { 0 }; /* UDF #0 */

static const struct bench_isa bench_isa = {
	.save = bench_emit_save,
	.areas = bench_emit_areas,
	.exit = bench_exit,
	.exit_size = sizeof(bench_exit),
	.restore = bench_emit_restore,
	.first_reading = bench_emit_first_reading,
	.second_reading = bench_emit_second_reading,
	.pause = bench_emit_register_reading,
	.step = 4,
	.drain = bench_emit_drain,
	.nops = bench_emit_padding,
	.loop_begin = bench_emit_loop_begin,
	.loop_end = bench_emit_loop_end,
};

size_t arch_bench_build(const struct arch_bench_code *c, uint8_t *to, size_t room,
                        struct arch_bench_places *places)
{
	return bench_emit_all(c, &bench_isa, to, room, places);
}

void arch_bench_ready(const uint8_t *code, size_t size)
{
	__builtin___clear_cache((char *)(uintptr_t)code, (char *)(uintptr_t)code + size);
}

unsigned arch_bench_no_mem_reads(void)
{
	return NO_MEM_READS;
}

bool arch_bench_can_read(enum arch_bench_kind kind, bool user)
{
	(void)user;
	return kind != ARCH_BENCH_REGISTER;
}
