/* SPDX-License-Identifier: MIT */
/* The callers of a guest's function are read from its stack, however damaged it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/chain.h"

#define STACK 0xffff800000100000ULL
#define WORDS 64U

static uint64_t stack[WORDS];

static bool read_stack(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (address < STACK || address - STACK > sizeof(stack) - size)
		return false;
	memcpy(to, (const char *)stack + (address - STACK), size);
	return true;
}

/* A frame at word i: the next one's word, and the return address. */
static void frame(unsigned i, unsigned next, uint64_t ret)
{
	stack[i] = next ? STACK + 8 * next : 0;
	stack[i + 1] = ret;
}

static unsigned follow(enum chain_isa isa, bool is_entry, struct chain_registers registers,
                       uint64_t chain[CHAIN_MOST])
{
	return chain_follow(isa, 0x1234, is_entry, &registers, read_stack, NULL, chain);
}

static void each_frame_is_a_caller(void **state)
{
	uint64_t chain[CHAIN_MOST];

	(void)state;
	memset(stack, 0, sizeof(stack));
	frame(2, 6, 0x100);
	frame(6, 10, 0x200);
	frame(10, 0, 0x300);
	assert_int_equal(
	    follow(CHAIN_X86_64, false, (struct chain_registers){ STACK + 16, STACK, 0 }, chain),
	    4);
	assert_int_equal(chain[0], 0x1234);
	assert_int_equal(chain[1], 0x100);
	assert_int_equal(chain[3], 0x300);
}

static void a_function_without_its_frame_yet_has_its_caller(void **state)
{
	uint64_t chain[CHAIN_MOST];

	(void)state;
	memset(stack, 0, sizeof(stack));
	stack[0] = 0x99;
	frame(2, 0, 0x100);
	assert_int_equal(
	    follow(CHAIN_X86_64, true, (struct chain_registers){ STACK + 16, STACK, 0 }, chain), 3);
	assert_int_equal(chain[1], 0x99);
	assert_int_equal(chain[2], 0x100);
	assert_int_equal(
	    follow(CHAIN_AARCH64, true, (struct chain_registers){ STACK + 16, STACK, 0x77 }, chain),
	    3);
	assert_int_equal(chain[1], 0x77);
}

static void a_wrong_frame_ends_the_chain(void **state)
{
	static const uint64_t wrong[] = { 0, STACK - 8, STACK + 17, STACK + sizeof(stack) - 8,
		                          UINT64_MAX };
	uint64_t chain[CHAIN_MOST];

	(void)state;
	memset(stack, 0x55, sizeof(stack));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(follow(CHAIN_X86_64, false,
		                        (struct chain_registers){ wrong[i], STACK, 0 }, chain),
		                 1);
	/* a frame that is its own caller, and one below its function's */
	memset(stack, 0, sizeof(stack));
	frame(2, 2, 0x100);
	assert_int_equal(
	    follow(CHAIN_X86_64, false, (struct chain_registers){ STACK + 16, STACK, 0 }, chain),
	    2);
	frame(6, 2, 0x200);
	assert_int_equal(
	    follow(CHAIN_X86_64, false, (struct chain_registers){ STACK + 48, STACK, 0 }, chain),
	    2);
}

static bool read_endless(void *context, uint64_t address, void *to, size_t size)
{
	const uint64_t words[2] = { address + 16, 0x100 };

	(void)context;
	memcpy(to, words, size);
	return true;
}

static void a_chain_ends_at_perfs_limit(void **state)
{
	const struct chain_registers registers = { STACK, STACK, 0x50 };
	uint64_t chain[CHAIN_MOST];

	(void)state;
	assert_int_equal(
	    chain_follow(CHAIN_AARCH64, 1, true, &registers, read_endless, NULL, chain),
	    CHAIN_MOST);
}

static void signatures_of_pointer_authentication_are_removed(void **state)
{
	uint64_t chain[CHAIN_MOST];

	(void)state;
	memset(stack, 0, sizeof(stack));
	frame(2, 6, 0x2bff800010203040ULL | 1ULL << 55);
	frame(6, 0, 0x2b3f000010203040ULL);
	assert_int_equal(
	    follow(CHAIN_AARCH64, false, (struct chain_registers){ STACK + 16, STACK, 0 }, chain),
	    3);
	assert_int_equal(chain[1], 0xffff800010203040ULL);
	assert_int_equal(chain[2], 0x10203040ULL);
}

static void the_instructions_that_make_a_frame_are_known(void **state)
{
	static const uint8_t push[] = { 0x55, 0x48, 0x89, 0xe5 };
	static const uint8_t before[] = { 0xfd, 0x7b, 0xbf, 0xa9 }; /* stp x29, x30, [sp, #-16]! */
	static const uint8_t offset[] = { 0xfd, 0x7b, 0x04, 0xa9 }; /* stp x29, x30, [sp, #64] */
	static const uint8_t other[] = { 0xf3, 0x53, 0x01, 0xa9 };  /* stp x19, x20, [sp, #16] */

	(void)state;
	assert_true(chain_makes_frame(CHAIN_X86_64, push, 1));
	assert_false(chain_makes_frame(CHAIN_X86_64, push + 1, 3));
	assert_false(chain_makes_frame(CHAIN_X86_64, push, 0));
	assert_true(chain_makes_frame(CHAIN_AARCH64, before, 4));
	assert_true(chain_makes_frame(CHAIN_AARCH64, offset, 4));
	assert_false(chain_makes_frame(CHAIN_AARCH64, other, 4));
	assert_false(chain_makes_frame(CHAIN_AARCH64, before, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_frame_is_a_caller),
		cmocka_unit_test(a_function_without_its_frame_yet_has_its_caller),
		cmocka_unit_test(a_wrong_frame_ends_the_chain),
		cmocka_unit_test(a_chain_ends_at_perfs_limit),
		cmocka_unit_test(signatures_of_pointer_authentication_are_removed),
		cmocka_unit_test(the_instructions_that_make_a_frame_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
