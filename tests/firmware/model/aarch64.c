/* SPDX-License-Identifier: MIT */
/*
 * Features of the Statistical Profiling Extension that Linux never uses, tested on the hardware
 * model: discard mode, inverted event filters, the memory's content before and after PSB CSYNC, the
 * last record before the buffer's limit. Expectations are those of the Arm ARM (DDI 0487), "The
 * Statistical Profiling Extension" and "Statistical Profiling Extension Sample Record
 * Specification". The image runs without any other program, at EL1, EL2 or EL3, with the MMU off
 * except in tests of the buffer's faults.
 */
#include "aarch64.h"

#define UART ((volatile uint32_t *)0x09000000)

uint8_t buffer[(PAGES + 1) * 4096] __attribute__((aligned(4096)));

void image_main(void);

void image_putc(char c)
{
	while (UART[6] & 0x20)
		;
	UART[0] = (uint8_t)c;
}

/* Semihosting's SYS_EXIT_EXTENDED: the reason, and a status */
_Noreturn void image_exit(bool good)
{
	uint64_t block[2] = { 0x20026, !good };
	register uint64_t operation __asm__("x0") = 0x20;
	register uint64_t *argument __asm__("x1") = block;

	__asm__ volatile("hlt #0xf000" : : "r"(operation), "r"(argument) : "memory");
	for (;;)
		__asm__ volatile("wfi");
}

unsigned current_el(void)
{
	return read_sysreg("CurrentEL") >> 2 & 3;
}

void sample_at(unsigned el, uint64_t control)
{
	if (el == 2)
		write_sysreg(PMSCR_EL2, control);
	else
		write_sysreg(PMSCR_EL1, control);
}

void sample(uint64_t control)
{
	sample_at(current_el(), control);
}

void synchronise(void)
{
	__asm__ volatile("hint #17\n\tdsb sy\n\tisb" : : : "memory");
}

uint64_t used(void)
{
	return read_sysreg(PMBPTR_EL1) - (uint64_t)buffer;
}

void arm_buffer_at(uint64_t pointer, uint64_t limit)
{
	write_sysreg(PMBSR_EL1, 0);
	write_sysreg(PMBPTR_EL1, pointer);
	write_sysreg(PMSICR_EL1, 0);
	write_sysreg(PMSIRR_EL1, 0x100);
	write_sysreg(PMBLIMITR_EL1, limit | PMBLIMITR_E);
}

void arm_buffer(uint64_t pages, uint64_t mode)
{
	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = 0xff;
	arm_buffer_at((uint64_t)buffer, ((uint64_t)buffer + pages * 4096) | mode);
}

void profile(uint64_t pages, uint64_t mode, uint64_t control, uint64_t n)
{
	sample(0);
	arm_buffer(pages, mode);
	sample(control);
	profiled(n);
	sample(0);
}

void profile_enough(void)
{
	profiled(2560);
}

void stop(void)
{
	synchronise();
	write_sysreg(PMBLIMITR_EL1, 0);
	write_sysreg(PMSFCR_EL1, 0);
}

/* The registers' values at entry show the firmware's use; afterwards they are set as after a reset.
 * */
static void report_leftovers(void)
{
	unsigned registers = 0, running = 0;

	registers += read_sysreg(PMSCR_EL1) != 0;
	registers += read_sysreg(PMSFCR_EL1) != 0;
	registers += read_sysreg(PMSEVFR_EL1) != 0;
	registers += read_sysreg(PMSLATFR_EL1) != 0;
	registers += read_sysreg(PMBLIMITR_EL1) != 0;
	registers += read_sysreg(PMBSR_EL1) != 0;
	for (uint64_t enabled = read_sysreg("pmcntenset_el0"); enabled; enabled &= enabled - 1)
		running++;
	tap_note("registers of SPE that are set at entry", registers);
	tap_note("counters that run at entry", running);
	write_sysreg(PMBLIMITR_EL1, 0);
	write_sysreg(PMSCR_EL1, 0);
	write_sysreg(PMSFCR_EL1, 0);
	write_sysreg(PMSEVFR_EL1, 0);
	write_sysreg(PMSLATFR_EL1, 0);
	write_sysreg(PMBSR_EL1, 0);
	write_sysreg("pmcntenclr_el0", ~0u);
}

/* After an injected fault: the part of its record that was written */
static void report_fault(void)
{
	unsigned bytes = 0;
	uint64_t end;

	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	synchronise();
	end = used();
	if (read_sysreg(PMBSR_EL1) & PMBSR_S)
		for (uint64_t i = end - RECORD; i < end; i++)
			bytes += buffer[i] != 0xff;
	tap_note("bytes of the last record after a fault", bytes);
	stop();
	write_sysreg(PMBSR_EL1, 0);
}

static void test_identity(void)
{
	tap_equal(read_sysreg("id_aa64dfr0_el1") >> 32 & 15, 3, "ID_AA64DFR0_EL1 names SPEv1p2");
	tap_equal(read_sysreg(PMBIDR_EL1) & 0x1f, 6, "the buffer is ours, aligned to 64 bytes");
	tap_equal(read_sysreg(PMSIDR_EL1) & 0x4f, 0x4f, "filters: event, type, latency, inverted");
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static void test_records(void)
{
	unsigned good = 0, records;

	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	records = (unsigned)(used() / RECORD);
	tap_claim(records >= 49 && records <= 51, "2,560 turns of five make 50 records of 256");
	for (unsigned i = 0; i < records; i++) {
		const uint8_t *r = buffer + i * RECORD;
		uint64_t pc = word(r + 1) & 0xffffffffffffff;

		good += r[0] == PACKET_PC && pc >= (uint64_t)profiled_loop - 8 &&
		        pc <= (uint64_t)profiled_end && r[8] >> 5 == (current_el() == 2 ? 6 : 5);
	}
	tap_equal(good, records, "each begins with a PC of the loop, its EL and Non-secure");
	tap_equal(buffer[records * RECORD], 0xff, "nothing is written behind the last one");
	tap_equal(read_sysreg(PMBSR_EL1), 0, "and nothing is to be managed");
}

static bool holds_packet(const uint8_t *r, uint8_t header, uint64_t value)
{
	for (unsigned i = 0; i + 9 <= RECORD; i++)
		if (r[i] == header && (!value || word(r + i + 1) == value))
			return true;
	return false;
}

static void test_filters(void)
{
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_ST);
	profile(PAGES, 0, PMSCR_SAMPLE | PMSCR_TS, 2560);
	stop();
	tap_claim(used() / RECORD >= 9 && used() / RECORD <= 11, "by type: a fifth are stores");
	tap_claim(holds_packet(buffer, PACKET_VA, (uint64_t)&cell[1]),
	          "... with the store's address");
	tap_claim(holds_packet(buffer, PACKET_TIMESTAMP, 0), "... and a timestamp, if asked for");
	write_sysreg(PMSNEVFR_EL1, EVENT_RETIRED);
	write_sysreg(PMSFCR_EL1, PMSFCR_FNE);
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_equal(used(), 0, "by inverted event: nothing that retired");
	write_sysreg(PMSEVFR_EL1, EVENT_RETIRED);
	write_sysreg(PMSFCR_EL1, PMSFCR_FE);
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_claim(used() / RECORD >= 49, "by event: everything that did");
}

static void test_discard(void)
{
	profile(PAGES, PMBLIMITR_DISCARD, PMSCR_SAMPLE, 2560);
	stop();
	tap_equal(used(), 0, "discard mode writes no record");
	tap_equal(read_sysreg(PMBSR_EL1), 0, "... and raises nothing");
}

static void test_full(void)
{
	profile(1, 0, PMSCR_SAMPLE, 25600);
	tap_equal(read_sysreg(PMBSR_EL1) & ~(uint64_t)PMBSR_DL, PMBSR_S | PMBSR_FULL,
	          "a full buffer raises S, status full");
	tap_equal(used(), 4096, "... when the next record would not fit");
	tap_equal(buffer[4096], 0xff, "... and not a byte passes the limit");
	profiled(2560);
	stop();
	tap_equal(used(), 4096, "S stops profiling until it is cleared");
}

static unsigned slowest, quickest;

/* Latencies of the records; each total has a fixed place behind PC and events */
static unsigned look_at_latencies(void)
{
	unsigned records = (unsigned)(used() / RECORD), good = 0;

	slowest = 0;
	quickest = 4096;
	for (unsigned i = 0; i < records; i++) {
		const uint8_t *r = buffer + i * RECORD;
		unsigned at = 0, latency;

		while (at + 3 < RECORD && r[at] != PACKET_LATENCY)
			at++;
		latency = r[at + 1] | (unsigned)r[at + 2] << 8;
		good += r[at] == PACKET_LATENCY;
		slowest = latency > slowest ? latency : slowest;
		quickest = latency < quickest ? latency : quickest;
	}
	return records - good;
}

static void test_latency(void)
{
	unsigned all, least;

	profile(PAGES, 0, PMSCR_SAMPLE, 12800);
	stop();
	all = (unsigned)(used() / RECORD);
	tap_equal(look_at_latencies(), 0, "each record has its latency");
	least = quickest + (slowest - quickest) / 4;
	write_sysreg(PMSLATFR_EL1, least);
	write_sysreg(PMSFCR_EL1, PMSFCR_FL);
	profile(PAGES, 0, PMSCR_SAMPLE, 12800);
	stop();
	look_at_latencies();
	tap_claim(used() && used() / RECORD < all && quickest >= least,
	          "by latency: only what took as long");
	write_sysreg(PMSLATFR_EL1, 0);
}

static void test_kinds(void)
{
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_LD);
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_claim(used() / RECORD >= 9 && used() / RECORD <= 11 &&
	              holds_packet(buffer, PACKET_VA, (uint64_t)&cell[0]),
	          "by type: a fifth are loads, with theirs");
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_B);
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_claim(used() / RECORD >= 9 && used() / RECORD <= 11 &&
	              (word(buffer) >> 8 & 0xffffffff) == ((uint64_t)profiled_end & 0xffffffff) - 4,
	          "... and a fifth the branch");
	tap_claim(buffer[0] == PACKET_PC && holds_packet(buffer, PACKET_TARGET, 0),
	          "... with its target");
	write_sysreg(PMSFCR_EL1, PMSFCR_FT | PMSFCR_B | PMSFCR_LD | PMSFCR_ST);
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	stop();
	tap_claim(used() / RECORD >= 28 && used() / RECORD <= 32, "... all three are three fifths");
}

/* The random part of the interval is 8 bits: PMSIRR_EL1.RND, PMSIDR_EL1.ERnd = 0. */
static void test_jitter(void)
{
	unsigned regular, irregular;

	profile(PAGES, 0, PMSCR_SAMPLE, 12800);
	stop();
	regular = (unsigned)(used() / RECORD);
	sample(0);
	arm_buffer(PAGES, 0);
	write_sysreg(PMSIRR_EL1, 0x100 | PMSIRR_RND);
	sample(PMSCR_SAMPLE);
	profiled(12800);
	sample(0);
	stop();
	irregular = (unsigned)(used() / RECORD);
	tap_claim(irregular < regular && irregular > regular / 2,
	          "RND makes intervals longer, by less than 256");
}

/* Number of records that the pipeline holds, to compare with the property spe-delay */
static void test_synchronisation(void)
{
	uint64_t before, after;

	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	before = used();
	synchronise();
	after = used();
	tap_claim(after / RECORD >= 49 && after / RECORD <= 51,
	          "after PSB CSYNC all records are there");
	tap_note("waited for PSB CSYNC", (unsigned)((after - before) / RECORD));
	stop();
	profile(PAGES, 0, PMSCR_SAMPLE, 2560);
	write_sysreg(PMBLIMITR_EL1, 0);
	synchronise();
	tap_note("lost by disabling the buffer first", (unsigned)((after - used()) / RECORD));
}

/* Without the model ID_AA64DFR0_EL1 names no SPE, and its registers are undefined. */
static void test_off(void)
{
	write_sysreg("vbar_el1", vectors);
	trapped = ~0ull;
	(void)read_sysreg(PMBIDR_EL1);
	tap_equal(trapped >> 26, EC_UNKNOWN, "off: PMBIDR_EL1 is undefined");
	trapped = ~0ull;
	(void)read_sysreg(PMSIDR_EL1);
	tap_equal(trapped >> 26, EC_UNKNOWN, "off: PMSIDR_EL1 is undefined");
	/* Instructions that reach the model's hooks, so many that tests/qemu/off.py can count them;
	 * the handler steps over an instruction. */
	for (unsigned i = 0; i < TRIPS; i++) {
		profiled(3);
		__asm__ volatile("svc #0\n\tnop" : : : "memory");
	}
	tap_equal(trapped >> 26, EC_SVC, "off: an exception and back");
}

void image_main(void)
{
	if (!(read_sysreg("id_aa64dfr0_el1") >> 32 & 15)) {
		test_off();
		tap_end();
	}
	report_leftovers();
	if (current_el() == 3) {
		test_secure_ownership();
		test_inverted_below();
		tap_end();
	}
	enable_interrupts();
	report_fault();
	test_identity();
	test_records();
	test_filters();
	test_kinds();
	test_latency();
	test_jitter();
	test_discard();
	test_full();
	test_synchronisation();
	test_synchronised_limit();
	test_registers();
	test_accesses();
	test_sleep();
	test_retired();
	test_freeze();
	test_calls();
	test_walks();
	if (current_el() == 1)
		test_trapped_returns();
	if (current_el() == 2) {
		test_ownership();
		test_return();
		test_walks_below();
	}
	tap_end();
}
