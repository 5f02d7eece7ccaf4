/* SPDX-License-Identifier: MIT */
/*
 * The owner of the profiling buffer: MDCR_EL2.E2PB and MDCR_EL3.NSPB, as seen from lower ELs (Arm
 * ARM, "Profiling Buffer management", "The owning Exception level").
 */
#include "aarch64.h"

/* The bit that the security state adds to the EL in a PC packet */
#define PC_NS 4

static uint64_t identity_below;

static void touch_buffer(void)
{
	identity_below = read_sysreg(PMBIDR_EL1);
	(void)read_sysreg(PMBPTR_EL1);
}

static void touch_sampling(void)
{
	(void)read_sysreg(PMSIRR_EL1);
}

static uint64_t trap_below(uint64_t control, void (*function)(void))
{
	uint64_t others = MDCR_PB_MASK | MDCR_TPMS;

	write_sysreg("mdcr_el2", (read_sysreg("mdcr_el2") & ~others) | control);
	trapped = 0;
	below_el2(function, SPSR_EL1H);
	return trapped >> 26;
}

/* Whether about 50 records exist, all of that security state and EL (a PC packet's top three bits).
 * */
static bool sampled(unsigned world_and_el)
{
	unsigned records = (unsigned)(used() / RECORD), good = 0;

	for (unsigned i = 0; i < records; i++)
		good += buffer[i * RECORD] == PACKET_PC &&
		        buffer[i * RECORD + 8] >> 5 == world_and_el;
	return records >= 49 && records <= 51 && good == records;
}

static void test_records_below(const char *what)
{
	arm_buffer(PAGES, 0);
	sample_at(1, PMSCR_SAMPLE);
	below_el2(profile_enough, SPSR_EL1H);
	sample_at(1, 0);
	stop();
	tap_claim(sampled(PC_NS | 1), what);
}

void test_ownership(void)
{
	write_sysreg("hcr_el2", HCR_RW);
	tap_equal(trap_below(0, touch_buffer), EC_SYSREG,
	          "E2PB 0: the buffer is EL2's, and EL1's accesses trap");
	tap_equal(identity_below & PMBIDR_P, PMBIDR_P,
	          "... which PMBIDR_EL1.P says, without a trap");
	tap_equal(read_sysreg(PMBIDR_EL1) & PMBIDR_P, 0, "... at EL2 it is not set");
	test_records_below("... and EL1 is sampled into it");
	tap_equal(trap_below(2ull << MDCR_PB_SHIFT, touch_buffer), EC_SYSREG,
	          "E2PB 2: the buffer is EL1's, its accesses trap");
	tap_equal(trap_below(3ull << MDCR_PB_SHIFT, touch_buffer), 0,
	          "E2PB 3: the buffer is EL1's, nothing traps");
	tap_equal(identity_below & PMBIDR_P, 0, "... and P is clear");
	test_records_below("... EL1 is sampled into its own");
	tap_equal(trap_below(3ull << MDCR_PB_SHIFT | MDCR_TPMS, touch_sampling), EC_SYSREG,
	          "TPMS: the sampling registers trap");
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_equal(used(), 0, "EL2 is not sampled into a buffer of EL1's");
	write_sysreg("mdcr_el2", read_sysreg("mdcr_el2") & ~(MDCR_PB_MASK | MDCR_TPMS));
}

/* ---- MDCR_EL3.NSPB: which security state's it is, seen from both ---- */

#define TRAPS             1
#define FOREIGN           2 /* PMBIDR_EL1.P */
#define SAMPLED           4
#define SAMPLED_OTHERWISE 8

/* The result at a lower EL, in the security state that SCR_EL3 names: TRAPS, FOREIGN, SAMPLED */
static unsigned seen_below(uint64_t nspb, bool secure, uint64_t spsr)
{
	unsigned el = spsr >> 2 & 3, seen = 0;

	write_sysreg("mdcr_el3", (read_sysreg("mdcr_el3") & ~MDCR_PB_MASK) | nspb << MDCR_PB_SHIFT);
	write_sysreg("scr_el3", SCR_RW | SCR_HCE | SCR_RES1 | (secure ? 0 : SCR_NS));
	trapped = 0;
	below_el3(touch_buffer, spsr);
	seen |= trapped >> 26 == EC_SYSREG ? TRAPS : 0;
	seen |= identity_below & PMBIDR_P ? FOREIGN : 0;
	arm_buffer(PAGES, 0);
	sample_at(el, PMSCR_SAMPLE);
	below_el3(profile_enough, spsr);
	sample_at(el, 0);
	stop();
	if (!used())
		return seen;
	return seen | (sampled(el | (secure ? 0 : PC_NS)) ? SAMPLED : SAMPLED_OTHERWISE);
}

static const struct {
	const char *what;
	uint64_t nspb;
	bool secure;
	unsigned wanted;
} secure_rows[] = {
	{ "NSPB 0, Secure EL1: its accesses trap, it is sampled", 0, true, TRAPS | SAMPLED },
	{ "NSPB 0, Non-secure EL1: they trap, the buffer is another's", 0, false, TRAPS | FOREIGN },
	{ "NSPB 1, Secure EL1: nothing traps, it is sampled", 1, true, SAMPLED },
	{ "NSPB 1, Non-secure EL1: they trap, the buffer is another's", 1, false, TRAPS | FOREIGN },
	{ "NSPB 2, Secure EL1: they trap, the buffer is another's", 2, true, TRAPS | FOREIGN },
	{ "NSPB 2, Non-secure EL1: they trap, it is sampled", 2, false, TRAPS | SAMPLED },
	{ "NSPB 3, Secure EL1: they trap, the buffer is another's", 3, true, TRAPS | FOREIGN },
	{ "NSPB 3, Non-secure EL1: nothing traps, it is sampled", 3, false, SAMPLED },
};

static void test_el2_below_el3(void)
{
	tap_equal(seen_below(1, false, SPSR_EL2H), TRAPS | FOREIGN,
	          "NSPB 1, EL2: its accesses trap, the buffer is another's");
	tap_equal(seen_below(2, false, SPSR_EL2H), TRAPS,
	          "NSPB 2, EL2 that gave the buffer to EL1: they trap");
	write_sysreg("mdcr_el2", read_sysreg("mdcr_el2") & ~MDCR_PB_MASK);
	tap_equal(seen_below(3, false, SPSR_EL2H), SAMPLED,
	          "NSPB 3, EL2 that kept it: nothing traps, it is sampled");
}

/* At EL3 */
void test_secure_ownership(void)
{
	bool el2 = read_sysreg("id_aa64pfr0_el1") >> 8 & 15;

	if (el2) {
		write_sysreg("hcr_el2", HCR_RW);
		write_sysreg("mdcr_el2", read_sysreg("mdcr_el2") | MDCR_PB_MASK);
	}
	for (unsigned i = 0; i < sizeof(secure_rows) / sizeof(secure_rows[0]); i++)
		tap_equal(seen_below(secure_rows[i].nspb, secure_rows[i].secure, SPSR_EL1H),
		          secure_rows[i].wanted, secure_rows[i].what);
	if (el2)
		test_el2_below_el3();
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_equal(used(), 0, "EL3 itself is not sampled");
}
