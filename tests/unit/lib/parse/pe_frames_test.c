/* SPDX-License-Identifier: MIT */
/* Whether code keeps frame records, by the begins of its functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/parse/pe_frames.h"
#include "tests/unit/lib/parse/pe_file.h"

#define CODE      0x1f0U   /* bytes of the file's .text */
#define LONG_CODE 0x10000U /* of a longer one, in memory */

/* Begins of an x86_64 function: */
#define X86_RECORD    "\x55\x48\x89\xe5\x41\x54\x53\x90" /* push %rbp; mov %rsp, %rbp */
#define X86_SCHEDULED "\x55\x89\xf8\x48\x89\xe5\x53\x90" /* with another instruction in between */
#define X86_MSVC      "\x55\x48\x8b\xec\x48\x83\xec\x20\x90" /* the other encoding */
#define X86_SAVED     "\x41\x54\x55\x53\x48\x83\xec\x20\x90\x90\x90\x90\x90\x90\x90\x90"
#define X86_R13       "\x41\x55\x41\x54\x53\x90\x90\x90" /* push %r13 */
#define X86_DATA      "\x48\x89\x55\xe8\x90\x90\x90\x90" /* mov %rdx, -24(%rbp) */

/* Begins of an aarch64 function, little-endian: */
#define ARM_RECORD "\xfd\x7b\xbe\xa9\xfd\x03\x00\x91" /* stp x29, x30, [sp, #-32]!; mov x29, sp */
#define ARM_LATER  "\xfd\x7b\x04\xa9\x1f\x20\x03\xd5\xfd\x03\x01\x91" /* at an offset; add */
#define ARM_SAVED  "\xfe\x0f\x1f\xf8\x1f\x20\x03\xd5"                 /* str x30, [sp, #-16]! */
#define ARM_PAIR   "\xf3\x7b\xbf\xa9\x1f\x20\x03\xd5" /* stp x19, x30, [sp, #-16]! */
#define ARM_OFFSET "\xfe\x0b\x00\xf9\x1f\x20\x03\xd5" /* str x30, [sp, #16] */
#define ARM_UNSET  "\xfd\x7b\xbe\xa9\x1f\x20\x03\xd5" /* stp x29, x30, without a mov */
#define ARM_VECTOR "\xfe\x1f\x0f\xa9\x1f\x20\x03\xd5" /* stp x30, x7, of an exception's entry */
#define ARM_NOP    "\x1f\x20\x03\xd5"

#define OF(text) text, sizeof(text) - 1

static struct pe_file file;
static struct pe_image image;

static void make(uint16_t machine)
{
	const char *why;

	pe_file_make(&file);
	pe_file_put(&file, PE_FILE_COFF, machine, 2);
	memset(file.bytes + PE_FILE_AT_TEXT, machine == PE_MACHINE_AMD64 ? 0x90 : 0, 0x200);
	assert_int_equal(pe_parse(&image, file.bytes, sizeof(file), PE_FILE, &why), 0);
}

/* So many functions, one after the other. */
static enum pe_frames of(uint16_t machine, const char *one, size_t one_size, unsigned ones,
                         const char *other, size_t other_size, unsigned others)
{
	uint32_t at = PE_FILE_AT_TEXT + 4;

	make(machine);
	for (unsigned i = 0; i < ones + others; i++) {
		const char *text = i < ones ? one : other;
		size_t size = i < ones ? one_size : other_size;

		assert_true(at + size < PE_FILE_AT_TEXT + CODE);
		memcpy(file.bytes + at, text, size);
		at += (uint32_t)size;
	}
	return pe_frames(&image);
}

static void x86s_are_recognized_by_mov_behind_push(void **state)
{
	const uint16_t amd64 = PE_MACHINE_AMD64;

	(void)state;
	assert_int_equal(of(amd64, OF(X86_RECORD), 8, OF(X86_SAVED), 0), PE_FRAMES_KEPT);
	assert_int_equal(of(amd64, OF(X86_SCHEDULED), 8, OF(X86_SAVED), 2), PE_FRAMES_KEPT);
	assert_int_equal(of(amd64, OF(X86_MSVC), 12, OF(X86_SAVED), 3), PE_FRAMES_KEPT);
	assert_int_equal(of(amd64, OF(X86_RECORD), 8, OF(X86_SAVED), 3), PE_FRAMES_NONE);
	assert_int_equal(of(amd64, OF(X86_RECORD), 1, OF(X86_SAVED), 8), PE_FRAMES_NONE);
	assert_int_equal(of(amd64, OF(X86_RECORD), 7, OF(X86_SAVED), 0), PE_FRAMES_UNKNOWN);
	assert_int_equal(of(amd64, OF(X86_RECORD), 8, OF(X86_R13), 20), PE_FRAMES_KEPT);
	assert_int_equal(of(amd64, OF(X86_RECORD), 8, OF(X86_DATA), 20), PE_FRAMES_KEPT);
	assert_int_equal(of(amd64, OF(X86_R13), 40, OF(X86_DATA), 10), PE_FRAMES_UNKNOWN);
}

static void arms_are_recognized_by_mov_behind_stp(void **state)
{
	const uint16_t arm64 = PE_MACHINE_ARM64;

	(void)state;
	assert_int_equal(of(arm64, OF(ARM_RECORD), 8, OF(ARM_NOP), 9), PE_FRAMES_KEPT);
	assert_int_equal(of(arm64, OF(ARM_LATER), 8, OF(ARM_SAVED), 2), PE_FRAMES_KEPT);
	assert_int_equal(of(arm64, OF(ARM_RECORD), 8, OF(ARM_SAVED), 3), PE_FRAMES_NONE);
	assert_int_equal(of(arm64, OF(ARM_PAIR), 8, OF(ARM_NOP), 9), PE_FRAMES_NONE);
	assert_int_equal(of(arm64, OF(ARM_OFFSET), 8, OF(ARM_NOP), 9), PE_FRAMES_NONE);
	assert_int_equal(of(arm64, OF(ARM_UNSET), 8, OF(ARM_NOP), 9), PE_FRAMES_NONE);
	assert_int_equal(of(arm64, OF(ARM_RECORD), 8, OF(ARM_VECTOR), 30), PE_FRAMES_KEPT);
	assert_int_equal(of(arm64, OF(ARM_RECORD), 7, OF(ARM_NOP), 9), PE_FRAMES_UNKNOWN);
}

static void other_machines_code_is_not_decided(void **state)
{
	(void)state;
	assert_int_equal(of(0x14c, OF(X86_RECORD), 20, OF(X86_SAVED), 0), PE_FRAMES_UNKNOWN);
	assert_int_equal(of(PE_MACHINE_ARM64, OF(X86_RECORD), 20, OF(X86_SAVED), 0),
	                 PE_FRAMES_UNKNOWN);
}

/* In memory of its own, so that a read beyond its end is detected. */
static void code_that_ends_within_a_function_is_not_left(void **state)
{
	const char *why;

	(void)state;
	for (uint32_t size = 0; size <= 40; size++) {
		uint8_t *bytes = malloc(PE_FILE_AT_TEXT + size);

		make(size % 2 ? PE_MACHINE_AMD64 : PE_MACHINE_ARM64);
		memset(file.bytes + PE_FILE_AT_TEXT, 0x55, 0x200);
		pe_file_put(&file, PE_FILE_SECTIONS + 16, size, 4); /* SizeOfRawData */
		memcpy(bytes, file.bytes, PE_FILE_AT_TEXT + size);
		if (pe_parse(&image, bytes, PE_FILE_AT_TEXT + size, PE_FILE, &why) == 0)
			assert_int_not_equal(pe_frames(&image), PE_FRAMES_KEPT);
		free(bytes);
	}
}

/* The header claims more than there is. */
static void the_available_part_of_code_decides(void **state)
{
	(void)state;
	of(PE_MACHINE_AMD64, OF(X86_RECORD), 20, OF(X86_SAVED), 0);
	pe_file_put(&file, PE_FILE_SECTIONS + 8, 0xffffffff, 4);
	pe_file_put(&file, PE_FILE_SECTIONS + 16, 0xffffffff, 4);
	assert_int_equal(pe_frames(&image), PE_FRAMES_KEPT);
	pe_file_put(&file, PE_FILE_SECTIONS + 20, sizeof(file), 4); /* none */
	assert_int_equal(pe_frames(&image), PE_FRAMES_UNKNOWN);
}

/* Long code is sampled in pieces from all of its parts. */
static void half_of_a_long_code_does_not_decide_for_the_rest(void **state)
{
	static uint8_t memory[PE_FILE_TEXT + LONG_CODE];
	const char *why;

	(void)state;
	make(PE_MACHINE_AMD64);
	pe_file_put(&file, PE_FILE_SECTIONS + 8, LONG_CODE, 4);
	pe_file_put(&file, PE_FILE_SECTIONS + 16, LONG_CODE, 4);
	memcpy(memory, file.bytes, 0x200);
	for (uint32_t at = 0; at + 16 <= LONG_CODE; at += 8)
		memcpy(memory + PE_FILE_TEXT + at, at < LONG_CODE / 2 ? X86_SAVED : X86_RECORD, 8);
	assert_int_equal(pe_parse(&image, memory, sizeof(memory), PE_MAPPED, &why), 0);
	assert_int_equal(pe_frames(&image), PE_FRAMES_NONE);
	memcpy(memory + PE_FILE_TEXT, memory + PE_FILE_TEXT + LONG_CODE / 2, LONG_CODE / 2);
	assert_int_equal(pe_frames(&image), PE_FRAMES_KEPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86s_are_recognized_by_mov_behind_push),
		cmocka_unit_test(arms_are_recognized_by_mov_behind_stp),
		cmocka_unit_test(other_machines_code_is_not_decided),
		cmocka_unit_test(code_that_ends_within_a_function_is_not_left),
		cmocka_unit_test(the_available_part_of_code_decides),
		cmocka_unit_test(half_of_a_long_code_does_not_decide_for_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
