/* SPDX-License-Identifier: MIT */
/* The chipset's NMI status, at fake ports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/x86_64/legacy.h"
#include "arch/x86_64/platform.h"

static struct arch_platform platform;
const struct arch_platform *x86_platform = &platform;
static uint8_t status;

static uint8_t port_read(uint16_t port)
{
	assert_int_equal(port, 0x61);
	return status;
}

static bool has_nmi_at(uint8_t value)
{
	status = value;
	return legacy_has_nmi();
}

static void an_nmi_has_a_reason_where_an_error_is_reported(void **state)
{
	(void)state;
	host_port_read = port_read;
	assert_false(has_nmi_at(0));
	assert_false(has_nmi_at(0x3f)); /* speaker, refresh, and masked causes */
	assert_true(has_nmi_at(0x80 | 0x20));
	assert_true(has_nmi_at(0x40));
	assert_false(has_nmi_at(0xff)); /* no device answers */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_nmi_has_a_reason_where_an_error_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
