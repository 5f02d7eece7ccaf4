/* SPDX-License-Identifier: MIT */
/* Which of the comparators and inputs that the firmware leaves free are used, and how they are
 * restored: on registers in memory. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/step.h"
#include "arch/x86_64/legacy.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/time/hpet.h"

#define INPUTS  24U
#define APIC_ID 3U

static uint32_t words[0x200];
static uint32_t redirections[IOAPIC_REDIRECT + 2 * 64];
static unsigned inputs, pic_unmasked;
static struct arch_platform platform;
const struct arch_platform *x86_platform = &platform;

unsigned ioapic_inputs(unsigned ioapic)
{
	assert_int_equal(ioapic, 0);
	return inputs;
}

uint32_t ioapic_read(unsigned ioapic, unsigned reg)
{
	(void)ioapic;
	return redirections[reg];
}

void ioapic_write(unsigned ioapic, unsigned reg, uint32_t value)
{
	(void)ioapic;
	redirections[reg] = value;
}

bool pic_is_masked(unsigned input)
{
	return !(pic_unmasked >> input & 1);
}

static uint32_t *comparator(unsigned n, unsigned offset)
{
	return &words[(HPET_TIMER(n) + offset) / 4];
}

static uint32_t *redirection(unsigned input)
{
	return &redirections[IOAPIC_REDIRECT + 2 * input];
}

/* QEMU's HPET: three comparators at 100 MHz, which can use inputs 2, 8 and 16 to 23. */
static int set_up(void **state)
{
	(void)state;
	memset(words, 0, sizeof(words));
	words[HPET_CAPABILITIES / 4] = 2U << HPET_LAST_TIMER;
	words[HPET_PERIOD / 4] = 10000000;
	words[HPET_CONFIG / 4] = HPET_RUNS;
	inputs = INPUTS;
	pic_unmasked = 0;
	platform = (struct arch_platform){ .hpet = (uint64_t)words, .ioapic_count = 1 };
	for (unsigned i = 0; i < INPUTS; i++)
		*redirection(i) = IOAPIC_MASKED | i;
	for (unsigned n = 0; n < 3; n++)
		*comparator(n, HPET_TIMER_INPUTS) = 0x00ff0104;
	return 0;
}

static void the_last_free_comparator_comes_as_nmi_by_a_free_input(void **state)
{
	(void)state;
	assert_null(hpet_claim(APIC_ID));
	assert_true(hpet_is_claimed());
	assert_int_equal(*comparator(2, 0) >> HPET_TIMER_ROUTE & 0x1f, 23);
	assert_int_equal(*redirection(23), IOAPIC_NMI);
	assert_int_equal(redirection(23)[1], APIC_ID << 24);
	assert_int_equal(*comparator(1, 0), 0);
	hpet_release();
	assert_false(hpet_is_claimed());
	assert_int_equal(*comparator(2, 0), 0);
	assert_int_equal(*redirection(23), IOAPIC_MASKED | 23);
	assert_int_equal(redirection(23)[1], 0);
}

static void the_firmwares_timers_are_left_alone(void **state)
{
	(void)state;
	*comparator(2, 0) = HPET_TIMER_ENABLE;
	for (unsigned i = 16; i < INPUTS; i++)
		*redirection(i) = 0x30 + i;
	assert_null(hpet_claim(APIC_ID));
	assert_int_equal(*comparator(2, 0), HPET_TIMER_ENABLE);
	assert_int_equal(*comparator(1, 0) >> HPET_TIMER_ROUTE & 0x1f, 8);
	hpet_release();
	pic_unmasked = 1U << 8;
	assert_null(hpet_claim(APIC_ID));
	assert_int_equal(*comparator(1, 0) >> HPET_TIMER_ROUTE & 0x1f, 2);
	hpet_release();
}

/* If counters are used instead, the message has the reason. */
static void refused(const char *reason)
{
	const struct hpet_refusal *refusal = hpet_claim(APIC_ID);

	assert_non_null(refusal);
	assert_non_null(strstr(refusal->alone, reason));
	assert_null(strstr(refusal->alone, "-e cycles"));
	assert_non_null(strstr(refusal->beside_counters, reason));
	assert_non_null(strstr(refusal->beside_counters, "-e cycles"));
}

static void without_a_free_timer_the_users_are_reported(void **state)
{
	(void)state;
	words[HPET_CONFIG / 4] = HPET_RUNS | HPET_LEGACY; /* 0 and 1 replace PIT and RTC */
	*comparator(2, 0) = HPET_TIMER_ENABLE;
	refused("comparators are in use");
	*comparator(2, 0) = 0;
	for (unsigned i = 0; i < INPUTS; i++)
		*redirection(i) = i;
	refused("every input");
	platform.ioapic_count = 0;
	refused("no I/O APIC");
	platform.hpet = 0;
	refused("no HPET");
	assert_false(hpet_is_claimed());
}

static void a_counter_that_stalled_does_so_again(void **state)
{
	(void)state;
	words[HPET_CONFIG / 4] = 0;
	assert_null(hpet_claim(APIC_ID));
	assert_int_equal(words[HPET_CONFIG / 4], HPET_RUNS);
	hpet_release();
	assert_int_equal(words[HPET_CONFIG / 4], 0);
}

static void the_timer_has_fired_when_the_counter_reaches_it(void **state)
{
	uint32_t *counter = &words[HPET_COUNTER / 4];

	(void)state;
	assert_null(hpet_claim(APIC_ID));
	*counter = UINT32_MAX - 100; /* about to wrap */
	hpet_arm(1000);
	assert_true(*comparator(2, 0) & HPET_TIMER_ENABLE);
	assert_int_equal(*comparator(2, HPET_TIMER_AT), 899);
	assert_false(hpet_has_fired());
	*counter = 1; /* wrapped: a one-shot timer of 32 bits fires then as well */
	assert_false(hpet_has_fired());
	*counter = 899 - 65;
	assert_false(hpet_has_fired());
	*counter = 899 - 64; /* closer than that, no interrupt comes */
	assert_true(hpet_has_fired());
	assert_false(hpet_has_fired()); /* that was it */
	hpet_arm(1000);
	hpet_disarm();
	assert_false(*comparator(2, 0) & HPET_TIMER_ENABLE);
	*counter += 1000;
	assert_false(hpet_has_fired());
	hpet_release();
}

/* ---- An NMI before any instruction ---- */

static struct {
	unsigned before, steps; /* so many instructions */
	uint32_t was;           /* the comparator's old value */
	unsigned came, unknown;
} moment;

/* The interrupt comes at once if the comparator is set to the counter's present value. */
static void on_step(int signal, siginfo_t *info, void *context)
{
	uint32_t at = *comparator(2, HPET_TIMER_AT);

	(void)signal, (void)info;
	if (moment.steps < moment.before) {
		moment.steps++;
		return;
	}
	host_step_leave(context);
	if (at == moment.was)
		return;
	words[HPET_COUNTER / 4] = at;
	moment.came++;
	moment.unknown += !hpet_has_fired();
}

static void an_interrupt_during_the_arming_is_noticed(void **state)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	if (!HOST_CAN_STEP)
		skip();
	sigaction(SIGTRAP, &action, NULL);
	moment.before = moment.came = moment.unknown = 0;
	do {
		set_up(state);
		assert_null(hpet_claim(APIC_ID));
		hpet_arm(1000);
		words[HPET_COUNTER / 4] = moment.was = *comparator(2, HPET_TIMER_AT);
		assert_true(hpet_has_fired()); /* and the comparator stays enabled */
		moment.steps = 0;
		host_step_start();
		hpet_arm(1000);
		host_step_end();
		hpet_release();
	} while (moment.steps == moment.before++);
	assert_true(moment.came > 10);
	assert_int_equal(moment.unknown, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_last_free_comparator_comes_as_nmi_by_a_free_input,
		                       set_up),
		cmocka_unit_test_setup(the_firmwares_timers_are_left_alone, set_up),
		cmocka_unit_test_setup(without_a_free_timer_the_users_are_reported, set_up),
		cmocka_unit_test_setup(a_counter_that_stalled_does_so_again, set_up),
		cmocka_unit_test_setup(the_timer_has_fired_when_the_counter_reaches_it, set_up),
		cmocka_unit_test_setup(an_interrupt_during_the_arming_is_noticed, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
