/* SPDX-License-Identifier: MIT */
/* Facts from an instruction's bytes: whether %rbp is a frame pointer, and the address that a call
 * returns to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64/code.h"

/*  0 push %rbp; 1 mov %edi, %eax; 3 mov %rsp, %rbp; 6 push %rbx; 7 sub $8, %rsp; 11 call;
 * 16 mov -8(%rbp), %rbx; 20 leave; 21 ret; 22 push %rbp; 23 mov %rsp, %rbp; 26 pop %rbp; 27 jmp */
static const uint8_t code[] = {
	0x55, 0x89, 0xf8, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec, 0x08,
	0xe8, 0x00, 0x00, 0x00, 0x00, 0x48, 0x8b, 0x5d, 0xf8, 0xc9, 0xc3,
	0x55, 0x48, 0x89, 0xe5, 0x5d, 0xe9, 0x00, 0x00, 0x00, 0x00,
};

static bool has_frame(unsigned at)
{
	return code_has_frame(code + at, code, code + sizeof(code));
}

static void a_function_has_its_frame_from_mov_to_leave(void **state)
{
	static const unsigned within[] = { 6, 7, 11, 16, 20, 26 },
	                      outside[] = { 0, 1, 3, 21, 22, 23, 27 };

	(void)state;
	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++)
		assert_true(has_frame(within[i]));
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		assert_false(has_frame(outside[i]));
}

static void a_branchs_target_is_no_frame(void **state)
{
	static const uint8_t entry[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x90 };

	(void)state;
	assert_false(code_has_frame(entry, entry, entry + sizeof(entry)));
	assert_true(code_has_frame(entry + 4, entry, entry + sizeof(entry)));
}

/* In memory of its own, so that a read beyond it is detected. */
static void nothing_beyond_the_code_is_read(void **state)
{
	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t size = 1; size < 20; size++) {
			uint8_t *some = malloc(size);

			memset(some, (int)byte, size);
			for (size_t at = 0; at < size; at++) {
				code_has_frame(some + at, some, some + size);
				code_is_called_from(some + at, some);
			}
			code_is_called_from(some + size, some);
			free(some);
		}
	}
	assert_false(code_has_frame(code + 4, code, code + 4));
	assert_false(code_has_frame(code + 3, code + 4, code + 8));
}

static void calls_of_all_lengths_end_where_they_return_to(void **state)
{
	static const struct {
		uint8_t bytes[8];
		unsigned size;
		bool is;
	} calls[] = {
		{ { 0xe8, 1, 2, 3, 4 }, 5, true },
		{ { 0xff, 0xd0 }, 2, true },                   /* *%rax */
		{ { 0x41, 0xff, 0xd4 }, 3, true },             /* *%r12 */
		{ { 0xff, 0x10 }, 2, true },                   /* *(%rax) */
		{ { 0xff, 0x50, 0x40 }, 3, true },             /* *64(%rax) */
		{ { 0xff, 0x14, 0xc1 }, 3, true },             /* *(%rcx, %rax, 8) */
		{ { 0xff, 0x54, 0x24, 0x08 }, 4, true },       /* *8(%rsp) */
		{ { 0xff, 0x15, 1, 2, 3, 4 }, 6, true },       /* *disp(%rip) */
		{ { 0xff, 0x90, 0xf8, 0, 0, 0 }, 6, true },    /* *248(%rax) */
		{ { 0xff, 0x14, 0x25, 1, 2, 3, 4 }, 7, true }, /* *disp */
		{ { 0xff, 0x94, 0x24, 0, 1, 0, 0 }, 7, true }, /* *256(%rsp) */
		{ { 0xff, 0xe0 }, 2, false },                  /* jmp *%rax */
		{ { 0xff, 0x25, 1, 2, 3, 4 }, 6, false },      /* jmp *disp(%rip) */
		{ { 0xe9, 1, 2, 3, 4 }, 5, false },            /* jmp */
		{ { 0xff, 0x50 }, 2, false },                  /* cut short */
		{ { 0xff, 0xd0, 0x90 }, 3, false },            /* longer */
		{ { 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 }, 7, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(
		    code_is_called_from(calls[i].bytes + calls[i].size, calls[i].bytes),
		    calls[i].is);
	assert_false(code_is_called_from(code, code));
	assert_false(code_is_called_from(code, code + 1));
}

/* call f; f: 16 bytes; a function with a frame; call f; call the next */
static void a_function_without_a_frame_returns_to_its_call(void **state)
{
	static const uint8_t text[] = {
		0xe8, 3,    0,    0,    0,                   /* 0: call 8 */
		0x90, 0x90, 0x90,                            /* 5 */
		0x31, 0xc0, 0x90, 0xc3,                      /* 8: f */
		0x55, 0x48, 0x89, 0xe5,                      /* 12: g */
		0xe8, 0xf3, 0xff, 0xff, 0xff,                /* 16: call 8 */
		0x90, 0xe8, 0,    0,    0,    0,    0x90,    /* 21: nop; call 27; nop */
		0xff, 0xd0, 0xe9, 0xe6, 0xff, 0xff, 0xff,    /* 28: call *%rax; jmp 9 */
		0xe8, 0,    0,    0,    0x80, 0xe8, 0,    0, /* 35: call far away */
		0,    0x70,
	};
	const uint8_t *end = text + sizeof(text);

	(void)state;
	for (int pc = 8; pc < 12; pc++) {
		assert_true(code_is_leaf_of(text + pc, text + 5, text, end));
		assert_true(code_is_leaf_of(text + pc, text + 21, text, end));
	}
	assert_true(code_is_leaf_of(text + 13, text + 5, text, end));
	assert_false(code_is_leaf_of(text + 16, text + 5, text, end)); /* %rbp is set */
	assert_false(code_is_leaf_of(text + 7, text + 5, text, end));  /* before f */
	assert_false(code_is_leaf_of(text + 8, text + 4, text, end));
	/* an indirect call: the callee is not known */
	assert_false(code_is_leaf_of(text + 8, text + 30, text, end));
	assert_false(code_is_leaf_of(text + 9, text + 35, text, end)); /* a jump */
	assert_false(code_is_leaf_of(text + 8, text + 40, text, end));
	assert_false(code_is_leaf_of(text + 8, text + 45, text, end));
	assert_false(code_is_leaf_of(text + 8, text + 5, text + 1, end));
	assert_false(code_is_leaf_of(end, text + 5, text, end));
	assert_false(code_is_leaf_of(text + 8, end + 1, text, end));
	assert_false(code_is_leaf_of(text + 8, (const uint8_t *)((uintptr_t)text - 1), text, end));
	assert_false(code_is_leaf_of(text + 8, (const uint8_t *)UINTPTR_MAX, text, end));
}

static void only_a_functions_first_bytes_are_examined(void **state)
{
	static uint8_t text[5 + CODE_LEAF + 2] = { 0xe8 };

	(void)state;
	assert_true(code_is_leaf_of(text + 5 + CODE_LEAF, text + 5, text, text + sizeof(text)));
	assert_false(code_is_leaf_of(text + 6 + CODE_LEAF, text + 5, text, text + sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_frame_from_mov_to_leave),
		cmocka_unit_test(a_branchs_target_is_no_frame),
		cmocka_unit_test(nothing_beyond_the_code_is_read),
		cmocka_unit_test(calls_of_all_lengths_end_where_they_return_to),
		cmocka_unit_test(a_function_without_a_frame_returns_to_its_call),
		cmocka_unit_test(only_a_functions_first_bytes_are_examined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
