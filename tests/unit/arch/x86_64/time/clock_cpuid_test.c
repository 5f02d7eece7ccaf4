/* SPDX-License-Identifier: MIT */
/* The TSC's frequency from CPUID, for CPUs of several generations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "abi/trace_region.h"
#include "arch/x86_64/time/clock.h"

static struct clock_rates rates;

static bool ask(uint32_t denominator, uint32_t numerator, uint32_t crystal, uint32_t base_mhz)
{
	const struct cpuid ratio = { denominator, numerator, crystal, 0 };
	const struct cpuid base = { base_mhz, 0, 0, 0 };

	return clock_rates_by_cpuid(ratio, base, &rates);
}

static void a_named_crystal_gives_the_exact_frequency(void **state)
{
	(void)state;
	assert_true(ask(2, 104, 38400000, 0));
	assert_int_equal(rates.tsc, 1996800000);
	assert_int_equal(rates.apic, 38400000);
	assert_int_equal(rates.source, TR_CLOCK_ARCHITECTURAL);
	/* this clock has priority over the base frequency, which is rounded */
	assert_true(ask(2, 104, 38400000, 2000));
	assert_int_equal(rates.tsc, 1996800000);
}

/* A desktop CPU of 2015 with 24 MHz: nominally 4000 MHz, 4008 MHz by its TSC. */
static void an_unnamed_crystal_is_the_customary_one_nearby(void **state)
{
	(void)state;
	assert_true(ask(2, 334, 0, 4000));
	assert_int_equal(rates.tsc, 4008000000);
	assert_int_equal(rates.apic, 24000000);
	assert_int_equal(rates.source, TR_CLOCK_CPUID_16H);
	/* also with a server's crystal of 25 MHz */
	assert_true(ask(2, 168, 0, 2100));
	assert_int_equal(rates.tsc, 2100000000);
	assert_int_equal(rates.apic, 25000000);
}

static void a_frequency_that_does_not_fit_is_measured_instead(void **state)
{
	(void)state;
	assert_false(ask(0, 0, 0, 0));
	assert_false(ask(2, 0, 24000000, 0));
	assert_false(ask(0, 200, 24000000, 0));
	assert_false(ask(2, 334, 0, 0)); /* no leaf 16H */
	/* the result would be a crystal of 80 MHz, which does not exist */
	assert_false(ask(2, 100, 0, 4000));
}

static void the_largest_values_do_not_overflow(void **state)
{
	(void)state;
	assert_true(ask(1, UINT32_MAX, UINT32_MAX, 0));
	assert_true(rates.tsc == (uint64_t)UINT32_MAX * UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_crystal_gives_the_exact_frequency),
		cmocka_unit_test(an_unnamed_crystal_is_the_customary_one_nearby),
		cmocka_unit_test(a_frequency_that_does_not_fit_is_measured_instead),
		cmocka_unit_test(the_largest_values_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
