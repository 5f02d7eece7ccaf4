/* SPDX-License-Identifier: MIT */
/* The firmware's own times from foreign bytes: an FPDT and the table that it points to, each
 * followed by bytes that the sanitizer guards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/acpi/acpi.h"
#include "lib/acpi/acpi_fpdt.h"

#define BASE  0x7fe00001ULL /* unaligned address of the boot performance table */
#define ROOM  512U
#define TIMES 8U

static uint8_t fpdt[ROOM], fbpt[ROOM];
static uint32_t fpdt_size, fbpt_size;
static uint8_t *seen;      /* the readable part of fbpt */
static uint32_t seen_size; /* fbpt_size, unless a test sets another value */
static char reported[TIMES][160];
static unsigned nr_reported;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > seen_size || address - BASE > seen_size - size)
		return NULL;
	return seen + (address - BASE);
}

static void tell(void *context, uint64_t ns, const char *name)
{
	assert_ptr_equal(context, reported);
	if (nr_reported < TIMES)
		snprintf(reported[nr_reported], sizeof(reported[0]), "%lu %s", ns, name);
	nr_reported++;
}

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Put text without its NUL. */
static void put_text(uint8_t *at, const char *text)
{
	while (*text)
		*at++ = (uint8_t)*text++;
}

static uint8_t *put_record(uint8_t *table, uint32_t *size, uint16_t type, uint8_t length)
{
	uint8_t *at = table + *size;

	put(at, type, 2);
	at[2] = length;
	at[3] = 1;
	*size += length;
	return at;
}

/* Put a record of EDK2's, whose text ends with a NUL or at the record's end. */
static uint8_t *put_own(uint16_t type, uint8_t length, uint16_t progress, uint64_t time,
                        const char *text)
{
	uint8_t *at = put_record(fbpt, &fbpt_size, type, length);

	put(at + 4, progress, 2);
	put(at + 10, time, 8);
	for (unsigned i = 0; i < 16; i++)
		at[18 + i] = (uint8_t)(0x10 + i);
	if (text)
		put_text(at + length - strlen(text), text);
	return at;
}

static int set_up(void **state)
{
	(void)state;
	memset(fpdt, 0, sizeof(fpdt));
	memset(fbpt, 0, sizeof(fbpt));
	nr_reported = 0;
	seen_size = UINT32_MAX;
	fpdt_size = 36;
	put(put_record(fpdt, &fpdt_size, 0, 16) + 8, BASE, 8);
	put_text(fbpt, "FBPT");
	fbpt_size = 8;
	return 0;
}

/* Read all records, which are readable. Returns the reported error. */
static const char *reads(void)
{
	uint8_t *table = malloc(fpdt_size);
	const char *wrong;
	uint32_t size = fbpt_size;

	if (!fbpt[4] && !fbpt[5] && !fbpt[6] && !fbpt[7])
		put(fbpt + 4, size, 4);
	seen_size = seen_size == UINT32_MAX ? size : seen_size;
	seen = malloc(seen_size);
	memcpy(table, fpdt, fpdt_size);
	memcpy(seen, fbpt, seen_size);
	wrong = fpdt_read(table, fpdt_size, view, tell, reported);
	free(seen);
	free(table);
	return wrong;
}

static uint8_t *put_basic(void)
{
	uint8_t *at = put_record(fbpt, &fbpt_size, 2, 48);

	for (unsigned i = 0; i < 5; i++)
		put(at + 8 + 8 * i, 1000000000000ULL * (i + 1), 8);
	return at;
}

static void the_basic_record_has_five_times(void **state)
{
	(void)state;
	put_basic();
	assert_null(reads());
	assert_int_equal(nr_reported, 5);
	assert_string_equal(reported[0], "1000000000000 reset ends");
	assert_string_equal(reported[1], "2000000000000 OS loader: LoadImage() starts");
	assert_string_equal(reported[2], "3000000000000 OS loader: StartImage() starts");
	assert_string_equal(reported[3], "4000000000000 ExitBootServices() is entered");
	assert_string_equal(reported[4], "5000000000000 ExitBootServices() is left");
}

static void a_time_that_was_not_recorded_is_not_reported(void **state)
{
	uint8_t *at;

	(void)state;
	at = put_basic();
	memset(at + 16, 0, 32);
	assert_null(reads());
	assert_int_equal(nr_reported, 1);
}

static void records_of_edk2_have_texts_or_guids(void **state)
{
	(void)state;
	put_own(0x1011, 34 + 4, 0x30, 7, "BDS");
	put_own(0x1011, 34 + 5, 0x31, 8, "no\033NU"); /* its text has no NUL */
	put_own(0x1010, 34, 2, 9, NULL);
	put_own(0x1012, 50 + 2, 0x50, 10, "f");
	put_own(0x1014, 42 + 2, 0x62, 11, "q");
	put_own(0x1013, 42, 0x70, 12, NULL);
	assert_null(reads());
	assert_int_equal(nr_reported, 6);
	assert_string_equal(reported[0], "7 13121110-1514-1716-1819-1a1b1c1d1e1f begins (0x0030)");
	assert_string_equal(reported[1], "8 no?NU ends (0x0031)");
	assert_string_equal(reported[2], "9 13121110-1514-1716-1819-1a1b1c1d1e1f ends (0x0002)");
	assert_string_equal(reported[5], "12 13121110-1514-1716-1819-1a1b1c1d1e1f begins (0x0070)");
}

static void texts_are_at_the_places_of_their_record_types(void **state)
{
	(void)state;
	memcpy(put_own(0x1011, 60, 0x30, 7, NULL) + 34, "dynamic", 8);
	memcpy(put_own(0x1012, 60, 0x30, 7, NULL) + 50, "dual", 5);
	memcpy(put_own(0x1014, 60, 0x30, 7, NULL) + 42, "qword", 6);
	assert_null(reads());
	assert_string_equal(reported[0], "7 dynamic begins (0x0030)");
	assert_string_equal(reported[1], "7 dual begins (0x0030)");
	assert_string_equal(reported[2], "7 qword begins (0x0030)");
}

static void a_long_text_is_cut(void **state)
{
	uint8_t *at;

	(void)state;
	at = put_own(0x1011, 255, 0x30, 7, NULL);
	memset(at + 34, 'x', 255 - 34);
	assert_null(reads());
	assert_int_equal(strlen(reported[0]), 2 + 63 + strlen(" begins (0x0030)"));
}

static void records_that_are_too_short_or_unknown_are_passed_over(void **state)
{
	(void)state;
	put_own(0x1010, 33, 2, 9, NULL);
	put_record(fbpt, &fbpt_size, 0x3000, 5);
	/* the record has only the first of its times */
	put(put_record(fbpt, &fbpt_size, 2, 20) + 8, 77, 8);
	assert_null(reads());
	assert_int_equal(nr_reported, 1);
	assert_string_equal(reported[0], "77 reset ends");
}

static void room_that_is_not_used_is_the_end(void **state)
{
	(void)state;
	put_basic();
	fbpt_size += 100;
	assert_null(reads());
	assert_int_equal(nr_reported, 5);
}

/* One byte less than needed, at the tables' ends. */
static void bytes_that_are_cut_off_are_not_read(void **state)
{
	(void)state;
	put_record(fbpt, &fbpt_size, 2, 15);
	fbpt[fbpt_size - 1] = 1;
	assert_null(reads());
	set_up(state);
	fbpt_size += 1;
	assert_null(reads());
	assert_int_equal(nr_reported, 0);
	set_up(state);
	fpdt_size = 36;
	put_record(fpdt, &fpdt_size, 0, 15);
	assert_string_equal(reads(), "no record leads to the boot performance table");
	set_up(state);
	fpdt_size = 36 + 3;
	assert_string_equal(reads(), "no record leads to the boot performance table");
}

static void other_records_may_precede_the_pointer(void **state)
{
	(void)state;
	fpdt_size = 36;
	put_record(fpdt, &fpdt_size, 1, 16);
	put(put_record(fpdt, &fpdt_size, 0, 16) + 8, BASE, 8);
	put_basic();
	assert_null(reads());
	assert_int_equal(nr_reported, 5);
}

static void faults_are_reported(void **state)
{
	(void)state;
	fpdt_size = 36;
	assert_string_equal(reads(), "no record leads to the boot performance table");
	set_up(state);
	fpdt[36 + 2] = 17;
	assert_string_equal(reads(), "a record has a wrong length");
	set_up(state);
	fpdt[36 + 2] = 3;
	assert_string_equal(reads(), "a record has a wrong length");
	set_up(state);
	put(fpdt + 36 + 8, UINT64_MAX - 4, 8);
	assert_string_equal(reads(), "the boot performance table is not in memory");
	set_up(state);
	fbpt[0] = 'S';
	assert_string_equal(reads(), "there is no boot performance table at its address");
	set_up(state);
	put(fbpt + 4, 7, 4);
	assert_string_equal(reads(), "the boot performance table has a wrong length");
	set_up(state);
	put(fbpt + 4, 9, 4); /* one byte more than there is memory */
	assert_string_equal(reads(), "the boot performance table has a wrong length");
	set_up(state);
	put_basic()[2] = 49;
	assert_string_equal(reads(), "a record of the boot performance table has a wrong length");
	set_up(state);
	put_basic()[2] = 3;
	assert_string_equal(reads(), "a record of the boot performance table has a wrong length");
	assert_int_equal(nr_reported, 0);
}

static uint32_t warnings;

static void warn(const char *format, ...)
{
	(void)format;
	warnings++;
}

/* At an offset in fbpt, with the checksum at its place; size includes the header. */
static void put_table(uint32_t at, const char *signature, uint8_t size, uint32_t checksum_at)
{
	uint8_t sum = 0;

	put_text(fbpt + at, signature);
	if (at)
		put(fbpt + at + 4, size, 4);
	for (unsigned i = 0; i < size; i++)
		sum = (uint8_t)(sum + fbpt[at + i]);
	fbpt[at + checksum_at] = (uint8_t)(fbpt[at + checksum_at] - sum);
}

static void a_table_is_found_by_its_signature_if_it_is_whole(void **state)
{
	uint32_t size = 1;

	(void)state;
	memset(fbpt, 0, sizeof(fbpt));
	put(fbpt + 16, BASE + 32, 4);
	put_table(0, "RSD PTR ", 20, 8);
	for (unsigned i = 0; i < 3; i++)
		put(fbpt + 32 + 36 + 4 * i, BASE + 100 * (i + 1), 4);
	put_table(32, "RSDT", 36 + 12, 9);
	put_table(100, "SLIT", 44, 9);
	put_table(200, "FPDT", 52, 9);
	fbpt[240]++;
	put_table(300, "FPDT", 60, 9);
	seen = fbpt;
	seen_size = sizeof(fbpt);
	assert_ptr_equal(acpi_find(BASE, "FPDT", view, warn, &size), fbpt + 300);
	assert_int_equal(size, 60);
	assert_int_equal(warnings, 1);
	assert_null(acpi_find(BASE, "FPDX", view, warn, &size));
	assert_int_equal(size, 0);
	fbpt[340]++;
	assert_null(acpi_find(BASE, "FPDT", view, warn, &size));
	fbpt[0]++;
	assert_null(acpi_find(BASE, "SLIT", view, warn, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_basic_record_has_five_times, set_up),
		cmocka_unit_test_setup(a_time_that_was_not_recorded_is_not_reported, set_up),
		cmocka_unit_test_setup(records_of_edk2_have_texts_or_guids, set_up),
		cmocka_unit_test_setup(texts_are_at_the_places_of_their_record_types, set_up),
		cmocka_unit_test_setup(a_long_text_is_cut, set_up),
		cmocka_unit_test_setup(records_that_are_too_short_or_unknown_are_passed_over,
		                       set_up),
		cmocka_unit_test_setup(room_that_is_not_used_is_the_end, set_up),
		cmocka_unit_test_setup(bytes_that_are_cut_off_are_not_read, set_up),
		cmocka_unit_test_setup(other_records_may_precede_the_pointer, set_up),
		cmocka_unit_test_setup(faults_are_reported, set_up),
		cmocka_unit_test_setup(a_table_is_found_by_its_signature_if_it_is_whole, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
