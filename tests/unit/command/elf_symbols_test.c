/* SPDX-License-Identifier: MIT */
/* The names in a file with any content. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/elf_symbols.h"

enum { NULL_SECTION, SYMTAB, STRTAB, SECTIONS };
#define SYMBOLS 6

static struct file {
	Elf64_Ehdr header;
	Elf64_Sym symbols[SYMBOLS];
	char names[32];
	Elf64_Shdr sections[SECTIONS];
} f;

static char said[256];
static uint64_t addresses, sizes;

static Elf64_Sym symbol(unsigned name, unsigned char type, uint16_t section, uint64_t value)
{
	return (Elf64_Sym){ name, ELF64_ST_INFO(STB_LOCAL, type), 0, section, value, 0x10 };
}

static int make(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	f.header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
	};
	memcpy(f.names, "\0main\0data\0other\0put", 21);
	f.symbols[1] = symbol(1, STT_FUNC, 1, 0x1000);
	f.symbols[2] = symbol(6, STT_OBJECT, 1, 0x5000);
	f.symbols[3] = symbol(11, STT_FUNC, SHN_UNDEF, 0);
	f.symbols[4] = symbol(0, STT_FUNC, 1, 0x1800);
	f.symbols[5] = symbol(17, STT_FUNC, 1, 0x2000);
	f.sections[SYMTAB] = (Elf64_Shdr){
		.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct file, symbols),
		.sh_size = sizeof(f.symbols),
		.sh_link = STRTAB,
	};
	f.sections[STRTAB] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, names),
		.sh_size = sizeof(f.names),
	};
	return 0;
}

static int take(void *context, uint64_t address, uint64_t size, const char *name)
{
	strcat(said, name);
	strcat(said, " ");
	addresses += address;
	sizes += size;
	return *(int *)context;
}

/* In memory of its own, so that a read beyond its end is detected. */
static int walk_size(size_t size, int result)
{
	void *copy = malloc(size ? size : 1);

	memcpy(copy, &f, size);
	said[0] = 0;
	addresses = sizes = 0;
	result = elf_symbols(copy, size, take, &result);
	free(copy);
	return result;
}

static int walk(void)
{
	return walk_size(sizeof(f), 0);
}

static void defined_functions_with_a_name_are_reported(void **state)
{
	(void)state;
	assert_int_equal(walk(), 0);
	assert_string_equal(said, "main put ");
	assert_int_equal(addresses, 0x3000);
	assert_int_equal(sizes, 0x20);
}

static void the_callback_may_end_the_walk(void **state)
{
	(void)state;
	assert_int_equal(walk_size(sizeof(f), -ENOMEM), -ENOMEM);
	assert_string_equal(said, "main ");
}

static void a_stripped_file_has_none(void **state)
{
	(void)state;
	f.header.e_shnum = 0;
	assert_int_equal(walk(), -ENOENT);
	f.header.e_shnum = SECTIONS;
	f.sections[SYMTAB].sh_type = SHT_DYNSYM;
	assert_int_equal(walk(), -ENOENT);
}

static void whatever_is_cut_off_nothing_behind_the_end_is_read(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(f); size++)
		assert_int_equal(walk_size(size, 0),
		                 -ENOENT); /* the sections are at the end of the file */
}

static void sections_that_lie_outside_are_refused(void **state)
{
	uint64_t *const words[] = {
		&f.header.e_shoff,           &f.sections[SYMTAB].sh_offset,
		&f.sections[SYMTAB].sh_size, &f.sections[STRTAB].sh_offset,
		&f.sections[STRTAB].sh_size,
	};
	static const uint64_t lies[] = { sizeof(f), sizeof(f) + 1, 1ULL << 63, UINT64_MAX,
		                         UINT64_MAX - 63 };

	(void)state;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (unsigned lie = 0; lie < sizeof(lies) / sizeof(lies[0]); lie++) {
			make(NULL);
			*words[i] = lies[lie];
			assert_int_equal(walk(), -ENOENT);
		}
	}
	make(NULL);
	f.sections[SYMTAB].sh_link = SECTIONS;
	assert_int_equal(walk(), -ENOENT);
	f.sections[SYMTAB].sh_link = SYMTAB; /* no names */
	assert_int_equal(walk(), -ENOENT);
}

static void names_without_an_end_or_outside_are_passed_over(void **state)
{
	(void)state;
	f.symbols[1].st_name = sizeof(f.names);
	assert_int_equal(walk(), 0);
	assert_string_equal(said, "put ");
	f.symbols[1].st_name = 1;
	f.sections[STRTAB].sh_size = 20; /* the name "put" has lost its NUL */
	assert_int_equal(walk(), 0);
	assert_string_equal(said, "main ");
}

static void half_a_symbol_is_none(void **state)
{
	(void)state;
	f.sections[SYMTAB].sh_size -= 1;
	assert_int_equal(walk(), 0);
	assert_string_equal(said, "main ");
	f.sections[SYMTAB].sh_size = 0;
	assert_int_equal(walk(), 0);
	assert_string_equal(said, "");
}

static void other_files_are_refused(void **state)
{
	(void)state;
	f.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(walk(), -ENOENT);
	make(NULL);
	f.header.e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(walk(), -ENOENT);
	make(NULL);
	f.header.e_shentsize = 40;
	assert_int_equal(walk(), -ENOENT);
	make(NULL);
	f.header.e_ident[1] = 'e';
	assert_int_equal(walk(), -ENOENT);
}

#define TEST(function) cmocka_unit_test_setup(function, make)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defined_functions_with_a_name_are_reported),
		TEST(the_callback_may_end_the_walk),
		TEST(a_stripped_file_has_none),
		TEST(whatever_is_cut_off_nothing_behind_the_end_is_read),
		TEST(sections_that_lie_outside_are_refused),
		TEST(names_without_an_end_or_outside_are_passed_over),
		TEST(half_a_symbol_is_none),
		TEST(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
