/* SPDX-License-Identifier: MIT */
/*
 * x2APIC and the TSC-deadline timer, which no machine of the tests has, on modelled registers that
 * behave and fault as the SDM says (volume 3A, 11.5.4 and 11.12): missing MSRs, reserved bits,
 * invalid changes of the mode.
 */
#include "tests/unit/arch/x86_64/interrupt/local_apic_test.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/time/clock.h"
#include "arch/x86_64/time/hpet.h"
#include "arch/x86_64/time/timer.h"

#define REGISTERS  0x40U
#define X2(offset) ((offset) / 0x10)
#define TSC_HZ     2000000000ULL
#define ID         0x12345U

static struct {
	uint64_t base_msr;
	uint32_t word[REGISTERS]; /* index: MSR - 800H, which is offset / 10H */
	uint64_t icr, tsc_deadline;
	unsigned sent, deadlines;
	bool has_deadline;
} cpu;
static uint32_t page[1024] __attribute__((aligned(4096))); /* xAPIC's registers */
static arch_handler_fn timer_vector;
static unsigned fired;

/* ---- There is no HPET ---- */

static struct x86_mode mode;
const struct x86_mode *x86_mode = &mode;

bool hpet_is_claimed(void)
{
	return false;
}

uint64_t hpet_rate(void)
{
	return 0;
}

void hpet_arm(uint32_t ticks)
{
	(void)ticks;
}

void hpet_disarm(void)
{
}

/* ---- The registers ---- */

static bool is_lvt(unsigned reg)
{
	return (reg >= 0x32 && reg <= 0x37) || reg == 0x2f;
}

static bool is_there(unsigned reg)
{
	static const uint8_t others[] = { 0x02, 0x03, 0x08, 0x0a, 0x0b, 0x0d, 0x0f,
		                          0x28, 0x30, 0x38, 0x39, 0x3e, 0x3f };

	for (unsigned i = 0; i < sizeof(others); i++)
		if (others[i] == reg)
			return true;
	return is_lvt(reg) || (reg >= 0x10 && reg <= 0x27);
}

/* Writable bits: tables 11-6 and figure 11-8. */
static uint32_t bits_of(unsigned reg)
{
	switch (reg) {
	case X2(APIC_TPR):
		return 0xff;
	case X2(APIC_EOI):
		return 0;
	case X2(APIC_SVR):
		return 0x13ff;
	case X2(APIC_LVT_TIMER):
		return 0x700ff;
	case X2(APIC_LVT_LINT0):
	case X2(APIC_LVT_LINT1):
		return 0x1a7ff;
	case X2(APIC_LVT_ERROR):
		return 0x100ff;
	case X2(APIC_LVT_PMI):
	case X2(APIC_LVT_THERMAL):
	case X2(APIC_LVT_CMCI):
		return 0x107ff;
	case X2(APIC_TIMER_INITIAL):
		return UINT32_MAX;
	case X2(APIC_TIMER_DIVIDE):
		return 0x0b;
	default:
		fail_msg("WRMSR to %xH is #GP", 0x800 + reg);
		return 0;
	}
}

static bool is_deadline_mode(void)
{
	return (cpu.word[X2(APIC_LVT_TIMER)] & APIC_LVT_TIMER_MODE) == APIC_LVT_TSC_DEADLINE;
}

static void write_lvt(unsigned reg, uint32_t value)
{
	if (reg == X2(APIC_LVT_TIMER) &&
	    (cpu.word[reg] ^ value) & APIC_LVT_TIMER_MODE) { /* 11.5.4.1: a change of the timer's
		                                                mode disarms the timer */
		cpu.tsc_deadline = 0;
		cpu.word[X2(APIC_TIMER_INITIAL)] = cpu.word[X2(APIC_TIMER_CURRENT)] = 0;
	}
	if (!(cpu.word[X2(APIC_SVR)] & APIC_SVR_ENABLE))
		value |= APIC_LVT_MASKED; /* 11.4.7.2 */
	cpu.word[reg] = value;
}

static void write_x2(unsigned reg, uint64_t value)
{
	if (reg == X2(APIC_ICR)) {
		cpu.icr = value;
		cpu.sent++;
		return;
	}
	assert_true((value & ~(uint64_t)bits_of(reg)) == 0);
	if (is_lvt(reg)) {
		write_lvt(reg, (uint32_t)value);
	} else if (reg == X2(APIC_TIMER_INITIAL)) {
		if (!is_deadline_mode())
			cpu.word[reg] = cpu.word[X2(APIC_TIMER_CURRENT)] = (uint32_t)value;
	} else {
		cpu.word[reg] = (uint32_t)value;
	}
	for (unsigned i = 0; reg == X2(APIC_SVR) && !(value & APIC_SVR_ENABLE) && i < REGISTERS;
	     i++)
		cpu.word[i] |= is_lvt(i) ? APIC_LVT_MASKED : 0;
}

/* Figure 11-27: disabled to xAPIC, and xAPIC to x2APIC are allowed. */
static void write_base(uint64_t value)
{
	uint64_t modes = IA32_APIC_BASE_EN | IA32_APIC_BASE_EXTD;

	assert_true((value & modes) != IA32_APIC_BASE_EXTD);
	if ((value & modes) == modes)
		assert_true(cpu.base_msr & IA32_APIC_BASE_EN);
	if ((cpu.base_msr & modes) == modes)
		assert_true((value & modes) != IA32_APIC_BASE_EN);
	cpu.base_msr = value;
}

uint64_t rdmsr(uint32_t msr)
{
	if (msr == IA32_APIC_BASE)
		return cpu.base_msr;
	if (msr == IA32_TSC_DEADLINE && cpu.has_deadline)
		return cpu.tsc_deadline;
	assert_true(cpu.base_msr & IA32_APIC_BASE_EXTD);
	assert_in_range(msr, 0x800, 0x83f);
	assert_true(is_there(msr - 0x800) && msr != 0x80b && msr != 0x83f);
	if (msr == 0x830)
		return cpu.icr;
	return is_deadline_mode() && (msr == 0x838 || msr == 0x839) ? 0 : cpu.word[msr - 0x800];
}

/* The mode bits are in the page if the APIC's registers are. */
void wrmsr(uint32_t msr, uint64_t value)
{
	if (msr == IA32_APIC_BASE) {
		write_base(value);
	} else if (msr == IA32_TSC_DEADLINE && cpu.has_deadline) {
		if (!(cpu.base_msr & IA32_APIC_BASE_EXTD))
			cpu.word[X2(APIC_LVT_TIMER)] = page[APIC_LVT_TIMER / 4];
		cpu.tsc_deadline = is_deadline_mode() ? value : 0;
		cpu.deadlines++;
	} else {
		assert_true(cpu.base_msr & IA32_APIC_BASE_EXTD);
		assert_in_range(msr, 0x800, 0x83f);
		write_x2(msr - 0x800, value);
	}
}

struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	return (struct cpuid){ .ecx = leaf == 1 && cpu.has_deadline ? 1U << 24 : 0 };
}

/* ---- Their neighbours ---- */

void interrupts_set_handler(unsigned vector, arch_handler_fn handler)
{
	assert_int_equal(vector, VECTOR_TIMER);
	timer_vector = handler;
}

int clock_find_rates(struct clock_rates *rates)
{
	*rates = (struct clock_rates){ .tsc = TSC_HZ, .apic = TSC_HZ / 4, .source = 1 };
	return 0;
}

static void count(const struct arch_regs *regs)
{
	(void)regs;
	fired++;
}

/* Firmware has left the APIC in x2APIC mode. */
static int begin_x2apic(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	cpu.base_msr = 0xfee00000 | IA32_APIC_BASE_EN | IA32_APIC_BASE_EXTD;
	cpu.has_deadline = true;
	cpu.word[X2(APIC_ID)] = ID;
	cpu.word[X2(APIC_VERSION)] = 6 << 16 | 0x15;
	cpu.word[X2(APIC_SVR)] = APIC_SVR_ENABLE | 0x0f;
	cpu.word[X2(APIC_TPR)] = 0x20;
	cpu.word[X2(APIC_LVT_TIMER)] = 0x20 | 1U << 17; /* periodic */
	cpu.word[X2(APIC_LVT_LINT0)] = 0x700;
	cpu.word[X2(APIC_LVT_LINT1)] = 0x400;
	cpu.word[X2(APIC_LVT_CMCI)] = APIC_LVT_MASKED;
	cpu.word[X2(APIC_LVT_PMI)] = 0x0fe;
	cpu.word[X2(APIC_TIMER_DIVIDE)] = 0x3;
	cpu.word[X2(APIC_TIMER_INITIAL)] = 100000;
	cpu.word[X2(APIC_TIMER_CURRENT)] = 77000;
	fired = 0;
	mode.lacks_timer = false;
	timer_vector = NULL;
	host_fake_cycles = 1000000;
	apic_discover();
	return 0;
}

/* The same with its registers in memory. */
static int begin_xapic(void **state)
{
	begin_x2apic(state);
	memset(page, 0, sizeof(page));
	cpu.base_msr = (uintptr_t)page | IA32_APIC_BASE_EN;
	page[APIC_VERSION / 4] = 6 << 16 | 0x15;
	apic_discover();
	return 0;
}

static int end(void **state)
{
	(void)state;
	host_fake_cycles = 0;
	return 0;
}

/* ---- x2APIC ---- */

static void all_sources_but_lint1_are_masked_while_it_is_ours(void **state)
{
	struct apic_saved saved;

	(void)state;
	apic_take_over(&saved);
	assert_int_equal(cpu.word[X2(APIC_LVT_TIMER)], 0x20 | 1U << 17 | APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_LVT_LINT0)], 0x700 | APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_LVT_LINT1)], 0x400);
	assert_int_equal(cpu.word[X2(APIC_LVT_PMI)], 0x0fe | APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_LVT_CMCI)], APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_TPR)], 0);
	assert_int_equal(cpu.word[X2(APIC_SVR)], APIC_SVR_ENABLE | VECTOR_SPURIOUS);
	assert_int_equal(cpu.word[X2(APIC_TIMER_INITIAL)], 0);
	assert_true(cpu.base_msr & IA32_APIC_BASE_EXTD);
}

static void the_local_apic_is_given_back_unchanged(void **state)
{
	struct arch_clock clock;
	struct apic_saved saved;
	uint32_t before[REGISTERS];

	(void)state;
	memcpy(before, cpu.word, sizeof(before));
	before[X2(APIC_TIMER_CURRENT)] = 100000; /* a new period begins */
	apic_take_over(&saved);
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_int_equal(arch_timer_init(count), 0);
	arch_timer_arm(host_fake_cycles + TSC_HZ);
	arch_timer_disarm();
	apic_give_back(&saved);
	assert_memory_equal(before, cpu.word, sizeof(before));
	assert_int_equal(cpu.tsc_deadline, 0);
	assert_true(cpu.base_msr & IA32_APIC_BASE_EXTD);
}

static void an_apic_of_few_sources_is_asked_for_no_other(void **state)
{
	struct apic_saved saved;

	(void)state;
	cpu.word[X2(APIC_VERSION)] = 3 << 16 | 0x10;
	/* the register does not exist: it is neither masked nor written back */
	cpu.word[X2(APIC_LVT_PMI)] = 0x55;
	apic_take_over(&saved);
	assert_int_equal(cpu.word[X2(APIC_LVT_PMI)], 0x55);
	apic_give_back(&saved);
	assert_int_equal(cpu.word[X2(APIC_LVT_PMI)], 0x55);
}

static void ids_have_32_bits(void **state)
{
	(void)state;
	assert_int_equal(apic_id(), ID);
	assert_true(apic_reaches(0xff) && apic_reaches(ID));
	apic_send(ID + 1, APIC_ICR_NMI | APIC_ICR_ASSERT);
	assert_int_equal(cpu.sent, 1);
	assert_int_equal(cpu.icr >> 32, ID + 1);
	assert_int_equal((uint32_t)cpu.icr, APIC_ICR_NMI | APIC_ICR_ASSERT);
	apic_sent(); /* nothing to wait for: x2APIC has no busy bit */
}

static void the_vector_in_service_is_known_and_ended(void **state)
{
	(void)state;
	cpu.word[0x10 + 0xf0 / 32] = 1U << 0xf0 % 32;
	cpu.word[0x18 + 0x31 / 32] = 1U << 0x31 % 32;
	assert_true(apic_in_service(0xf0) && !apic_in_service(0xf1));
	assert_true(apic_by_level(0x31) && !apic_by_level(0x30));
	apic_eoi();
}

static void a_cpu_that_was_started_gets_the_boot_cpus_mode(void **state)
{
	(void)state;
	cpu.base_msr = 0xfee00000;
	assert_false(apic_is_same());
	cpu.word[X2(APIC_SVR)] = 0xff;
	apic_init_cpu();
	assert_true(apic_is_same());
	assert_int_equal(cpu.word[X2(APIC_LVT_TIMER)], APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_LVT_LINT0)], APIC_LVT_MASKED);
	assert_int_equal(cpu.word[X2(APIC_SVR)], APIC_SVR_ENABLE | VECTOR_SPURIOUS);
	assert_int_equal(cpu.word[X2(APIC_TPR)], 0);
}

static void a_cpu_in_the_other_mode_is_not_the_same(void **state)
{
	(void)state;
	assert_true(apic_is_same());
	cpu.base_msr = 0xfee00000 | IA32_APIC_BASE_EN;
	assert_false(apic_is_same());
}

/* ---- The TSC-deadline timer, in either mode ---- */

static uint32_t timer_lvt(void)
{
	return apic_read(APIC_LVT_TIMER);
}

static void a_deadline_is_one_store(void **state)
{
	struct arch_clock clock;
	struct apic_saved saved;
	unsigned before;

	(void)state;
	apic_take_over(&saved);
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_int_equal(arch_timer_init(count), 0);
	assert_int_equal(timer_lvt(), VECTOR_TIMER | APIC_LVT_TSC_DEADLINE);
	assert_int_equal(cpu.tsc_deadline, 0);
	before = cpu.deadlines;
	arch_timer_arm(5000000);
	assert_int_equal(cpu.tsc_deadline, 5000001);
	assert_int_equal(cpu.deadlines, before + 1);
	timer_vector(NULL); /* too early: other software sent this vector, or a rounded deadline */
	assert_int_equal(fired, 0);
	assert_int_equal(cpu.tsc_deadline, 5000001);
	host_fake_cycles = 5000002;
	timer_vector(NULL);
	assert_int_equal(fired, 1);
	timer_vector(NULL);
	assert_int_equal(fired, 1);
	arch_timer_arm(6000000);
	arch_timer_disarm();
	assert_int_equal(cpu.tsc_deadline, 0);
	timer_vector(NULL); /* one interrupt was pending */
	assert_int_equal(fired, 1);
}

static void the_firmwares_deadline_is_given_back(void **state)
{
	struct arch_clock clock;
	struct apic_saved saved;

	(void)state;
	apic_write(APIC_LVT_TIMER, 0x20 | APIC_LVT_TSC_DEADLINE);
	wrmsr(IA32_TSC_DEADLINE, 123456789);
	apic_take_over(&saved);
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_int_equal(arch_timer_init(count), 0);
	arch_timer_arm(host_fake_cycles + TSC_HZ);
	arch_timer_disarm();
	apic_give_back(&saved);
	assert_int_equal(timer_lvt(), 0x20 | APIC_LVT_TSC_DEADLINE);
	assert_int_equal(cpu.tsc_deadline, 123456789);
}

static void without_it_a_count_is_as_long_as_the_span(void **state)
{
	struct arch_clock clock;
	struct apic_saved saved;

	(void)state;
	cpu.has_deadline = false; /* any access to the deadline's MSR raises #GP */
	apic_take_over(&saved);
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_int_equal(arch_timer_init(count), 0);
	assert_int_equal(timer_lvt(), VECTOR_TIMER);
	arch_timer_arm(host_fake_cycles + 4000);
	assert_in_range(apic_read(APIC_TIMER_INITIAL), 1000, 1002);
	arch_timer_disarm();
	assert_int_equal(apic_read(APIC_TIMER_INITIAL), 0);
	apic_give_back(&saved);
}

/* ---- Where the firmware continues, and needs it itself ---- */

/* On a counter's overflow the CPU asks whether the timer is due. */
static void a_timer_of_the_firmware_is_not_touched(void **state)
{
	struct arch_clock clock;
	uint32_t before[REGISTERS];

	(void)state;
	mode.lacks_timer = true;
	memcpy(before, cpu.word, sizeof(before));
	arch_timer_disarm(); /* the timer's clock is not initialised yet */
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_non_null(arch_timer_lacks());
	assert_int_equal(arch_timer_init(count), 0);
	assert_null(timer_vector);
	arch_timer_arm(5000000);
	timer_expired(NULL);
	assert_int_equal(fired, 0);
	host_fake_cycles = 5000002;
	timer_expired(NULL);
	timer_expired(NULL);
	assert_int_equal(fired, 1);
	arch_timer_arm(5000003);
	arch_timer_disarm();
	host_fake_cycles = 6000000;
	timer_expired(NULL);
	assert_int_equal(fired, 1);
	assert_memory_equal(before, cpu.word, sizeof(before));
	assert_int_equal(cpu.deadlines, 0);
}

static void an_own_timer_lacks_nothing(void **state)
{
	struct arch_clock clock;

	(void)state;
	assert_int_equal(arch_clock_init(&clock), 0);
	assert_null(arch_timer_lacks());
}

int main(void)
{
#define X2APIC(name) cmocka_unit_test_setup_teardown(name, begin_x2apic, end)
#define XAPIC(name)                                           \
	{                                                     \
		"xAPIC: " #name, name, begin_xapic, end, NULL \
	}
	const struct CMUnitTest tests[] = {
		X2APIC(all_sources_but_lint1_are_masked_while_it_is_ours),
		X2APIC(the_local_apic_is_given_back_unchanged),
		X2APIC(an_apic_of_few_sources_is_asked_for_no_other),
		X2APIC(ids_have_32_bits),
		X2APIC(the_vector_in_service_is_known_and_ended),
		X2APIC(a_cpu_that_was_started_gets_the_boot_cpus_mode),
		X2APIC(a_cpu_in_the_other_mode_is_not_the_same),
		X2APIC(a_deadline_is_one_store),
		X2APIC(the_firmwares_deadline_is_given_back),
		X2APIC(without_it_a_count_is_as_long_as_the_span),
		X2APIC(a_timer_of_the_firmware_is_not_touched),
		X2APIC(an_own_timer_lacks_nothing),
		XAPIC(a_deadline_is_one_store),
		XAPIC(the_firmwares_deadline_is_given_back),
		XAPIC(without_it_a_count_is_as_long_as_the_span),
	};

	return cmocka_run_group_tests_name("local_apic", tests, NULL, NULL);
}
