/* SPDX-License-Identifier: MIT */
/* Whether an image was made of an ELF file: a wrong name is worse than no name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/pe/pe_layout.h"
#include "tests/unit/host-tools/pe/pe_rig.h"

static int64_t moved;

static int check(void)
{
	moved = 77;
	return pe_layout_check(&made.image, made_elf_open(&made), &moved, &error);
}

static void assert_refused(const char *why)
{
	assert_int_equal(check(), -ESTALE);
	assert_string_equal(error.text, why);
}

static void the_same_code_at_the_same_place_is_of_it(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_int_equal(moved, 0);
}

static void a_byte_that_differs_is_another_build_but_where_it_is_relocated(void **state)
{
	uint8_t *code = made.bytes + made_elf_section(&made, SHT_PROGBITS)->sh_offset;
	char why[64];

	(void)state;
	for (unsigned i = 0; i < MADE_ELF_CODE; i++) {
		bool relocated = (i >= 0x20 && i < 0x28) || (i >= 0x83 && i < 0x93);

		code[i] ^= 0x10;
		snprintf(why, sizeof(why), "its code differs at 0x%x", PE_FILE_TEXT + i);
		if (relocated)
			assert_int_equal(check(), 0);
		else
			assert_refused(why);
		code[i] ^= 0x10;
	}
}

static void code_that_is_linked_elsewhere_is_moved_as_a_whole(void **state)
{
	(void)state;
	made_elf_section(&made, SHT_PROGBITS)->sh_addr += 0x400000;
	made_elf_header(&made)->e_entry += 0x400000;
	assert_int_equal(check(), 0);
	assert_int_equal(moved, -0x400000);
	made.bytes[made_elf_section(&made, SHT_PROGBITS)->sh_offset] ^= 1;
	assert_refused("its code differs at 0x1000");
}

static void code_where_the_image_has_none_is_refused(void **state)
{
	Elf64_Shdr *text = made_elf_section(&made, SHT_PROGBITS);

	(void)state;
	text->sh_addr = 1ULL << 40;
	assert_refused("its code lies elsewhere");
	text->sh_addr = PE_FILE_TEXT;
	/* the code would end beyond the image's section */
	text->sh_size = made.size - text->sh_offset;
	assert_refused("its code lies elsewhere");
	text->sh_size = UINT64_MAX;
	assert_refused("its code lies elsewhere");
	text->sh_size = MADE_ELF_CODE;
	text->sh_offset = made.size; /* the code is not in the file */
	assert_refused("its code has another size");
}

static void a_file_without_code_or_for_another_machine_is_refused(void **state)
{
	(void)state;
	made_elf_section(&made, SHT_PROGBITS)->sh_flags = SHF_ALLOC;
	assert_refused("it has no code");
	made_elf_section(&made, SHT_PROGBITS)->sh_flags |= SHF_EXECINSTR;
	made_elf_header(&made)->e_machine = EM_AARCH64;
	assert_refused("it is for another machine");
	made_elf_header(&made)->e_machine = EM_RISCV;
	assert_refused("it is for another machine");
	made.image.machine = 0x5064; /* RISC-V, too: an unknown machine */
	assert_refused("it is for another machine");
}

static void an_image_without_code_is_of_no_file(void **state)
{
	(void)state;
	made.image.section_count = 0;
	assert_refused("its code lies elsewhere");
}

static void a_debug_files_address_size_and_entry_must_agree(void **state)
{
	Elf64_Shdr *text = made_elf_section(&made, SHT_PROGBITS);

	(void)state;
	text->sh_type = SHT_NOBITS;
	assert_int_equal(check(), 0);
	made_elf_header(&made)->e_entry++;
	assert_refused("its entry is another one");
	made_elf_header(&made)->e_entry--;
	text->sh_size--; /* padded by the linker */
	assert_int_equal(check(), 0);
	text->sh_size += 2;
	assert_refused("its code lies elsewhere");
	text->sh_size -= 2;
	text->sh_addr++; /* the code is found at another address, and so is its entry */
	assert_refused("its entry is another one");
	made_elf_header(&made)->e_entry++;
	assert_int_equal(check(), 0);
	assert_int_equal(moved, -1);
}

static void a_debug_file_with_far_less_code_is_of_another_build(void **state)
{
	Elf64_Shdr *text = made_elf_section(&made, SHT_PROGBITS);

	(void)state;
	pe_file_put(&made.file, PE_FILE_SECTIONS + 8, 0x10f5, 4); /* VirtualSize: a page more */
	pe_file_put(&made.file, PE_FILE_SECTIONS + 40 + 12, PE_FILE_DATA + 0x1000, 4);
	made_elf_parse(&made);
	text->sh_type = SHT_NOBITS;
	text->sh_size = 0xf5;
	assert_refused("its code has another size");
	text->sh_size = 0xf6;
	assert_int_equal(check(), 0);
}

/* GenFw's rewriting of addresses in two instructions (EDK2, Elf64Convert.c). */
static void on_aarch64_an_address_may_have_been_made_shorter(void **state)
{
	static const struct {
		uint32_t elf, pe;
		bool same;
	} pairs[] = {
		{ 0x90000283, 0x10000283, true },  /* ADRP x3, ADR x3 */
		{ 0xb0ffffe3, 0x70000003, true },  /* with other immediates */
		{ 0x90000283, 0x10000284, false }, /* ADR x4 */
		{ 0x10000283, 0x90000283, false }, /* the other way round */
		{ 0xf9400063, 0x91000463, true },  /* LDR x3, [x3]: ADD x3, x3, #1 */
		{ 0x91004063, 0x91000463, true },  /* ADD, ADD */
		{ 0xf9400063, 0x91000483, false }, /* of x4 */
		{ 0xf9400063, 0xf9400463, false }, /* a load from elsewhere */
		{ 0xd503201f, 0x10000283, false }, /* a NOP */
	};
	uint32_t *word;

	(void)state;
	made_elf_free(&made);
	pe_file_put(&made.file, PE_FILE_COFF, PE_MACHINE_ARM64, 2);
	made.elf = NULL;
	made_elf_write(&made);
	assert_int_equal(check(), 0);
	word = (uint32_t *)(void *)(made.bytes + made_elf_section(&made, SHT_PROGBITS)->sh_offset +
	                            0x100);
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		*word = pairs[i].elf;
		pe_file_put(&made.file, PE_FILE_AT_TEXT + 0x100, pairs[i].pe, 4);
		assert_int_equal(check(), pairs[i].same ? 0 : -ESTALE);
	}
}

static void an_image_that_claims_to_be_huge_is_refused(void **state)
{
	(void)state;
	made.image.image_size = UINT32_MAX;
	assert_refused("the image claims to be larger than 1 GiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pe_rig_setup, pe_rig_teardown)
		TEST(the_same_code_at_the_same_place_is_of_it),
		TEST(a_byte_that_differs_is_another_build_but_where_it_is_relocated),
		TEST(code_that_is_linked_elsewhere_is_moved_as_a_whole),
		TEST(code_where_the_image_has_none_is_refused),
		TEST(a_file_without_code_or_for_another_machine_is_refused),
		TEST(an_image_without_code_is_of_no_file),
		TEST(a_debug_files_address_size_and_entry_must_agree),
		TEST(a_debug_file_with_far_less_code_is_of_another_build),
		TEST(on_aarch64_an_address_may_have_been_made_shorter),
		TEST(an_image_that_claims_to_be_huge_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
