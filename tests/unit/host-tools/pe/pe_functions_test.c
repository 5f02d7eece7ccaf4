/* SPDX-License-Identifier: MIT */
/* Which symbols are functions, where each ends, and which of several names is used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/host-tools/pe/pe_rig.h"

static struct pe_functions functions;

static int teardown(void **state)
{
	pe_functions_free(&functions);
	return pe_rig_teardown(state);
}

static int of_elf(void)
{
	int64_t moved;

	pe_functions_free(&functions);
	return pe_functions_of_elf(&functions, &made.image, made_elf_open(&made), &moved, &error);
}

static void assert_function(size_t i, uint32_t rva, uint32_t size, const char *name)
{
	assert_true(i < functions.count);
	assert_int_equal(functions.all[i].rva, rva);
	assert_int_equal(functions.all[i].size, size);
	assert_string_equal(functions.all[i].name, name);
}

static void an_elf_files_functions_are_those_of_its_symbols(void **state)
{
	(void)state;
	assert_int_equal(of_elf(), 0);
	assert_int_equal(functions.count, 2);
	assert_function(0, MADE_ELF_FIRST, 16, "First");
	assert_function(1, MADE_ELF_SECOND, 16, "Second");
	/* the ELF file is linked to another address */
	made_elf_section(&made, SHT_PROGBITS)->sh_addr += 0x20;
	made_elf_symbols(&made)[1].st_value += 0x20;
	made_elf_symbols(&made)[2].st_value += 0x20;
	assert_int_equal(of_elf(), 0);
	assert_function(0, MADE_ELF_FIRST, 16, "First");
	assert_function(1, MADE_ELF_SECOND, 16, "Second");
}

static void a_symbol_that_is_no_function_gives_no_name(void **state)
{
	static const struct {
		uint8_t info;
		bool is_function;
	} kinds[] = {
		{ ELF64_ST_INFO(STB_LOCAL, STT_FUNC), true },
		{ ELF64_ST_INFO(STB_WEAK, STT_FUNC), true },
		{ ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), true }, /* assembly's */
		{ ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), false }, /* its labels */
		{ ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), false },
		{ ELF64_ST_INFO(STB_LOCAL, STT_SECTION), false },
	};
	Elf64_Sym *symbol = &made_elf_symbols(&made)[1];
	const Elf64_Sym before = *symbol;

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		symbol->st_info = kinds[i].info;
		assert_int_equal(of_elf(), 0);
		assert_int_equal(functions.count, 1U + kinds[i].is_function);
	}
	for (unsigned i = 0; i < 4; i++) {
		*symbol = before;
		if (i < 2)
			symbol->st_shndx = i ? SHN_ABS : SHN_UNDEF;
		else
			symbol->st_value = i & 1 ? PE_FILE_DATA : 1ULL << 32 | MADE_ELF_FIRST;
		assert_int_equal(of_elf(), 0);
		assert_int_equal(functions.count, 1);
	}
	*symbol = before;
	memcpy(made.bytes + made_elf_section(&made, SHT_STRTAB)->sh_offset + before.st_name, "$d.",
	       3);
	assert_int_equal(of_elf(), 0);
	assert_int_equal(functions.count, 1); /* Arm's mapping symbols */
	made_elf_section(&made, SHT_SYMTAB)->sh_type = SHT_DYNSYM;
	assert_int_equal(of_elf(), -ENODATA);
	assert_string_equal(error.text, "it has no functions' names");
}

static void a_function_ends_where_the_next_begins_at_the_latest(void **state)
{
	Elf64_Sym *symbols = made_elf_symbols(&made);

	(void)state;
	symbols[1].st_size = 0;
	symbols[2].st_size = 0;
	assert_int_equal(of_elf(), 0);
	assert_function(0, MADE_ELF_FIRST, MADE_ELF_SECOND - MADE_ELF_FIRST, "First");
	assert_function(1, MADE_ELF_SECOND, PE_FILE_TEXT + MADE_ELF_CODE - MADE_ELF_SECOND,
	                "Second");
	symbols[1].st_size = 0x1000;
	symbols[2].st_size = UINT64_MAX;
	assert_int_equal(of_elf(), 0);
	assert_function(0, MADE_ELF_FIRST, MADE_ELF_SECOND - MADE_ELF_FIRST, "First");
	assert_function(1, MADE_ELF_SECOND, PE_FILE_TEXT + MADE_ELF_CODE - MADE_ELF_SECOND,
	                "Second");
}

static void of_two_names_at_one_address_the_one_that_perf_shows_counts(void **state)
{
	Elf64_Sym *symbols = made_elf_symbols(&made);

	(void)state;
	symbols[2].st_value = MADE_ELF_FIRST;
	symbols[2].st_size = 15;
	assert_int_equal(of_elf(), 0);
	assert_int_equal(functions.count, 1);
	/* of two names at one address the longer one is used */
	assert_function(0, MADE_ELF_FIRST, 15, "Second");
	symbols[2].st_size = 0;
	assert_int_equal(of_elf(), 0);
	assert_function(0, MADE_ELF_FIRST, 16, "First");
}

static void a_file_of_another_build_gives_no_names(void **state)
{
	(void)state;
	made.bytes[PE_FILE_TEXT]++;
	assert_int_equal(of_elf(), -ESTALE);
	assert_string_equal(error.text, "its code differs at 0x1000");
	assert_int_equal(functions.count, 0);
}

/* ---- COFF ---- */

struct coff {
	struct pe_file file;
	uint8_t symbols[6 * 18];
	char strings[4 + 32];
};

static void put_coff(struct coff *coff, unsigned number, uint32_t value, int16_t section,
                     uint8_t class, const char *name)
{
	uint8_t *at = coff->symbols + 18 * (size_t)number;

	memcpy(at, name, strnlen(name, 8)); /* a name of 8 characters need not end with a NUL */
	memcpy(at + 8, &value, 4);
	memcpy(at + 12, &section, 2);
	at[16] = class;
}

static int of_coff(const struct coff *coff, size_t size)
{
	struct pe_image image;
	const char *why;

	pe_functions_free(&functions);
	assert_int_equal(pe_parse(&image, coff, size, PE_FILE, &why), 0);
	return pe_functions_of_coff(&functions, &image);
}

static void make_coff(struct coff *coff)
{
	memset(coff, 0, sizeof(*coff));
	pe_file_make(&coff->file);
	pe_file_put(&coff->file, PE_FILE_COFF + 8, offsetof(struct coff, symbols), 4);
	pe_file_put(&coff->file, PE_FILE_COFF + 12, 6, 4);
	put_coff(coff, 0, 0x10, 1, 2, "External"); /* the name has all of its 8 characters */
	put_coff(coff, 1, 0x20, 1, 3, "static");
	put_coff(coff, 2, 0, 1, 3, ".text");
	coff->symbols[18 * 2 + 17] = 1;
	/* this auxiliary record belongs to the symbol before it */
	put_coff(coff, 3, 0x18, 1, 2, "aux");
	put_coff(coff, 4, 0x30, 1, 2, "");
	coff->symbols[18 * 4 + 4] = 4;
	put_coff(coff, 5, 0x40, 2, 2, "data");
	strcpy(coff->strings + 4, "a_name_that_is_longer");
}

static void an_images_own_symbols_are_functions_where_they_are_in_code(void **state)
{
	struct coff coff;

	(void)state;
	make_coff(&coff);
	assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
	assert_int_equal(functions.count, 3);
	assert_function(0, PE_FILE_TEXT + 0x10, 0x10, "External");
	assert_function(1, PE_FILE_TEXT + 0x20, 0x10, "static");
	assert_function(2, PE_FILE_TEXT + 0x30, MADE_ELF_CODE - 0x30, "a_name_that_is_longer");
}

/* Arm's mapping symbols are at functions' begins, and inside functions. */
static void mapping_symbols_are_no_functions_and_take_no_names(void **state)
{
	static const char *const names[] = { "$x", "$d", "$x.1", "$d.foo" };
	struct coff coff;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make_coff(&coff);
		memset(coff.symbols + 18, 0, 8);
		put_coff(&coff, 1, i & 1 ? 0x30 : 0x10, 1, 3, names[i]);
		assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
		assert_int_equal(functions.count, 2);
		assert_function(0, PE_FILE_TEXT + 0x10, 0x20, "External");
		assert_function(1, PE_FILE_TEXT + 0x30, MADE_ELF_CODE - 0x30,
		                "a_name_that_is_longer");
	}
	memset(coff.symbols + 18, 0, 8);
	put_coff(&coff, 1, 0x20, 1, 3, "$other"); /* a name that compilers allow */
	assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
	assert_function(1, PE_FILE_TEXT + 0x20, 0x10, "$other");
}

static void at_one_address_global_coff_names_count_before_static_and_weak_names(void **state)
{
	static const struct {
		uint8_t class;
		const char *name, *counts;
	} others[] = {
		{ 3, "longerno", "External" }, { 105, "longerno", "External" },
		{ 2, "_xternal", "External" }, { 2, "Externa", "External" },
		{ 2, "Bxternal", "External" }, { 2, "External", "External" },
	};
	struct coff coff;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		make_coff(&coff);
		memset(coff.symbols + 18, 0, 8);
		put_coff(&coff, 1, 0x10, 1, others[i].class, others[i].name);
		assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
		assert_int_equal(functions.count, 2);
		assert_function(0, PE_FILE_TEXT + 0x10, 0x20, others[i].counts);
		/* and a weak symbol is used if it is the only one */
		put_coff(&coff, 1, 0x28, 1, others[i].class, others[i].name);
		assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
		assert_function(1, PE_FILE_TEXT + 0x28, 8, others[i].name);
	}
}

static void coff_symbols_that_lie_are_passed_over(void **state)
{
	struct coff coff;

	(void)state;
	make_coff(&coff);
	put_coff(&coff, 0, MADE_ELF_CODE, 1, 2, ""); /* beyond its section */
	put_coff(&coff, 1, 0x20, 4, 3, "");          /* in a section that does not exist */
	memset(coff.symbols + 18 * 4 + 4, 0xff, 4);  /* a name beyond the file */
	assert_int_equal(of_coff(&coff, sizeof(coff)), -ENODATA);
	make_coff(&coff);
	put_coff(&coff, 0, 0x10, -1, 2, "");
	put_coff(&coff, 1, 0x20, 1, 104, ""); /* an unknown class */
	assert_int_equal(of_coff(&coff, sizeof(coff)), 0);
	assert_int_equal(functions.count, 1);
	make_coff(&coff); /* the table goes beyond the file's end */
	assert_int_equal(of_coff(&coff, offsetof(struct coff, strings) - 1), -ENODATA);
	pe_file_put(&coff.file, PE_FILE_COFF + 12, 0, 4);
	assert_int_equal(of_coff(&coff, sizeof(coff)), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pe_rig_setup, teardown)
		TEST(an_elf_files_functions_are_those_of_its_symbols),
		TEST(a_symbol_that_is_no_function_gives_no_name),
		TEST(a_function_ends_where_the_next_begins_at_the_latest),
		TEST(of_two_names_at_one_address_the_one_that_perf_shows_counts),
		TEST(a_file_of_another_build_gives_no_names),
		TEST(an_images_own_symbols_are_functions_where_they_are_in_code),
		TEST(mapping_symbols_are_no_functions_and_take_no_names),
		TEST(at_one_address_global_coff_names_count_before_static_and_weak_names),
		TEST(coff_symbols_that_lie_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
