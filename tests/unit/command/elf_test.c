/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "command/elf.h"
#include "tests/unit/command/elf_file.h"

static struct elf_file f;
static struct elf_image image;
static struct elf_error error;

static int make(void **state)
{
	(void)state;
	elf_file_make(&f, EM_X86_64);
	return 0;
}

/* In memory of its own, so that a read beyond its end is detected. */
static int parse_size(size_t size)
{
	void *copy = malloc(size ? size : 1);
	int result;

	memcpy(copy, &f, size);
	result = elf_parse(&image, copy, size, EM_X86_64, &error);
	free(copy);
	return result;
}

static int parse(void)
{
	return parse_size(sizeof(f));
}

static void refused(const char *what, uint64_t where)
{
	assert_int_equal(parse(), -ENOEXEC);
	assert_string_equal(error.what, what);
	assert_int_equal(error.where, where);
}

static void a_static_pie_is_understood(void **state)
{
	(void)state;
	assert_int_equal(parse(), 0);
	assert_false(image.fixed);
	assert_int_equal(image.low, 0x1000);
	assert_int_equal(image.high, 0x4000);
	assert_int_equal(image.align, 0x1000);
	assert_int_equal(image.entry, 0x1010);
	assert_int_equal(image.nr_segments, 3);
	assert_true(image.segments[0].execute && !image.segments[0].write);
	assert_true(image.segments[2].write && !image.segments[2].execute);
	assert_int_equal(image.nr_relocations, 2);
	assert_int_equal(image.build_id_size, 20);
	assert_memory_equal(image.build_id, f.note.id, 20);
}

static void a_static_executable_stays_where_it_was_linked(void **state)
{
	(void)state;
	f.header.e_type = ET_EXEC;
	f.segments[ELF_FILE_TEXT_SEGMENT].p_align = 0x200000;
	assert_int_equal(parse(), 0);
	assert_true(image.fixed);
	assert_int_equal(image.low, 0x1000);
}

static void a_pie_gets_the_alignment_that_it_asks_for(void **state)
{
	(void)state;
	f.segments[ELF_FILE_TEXT_SEGMENT].p_align = 0x10000;
	assert_int_equal(parse(), 0);
	assert_int_equal(image.align, 0x10000);
	assert_int_equal(image.low, 0);
}

static void the_other_isas_relocations_are_its_own(void **state)
{
	(void)state;
	elf_file_make(&f, EM_AARCH64);
	assert_int_equal(elf_parse(&image, &f, sizeof(f), EM_AARCH64, &error), 0);
	f.relocations[0].r_info = R_X86_64_RELATIVE;
	assert_int_equal(elf_parse(&image, &f, sizeof(f), EM_AARCH64, &error), -ENOEXEC);
}

static void writable_parts_are_copied_again_and_relocated(void **state)
{
	uint64_t at = 0x7000000, word;
	uint8_t memory[0x3000];

	(void)state;
	assert_int_equal(parse(), 0);
	memset(memory, 0xee, sizeof(memory));
	elf_place(&image, &f, memory, false);
	assert_memory_equal(memory, f.text, sizeof(f.text));
	assert_int_equal(memory[0x2000], 0xee); /* .data, not loaded yet */
	for (int run = 0; run < 2; run++) {
		memset(memory + 0x2000, 0xee, 0x1000);
		elf_place(&image, &f, memory, true);
		elf_relocate(&image, &f, memory, at);
		memcpy(&word, memory + offsetof(struct elf_file, words) - 0x1000, 8);
		assert_int_equal(word, at + ELF_FILE_WORD - 0x1000);
		memcpy(&word, memory + offsetof(struct elf_file, words) + 12 - 0x1000, 8);
		assert_int_equal(word, at);
		assert_int_equal(memory[sizeof(f) - 0x1000 + 5], 0);               /* .bss */
		assert_int_equal(memory[sizeof(f) - 0x1000 + ELF_FILE_BSS], 0xee); /* behind it */
	}
}

static void a_file_that_is_no_elf_for_this_machine_is_refused(void **state)
{
	(void)state;
	f.header.e_machine = EM_AARCH64;
	refused("it is built for another machine", EM_AARCH64);
	f.header.e_ident[EI_CLASS] = ELFCLASS32;
	refused("it is not a 64-bit little-endian ELF file", 1);
	f.header.e_ident[0] = '#';
	refused("it is not an ELF file", sizeof(f));
	elf_file_make(&f, EM_X86_64);
	f.header.e_type = ET_REL;
	refused("it is neither an executable nor a static PIE", ET_REL);
	f.header.e_type = ET_DYN;
	f.header.e_phentsize = 32;
	refused("its program headers have an unknown size", 32);
	f.header.e_phentsize = sizeof(Elf64_Phdr);
	f.header.e_phnum = 65;
	refused("it has no program headers, or too many", 65);
}

static void a_file_cut_at_any_length_is_refused(void **state)
{
	size_t whole = sizeof(f);

	(void)state;
	for (size_t size = 0; size < whole; size += size < 600 ? 1 : 97)
		assert_int_equal(parse_size(size), -ENOEXEC);
	assert_int_equal(parse_size(whole - 1), -ENOEXEC);
	assert_string_equal(error.what, "it is cut short: a segment lies behind its end");
	f.header.e_phoff = sizeof(f) - 8;
	refused("it is cut short: its program headers lie behind its end", sizeof(f) - 8);
}

static void segments_that_make_no_sense_are_refused(void **state)
{
	Elf64_Phdr *text = &f.segments[ELF_FILE_TEXT_SEGMENT];
	Elf64_Phdr *rodata = &f.segments[ELF_FILE_RODATA_SEGMENT];

	(void)state;
	rodata->p_vaddr = 0x10ff;
	refused("two segments overlap", 0x10ff);
	rodata->p_vaddr = 0x1100;
	refused("two segments with different rights share a page (-z separate-code)", 0x1100);
	rodata->p_vaddr = 0xfff;
	refused("its segments are not in ascending order", 0xfff);
	elf_file_make(&f, EM_X86_64);
	text->p_flags |= PF_W;
	refused("a segment is both writable and executable", 0x1000);
	text->p_flags = PF_R | PF_X;
	text->p_memsz = 0xff;
	refused("a segment is larger in the file than in memory", 0x1000);
	text->p_memsz = 1ULL << 62;
	refused("a segment lies beyond what can be loaded", 0x1000);
	text->p_memsz = 0x100;
	text->p_vaddr = -0x1000ULL;
	refused("a segment lies beyond what can be loaded", -0x1000ULL);
	text->p_vaddr = 0x1000;
	text->p_offset = UINT64_MAX;
	refused("it is cut short: a segment lies behind its end", UINT64_MAX);
	text->p_offset = 0x1000;
	text->p_align = 0x1800;
	refused("a segment has an alignment that cannot be had", 0x1800);
	text->p_align = 0x1000;
	f.segments[ELF_FILE_DATA_SEGMENT].p_vaddr = 1ULL << 40;
	refused("its segments span more than 1 GiB", (1ULL << 40));
}

static void the_entry_point_is_code(void **state)
{
	(void)state;
	f.header.e_entry = 0x2000;
	refused("its entry point is not code of its own", 0x2000);
	f.header.e_entry = 0x1100;
	refused("its entry point is not code of its own", 0x1100);
	for (int i = 0; i < 3; i++)
		f.segments[i].p_type = PT_NULL;
	refused("it has nothing to load", 0);
}

static void relocations_stay_inside(void **state)
{
	Elf64_Rela *rela = &f.relocations[1];
	uint64_t end = sizeof(f) + ELF_FILE_BSS;

	(void)state;
	rela->r_offset = end - 8;
	assert_int_equal(parse(), 0);
	rela->r_offset = end - 7;
	refused("a relocation lies outside its writable segments", end - 7);
	rela->r_offset = ELF_FILE_TEXT;
	refused("a relocation lies outside its writable segments", ELF_FILE_TEXT);
	rela->r_offset = UINT64_MAX - 3;
	refused("a relocation lies outside its writable segments", UINT64_MAX - 3);
	rela->r_offset = ELF_FILE_DATA;
	rela->r_addend = 0x4001;
	refused("a relocation leads outside its segments", ELF_FILE_DATA);
	rela->r_addend = -1;
	refused("a relocation leads outside its segments", ELF_FILE_DATA);
	rela->r_info = R_X86_64_64;
	refused("it has a relocation that is not relative", ELF_FILE_DATA);
}

static void a_pie_may_have_no_relocations(void **state)
{
	(void)state;
	f.dynamic[0] = (Elf64_Dyn){ DT_NULL, { 0 } };
	assert_int_equal(parse(), 0);
	assert_int_equal(image.nr_relocations, 0);
}

static void a_table_of_relocations_is_inside_the_file(void **state)
{
	(void)state;
	f.dynamic[0].d_un.d_val = 0x9000;
	refused("its table of relocations lies outside its segments", 0x9000);
	f.dynamic[0].d_un.d_val = offsetof(struct elf_file, relocations);
	f.dynamic[1].d_un.d_val = UINT64_MAX / 24 * 24;
	refused("its table of relocations lies outside its segments",
	        offsetof(struct elf_file, relocations));
	f.dynamic[1].d_un.d_val = 47;
	refused("its table of relocations lies outside its segments",
	        offsetof(struct elf_file, relocations));
	f.dynamic[2].d_un.d_val = 16;
	refused("its relocations have an unknown size", 16);
	f.dynamic[2].d_tag = DT_RELRSZ;
	refused("it has relocations of an unknown kind", DT_RELRSZ);
	f.segments[ELF_FILE_DYNAMIC].p_offset = sizeof(f) + 1;
	refused("it is cut short: its dynamic section lies behind its end", sizeof(f) + 1);
}

static void a_file_for_a_dynamic_linker_or_another_libc_is_refused(void **state)
{
	(void)state;
	f.dynamic[2] = (Elf64_Dyn){ DT_NEEDED, { 5 } };
	refused("it needs shared libraries: link it with -static-pie", 5);
	f.segments[ELF_FILE_NOTE].p_type = PT_INTERP;
	refused("it is dynamically linked: link it with -static-pie", ELF_FILE_RODATA);
}

static void thread_local_variables_are_the_programs_if_they_are_whole(void **state)
{
	Elf64_Phdr *tls = &f.segments[ELF_FILE_NOTE];

	(void)state;
	tls->p_type = PT_TLS;
	assert_int_equal(parse(), 0);
	assert_int_equal(image.build_id_size, 0);
	tls->p_align = 24;
	refused("a segment has an alignment that cannot be had", 24);
	tls->p_align = 8;
	tls->p_memsz = tls->p_filesz - 1;
	refused("a segment is larger in the file than in memory", tls->p_vaddr);
	tls->p_memsz = tls->p_filesz;
	tls->p_offset = sizeof(f) - tls->p_filesz + 1;
	refused("it is cut short: a segment lies behind its end", tls->p_offset);
}

static void a_damaged_note_is_no_build_id(void **state)
{
	(void)state;
	f.note.header.n_descsz = 21;
	assert_int_equal(parse(), 0);
	assert_int_equal(image.build_id_size, 0);
	/* the note ends in time, but is longer than any valid one */
	f.segments[ELF_FILE_NOTE].p_filesz += 8;
	assert_int_equal(parse(), 0);
	assert_int_equal(image.build_id_size, 0);
	f.note.header.n_descsz = UINT32_MAX;
	assert_int_equal(parse(), 0);
	f.note.header.n_namesz = UINT32_MAX;
	assert_int_equal(parse(), 0);
	f.segments[ELF_FILE_NOTE].p_offset = sizeof(f) - 3;
	assert_int_equal(parse(), 0);
	assert_int_equal(image.build_id_size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_static_pie_is_understood, make),
		cmocka_unit_test_setup(a_static_executable_stays_where_it_was_linked, make),
		cmocka_unit_test_setup(a_pie_gets_the_alignment_that_it_asks_for, make),
		cmocka_unit_test_setup(the_other_isas_relocations_are_its_own, make),
		cmocka_unit_test_setup(writable_parts_are_copied_again_and_relocated, make),
		cmocka_unit_test_setup(a_file_that_is_no_elf_for_this_machine_is_refused, make),
		cmocka_unit_test_setup(a_file_cut_at_any_length_is_refused, make),
		cmocka_unit_test_setup(segments_that_make_no_sense_are_refused, make),
		cmocka_unit_test_setup(the_entry_point_is_code, make),
		cmocka_unit_test_setup(relocations_stay_inside, make),
		cmocka_unit_test_setup(a_pie_may_have_no_relocations, make),
		cmocka_unit_test_setup(a_table_of_relocations_is_inside_the_file, make),
		cmocka_unit_test_setup(a_file_for_a_dynamic_linker_or_another_libc_is_refused,
		                       make),
		cmocka_unit_test_setup(thread_local_variables_are_the_programs_if_they_are_whole,
		                       make),
		cmocka_unit_test_setup(a_damaged_note_is_no_build_id, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
