/* SPDX-License-Identifier: MIT */
/* The devices that the firmware's variables name, and malformed variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/parse/device_paths.h"
#include "tests/unit/guarded.h"

/* PciRoot(0x0)/Pci(0x3,0x0), and the rest of a console's path */
#define ROOT    2, 1, 12, 0, 0xd0, 0x41, 0x03, 0x0a, 0, 0, 0, 0
#define PCI(n)  1, 1, 6, 0, 0, n
#define UART    3, 14, 19, 0, 0, 0, 0, 0, 0, 0xc2, 1, 0, 0, 0, 0, 0, 8, 1, 1
#define ANOTHER 0x7f, 0x01, 4, 0
#define END     0x7f, 0xff, 4, 0

static const uint8_t card[] = { ROOT, PCI(3) };

static bool leads(const uint8_t *bytes, size_t size)
{
	uint8_t *paths = guarded_alloc((size + 7) / 8 * 8) + (size + 7) / 8 * 8 - size;
	bool found;

	memcpy(paths, bytes, size);
	found = device_paths_lead_to(paths, size, card, sizeof(card));
	guarded_free(paths - ((size + 7) / 8 * 8 - size), (size + 7) / 8 * 8);
	return found;
}

#define LEADS(...) leads((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void a_device_is_found_in_any_instance(void **state)
{
	(void)state;
	assert_true(LEADS(ROOT, PCI(3), END));
	assert_true(LEADS(ROOT, PCI(3), UART, END));
	assert_true(LEADS(ROOT, PCI(4), UART, ANOTHER, ROOT, PCI(3), UART, END));
	assert_false(LEADS(ROOT, PCI(4), UART, ANOTHER, ROOT, PCI(5), END));
	assert_false(LEADS(ROOT, END));
	assert_false(LEADS(ROOT, PCI(4), END, ROOT, PCI(3), END)); /* behind the end */
	assert_false(leads(card, 0));
}

static void bytes_that_are_no_path_end_the_search(void **state)
{
	static const uint8_t whole[] = { ROOT, PCI(4), ANOTHER, ROOT, PCI(3), END };

	(void)state;
	for (size_t size = 0; size < sizeof(whole); size++)
		assert_int_equal(leads(whole, size), size >= sizeof(whole) - 4);
	assert_false(LEADS(1, 1, 0, 0, ROOT, PCI(3), END));
	assert_false(LEADS(1, 1, 3, 0, ROOT, PCI(3), END));
	assert_false(LEADS(1, 1, 0xff, 0xff, ROOT, PCI(3), END));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_found_in_any_instance),
		cmocka_unit_test(bytes_that_are_no_path_end_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
