/* SPDX-License-Identifier: MIT */
/* Bytes that an image shares with the ELF file that it was made of, but not with other builds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/parse/pe_probe.h"

#define RVA   0x240U
#define SIZE  0x1400U
#define ENTRY 0x300U
/* from the section's start up to this size all bytes are used; after it 8 of every 64 */
#define ALL   0x1000U
#define PLACE (0x1280U - RVA) /* one of the used places, as an offset */

static _Alignas(8) uint8_t code[SIZE];

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIZE; i++)
		code[i] = (uint8_t)(i * 37 + 11 + i / 256);
	return 0;
}

static uint32_t word_of(bool arm64, uint32_t rva, uint32_t size, uint32_t entry)
{
	struct pe_probe probe = { .arm64 = arm64 };

	pe_probe_add(&probe, rva, code, size);
	return pe_probe_word(&probe, entry);
}

static uint32_t word(bool arm64)
{
	return word_of(arm64, RVA, SIZE, ENTRY);
}

static void put(unsigned at, uint64_t value)
{
	memcpy(code + at, &value, sizeof(value));
}

static void another_build_has_another_word(void **state)
{
	uint32_t before = word(false);

	(void)state;
	assert_int_not_equal(before, 0);
	assert_int_equal(word(false), before);
	assert_int_not_equal(word_of(false, RVA, SIZE, ENTRY + 1), before);
	/* everything has another address */
	assert_int_not_equal(word_of(false, RVA + 4, SIZE, ENTRY), before);
	code[PLACE] ^= 1;
	assert_int_not_equal(word(false), before);
	code[PLACE] ^= 1;
	code[PLACE + 7] ^= 1;
	assert_int_not_equal(word(false), before);
	code[PLACE + 7] ^= 1;
	for (unsigned i = 0; i < ALL; i += 61) {
		code[i] ^= 1;
		assert_int_not_equal(word(false), before);
		code[i] ^= 1;
	}
	code[PLACE + 8] ^= 1; /* only these bytes change; nothing moves */
	assert_int_equal(word(false), before);
	memmove(code + ALL + 0x104, code + ALL + 0x100, 0x200); /* a function is longer */
	assert_int_not_equal(word(false), before);
}

static void two_words_that_change_places_are_another_build(void **state)
{
	uint8_t kept[8];
	uint32_t before = word(false);

	(void)state;
	memcpy(kept, code + PLACE, 8);
	memcpy(code + PLACE, code + PLACE + 64, 8);
	memcpy(code + PLACE + 64, kept, 8);
	assert_int_not_equal(word(false), before);
}

/* An image's section is padded with zeros; sections may come in any order. */
static void the_probe_is_the_same_in_parts_and_with_padding(void **state)
{
	struct pe_probe probe = { 0 };
	uint32_t before;

	(void)state;
	memset(code + SIZE - 0x43, 0, 0x43);
	before = word(false);
	for (uint32_t less = 0; less < 0x43; less++)
		assert_int_equal(word_of(false, RVA, SIZE - less, ENTRY), before);
	before = word_of(false, RVA, 0x200, ENTRY);
	pe_probe_add(&probe, RVA + 0x100, code + 0x100, 0x100);
	pe_probe_add(&probe, RVA, code, 0x100);
	assert_int_equal(pe_probe_word(&probe, ENTRY), before);
}

/* A loader has changed one of the possible addresses, and not the other. */
static void possible_addresses_are_left_out(void **state)
{
	uint32_t before;

	(void)state;
	put(PLACE, 0x1234);
	before = word(false);
	put(PLACE, 0x7e000000ULL + 0x1234);
	assert_int_equal(word(false), before);
	put(PLACE, 0xffffffff1234); /* 48 bits */
	assert_int_equal(word(false), before);
	put(PLACE, 0x1000000001234);
	assert_int_not_equal(word(false), before);
}

/* GenFw replaces ADRP by ADR, and LDR by ADD. */
static void rewritten_instructions_are_left_out_on_arm64(void **state)
{
	static const uint64_t pairs[][2] = {
		{ 0x90000001d503201f, 0x10000001d503201f }, /* adrp x1; nop: adr x1 */
		{ 0xd503201fb0000003, 0xd503201f30000003 },
		{ 0xf9400021d503201f, 0x91000021d503201f }, /* ldr x1, [x1]: add x1, x1, #0 */
		{ 0xd503201f91048c21, 0xd503201f91000021 }, /* add x1, x1, #0x123 */
	};
	uint32_t before;

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint32_t arm64, amd64;

		put(PLACE, pairs[i][0]);
		arm64 = word(true);
		amd64 = word(false);
		put(PLACE, pairs[i][1]);
		assert_int_equal(word(true), arm64);
		assert_int_not_equal(word(false), amd64);
	}
	put(PLACE, 0xd503201fd503201f);
	before = word(true);
	put(PLACE, 0xd503205fd503201f); /* another hint */
	assert_int_not_equal(word(true), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(another_build_has_another_word, setup),
		cmocka_unit_test_setup(two_words_that_change_places_are_another_build, setup),
		cmocka_unit_test_setup(the_probe_is_the_same_in_parts_and_with_padding, setup),
		cmocka_unit_test_setup(possible_addresses_are_left_out, setup),
		cmocka_unit_test_setup(rewritten_instructions_are_left_out_on_arm64, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
