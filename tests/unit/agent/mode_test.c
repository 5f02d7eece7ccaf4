/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/mode.h"
#include "agent/payload/payload.h"

static const struct workload_usage image;

bool payload_runs_on_firmware(const struct command *command)
{
	return command->workload == &image;
}

static void without_shared_memory_the_firmware_stays_by_default(void **state)
{
	static const struct {
		struct command command;
		bool in_ram, shared;
	} cases[] = {
		{ { .verb = COMMAND_RECORD }, true, false },
		{ { .verb = COMMAND_LIST }, true, false },
		{ { .verb = COMMAND_STAT, .then = THEN_POWEROFF }, true, false },
		{ { .verb = COMMAND_RECORD, .exclusive = true }, false, false },
		{ { .verb = COMMAND_RECORD, .then = THEN_WAIT }, false, false },
		{ { .verb = COMMAND_SELFTEST }, true, false },
		{ { .verb = COMMAND_RECORD, .resident = true }, true, true },
		{ { .verb = COMMAND_RECORD, .keep = true }, true, true },
		{ { .verb = COMMAND_RECORD, .output = "x" }, true, true },
		{ { .verb = COMMAND_SAVE }, true, true },
		{ { .verb = COMMAND_BENCH, .uefi = true }, true, true },
		{ { .verb = COMMAND_RECORD, .workload = &image }, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(mode_is_resident(&cases[i].command, true), cases[i].in_ram);
		assert_int_equal(mode_is_resident(&cases[i].command, false), cases[i].shared);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_shared_memory_the_firmware_stays_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
