/* SPDX-License-Identifier: MIT */
/* PE images that linkers and loaders make, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tests/unit/lib/parse/pe_file.h"

static struct pe_file file;
static uint8_t memory[PE_FILE_SPAN];
static struct pe_image image;

static void parse(const void *bytes, uint64_t size, enum pe_form form)
{
	const char *why = "";

	assert_int_equal(pe_parse(&image, bytes, size, form, &why), 0);
}

static int set_up(void **state)
{
	(void)state;
	pe_file_make(&file);
	parse(&file, sizeof(file), PE_FILE);
	return 0;
}

static void load(uint64_t address)
{
	pe_file_load(&file, memory, address);
	parse(memory, sizeof(memory), PE_MAPPED);
}

static void headers_show_the_kind_of_file(void **state)
{
	(void)state;
	for (int mapped = 0; mapped < 2; mapped++) {
		if (mapped)
			load(0x7e000000);
		assert_int_equal(image.machine, PE_MACHINE_AMD64);
		assert_int_equal(image.subsystem, PE_EFI_BOOT_SERVICE_DRIVER);
		assert_int_equal(image.entry, PE_FILE_ENTRY);
		assert_int_equal(image.image_size, PE_FILE_SPAN);
		assert_int_equal(image.headers_size, 0x200);
		assert_int_equal(image.section_count, 3);
		assert_int_equal(image.image_base, mapped ? 0x7e000000 : 0);
	}
}

static void sections_are_named_with_their_places(void **state)
{
	struct pe_section section;

	(void)state;
	assert_true(pe_section(&image, 1, &section));
	assert_string_equal(section.name, ".data");
	assert_int_equal(section.rva, PE_FILE_DATA);
	assert_int_equal(section.size, 0x900);
	assert_int_equal(section.file_size, 0x100);
	assert_int_equal(section.file_offset, PE_FILE_AT_DATA);
	assert_false(pe_section_is_code(&section));
	assert_true(pe_section(&image, 0, &section));
	assert_true(pe_section_is_code(&section));
	assert_false(pe_section(&image, 3, &section));
	memcpy(file.bytes + PE_FILE_SECTIONS, "12345678", 8);
	pe_file_put(&file, PE_FILE_SECTIONS + 8, 0, 4); /* VirtualSize */
	assert_true(pe_section(&image, 0, &section));
	assert_string_equal(section.name, "12345678");
	assert_int_equal(section.size, 0x200);
	pe_file_put(&file, PE_FILE_SECTIONS + 8, UINT32_MAX, 4); /* beyond all RVAs */
	assert_true(pe_section(&image, 0, &section));
	assert_int_equal(section.size, UINT32_MAX - PE_FILE_TEXT);
}

static void an_rva_is_where_the_form_has_it(void **state)
{
	(void)state;
	assert_ptr_equal(pe_at(&image, 0x10, 0x1f0), file.bytes + 0x10);
	assert_ptr_equal(pe_at(&image, PE_FILE_DATA + 1, 0xff), file.bytes + PE_FILE_AT_DATA + 1);
	assert_null(pe_at(&image, PE_FILE_DATA + 1, 0x100)); /* the rest is .bss */
	assert_null(pe_at(&image, PE_FILE_TEXT + 0x1f0, 6)); /* padding of the file */
	assert_null(pe_at(&image, 0x300, 1));
	assert_null(pe_at(&image, UINT32_MAX, 2));
	assert_null(pe_at(&image, PE_FILE_TEXT, UINT64_MAX));
	load(0x1000);
	assert_ptr_equal(pe_at(&image, PE_FILE_DATA, 0x900), memory + PE_FILE_DATA);
	assert_non_null(pe_at(&image, 0, PE_FILE_SPAN));
	assert_null(pe_at(&image, 1, PE_FILE_SPAN));
}

static void refuse(uint64_t size, const char *what)
{
	const char *why = "";

	assert_int_equal(pe_parse(&image, &file, size, PE_FILE, &why), -ENOEXEC);
	assert_string_equal(why, what);
}

static void a_file_that_is_no_such_image_is_refused_with_the_reason(void **state)
{
	(void)state;
	refuse(0, "it is not a PE image");
	refuse(0x43, "it is not a PE image");
	refuse(0x57, "it is cut short: its headers lie behind its end");
	refuse(0x59, "it is cut short: its headers lie behind its end");
	refuse(0xc7, "it is cut short: its headers lie behind its end");
	refuse(0x1bf, "it is cut short: its sections' table lies behind its end");
	pe_file_put(&file, PE_FILE_COFF + 2, 97, 2);
	refuse(sizeof(file), "it has too many sections");
	pe_file_put(&file, PE_FILE_COFF + 16, 111, 2);
	refuse(sizeof(file), "it is cut short: its headers lie behind its end");
	pe_file_put(&file, PE_FILE_OPTIONAL, 0x10b, 2);
	refuse(sizeof(file), "it is a 32-bit PE image");
	pe_file_put(&file, PE_FILE_OPTIONAL, 0x107, 2);
	refuse(sizeof(file), "its optional header is of an unknown kind");
	pe_file_put(&file, 0x3c, UINT32_MAX, 4);
	refuse(sizeof(file), "it is not a PE image");
	memcpy(file.bytes, "VZ", 2); /* a TE image */
	refuse(sizeof(file), "it is not a PE image");
}

static void few_directories_are_none(void **state)
{
	(void)state;
	pe_file_put(&file, PE_FILE_OPTIONAL + 108, 6, 4); /* only directories up to relocations */
	parse(&file, sizeof(file), PE_FILE);
	assert_int_equal(image.relocations.size, 0x10);
	assert_int_equal(image.debug.size, 0);
	pe_file_put(&file, PE_FILE_OPTIONAL + 108, UINT32_MAX, 4);
	/* the header ends before the debug directory */
	pe_file_put(&file, PE_FILE_COFF + 16, 112 + 8 * 6, 2);
	parse(&file, sizeof(file), PE_FILE);
	assert_int_equal(image.debug.size, 0);
}

static void expect_debug(enum pe_debug_kind kind, const char *path)
{
	struct pe_debug debug;

	pe_debug_find(&image, &debug);
	assert_int_equal(debug.kind, kind);
	assert_int_equal(debug.path_size, strlen(path));
	if (*path)
		assert_memory_equal(debug.path, path, strlen(path));
}

static void codeview_names_the_path(void **state)
{
	static const uint32_t rsds[5] = { 1, 2, 3, 4, 9 }, mtoc[4] = { 5, 6, 7, 8 };
	static const uint32_t nb10[3] = { 0, 0x1234, 1 };
	struct pe_debug debug;
	uint32_t at = 0;

	(void)state;
	expect_debug(PE_DEBUG_NB10, PE_FILE_PATH);
	pe_file_debug(&file, 1, "NB10", nb10, sizeof(nb10), "c:\\x.pdb");
	pe_debug_find(&image, &debug);
	assert_int_equal(debug.signature, 0x1234);
	pe_file_debug(&file, 1, "RSDS", rsds, sizeof(rsds), "x.pdb");
	expect_debug(PE_DEBUG_RSDS, "x.pdb");
	pe_debug_find(&image, &debug);
	assert_memory_equal(debug.id, rsds, 16);
	assert_int_equal(debug.age, 9);
	pe_file_debug(&file, 1, "MTOC", mtoc, sizeof(mtoc), "/d/x.dll");
	expect_debug(PE_DEBUG_MTOC, "/d/x.dll");
	load(0x5000); /* memory contains it as well */
	expect_debug(PE_DEBUG_MTOC, "/d/x.dll");
	pe_debug_find(&image, &debug);
	assert_memory_equal(debug.id, mtoc, 16);
	assert_true(pe_debug_next(&image, &at, &debug));
	assert_int_equal(at, 2);
	assert_false(pe_debug_next(&image, &at, &debug));
}

static void an_entry_with_an_id_comes_before_one_without(void **state)
{
	static const uint32_t words[5] = { 1 };
	static const uint32_t none[5];

	(void)state;
	pe_file_debug(&file, 0, "RSDS", none, sizeof(none), "none");
	expect_debug(PE_DEBUG_RSDS, "none");
	pe_file_debug(&file, 1, "RSDS", words, sizeof(words), "second");
	expect_debug(PE_DEBUG_RSDS, "second");
	pe_file_debug(&file, 0, "MTOC", words, 16, "first");
	expect_debug(PE_DEBUG_MTOC, "first");
}

static void damaged_debug_entries_are_none(void **state)
{
	const uint32_t entry = PE_FILE_AT_DATA + 0x40 + 28;

	(void)state;
	pe_file_put(&file, entry + 16, 16 + 3, 4); /* no room for the whole path, nor for its end */
	expect_debug(PE_DEBUG_NB10, "/b/");
	pe_file_put(&file, entry + 16, 16, 4);
	expect_debug(PE_DEBUG_NB10, "");
	pe_file_put(&file, entry + 16, 15, 4);
	expect_debug(PE_DEBUG_NONE, "");
	pe_file_put(&file, entry + 16, UINT32_MAX, 4);
	expect_debug(PE_DEBUG_NONE, "");
	pe_file_put(&file, entry + 16, 40, 4);
	expect_debug(PE_DEBUG_NB10, "/b/X64/Demo/DEBUG/Demo.d");
	pe_file_put(&file, entry + 20, 0, 4); /* not in memory */
	expect_debug(PE_DEBUG_NONE, "");
	image.debug.size = 2 * 28 + 17; /* with the data that it points to, as GenFw counts */
	pe_file_put(&file, entry + 20, PE_FILE_DATA + 0xc0, 4);
	expect_debug(PE_DEBUG_NB10, "/b/X64/Demo/DEBUG/Demo.d");
	image.debug.rva = UINT32_MAX - 8;
	expect_debug(PE_DEBUG_NONE, "");
}

/* ---- Identity ---- */

static void identity(uint8_t id[PE_BUILD_ID])
{
	assert_true(pe_build_id(&image, id));
}

static void a_build_has_one_identity_in_its_file_and_at_every_address(void **state)
{
	static const uint64_t addresses[] = { 0, 0x1000, 0x7e123000, 0xffffffff00000000 };
	uint8_t of_file[PE_BUILD_ID], of_memory[PE_BUILD_ID];

	(void)state;
	identity(of_file);
	for (unsigned i = 0; i < 4; i++) {
		load(addresses[i]);
		memory[PE_FILE_DATA + 0x10] ^= 0xff; /* variables change */
		memory[PE_FILE_TEXT + 0x1f5] ^= 0xff;
		identity(of_memory);
		assert_memory_equal(of_memory, of_file, PE_HASH);
	}
}

/* Relocated numbers at multiples of 8, as compilers place them: everything is equal. */
static void the_elf_files_identity_is_the_same_in_file_and_memory(void **state)
{
	uint8_t of_file[PE_BUILD_ID], of_memory[PE_BUILD_ID];

	(void)state;
	pe_file_put(&file, PE_FILE_AT_RELOC + 8, 0xa000 | 0x80, 2);
	pe_file_put(&file, PE_FILE_AT_RELOC + 10, 0xa000 | 0xc0, 2);
	pe_file_put(&file, PE_FILE_AT_TEXT + 0x80, PE_FILE_TEXT, 8);
	pe_file_put(&file, PE_FILE_AT_TEXT + 0xc0, PE_FILE_DATA, 8);
	parse(&file, sizeof(file), PE_FILE);
	identity(of_file);
	load(0x7e123000);
	identity(of_memory);
	assert_memory_equal(of_memory, of_file, PE_BUILD_ID);
	assert_true(pe_is_hashed(&image));
	parse(&file, sizeof(file), PE_FILE);
	file.bytes[PE_FILE_AT_TEXT + 0x100] ^= 1;
	identity(of_memory);
	assert_memory_not_equal(of_memory + PE_HASH, of_file + PE_HASH, PE_BUILD_ID - PE_HASH);
}

static void another_build_has_another_identity(void **state)
{
	/* entry, SizeOfImage, subsystem; a name, size and flags; code: its first and last byte,
	 * those beside relocated ones; the path */
	static const uint32_t places[] = {
		PE_FILE_OPTIONAL + 16,  PE_FILE_OPTIONAL + 56,   PE_FILE_OPTIONAL + 68,
		PE_FILE_SECTIONS + 1,   PE_FILE_SECTIONS + 48,   PE_FILE_SECTIONS + 39,
		PE_FILE_AT_TEXT,        PE_FILE_AT_TEXT + 0x1f4, PE_FILE_AT_TEXT + 0x82,
		PE_FILE_AT_TEXT + 0x93, PE_FILE_AT_TEXT + 0x1f,  PE_FILE_AT_TEXT + 0x28,
		PE_FILE_AT_DATA + 0xd8,
	};
	uint8_t seen[sizeof(places) / sizeof(places[0]) + 1][PE_BUILD_ID];

	(void)state;
	identity(seen[0]);
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		file.bytes[places[i]] ^= 0x80;
		parse(&file, sizeof(file), PE_FILE);
		identity(seen[i + 1]);
		for (unsigned k = 0; k <= i; k++)
			assert_memory_not_equal(seen[i + 1], seen[k], 16);
		file.bytes[places[i]] ^= 0x80;
	}
}

static void bytes_that_change_places_are_another_build(void **state)
{
	uint8_t before[PE_BUILD_ID], after[PE_BUILD_ID], word[8];
	uint8_t *text = file.bytes + PE_FILE_AT_TEXT;

	(void)state;
	identity(before);
	memcpy(word, text + 0x100, 8);
	memcpy(text + 0x100, text + 0x140, 8);
	memcpy(text + 0x140, word, 8);
	identity(after);
	assert_memory_not_equal(before, after, 16);
}

static void a_guid_is_the_identity(void **state)
{
	static const uint32_t words[5] = { 1, 2, 3, 4, 0x01020304 }, zero[5] = { 0, 0, 0, 0, 7 };
	static const uint8_t age[] = { 4, 3, 2, 1 }, none[4];
	uint8_t id[PE_BUILD_ID], other[PE_BUILD_ID];

	(void)state;
	pe_file_debug(&file, 1, "RSDS", words, sizeof(words), "x.pdb");
	identity(id);
	assert_false(pe_is_hashed(&image));
	assert_memory_equal(id, words, 16);
	assert_memory_equal(id + 16, age, 4);
	pe_file_debug(&file, 1, "MTOC", words, 16, "x.dll");
	identity(id);
	assert_memory_equal(id, words, 16);
	assert_memory_equal(id + 16, none, 4);
	pe_file_debug(&file, 1, "RSDS", zero, sizeof(zero), "x.pdb");
	identity(id);
	file.bytes[PE_FILE_AT_TEXT] ^= 1;
	identity(other);
	assert_memory_not_equal(id, other, 16);
}

static void code_that_is_not_there_has_no_identity(void **state)
{
	static const uint8_t none[PE_BUILD_ID];
	uint8_t id[PE_BUILD_ID] = { 1 };

	(void)state;
	parse(&file, PE_FILE_AT_TEXT + 0x1f4, PE_FILE);
	assert_false(pe_build_id(&image, id));
	assert_memory_equal(id, none, sizeof(id));
	parse(&file, PE_FILE_AT_TEXT + 0x1f5, PE_FILE);
	assert_true(pe_build_id(&image, id));
	/* all three have the same code, which is longer than the file's */
	for (unsigned i = 1; i < 3; i++)
		memcpy(file.bytes + PE_FILE_SECTIONS + 40 * i, file.bytes + PE_FILE_SECTIONS, 40);
	assert_false(pe_build_id(&image, id));
}

static void damaged_relocations_end_the_list(void **state)
{
	uint8_t whole[PE_BUILD_ID], id[PE_BUILD_ID], none[PE_BUILD_ID];

	(void)state;
	identity(whole);
	pe_file_put(&file, PE_FILE_AT_RELOC + 4, 17, 4); /* beyond the directory */
	identity(none);
	assert_memory_not_equal(whole, none, 16);
	for (uint32_t size = 0; size < 8; size++) {
		pe_file_put(&file, PE_FILE_AT_RELOC + 4, size, 4);
		identity(id);
		assert_memory_equal(id, none, PE_BUILD_ID);
	}
	pe_file_put(&file, PE_FILE_AT_RELOC + 4, 15, 4); /* three entries and a half */
	identity(id);
	assert_memory_not_equal(id, none, 16);
}

/* ---- Hostile bytes ---- */

static void cut_short_anywhere_nothing_behind_the_end_is_read(void **state)
{
	const char *why;

	(void)state;
	load(0x40000000);
	for (uint64_t size = 0; size < PE_FILE_SPAN; size += size < 0x300 ? 1 : 61) {
		uint8_t *cut = malloc(size ? size : 1);

		for (int mapped = 0; mapped < 2; mapped++) {
			if (!mapped && size > sizeof(file))
				continue;
			memcpy(cut, mapped ? memory : file.bytes, size);
			if (!pe_parse(&image, cut, size, mapped ? PE_MAPPED : PE_FILE, &why))
				pe_file_look(&image);
		}
		free(cut);
	}
}

static void no_byte_of_it_is_trusted(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint8_t *bytes = malloc(PE_FILE_SIZE);
	const char *why;

	(void)state;
	for (uint32_t i = 0; i < sizeof(file); i++) {
		if (i >= PE_FILE_AT_TEXT && i < PE_FILE_AT_DATA)
			continue;
		for (unsigned v = 0; v < sizeof(values); v++) {
			memcpy(bytes, &file, sizeof(file));
			bytes[i] = values[v];
			for (int form = PE_FILE; form <= PE_MAPPED; form++) {
				if (!pe_parse(&image, bytes, sizeof(file), form, &why))
					pe_file_look(&image);
			}
		}
	}
	free(bytes);
}

static void a_path_ends_in_the_modules_name(void **state)
{
	static const char *const names[][2] = {
		{ "/b/X64/NvmExpressDxe/DEBUG/NvmExpressDxe.dll", "NvmExpressDxe" },
		{ "NvmExpressDxe.efi", "NvmExpressDxe" },
		{ "c:\\src\\Build\\Fat.pdb", "Fat" },
		{ "\\EFI\\BOOT/grubx64.efi", "grubx64" },
		{ "/a.b/c", "c" },
		{ "x.y.efi", "x.y" },
		{ ".efi", ".efi" },
		{ "/d/.hidden", ".hidden" },
		{ "/d/", "" },
		{ "", "" },
		{ "a\"b\x1b[m\xc3\xa4 '.efi", "a?b?[m?? ?" },
		{ "a_name_that_is_longer_than_there_is_room_for",
		  "a_name_that_is_longer_than_ther" },
	};
	char name[32];

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(
		    pe_module_name(names[i][0], strlen(names[i][0]), name, sizeof(name)),
		    strlen(names[i][1]));
		assert_string_equal(name, names[i][1]);
	}
	assert_int_equal(pe_module_name("/x/Fat.dll", 4, name, sizeof(name)), 1);
	assert_string_equal(name, "F");
	assert_int_equal(pe_module_name("Fat", 3, name, 1), 0);
	assert_string_equal(name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(headers_show_the_kind_of_file, set_up),
		cmocka_unit_test_setup(sections_are_named_with_their_places, set_up),
		cmocka_unit_test_setup(an_rva_is_where_the_form_has_it, set_up),
		cmocka_unit_test_setup(a_file_that_is_no_such_image_is_refused_with_the_reason,
		                       set_up),
		cmocka_unit_test_setup(few_directories_are_none, set_up),
		cmocka_unit_test_setup(codeview_names_the_path, set_up),
		cmocka_unit_test_setup(an_entry_with_an_id_comes_before_one_without, set_up),
		cmocka_unit_test_setup(damaged_debug_entries_are_none, set_up),
		cmocka_unit_test_setup(a_build_has_one_identity_in_its_file_and_at_every_address,
		                       set_up),
		cmocka_unit_test_setup(the_elf_files_identity_is_the_same_in_file_and_memory,
		                       set_up),
		cmocka_unit_test_setup(another_build_has_another_identity, set_up),
		cmocka_unit_test_setup(bytes_that_change_places_are_another_build, set_up),
		cmocka_unit_test_setup(a_guid_is_the_identity, set_up),
		cmocka_unit_test_setup(code_that_is_not_there_has_no_identity, set_up),
		cmocka_unit_test_setup(damaged_relocations_end_the_list, set_up),
		cmocka_unit_test_setup(cut_short_anywhere_nothing_behind_the_end_is_read, set_up),
		cmocka_unit_test_setup(no_byte_of_it_is_trusted, set_up),
		cmocka_unit_test(a_path_ends_in_the_modules_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
