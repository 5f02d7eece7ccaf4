/* SPDX-License-Identifier: MIT */
/*
 * Sampled instructions that change the Exception level: exception returns that execute, those that
 * are undefined or trapped, and calls that QEMU answers itself.
 */
#include "aarch64.h"

#define ERET    0xd69f03e0u
#define ERETAA  0xd69f0bffu
#define ERETAB  0xd69f0fffu
#define HVC     0xd4000002u
#define TURNS   2560
#define RETURNS 2000
#define PC_EL1  5 /* Non-secure */
#define PC_EL2  6

bool has_pauth(void)
{
	return read_sysreg("id_aa64isar1_el1") >> 4 & 0xff;
}

static uint32_t sampled_instruction(const uint8_t *record)
{
	return *(const uint32_t *)(uint64_t)record_pc(record);
}

/* The packet with that header, searched behind the PC's packet; or the end of the record */
static unsigned find_packet(const uint8_t *record, uint8_t header)
{
	unsigned i = 9;

	while (i < RECORD && record[i] != header)
		i++;
	return i;
}

static void nothing(void)
{
}

static void return_often(void (*return_below)(void (*)(void), uint64_t), uint32_t instruction,
                         const char *what)
{
	unsigned returns = 0, good = 0;

	arm_buffer(PAGES, 0);
	sample(PMSCR_SAMPLE);
	for (unsigned i = 0; i < RETURNS; i++)
		return_below(nothing, SPSR_EL1H);
	sample(0);
	synchronise();
	for (uint64_t at = 0; at < used(); at += RECORD) {
		const uint8_t *r = buffer + at;
		unsigned target = find_packet(r, PACKET_TARGET);

		if (sampled_instruction(r) != instruction)
			continue;
		returns++;
		good += r[8] >> 5 == PC_EL2 && (r[10] & 3) == EVENT_RETIRED &&
		        target + 9 <= RECORD && r[target + 8] >> 5 == PC_EL1;
	}
	tap_claim(returns > 0, what);
	tap_equal(good, returns,
	          "... from EL2, which retires, and its target's EL is where it goes");
}

/* At EL2 */
void test_return(void)
{
	write_sysreg("hcr_el2", HCR_RW);
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_B);
	return_often(below_el2, ERET, "ERET is a branch");
	if (has_pauth()) {
		return_often(below_el2_aa, ERETAA, "ERETAA is a branch");
		return_often(below_el2_ab, ERETAB, "ERETAB is a branch");
	}
	stop();
}

/* ---- Returns that are undefined ---- */

/* ERET at EL0; the exception handler steps over it */
static void undefined_returns(void)
{
	uint64_t turns = TURNS;

	__asm__ volatile(
	    "1:\n\t"
	    "eret\n\t"
	    "nop\n\t"
	    "subs	%0, %0, #1\n\t"
	    "b.ne	1b"
	    : "+r"(turns)
	    :
	    : "cc", "memory");
}

/* At EL1 */
void test_trapped_returns(void)
{
	unsigned returns = 0, good = 0;

	sample(0);
	arm_buffer(PAGES, 0);
	trapped = ~0ull;
	sample(PMSCR_SAMPLE_EL0);
	below_el1(undefined_returns, SPSR_EL0T);
	sample(0);
	stop();
	tap_equal(trapped >> 26, EC_UNKNOWN, "ERET at EL0 is undefined");
	for (uint64_t at = 0; at < used(); at += RECORD) {
		const uint8_t *r = buffer + at;

		if (sampled_instruction(r) != ERET)
			continue;
		returns++;
		good += r[9] == PACKET_EVENTS && (r[10] & 3) == EVENT_EXCEPTION &&
		        r[12] == PACKET_OTHER && find_packet(r, PACKET_TARGET) == RECORD;
	}
	tap_claim(returns > 0, "... and sampled");
	tap_equal(good, returns, "... as an exception, not a branch, nor retired");
}

/* ---- Calls of firmware, which QEMU is ---- */

static void call_often(uint64_t turns)
{
	register uint64_t function __asm__("x0");
	register uint64_t left __asm__("x19") = turns;

	__asm__ volatile(
	    "1:\n\t"
	    "mov	%0, #0\n\t" /* a number that is no PSCI function */
	    "hvc	#0\n\t"
	    "nop\n\t"
	    "subs	%1, %1, #1\n\t"
	    "b.ne	1b"
	    : "=&r"(function), "+r"(left)
	    :
	    : "x1", "x2", "x3", "cc", "memory");
}

/* At EL1 without EL2, where HVC calls PSCI */
void test_calls(void)
{
	unsigned calls = 0, good = 0;

	if (current_el() != 1)
		return;
	sample(0);
	arm_buffer(PAGES, 0);
	sample(PMSCR_SAMPLE);
	call_often(TURNS);
	sample(0);
	stop();
	for (uint64_t at = 0; at < used(); at += RECORD) {
		const uint8_t *r = buffer + at;

		if (sampled_instruction(r) != HVC)
			continue;
		calls++;
		good += (r[10] & 3) == (EVENT_EXCEPTION | EVENT_RETIRED);
	}
	tap_claim(calls >= 9 && calls <= 11, "a fifth of a loop's samples are its call of PSCI");
	tap_equal(good, calls, "... each of them retired, with an exception");
}
