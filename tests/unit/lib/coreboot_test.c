/* SPDX-License-Identifier: MIT */
/* coreboot's table in a small physical memory, made here as coreboot makes it; the sanitizer
 * detects reads beyond the memory's end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/coreboot.h"

#define ROOM  0x100100U
#define TIMES 8U

static uint8_t made[ROOM];
static uint8_t *memory; /* the physical memory, up to its end */
static uint32_t memory_end;
static uint32_t low; /* below this address there is no memory */
static char reported[TIMES][120];
static unsigned nr_reported;

#define HIGH 0x7000000000ULL /* the same memory lies here once more */

static const void *view(uint64_t address, size_t size)
{
	address = address >= HIGH ? address - HIGH : address;
	if (address < low || address > memory_end || size > memory_end - address)
		return NULL;
	return memory + address;
}

static void tell(void *context, uint64_t ns, const char *name)
{
	assert_ptr_equal(context, reported);
	if (nr_reported < TIMES)
		snprintf(reported[nr_reported], sizeof(reported[0]), "%lu %s", ns, name);
	nr_reported++;
}

static void put(uint32_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		made[at + i] = (uint8_t)(value >> 8 * i);
}

static uint16_t sum_of(uint32_t at, uint32_t size)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < size; i++)
		sum += i % 2 ? made[at + i] * 256U : made[at + i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Put a record of another kind, and then one with this tag and address. */
static void put_table(uint32_t at, uint32_t tag, uint64_t address)
{
	memcpy(made + at, "LBIO", 4);
	put(at + 4, 24, 4);
	put(at + 8, 0, 4);
	put(at + 12, 28, 4);
	put(at + 20, 2, 4);
	put(at + 24, 0x99, 4);
	put(at + 28, 12, 4);
	put(at + 32, 0x12345678, 4);
	put(at + 36, tag, 4);
	put(at + 40, 16, 4);
	put(at + 44, address, 8);
	put(at + 16, sum_of(at + 24, 28), 4);
	put(at + 8, sum_of(at, 24), 4);
}

static void put_times(uint32_t at, uint64_t base, uint16_t room, uint16_t mhz, uint32_t count)
{
	put(at, base, 8);
	put(at + 8, room, 2);
	put(at + 10, mhz, 2);
	put(at + 12, count, 4);
}

static void put_time(uint32_t at, uint32_t number, uint32_t id, int64_t stamp)
{
	put(at + 16 + 12 * number, id, 4);
	put(at + 20 + 12 * number, (uint64_t)stamp, 8);
}

/* Put a table at 0x500 that refers to the real one at 0x2000, which has two times. */
static int set_up(void **state)
{
	(void)state;
	memset(made, 0, sizeof(made));
	memory_end = 0x2000 + 0x140;
	low = 16;
	put_table(0x500, 0x11, 0x2000);
	put_table(0x2000, 0x16, 0x2100);
	put_times(0x2100, 2000, 3, 1000, 2);
	put_time(0x2100, 0, 11, -500);
	put_time(0x2100, 1, 99, 3000000);
	return 0;
}

static const char *reads(uint64_t address)
{
	const char *wrong;

	nr_reported = 0;
	memory = malloc(memory_end);
	memcpy(memory, made, memory_end);
	wrong = coreboot_read(address, view, tell, reported);
	free(memory);
	return wrong;
}

static uint64_t finds(void)
{
	uint64_t found;

	memory = malloc(memory_end);
	memcpy(memory, made, memory_end);
	found = coreboot_find(view);
	free(memory);
	return found;
}

static void a_pcs_table_leads_to_the_times(void **state)
{
	(void)state;
	assert_int_equal(finds(), 0x500);
	assert_null(reads(0x500));
	assert_int_equal(nr_reported, 3);
	assert_string_equal(reported[0], "2000 the first timestamp");
	assert_string_equal(reported[1], "1500 bootblock begins");
	assert_string_equal(reported[2], "3002000 jump to the payload");
}

static void older_tables_lie_elsewhere(void **state)
{
	(void)state;
	put(0x500, 0, 4);
	put_table(0x40, 0x11, 0x2000);
	assert_int_equal(finds(), 0x40);
	put(0x40, 0, 4);
	put_table(0xff0, 0x11, 0x2000);
	assert_int_equal(finds(), 0xff0);
	put(0xff0, 0, 4);
	put_table(0x508, 0x11, 0x2000);
	assert_int_equal(finds(), 0); /* the table is not at a multiple of 16 */
	low = 0x1000;
	assert_int_equal(finds(), 0);
}

static void a_place_is_searched_from_its_begin_to_its_end(void **state)
{
	static const struct {
		uint32_t table, memory_end;
		bool is_found;
	} rows[] = {
		{ 0xff0, 0x1040, true },      { 0x1000, 0x1040, false },
		{ 0x500, 0x1000, true },      { 0x500, 0xfff, false }, /* not all of it is memory */
		{ 0xf0000, 0x100000, true },  { 0xf0000, 0xfffff, false },
		{ 0xffff0, 0x100100, true },  { 0x100000, 0x100100, false },
		{ 0xefff0, 0x100000, false }, { 0x10, 0x500, true },
		{ 0x4f0, 0x540, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(made, 0, sizeof(made));
		put_table(rows[i].table, 0x11, 0x2000);
		memory_end = rows[i].memory_end;
		assert_int_equal(finds(), rows[i].is_found ? rows[i].table : 0);
	}
	put(rows[10].table + 3, 'X', 1);
	put(rows[10].table + 8, 0, 4);
	put(rows[10].table + 8, sum_of(rows[10].table, 24), 4);
	assert_int_equal(finds(), 0); /* another signature */
}

static void tables_may_lie_above_4_gib(void **state)
{
	(void)state;
	put_table(0x500, 0x11, HIGH + 0x2000);
	put_table(0x2000, 0x16, HIGH + 0x2100);
	assert_null(reads(0x500));
	assert_int_equal(nr_reported, 3);
}

/* coreboot's enum timestamp_id. */
static void names_are_those_of_coreboots_numbers(void **state)
{
	static const struct {
		uint32_t id;
		const char *name;
	} rows[] = {
		{ 1, "romstage begins" },
		{ 2, "RAM initialization begins" },
		{ 3, "RAM initialization ends" },
		{ 4, "romstage ends" },
		{ 5, "verified boot begins" },
		{ 6, "verified boot ends" },
		{ 7, "timestamp 7" },
		{ 8, "load of ramstage begins" },
		{ 9, "load of ramstage ends" },
		{ 10, "ramstage begins" },
		{ 11, "bootblock begins" },
		{ 12, "bootblock ends" },
		{ 30, "chips are initialized" },
		{ 31, "devices are enumerated" },
		{ 40, "devices are configured" },
		{ 50, "devices are enabled" },
		{ 60, "devices are initialized" },
		{ 70, "devices are done" },
		{ 80, "tables are written" },
		{ 90, "load of the payload begins" },
		{ 99, "jump to the payload" },
		{ 950, "FspMemoryInit() begins" },
		{ 951, "FspMemoryInit() ends" },
		{ 954, "FspSiliconInit() begins" },
		{ 955, "FspSiliconInit() ends" },
		{ 13, "load of romstage begins" },
		{ 14, "load of romstage ends" },
		{ 15, "LZMA decompression begins" },
		{ 16, "LZMA decompression ends" },
		{ 17, "LZ4 decompression begins" },
		{ 18, "LZ4 decompression ends" },
		{ 65, "option ROMs are initialized" },
		{ 67, "option ROMs are done" },
		{ 75, "CBMEM is done" },
		{ 85, "chips are finalized" },
		{ 100, "postcar begins" },
		{ 101, "postcar ends" },
		{ 112, "microcode is read" },
		{ 113, "microcode was read" },
		{ 503, "TPM initialization begins" },
		{ 504, "TPM initialization ends" },
		{ 940, "wait for the ME begins" },
		{ 941, "wait for the ME ends" },
		{ 952, "FspTempRamExit() begins" },
		{ 953, "FspTempRamExit() ends" },
	};
	char wanted[120];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_times(0x2100, 0, 1, 1000, 1);
		put_time(0x2100, 0, rows[i].id, 7);
		assert_null(reads(0x2000));
		snprintf(wanted, sizeof(wanted), "7 %s", rows[i].name);
		assert_string_equal(reported[0], wanted);
	}
}

static void fractions_of_a_microsecond_are_kept(void **state)
{
	(void)state;
	put_times(0x2100, 0, 1, 3000, 1);
	put_time(0x2100, 0, 7, 5998);
	assert_null(reads(0x2000));
	assert_string_equal(reported[0], "1999 timestamp 7");
}

static void times_are_ticks_at_their_frequency(void **state)
{
	(void)state;
	put_times(0x2100, 0, 3, 24, 3);
	put_time(0x2100, 0, 1234, 25);
	put_time(0x2100, 1, 2, INT64_MAX);
	put_time(0x2100, 2, 3, -1);
	assert_null(reads(0x2000));
	/* the other times exceed 64 bits, or are before the reset */
	assert_int_equal(nr_reported, 1);
	assert_string_equal(reported[0], "1041 timestamp 1234");
	put_times(0x2100, 0, 3, 0, 2);
	assert_string_equal(reads(0x2000), "the timestamps have no frequency");
	assert_int_equal(nr_reported, 0);
}

static void times_end_with_their_memory(void **state)
{
	(void)state;
	memory_end = 0x2100 + 16 + 2 * 12;
	assert_null(reads(0x2000));
	memory_end--;
	assert_string_equal(reads(0x2000), "the timestamps have a wrong length");
	memory_end = 0x2100 + 15;
	assert_string_equal(reads(0x2000), "the timestamps are not in memory");
	memory_end = 0x2140;
	put_times(0x2100, 0, 1, 1000, 2); /* more times than the record has room for */
	assert_string_equal(reads(0x2000), "the timestamps have a wrong length");
}

static void damaged_tables_are_refused(void **state)
{
	(void)state;
	put(0x2000 + 32, 1, 1);
	assert_string_equal(reads(0x500), "the coreboot table has a wrong checksum");
	put_table(0x2000, 0x16, 0x2100);
	put(0x2000 + 20, 3, 1);
	assert_string_equal(reads(0x500), "there is no coreboot table at its address");
	put_table(0x2000, 0x16, 0x2100);
	memory_end = 0x2000 + 24 + 27;
	assert_string_equal(reads(0x500), "the coreboot table has a wrong length");
	memory_end = 0x2000 + 24 + 28;
	assert_string_equal(reads(0x500), "the timestamps are not in memory");
	set_up(state);
	put_table(0x2000, 0x11, 0x500);
	assert_string_equal(reads(0x500), "coreboot tables lead to each other");
}

static void records_are_bounded(void **state)
{
	(void)state;
	for (unsigned wrong = 0; wrong < 3; wrong++) {
		static const uint32_t lengths[] = { 7, 0, 29 };

		set_up(state);
		put(0x2000 + 28, lengths[wrong], 4);
		put(0x2000 + 16, sum_of(0x2000 + 24, 28), 4);
		put(0x2000 + 8, 0, 4);
		put(0x2000 + 8, sum_of(0x2000, 24), 4);
		assert_null(reads(0x2000));
		assert_int_equal(nr_reported, 0);
	}
	set_up(state);
	put_table(0x2000, 0x98, 0x2100); /* nothing is behind the last record */
	memory_end = 0x2000 + 24 + 28;
	assert_null(reads(0x2000));
	assert_int_equal(nr_reported, 0);
	set_up(state);
	put(0x2000 + 40, 15, 4); /* the record is too short for an address */
	put(0x2000 + 16, sum_of(0x2000 + 24, 28), 4);
	put(0x2000 + 8, 0, 4);
	put(0x2000 + 8, sum_of(0x2000, 24), 4);
	assert_null(reads(0x2000));
	assert_int_equal(nr_reported, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_pcs_table_leads_to_the_times, set_up),
		cmocka_unit_test_setup(older_tables_lie_elsewhere, set_up),
		cmocka_unit_test_setup(a_place_is_searched_from_its_begin_to_its_end, set_up),
		cmocka_unit_test_setup(tables_may_lie_above_4_gib, set_up),
		cmocka_unit_test_setup(names_are_those_of_coreboots_numbers, set_up),
		cmocka_unit_test_setup(fractions_of_a_microsecond_are_kept, set_up),
		cmocka_unit_test_setup(times_are_ticks_at_their_frequency, set_up),
		cmocka_unit_test_setup(times_end_with_their_memory, set_up),
		cmocka_unit_test_setup(damaged_tables_are_refused, set_up),
		cmocka_unit_test_setup(records_are_bounded, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
