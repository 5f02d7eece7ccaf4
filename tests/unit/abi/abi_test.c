/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "abi/perf_event.h"
#include "tests/unit/abi/abi_constants.h"

static const struct abi_fact our_facts[] = { ABI_FACTS, { NULL, 0, 0 } };

unsigned long long linux_flag(int flag);

static void every_struct_and_constant_is_the_systems(void **state)
{
	(void)state;
	for (int i = 0; our_facts[i].name; i++) {
		if (our_facts[i].value != linux_facts[i].value ||
		    our_facts[i].size != linux_facts[i].size)
			fail_msg("%s: ours %llx (%llu), Linux's %llx (%llu)", our_facts[i].name,
			         our_facts[i].value, our_facts[i].size, linux_facts[i].value,
			         linux_facts[i].size);
	}
	assert_null(linux_facts[sizeof(our_facts) / sizeof(our_facts[0]) - 1].name);
}

static void every_flag_is_the_systems_bit(void **state)
{
	static const uint64_t flags[] = {
		PERF_ATTR_DISABLED,   PERF_ATTR_EXCLUDE_USER,   PERF_ATTR_EXCLUDE_KERNEL,
		PERF_ATTR_EXCLUDE_HV, PERF_ATTR_EXCLUDE_IDLE,   PERF_ATTR_MMAP,
		PERF_ATTR_COMM,       PERF_ATTR_FREQ,           PERF_ATTR_TASK,
		PERF_ATTR_WATERMARK,  PERF_ATTR_SAMPLE_ID_ALL,  PERF_ATTR_MMAP2,
		PERF_ATTR_COMM_EXEC,  PERF_ATTR_WRITE_BACKWARD, PERF_ATTR_INHERIT,
		PERF_ATTR_PINNED,     PERF_ATTR_EXCLUSIVE,      PERF_ATTR_EXCLUDE_GUEST,
	};

	(void)state;
	for (int i = 0; i < (int)(sizeof(flags) / sizeof(flags[0])); i++)
		assert_true(flags[i] == linux_flag(i));
}

static void the_control_page_can_be_used_for_user_time(void **state)
{
	(void)state;
	/* Linux's capabilities: bit 3 cap_user_time, bit 4 cap_user_time_zero. */
	assert_int_equal(PERF_CAP_USER_TIME, 8);
	assert_int_equal(PERF_CAP_USER_TIME_ZERO, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_struct_and_constant_is_the_systems),
		cmocka_unit_test(every_flag_is_the_systems_bit),
		cmocka_unit_test(the_control_page_can_be_used_for_user_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
