/* SPDX-License-Identifier: MIT */
/* A machine's maker and name, from SMBIOS tables as DSP0134 lays them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/parse/smbios.h"

#define BASE  0x40000000ULL
#define TABLE 0x40U /* the table's offset in memory */

static uint8_t memory[4096];
static size_t table_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || address - BASE > sizeof(memory) ||
	    size > sizeof(memory) - (address - BASE))
		return NULL;
	return memory + (address - BASE);
}

static void put(const void *bytes, size_t size)
{
	memcpy(memory + TABLE + table_size, bytes, size);
	table_size += size;
}

#define PUT(bytes) put(bytes, sizeof(bytes) - 1)

static void begin(void)
{
	memset(memory, 0, sizeof(memory));
	table_size = 0;
}

/* The system of the table that was put, by the entry point of version 3 or 2. */
static bool read_by(bool version_3, struct smbios_system *system)
{
	uint64_t address = BASE + TABLE;

	memset(memory, 0, TABLE);
	if (version_3) {
		memcpy(memory, "_SM3_", 5);
		memcpy(memory + 0x0c, &table_size, 4);
		memcpy(memory + 0x10, &address, 8);
	} else {
		memcpy(memory, "_SM_", 4);
		memcpy(memory + 0x16, &table_size, 2);
		memcpy(memory + 0x18, &address, 4);
	}
	return smbios_read_system(BASE, view, system);
}

#define BIOS   "\x00\x06\x00\x00\x01\x02Vendor\0Version\0\0"
#define SYSTEM "\x01\x08\x01\x00\x02\x03\x01\x04"
#define END    "\x7f\x04\xff\xff\0\0"

static void maker_and_product_are_strings_of_the_system(void **state)
{
	struct smbios_system system;

	(void)state;
	for (int version_3 = 0; version_3 < 2; version_3++) {
		begin();
		PUT(BIOS);
		PUT(SYSTEM "1.0\0Apple Inc.\0Apple Virtualization Generic Platform\0Serial\0\0");
		PUT(END);
		assert_true(read_by(version_3, &system));
		assert_string_equal(system.maker, "Apple Inc.");
		assert_string_equal(system.product, "Apple Virtualization Generic Platform");
		assert_true(smbios_is_apples_vm(&system));
	}
}

static void a_mac_and_other_machines_are_no_virtual_machine_of_apples(void **state)
{
	(void)state;
	assert_false(smbios_is_apples_vm(&(struct smbios_system){ "Apple Inc.", "Mac14,3" }));
	assert_false(
	    smbios_is_apples_vm(&(struct smbios_system){ "QEMU", "Apple Virtualization" }));
	assert_false(smbios_is_apples_vm(&(struct smbios_system){ "", "" }));
}

static void a_string_that_is_missing_is_empty_and_a_long_one_is_cut(void **state)
{
	struct smbios_system system;
	char strings[200];

	(void)state;
	begin();
	PUT("\x01\x06\x01\x00\x05\x00one\0two\0\0");
	PUT(END);
	assert_true(read_by(true, &system));
	assert_string_equal(system.maker, "");
	assert_string_equal(system.product, "");
	begin();
	PUT("\x01\x06\x01\x00\x01\x01");
	memset(strings, 'a', sizeof(strings));
	memset(strings + 198, 0, 2);
	put(strings, sizeof(strings));
	assert_true(read_by(true, &system));
	assert_int_equal(strlen(system.maker), SMBIOS_TEXT - 1);
}

static void tables_that_end_early_or_are_not_there_have_no_system(void **state)
{
	struct smbios_system system;

	(void)state;
	begin();
	PUT(BIOS);
	PUT(END);
	PUT(SYSTEM "1.0\0Apple Inc.\0Apple Virtualization Generic Platform\0\0");
	assert_false(read_by(true, &system)); /* behind the end */
	begin();
	PUT("\x01\x03\x01\x00\0\0");
	assert_false(read_by(true, &system)); /* shorter than its header */
	begin();
	PUT("\x01\x40\x01\x00\x01\x02");
	assert_false(read_by(true, &system)); /* longer than the table */
	begin();
	assert_false(read_by(true, &system));
	assert_false(read_by(false, &system));
	memset(memory, 0, sizeof(memory));
	assert_false(smbios_read_system(BASE, view, &system));
	assert_false(smbios_read_system(BASE + sizeof(memory) - 4, view, &system));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maker_and_product_are_strings_of_the_system),
		cmocka_unit_test(a_mac_and_other_machines_are_no_virtual_machine_of_apples),
		cmocka_unit_test(a_string_that_is_missing_is_empty_and_a_long_one_is_cut),
		cmocka_unit_test(tables_that_end_early_or_are_not_there_have_no_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
