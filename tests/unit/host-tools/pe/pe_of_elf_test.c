/* SPDX-License-Identifier: MIT */
/* An ELF file without the image that was made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/pe/pe_functions.h"
#include "host-tools/pe/pe_of_elf.h"
#include "tests/unit/host-tools/pe/pe_rig.h"

static struct pe_image image;
static void *bytes;

static int teardown(void **state)
{
	free(bytes);
	bytes = NULL;
	return pe_rig_teardown(state);
}

/* Relocated numbers lie at multiples of 8, as compilers place them. */
static int setup(void **state)
{
	pe_rig_setup(state);
	made_elf_free(&made);
	made.elf = NULL;
	for (unsigned i = 0; i < 3; i++)
		pe_file_put(&made.file, PE_FILE_AT_RELOC + 8 + 2 * i, 0xa000 | (0x80 + 8 * i), 2);
	made_elf_write(&made);
	return 0;
}

static void id_of(uint8_t id[PE_BUILD_ID])
{
	made_elf_parse(&made);
	assert_true(pe_build_id(&made.image, id));
}

static void the_elf_file_is_found_by_the_images_identity(void **state)
{
	uint8_t id[PE_BUILD_ID], other[PE_BUILD_ID];
	uint8_t *code;

	(void)state;
	id_of(id);
	assert_true(pe_of_elf_is(made_elf_open(&made), id));
	memcpy(other, id, sizeof(other));
	memset(other, 7, PE_HASH); /* the hash of the headers belongs to another image */
	assert_true(pe_of_elf_is(made_elf_open(&made), other));
	other[PE_HASH] ^= 1;
	assert_false(pe_of_elf_is(made_elf_open(&made), other));
	memset(other + PE_HASH, 0, PE_BUILD_ID - PE_HASH); /* an MTOC's */
	assert_false(pe_of_elf_is(made_elf_open(&made), other));
	code = made.bytes + made_elf_section(&made, SHT_PROGBITS)->sh_offset;
	code[0x106] ^= 1; /* one of the eight bytes at a multiple of 64 that are compared */
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
	code[0x106] ^= 1;
	made_elf_header(&made)->e_entry++;
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
}

static void another_layout_is_another_build(void **state)
{
	uint8_t id[PE_BUILD_ID];
	Elf64_Shdr *code = made_elf_section(&made, SHT_PROGBITS);

	(void)state;
	id_of(id);
	code->sh_addr += 64;
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
	code->sh_addr -= 64;
	code->sh_size -= 0x100;
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
	code->sh_size += 0x100;
	assert_true(pe_of_elf_is(made_elf_open(&made), id));
	code->sh_type = SHT_NOBITS; /* objcopy --only-keep-debug */
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
	code->sh_type = SHT_PROGBITS;
	code->sh_flags &= ~(Elf64_Xword)SHF_EXECINSTR;
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
	code->sh_flags |= SHF_EXECINSTR;
	made_elf_header(&made)->e_machine = EM_RISCV;
	assert_false(pe_of_elf_is(made_elf_open(&made), id));
}

static void the_elf_file_replaces_the_image(void **state)
{
	struct pe_functions functions = { 0 };
	struct pe_section section;
	int64_t moved = 1;

	(void)state;
	assert_true(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	assert_int_equal(image.machine, PE_MACHINE_AMD64);
	assert_int_equal(image.entry, PE_FILE_ENTRY);
	assert_true(pe_section(&image, 0, &section));
	assert_true(pe_section_is_code(&section));
	assert_int_equal(section.rva, PE_FILE_TEXT);
	assert_int_equal(section.size, MADE_ELF_CODE);
	assert_false(pe_section(&image, 1, &section));
	assert_memory_equal(pe_at(&image, PE_FILE_TEXT, MADE_ELF_CODE),
	                    made.file.bytes + PE_FILE_AT_TEXT, MADE_ELF_CODE);
	assert_int_equal(pe_functions_of_elf(&functions, &image, made.elf, &moved, &error), 0);
	assert_int_equal(moved, 0);
	assert_int_equal(functions.count, 2);
	assert_string_equal(functions.all[1].name, "Second");
	pe_functions_free(&functions);
}

/* An ELF file with invalid content. */
static void an_invalid_elf_file_replaces_no_image(void **state)
{
	Elf64_Shdr *code = made_elf_section(&made, SHT_PROGBITS), before = *code;

	(void)state;
	code->sh_addr = 16; /* at the address of the headers */
	assert_false(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	code->sh_addr = UINT64_MAX - 16;
	assert_false(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	code->sh_addr = 255U << 20;
	assert_true(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	free(bytes);
	code->sh_addr = (256U << 20) - 8; /* the image would end beyond the limit of its size */
	assert_false(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	*code = before;
	code->sh_size = UINT64_MAX;
	assert_false(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	*code = before;
	code->sh_type = SHT_NOBITS;
	assert_false(pe_of_elf_make(&image, &bytes, made_elf_open(&made)));
	assert_null(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(the_elf_file_is_found_by_the_images_identity),
		TEST(another_layout_is_another_build),
		TEST(the_elf_file_replaces_the_image),
		TEST(an_invalid_elf_file_replaces_no_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
