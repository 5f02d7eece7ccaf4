/* SPDX-License-Identifier: MIT */
/* Status codes as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/uefi/status_code.h"

#define MAJOR 0x80000000U

static void says(uint32_t type, uint32_t value, uint32_t instance, const char *expected)
{
	char text[STATUS_CODE_TEXT];

	assert_int_equal(status_code_text(type, value, instance, text, sizeof(text)),
	                 strlen(expected));
	assert_string_equal(text, expected);
}

static void progress_has_its_subclass_and_its_operation(void **state)
{
	(void)state;
	says(STATUS_CODE_PROGRESS, 0x03051001, 0, "DXE BS driver: ready to boot event");
	says(STATUS_CODE_PROGRESS, 0x03050002, 0, "DXE BS driver: initialisation begins");
	says(STATUS_CODE_PROGRESS, 0x01010000, 0, "keyboard: initialisation");
	says(STATUS_CODE_PROGRESS, 0x02011000, 0, "PCI: bus enumeration");
	says(STATUS_CODE_PROGRESS, 0, 0, "computing unit: initialisation begins");
	says(STATUS_CODE_PROGRESS, 0x02020003, 7, "USB #7: detect");
	says(STATUS_CODE_PROGRESS, 0x03058000, 0,
	     "DXE BS driver: operation 0x8000, EDK2's OS loader load");
}

static void an_error_has_its_severity_and_operations_of_its_own(void **state)
{
	(void)state;
	says(MAJOR | STATUS_CODE_ERROR, 0x03051003, 0,
	     "error (major) DXE BS driver: boot option failed");
	says(0xa0000000 | STATUS_CODE_ERROR, 0x01010006, 1,
	     "error (uncontained) keyboard #1: controller error");
	says(STATUS_CODE_ERROR, 0x01050003, 0, "error serial port: not detected");
	says(0x30000000 | STATUS_CODE_ERROR, 0x03050001, 0,
	     "error (severity 0x30) DXE BS driver: load error");
}

static void a_part_without_a_name_is_a_number(void **state)
{
	(void)state;
	says(STATUS_CODE_PROGRESS, 0x03058123, 0, "DXE BS driver: operation 0x8123");
	says(STATUS_CODE_PROGRESS, 0x03050fff, 0, "DXE BS driver: operation 0x0fff");
	says(STATUS_CODE_PROGRESS, 0x03050014, 0, "DXE BS driver: operation 0x0014");
	says(STATUS_CODE_PROGRESS, 0x037f0000, 0, "software, subclass 0x7f: initialisation");
	says(STATUS_CODE_PROGRESS, 0x00140000, 0,
	     "computing unit, subclass 0x14: initialisation begins");
	says(STATUS_CODE_PROGRESS, 0x04051001, 0, "class 0x04, subclass 0x05: operation 0x1001");
	says(STATUS_CODE_PROGRESS, 0x7f000000, 0, "class 0x7f, subclass 0x00: operation 0x0000");
	says(STATUS_CODE_PROGRESS, 0x80000000, 0,
	     "OEM class 0x80, subclass 0x00: operation 0x0000");
	says(STATUS_CODE_PROGRESS, 0xffff0001, 0xffffffff,
	     "OEM class 0xff, subclass 0xff #4294967295: operation 0x0001");
}

static void debug_codes_and_other_types_say_nothing(void **state)
{
	(void)state;
	says(0, 0x03051001, 0, "");
	says(3, 0x03051001, 0, "");
	says(MAJOR | 0xff, 0x03051001, 0, "");
}

/* Any code: the text keeps the header's limits. Operations without names are treated alike, and so
 * are subclasses of such classes. */
static void every_code_has_a_text_that_fits(void **state)
{
	char text[STATUS_CODE_TEXT];

	(void)state;
	for (uint32_t kind = 0; kind < 256; kind++) {
		unsigned step = kind > 4 ? 15 : 1;

		for (uint32_t subclass = 0; subclass < 256; subclass += step) {
			for (uint32_t operation = 0; operation < 0x1040;
			     operation += operation == 0x20 ? 0xfdf : 1) {
				uint32_t value = kind << 24 | subclass << 16 | operation;
				uint32_t type = 0xa0000000 | (1 + (operation & 1));
				unsigned length =
				    status_code_text(type, value, 0xffffffff, text, sizeof(text));

				assert_in_range(length, 5, sizeof(text) - 1);
			}
		}
	}
}

static void a_text_without_room_is_cut(void **state)
{
	char text[8];

	(void)state;
	assert_int_equal(status_code_text(STATUS_CODE_PROGRESS, 0x03051001, 0, text, sizeof(text)),
	                 7);
	assert_string_equal(text, "DXE BS ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_has_its_subclass_and_its_operation),
		cmocka_unit_test(an_error_has_its_severity_and_operations_of_its_own),
		cmocka_unit_test(a_part_without_a_name_is_a_number),
		cmocka_unit_test(debug_codes_and_other_types_say_nothing),
		cmocka_unit_test(every_code_has_a_text_that_fits),
		cmocka_unit_test(a_text_without_room_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
