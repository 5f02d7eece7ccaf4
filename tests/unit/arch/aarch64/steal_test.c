/* SPDX-License-Identifier: MIT */
/* A hypervisor's report of stolen time is found by its service calls, as DEN0057 describes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/aarch64/steal.h"

#define NOT_SUPPORTED (-1)

/* The hypervisor's answers, and the calls that it has seen. */
static struct {
	int64_t knows, has_report, address;
	unsigned calls;
} hypervisor;

static int64_t answer(uint32_t function, uint32_t argument)
{
	hypervisor.calls++;
	switch (function) {
	case 0x80000001: /* SMCCC_ARCH_FEATURES */
		assert_int_equal(argument, 0xc5000020);
		return hypervisor.knows;
	case 0xc5000020: /* PV_TIME_FEATURES */
		assert_int_equal(argument, 0xc5000021);
		return hypervisor.has_report;
	case 0xc5000021: /* PV_TIME_ST */
		assert_int_equal(argument, 0);
		return hypervisor.address;
	default:
		fail_msg("call of 0x%x", function);
		return NOT_SUPPORTED;
	}
}

static uint64_t found(int64_t knows, int64_t has_report, int64_t address)
{
	hypervisor.knows = knows;
	hypervisor.has_report = has_report;
	hypervisor.address = address;
	hypervisor.calls = 0;
	return steal_find(answer);
}

static void each_cpus_report_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(found(0, 0, 0x90a0040), 0x90a0040);
	assert_int_equal(hypervisor.calls, 3);
	assert_int_equal(steal_area_of(0x90a0040), 0x90a0000);
	assert_int_equal(steal_area_of(0x90affc0), 0x90a0000);
	assert_int_equal(steal_area_of(0x90b0000), 0x90b0000);
}

static void a_hypervisor_without_the_calls_is_asked_no_further(void **state)
{
	(void)state;
	assert_int_equal(found(NOT_SUPPORTED, 0, 0x90a0040), 0);
	assert_int_equal(hypervisor.calls, 1);
	assert_int_equal(found(0xffffffff, 0, 0x90a0040), 0); /* of 32 bits */
	assert_int_equal(hypervisor.calls, 1);
	assert_int_equal(found(0, NOT_SUPPORTED, 0x90a0040), 0);
	assert_int_equal(hypervisor.calls, 2);
}

static void no_report_and_a_wrong_address_are_none(void **state)
{
	(void)state;
	assert_int_equal(found(0, 0, NOT_SUPPORTED), 0);
	assert_int_equal(found(0, 0, 0), 0);
	assert_int_equal(found(0, 0, 0x90a0020), 0);
	assert_int_equal(found(0, 0, INT64_MIN), 0);
}

static void a_report_of_another_form_is_not_read(void **state)
{
	struct steal_report report = { .stolen = 5 };

	(void)state;
	assert_true(steal_is_known(&report));
	report.revision = 1;
	assert_false(steal_is_known(&report));
	report = (struct steal_report){ .attributes = 1 };
	assert_false(steal_is_known(&report));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpus_report_is_asked_for),
		cmocka_unit_test(a_hypervisor_without_the_calls_is_asked_no_further),
		cmocka_unit_test(no_report_and_a_wrong_address_are_none),
		cmocka_unit_test(a_report_of_another_form_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
