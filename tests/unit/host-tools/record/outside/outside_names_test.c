/* SPDX-License-Identifier: MIT */
/* Linux's lists of functions: which lines count, and the ELF file that is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>

#include "host-tools/record/outside/outside_names.h"

#define LIST                                    \
	"ffffffff81001230 t second\n"           \
	"ffffffff81001000 T _stext\n"           \
	"ffffffff81001000 T first\n"            \
	"ffffffff81003000 D data\n"             \
	"0000000000000000 A percpu\n"           \
	"ffffffff81002ff0 W last.constprop.0\n" \
	"ffffffffc0000000 t in_module\t[ext4]\n"

static struct outside_names names;
static struct error error;

static int parse(const char *text)
{
	outside_names_free(&names);
	error = (struct error){ "" };
	return outside_names_parse(&names, text, strlen(text), &error);
}

static void the_kernels_functions_are_sorted_and_have_sizes(void **state)
{
	(void)state;
	assert_true(outside_names_are_meant(LIST, strlen(LIST)));
	assert_int_equal(parse(LIST), 0);
	assert_int_equal(names.count, 3);
	assert_int_equal(names.all[0].address, 0xffffffff81001000ULL);
	assert_int_equal(names.all[0].size, 0x230);
	assert_memory_equal(names.all[0].name, "_stext", 6);
	assert_int_equal(names.all[2].length, strlen("last.constprop.0"));
	assert_int_equal(names.all[2].size, 0x10); /* to the end of its page */
	assert_int_equal(names.image.address, 0xffffffff81001000ULL);
	assert_int_equal(names.image.size, 0x2000);
}

static void two_texts_have_two_build_ids(void **state)
{
	uint8_t id[20];

	(void)state;
	assert_int_equal(parse(LIST), 0);
	memcpy(id, names.image.build_id, sizeof(id));
	assert_int_equal(parse(LIST), 0);
	assert_memory_equal(id, names.image.build_id, sizeof(id));
	assert_int_equal(parse("ffffffff81001000 T _stext\n"), 0);
	assert_memory_not_equal(id, names.image.build_id, sizeof(id));
}

static void a_wrong_list_is_refused_with_the_reason(void **state)
{
	(void)state;
	assert_true(parse("0000000000000000 T _stext\n") < 0);
	assert_non_null(strstr(error.text, "kptr_restrict"));
	assert_true(parse("ffffffff81001000 T _stext\nfoo\n") < 0);
	assert_non_null(strstr(error.text, "line 2 is no symbol: foo"));
	assert_true(parse("0000000000001000 T low\nffffffff81001000 T high\n") < 0);
	assert_non_null(strstr(error.text, "too far apart"));
	assert_true(parse("ffffffffffffff00 T end\n") < 0);
	assert_true(parse("") < 0);
}

static void other_files_are_no_lists(void **state)
{
	static const char *const texts[] = { "\177ELF",
		                             "MZ\n",
		                             "ffffffff81001000\n",
		                             "hello T x\n",
		                             "ffffffff81001000 T \n",
		                             "ffffffff81001000 T x" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(outside_names_are_meant(texts[i], strlen(texts[i])));
}

/* As readers of ELF files see it. */
static void the_elf_file_has_segment_build_id_and_symbols(void **state)
{
	int fd = memfd_create("names", MFD_CLOEXEC);
	GElf_Shdr section = { 0 };
	Elf_Scn *at = NULL;
	GElf_Phdr segment;
	GElf_Sym symbol;
	Elf *elf;

	(void)state;
	assert_int_equal(parse(LIST), 0);
	assert_int_equal(outside_names_write(&names, fd, EM_X86_64, &error), 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_getphdr(elf, 0, &segment));
	assert_int_equal(segment.p_vaddr, names.image.address);
	assert_int_equal(segment.p_filesz, names.image.size);
	assert_int_equal(segment.p_offset % TR_PAGE, 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), segment.p_offset + segment.p_filesz);
	while ((at = elf_nextscn(elf, at)) && gelf_getshdr(at, &section) &&
	       section.sh_type != SHT_SYMTAB)
		;
	assert_non_null(at);
	assert_int_equal(section.sh_size / section.sh_entsize, 4);
	assert_non_null(gelf_getsym(elf_getdata(at, NULL), 2, &symbol));
	assert_string_equal(elf_strptr(elf, section.sh_link, symbol.st_name), "second");
	assert_int_equal(symbol.st_value, 0xffffffff81001230ULL);
	assert_int_equal(symbol.st_size, 0x2ff0 - 0x1230);
	elf_end(elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_functions_are_sorted_and_have_sizes),
		cmocka_unit_test(two_texts_have_two_build_ids),
		cmocka_unit_test(a_wrong_list_is_refused_with_the_reason),
		cmocka_unit_test(other_files_are_no_lists),
		cmocka_unit_test(the_elf_file_has_segment_build_id_and_symbols),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	outside_names_free(&names);
	return failed;
}
