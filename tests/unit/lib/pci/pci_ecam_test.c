/* SPDX-License-Identifier: MIT */
/* PCI functions by their configuration space alone, with BARs like hardware's: bits that cannot be
 * set read as 0, and no device may answer at an address that is only tried. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/pci/pci_access.h"

#define IVSHMEM 0x11101af4U
#define SERIAL  0x0700U
#define BASE    0x4010000000ULL
#define WORDS   16U
#define MOST    8U

static struct function {
	uint64_t address;
	uint32_t words[WORDS];
	uint32_t settable[WORDS]; /* writable bits of BARs; other words keep all written bits */
} functions[MOST];
static unsigned nr_functions;
static bool answers_alike; /* a device with one function answers at all eight */
static unsigned torn;      /* writes to BARs while the function answers */

static const struct arch_platform two_bridges = {
	.ecam_count = 2,
	.ecams = { { BASE, 0, 0, 1 }, { BASE + (1ULL << 32), 1, 0x40, 0xff } },
	.window_count = 4,
	.windows = { { 0, 0x3eff0000, 0x10000, 0, true },
	             { 0, 0x5eff0000, 0x10000, 1, true },
	             { 0x80000000, 0x2080000000, 0x40000000, 1, false },
	             { 0xc0000000, 0xc0000000, 0x10000000, 1, false } },
};

static uint64_t place(unsigned bridge, unsigned bus, unsigned device, unsigned function)
{
	return two_bridges.ecams[bridge].address + (bus << 20 | device << 15 | function << 12);
}

static struct function *add(uint64_t address, uint32_t id, uint32_t class, uint32_t header)
{
	struct function *f = &functions[nr_functions++];

	f->address = address;
	f->words[0] = id;
	f->words[1] = 0x00100003; /* it has capabilities, and answers accesses */
	f->words[2] = class << 16 | 0x42;
	f->words[3] = header << 16;
	return f;
}

static struct function *function_at(uint64_t address)
{
	uint64_t at = address & ~0xfffULL;

	for (unsigned i = 0; i < nr_functions; i++)
		if (functions[i].address == at ||
		    (answers_alike && functions[i].address == (at & ~0x7fffULL)))
			return &functions[i];
	return NULL;
}

uint32_t pci_ecam_load(uint64_t address)
{
	struct function *f = function_at(address);

	assert_int_equal(address % 4, 0);
	return f ? f->words[(address & 0xfff) / 4] : UINT32_MAX;
}

void pci_ecam_store(uint64_t address, uint32_t value)
{
	struct function *f = function_at(address);
	unsigned word = (address & 0xfff) / 4;

	assert_non_null(f);
	assert_true(word < WORDS);
	if (word == 1) {
		f->words[1] = (f->words[1] & ~(value & 0xffff0000) & 0xffff0000) | (value & 0xffff);
		return;
	}
	torn += f->words[1] & 3;
	if (word >= 4 && word < 10)
		value = (value & f->settable[word]) | (f->words[word] & 15 & ~f->settable[word]);
	f->words[word] = value;
}

static int begin(void **state)
{
	(void)state;
	memset(functions, 0, sizeof(functions));
	nr_functions = torn = 0;
	answers_alike = false;
	pci_by_ecam.begin(&two_bridges);
	return 0;
}

static void a_function_is_found_on_any_bus_that_is_named(void **state)
{
	struct function *last;

	(void)state;
	add(place(0, 0, 0, 0), 0x00081b36, 0x0600, 0);
	assert_null(pci_by_ecam.find(0, 0, IVSHMEM, 0));
	add(place(0, 2, 1, 0), IVSHMEM, 0x0500, 0); /* after the last bus */
	add(place(1, 0x3f, 1, 0), IVSHMEM, 0x0500, 0);
	assert_null(pci_by_ecam.find(0, 0, IVSHMEM, 0));
	last = add(place(1, 0xff, 31, 0), IVSHMEM, 0x0500, 0);
	assert_int_equal((uintptr_t)pci_by_ecam.find(0, 0, IVSHMEM, 0), last->address);
	assert_null(pci_by_ecam.find(0, 0, IVSHMEM, 1));
}

static void functions_of_a_class_are_distinguished(void **state)
{
	struct function *first, *second;

	(void)state;
	first = add(place(0, 0, 3, 0), 0x00021b36, SERIAL, 0x80);
	second = add(place(0, 0, 3, 5), 0x00021b36, SERIAL, 0x80);
	assert_int_equal((uintptr_t)pci_by_ecam.find(8, 16, SERIAL, 0), first->address);
	assert_int_equal((uintptr_t)pci_by_ecam.find(8, 16, SERIAL, 1), second->address);
	assert_null(pci_by_ecam.find(8, 16, SERIAL, 2));
}

static void a_device_of_one_function_is_one(void **state)
{
	(void)state;
	add(place(0, 1, 4, 0), 0x00021b36, SERIAL, 0);
	answers_alike = true;
	assert_non_null(pci_by_ecam.find(8, 16, SERIAL, 0));
	assert_null(pci_by_ecam.find(8, 16, SERIAL, 1));
}

static void words_are_read_by_their_parts(void **state)
{
	void *device;

	(void)state;
	add(place(0, 0, 4, 0), IVSHMEM, 0x0500, 0);
	device = pci_by_ecam.find(0, 0, IVSHMEM, 0);
	assert_int_equal(pci_by_ecam.read(device, 0, 2), 0x1af4);
	assert_int_equal(pci_by_ecam.read(device, 2, 2), 0x1110);
	assert_int_equal(pci_by_ecam.read(device, 11, 1), 0x05);
	assert_int_equal(pci_by_ecam.read(device, 0, 4), IVSHMEM);
}

static void a_bar_of_64_bits_may_be_above_4_gib(void **state)
{
	struct function *f = add(place(0, 0, 4, 0), IVSHMEM, 0x0500, 0);
	uint64_t address, size;

	(void)state;
	f->words[6] = 0x0000000c;
	f->words[7] = 0x38;
	f->settable[6] = 0xff000000;
	f->settable[7] = UINT32_MAX;
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 2, &address, &size), 0);
	assert_int_equal(address, 0x3800000000);
	assert_int_equal(size, 16 << 20);
	assert_int_equal(f->words[6], 0x0000000c);
	assert_int_equal(f->words[7], 0x38);
	f->settable[6] = 0; /* size 8 GiB: no bit of the lower half is writable */
	f->settable[7] = 0xfffffffe;
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 2, &address, &size), 0);
	assert_int_equal(address, 0x3800000000);
	assert_int_equal(size, 8ULL << 30);
	assert_int_equal(torn, 0);
	assert_int_equal(f->words[1], 0x00100003);
}

static void smaller_bars_are_of_memory_or_of_ports(void **state)
{
	struct function *f = add(place(0, 0, 4, 0), 0x00021b36, SERIAL, 0);
	uint64_t address, size;

	(void)state;
	f->words[4] = 0xfebf1000;
	f->settable[4] = 0xfffff000;
	f->words[5] = 0xc001;
	f->settable[5] = 0xfff8; /* its upper half cannot be set */
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 0, &address, &size), 0);
	assert_int_equal(address, 0xfebf1000);
	assert_int_equal(size, 4096);
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 1, &address, &size), 0);
	assert_int_equal(address, 0x3effc000);
	assert_int_equal(size, 8);
	assert_int_equal(torn, 0);
}

/* Each bridge has its own ports, and its own memory below 4 GiB. */
static void a_bridge_s_window_is_where_the_tables_have_it(void **state)
{
	static const struct {
		unsigned bridge, bus;
		uint32_t bar;
		uint64_t address;
	} cases[] = {
		{ 0, 0, 0x1001, 0x3eff1000 },          { 0, 1, 0xfff9, 0x3effffff - 7 },
		{ 1, 0x40, 0x1001, 0x5eff1000 },       { 1, 0xff, 0x1001, 0x5eff1000 },
		{ 0, 0, 0x80000000, 0x80000000 },      { 1, 0x40, 0x80000000, 0x2080000000 },
		{ 1, 0x40, 0xbfff0000, 0x20bfff0000 }, { 1, 0x40, 0xc0000000, 0xc0000000 },
		{ 1, 0x40, 0xd0000000, 0xd0000000 },
	};
	uint64_t address, size;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct function *f =
		    add(place(cases[i].bridge, cases[i].bus, 4, 0), IVSHMEM, 0x0500, 0);

		f->words[4] = cases[i].bar;
		f->settable[4] = cases[i].bar & 1 ? 0xfff8 : 0xffff0000;
		assert_int_equal(pci_by_ecam.bar((void *)f->address, 0, &address, &size), 0);
		assert_int_equal(address, cases[i].address);
		nr_functions--;
	}
}

static void a_device_without_an_address_is_not_used(void **state)
{
	struct function *f = add(place(0, 0, 4, 0), IVSHMEM, 0x0500, 0);
	struct function *bridge = add(place(0, 0, 5, 0), 0x00011b36, 0x0604, 1);
	uint64_t address, size;

	(void)state;
	f->words[6] = 0xc;
	f->settable[6] = 0xff000000;
	f->settable[7] = UINT32_MAX;
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 2, &address, &size), -EIO);
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 0, &address, &size), -EIO);
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 6, &address, &size), -EIO);
	f->words[9] = 0x1000000c; /* the sixth BAR has no seventh for its upper half */
	assert_int_equal(pci_by_ecam.bar((void *)f->address, 5, &address, &size), -EIO);
	bridge->words[6] = 0x1000;
	assert_int_equal(pci_by_ecam.bar((void *)bridge->address, 2, &address, &size), -EIO);
}

static void decoding_is_switched_on_and_status_left_alone(void **state)
{
	struct function *f = add(place(0, 0, 4, 0), IVSHMEM, 0x0500, 0);

	(void)state;
	f->words[1] = 0xf9000400;
	assert_int_equal(pci_by_ecam.enable((void *)f->address, false), 0);
	assert_int_equal(f->words[1], 0xf9000402);
	assert_int_equal(pci_by_ecam.enable((void *)f->address, true), 0);
	assert_int_equal(f->words[1], 0xf9000403);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_function_is_found_on_any_bus_that_is_named, begin),
		cmocka_unit_test_setup(functions_of_a_class_are_distinguished, begin),
		cmocka_unit_test_setup(a_device_of_one_function_is_one, begin),
		cmocka_unit_test_setup(words_are_read_by_their_parts, begin),
		cmocka_unit_test_setup(a_bar_of_64_bits_may_be_above_4_gib, begin),
		cmocka_unit_test_setup(smaller_bars_are_of_memory_or_of_ports, begin),
		cmocka_unit_test_setup(a_bridge_s_window_is_where_the_tables_have_it, begin),
		cmocka_unit_test_setup(a_device_without_an_address_is_not_used, begin),
		cmocka_unit_test_setup(decoding_is_switched_on_and_status_left_alone, begin),
	};

	return cmocka_run_group_tests_name("pci_ecam", tests, NULL, NULL);
}
