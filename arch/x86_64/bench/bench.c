/* SPDX-License-Identifier: MIT */
/* The code around a snippet. Instructions by their encodings: SDM volume 2. */
#include "arch/bench_emit.h"

#define NO_MEM_LAST 13U                     /* values in registers: R8 to R13 */
#define SCRATCH(n)  (2 * c->nr_reads + (n)) /* index of a word of ours in values */
#define DRAIN_SHORT 189U /* NOPs of one byte; with LFENCE they fill three lines */
#define DRAIN_LONG  64U  /* NOPs of 15 bytes */

#define BENCH_EMIT(e, ...) \
	bench_emit((e), (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static void bench_emit_32(struct bench_emitter *e, uint32_t value)
{
	bench_emit(e, &value, sizeof(value));
}

static void bench_emit_64(struct bench_emitter *e, uint64_t value)
{
	bench_emit(e, &value, sizeof(value));
}

/* MOV register, imm64: B8H + register; 8 and up with REX.B. */
static void bench_emit_load(struct bench_emitter *e, unsigned reg, uint64_t value)
{
	BENCH_EMIT(e, reg < 8 ? 0x48 : 0x49, (uint8_t)(0xb8 + (reg & 7)));
	bench_emit_64(e, value);
}

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R14 = 14 };

/* ---- Readings ---- */

/* MOV RAX, [address] and MOV [address], RAX have an 8-byte address, and change nothing else. */
static void bench_emit_rax_from(struct bench_emitter *e, const uint64_t *word)
{
	BENCH_EMIT(e, 0x48, 0xa1);
	bench_emit_64(e, (uint64_t)word);
}

static void bench_emit_rax_to(struct bench_emitter *e, uint64_t *word)
{
	BENCH_EMIT(e, 0x48, 0xa3);
	bench_emit_64(e, (uint64_t)word);
}

static void bench_emit_fence(struct bench_emitter *e)
{
	BENCH_EMIT(e, 0x0f, 0xae, 0xe8); /* LFENCE */
}

/* EDX:EAX = the value. */
static void bench_emit_value(struct bench_emitter *e, const struct arch_bench_read *read)
{
	if (read->kind == ARCH_BENCH_CLOCK) {
		BENCH_EMIT(e, 0x0f, 0x31); /* RDTSC */
		return;
	}
	BENCH_EMIT(e, 0xb9); /* MOV ECX, imm32 */
	bench_emit_32(e, read->selector);
	if (read->kind == ARCH_BENCH_COUNTER)
		BENCH_EMIT(e, 0x0f, 0x33); /* RDPMC */
	else
		BENCH_EMIT(e, 0x0f, 0x32); /* RDMSR */
}

/* No instruction here changes flags. */
static void bench_emit_reading(struct bench_emitter *e, const struct arch_bench_code *c,
                               uint64_t *values)
{
	bench_emit_rax_to(e, &c->values[SCRATCH(0)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc8); /* MOV RAX, RCX */
	bench_emit_rax_to(e, &c->values[SCRATCH(1)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xd0); /* MOV RAX, RDX */
	bench_emit_rax_to(e, &c->values[SCRATCH(2)]);
	bench_emit_fence(e);
	for (unsigned i = 0; i < c->nr_reads; i++) {
		bench_emit_value(e, &c->reads[i]);
		BENCH_EMIT(e, 0xa3); /* MOV [address], EAX */
		bench_emit_64(e, (uint64_t)&values[i]);
		BENCH_EMIT(e, 0x89, 0xd0); /* MOV EAX, EDX */
		BENCH_EMIT(e, 0xa3);
		bench_emit_64(e, (uint64_t)&values[i] + 4);
	}
	bench_emit_rax_from(e, &c->values[SCRATCH(2)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc2); /* MOV RDX, RAX */
	bench_emit_rax_from(e, &c->values[SCRATCH(1)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc1); /* MOV RCX, RAX */
	bench_emit_rax_from(e, &c->values[SCRATCH(0)]);
	bench_emit_fence(e);
}

/* Register R8 + i changes by the value: subtracted where counting starts, added where it stops. */
static void bench_emit_register_reading(struct bench_emitter *e, const struct arch_bench_code *c,
                                        bool starts)
{
	bench_emit_fence(e);
	for (unsigned i = 0; i < c->nr_reads; i++) {
		bench_emit_value(e, &c->reads[i]);
		BENCH_EMIT(e, 0x48, 0xc1, 0xe2, 0x20);                          /* SHL RDX, 32 */
		BENCH_EMIT(e, 0x48, 0x09, 0xd0);                                /* OR RAX, RDX */
		BENCH_EMIT(e, 0x49, starts ? 0x29 : 0x01, (uint8_t)(0xc0 | i)); /* SUB, ADD */
	}
	bench_emit_fence(e);
}

/* Write the MSR that lets the counters count, or stops them. No register and no flag changes.
 * Behind the LFENCE that waits for the copies, nine instructions stop the counters. */
static void bench_emit_gate(struct bench_emitter *e, const struct arch_bench_code *c,
                            uint64_t value)
{
	bench_emit_fence(e);
	bench_emit_rax_to(e, &c->values[SCRATCH(0)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc8); /* MOV RAX, RCX */
	bench_emit_rax_to(e, &c->values[SCRATCH(1)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xd0); /* MOV RAX, RDX */
	bench_emit_rax_to(e, &c->values[SCRATCH(2)]);
	BENCH_EMIT(e, 0xb9); /* MOV ECX, imm32 */
	bench_emit_32(e, c->gate);
	BENCH_EMIT(e, 0xb8); /* MOV EAX, imm32 */
	bench_emit_32(e, (uint32_t)value);
	BENCH_EMIT(e, 0xba); /* MOV EDX, imm32 */
	bench_emit_32(e, (uint32_t)(value >> 32));
	BENCH_EMIT(e, 0x0f, 0x30); /* WRMSR */
	bench_emit_rax_from(e, &c->values[SCRATCH(2)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc2); /* MOV RDX, RAX */
	bench_emit_rax_from(e, &c->values[SCRATCH(1)]);
	BENCH_EMIT(e, 0x48, 0x89, 0xc1); /* MOV RCX, RAX */
	bench_emit_rax_from(e, &c->values[SCRATCH(0)]);
}

static void bench_emit_first_reading(struct bench_emitter *e, const struct arch_bench_code *c)
{
	if (c->gate) {
		bench_emit_gate(e, c, c->gate_on);
		return;
	}
	if (!c->no_mem) {
		bench_emit_reading(e, c, c->values);
		return;
	}
	for (unsigned i = 0; i < c->nr_reads; i++)
		BENCH_EMIT(e, 0x4d, 0x31, (uint8_t)(0xc0 | i << 3 | i)); /* XOR R8 + i, R8 + i */
	bench_emit_register_reading(e, c, true);
}

static void bench_emit_second_reading(struct bench_emitter *e, const struct arch_bench_code *c)
{
	if (c->gate) {
		bench_emit_gate(e, c, 0);
		return;
	}
	if (!c->no_mem) {
		bench_emit_reading(e, c, c->values + c->nr_reads);
		return;
	}
	bench_emit_register_reading(e, c, false);
	for (unsigned i = 0; i < c->nr_reads; i++) {
		bench_emit_load(e, RAX, (uint64_t)&c->values[c->nr_reads + i]);
		BENCH_EMIT(e, 0x4c, 0x89, (uint8_t)(i << 3)); /* MOV [RAX], R8 + i */
	}
}

/* ---- Code ---- */

static void bench_emit_save(struct bench_emitter *e, const struct arch_bench_code *c)
{
	BENCH_EMIT(e, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55); /* PUSH RBX, RBP, R12, R13 */
	BENCH_EMIT(e, 0x41, 0x56, 0x41, 0x57, 0x9c);       /* PUSH R14, R15; PUSHFQ */
	bench_emit_load(e, RAX, (uint64_t)&c->values[SCRATCH(3)]);
	BENCH_EMIT(e, 0x48, 0x89, 0x20); /* MOV [RAX], RSP */
}

static void bench_emit_areas(struct bench_emitter *e, const struct arch_bench_code *c)
{
	static const uint8_t areas[ARCH_BENCH_AREAS] = { R14, RDI, RSI, RBP, RSP };

	for (unsigned i = 0; i < ARCH_BENCH_AREAS; i++)
		bench_emit_load(e, areas[i], c->areas[i]);
}

static void bench_emit_restore(struct bench_emitter *e, const struct arch_bench_code *c)
{
	bench_emit_load(e, RAX, (uint64_t)&c->values[SCRATCH(3)]);
	BENCH_EMIT(e, 0x48, 0x8b, 0x20);                         /* MOV RSP, [RAX] */
	BENCH_EMIT(e, 0x9d, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d); /* POPFQ; POP R15, R14, R13 */
	BENCH_EMIT(e, 0x41, 0x5c, 0x5d, 0x5b, 0xc3);             /* POP R12, RBP, RBX; RET */
}

/* The longest NOPs that every x86-64 CPU takes: table 4-12, with prefixes. */
static void bench_emit_nop(struct bench_emitter *e, size_t size)
{
	static const uint8_t nop[] = { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f,
		                       0x1f, 0x84, 0,    0,    0,    0,    0 };

	while (size) {
		size_t one = size < sizeof(nop) ? size : sizeof(nop);

		if (one < 9) { /* 90H, one after the other */
			BENCH_EMIT(e, 0x90);
			size--;
			continue;
		}
		bench_emit(e, nop + sizeof(nop) - one, one);
		size -= one;
	}
}

/* The front end's buffers first have only NOPs that issue at the highest rate, then none. */
static void bench_emit_drain(struct bench_emitter *e)
{
	bench_emit_fence(e);
	for (unsigned i = 0; i < DRAIN_SHORT; i++)
		BENCH_EMIT(e, 0x90);
	for (unsigned i = 0; i < DRAIN_LONG; i++)
		bench_emit_nop(e, 15);
}

static void bench_emit_loop_begin(struct bench_emitter *e, uint32_t loops)
{
	BENCH_EMIT(e, 0x49, 0xc7, 0xc7); /* MOV R15, imm32 */
	bench_emit_32(e, loops);
}

static void bench_emit_loop_end(struct bench_emitter *e, const uint8_t *start)
{
	BENCH_EMIT(e, 0x49, 0xff, 0xcf, 0x0f, 0x85); /* DEC R15; JNZ rel32 */
	bench_emit_32(e, (uint32_t)(start - (e->at + 4)));
}

static const uint8_t bench_exit[] = { 0x0f, 0x0b }; /* UD2 */

static const struct bench_isa bench_isa = {
	.save = bench_emit_save,
	.areas = bench_emit_areas,
	.exit = bench_exit,
	.exit_size = sizeof(bench_exit),
	.restore = bench_emit_restore,
	.first_reading = bench_emit_first_reading,
	.second_reading = bench_emit_second_reading,
	.pause = bench_emit_register_reading,
	.step = 1,
	.drain = bench_emit_drain,
	.nops = bench_emit_nop,
	.loop_begin = bench_emit_loop_begin,
	.loop_end = bench_emit_loop_end,
};

size_t arch_bench_build(const struct arch_bench_code *c, uint8_t *to, size_t room,
                        struct arch_bench_places *places)
{
	return bench_emit_all(c, &bench_isa, to, room, places);
}

/* Stores are seen by instruction fetch once a serializing instruction has executed: volume 3A,
 * 8.1.3. */
void arch_bench_ready(const uint8_t *code, size_t size)
{
	uint32_t eax = 0, ecx = 0;

	(void)code;
	(void)size;
	__asm__ volatile("cpuid" : "+a"(eax), "+c"(ecx) : : "ebx", "edx", "memory");
}

unsigned arch_bench_no_mem_reads(void)
{
	return NO_MEM_LAST - 8 + 1;
}

bool arch_bench_can_read(enum arch_bench_kind kind, bool user)
{
	return kind != ARCH_BENCH_REGISTER || !user; /* RDMSR is ring 0's */
}
