/* SPDX-License-Identifier: MIT */
/* Edge cases of registers and packets: Arm ARM, PMSEVFR_EL1, PMBSR_EL1, MDCR_EL3. */
#include "aarch64.h"

/* Retired, refill, walk, not taken, mispredicted: SPEv1p2 without options */
#define FILTERABLE  0xea
#define STALE       (0x24ull << 26 | 7) /* a translation fault at level 3 */
#define MDCR_ENPMSN (1ull << 36)
#define CPACR_FPEN  (3ull << 20)
#define PACKET_LDST 0x49

extern const char accesses_loop[];

void test_registers(void)
{
	write_sysreg(PMSEVFR_EL1, ~0ull);
	write_sysreg(PMSNEVFR_EL1, ~0ull);
	tap_equal(read_sysreg(PMSEVFR_EL1), FILTERABLE,
	          "PMSEVFR_EL1 keeps the bits of events that there are");
	tap_equal(read_sysreg(PMSNEVFR_EL1), FILTERABLE, "... PMSNEVFR_EL1 too");
	write_sysreg(PMSEVFR_EL1, 0);
	write_sysreg(PMSNEVFR_EL1, 0);
	sample(0);
	arm_buffer(1, 0);
	write_sysreg(PMBSR_EL1, STALE);
	sample(PMSCR_SAMPLE);
	profiled(5120);
	sample(0);
	synchronise();
	tap_equal(read_sysreg(PMBSR_EL1) & ~(uint64_t)PMBSR_DL, PMBSR_S | PMBSR_FULL,
	          "an event's syndrome replaces what was in PMBSR_EL1");
	stop();
	write_sysreg(PMBSR_EL1, 0);
}

/* ---- Kinds of loads and stores ---- */

/* Nine instructions per turn, so that each one is sampled */
static void accesses(uint64_t turns)
{
	register uint64_t *address __asm__("x1") = cell;

	__asm__ volatile(
	    ".globl	accesses_loop\n"
	    "accesses_loop:\n\t"
	    "ldr	x2, [%1]\n\t"
	    ".inst	0x3dc00020\n\t" /* ldr q0, [x1] */
	    "ldxr	x2, [%1]\n\t"
	    "stxr	w3, x2, [%1]\n\t"
	    "ldar	x2, [%1]\n\t"
	    ".inst	0xf8e20022\n\t" /* ldaddal x2, x2, [x1] */
	    "nop\n\t"
	    "subs	%0, %0, #1\n\t"
	    "b.ne	accesses_loop"
	    : "+r"(turns)
	    : "r"(address)
	    : "x2", "x3", "cc", "memory");
}

/* The payloads of these instructions' Operation Type packets */
static const uint8_t kinds[] = {
	0x00, /* general registers */
	0x04, /* SIMD and FP */
	0x0a, /* extended, exclusive */
	0x0b, /* ... a store */
	0x12, /* ... acquire or release */
	0x17, /* ... atomic, a store */
};

void test_accesses(void)
{
	unsigned seen = 0, wrong = 0;

	if (current_el() == 1)
		write_sysreg("cpacr_el1", CPACR_FPEN);
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_LD | PMSFCR_ST);
	sample(0);
	arm_buffer(PAGES, 0);
	sample(PMSCR_SAMPLE);
	accesses(2560);
	sample(0);
	stop();
	for (uint64_t at = 0; at < used(); at += RECORD) {
		const uint8_t *r = buffer + at;
		uint32_t i = (record_pc(r) - (uint32_t)(uint64_t)accesses_loop) / 4;

		if (i >= sizeof(kinds))
			continue;
		seen |= 1u << i;
		wrong += r[12] != PACKET_LDST || r[13] != kinds[i];
	}
	tap_equal(seen, (1u << sizeof(kinds)) - 1, "loads and stores of six kinds are sampled");
	tap_equal(wrong, 0, "... and each is reported as what it is");
}

/* ---- MDCR_EL3.EnPMSN ---- */

static void touch_inverted(void)
{
	(void)read_sysreg(PMSNEVFR_EL1);
}

static uint64_t trap_below(uint64_t control)
{
	write_sysreg("scr_el3", SCR_RW | SCR_HCE | SCR_RES1 | SCR_NS);
	write_sysreg("mdcr_el3", control | MDCR_PB_MASK);
	trapped = 0;
	below_el3(touch_inverted, SPSR_EL1H);
	return trapped >> 26;
}

void test_inverted_below(void)
{
	tap_equal(trap_below(0), EC_SYSREG, "without EnPMSN PMSNEVFR_EL1 traps to EL3");
	tap_equal(trap_below(MDCR_ENPMSN), 0, "... and does not with it");
}
