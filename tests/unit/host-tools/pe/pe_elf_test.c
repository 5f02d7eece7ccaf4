/* SPDX-License-Identifier: MIT */
/* The ELF file that is written for an image: what perf's address computation, its build-ids and
 * objdump need. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/report/symbols/elf_functions.h"
#include "tests/unit/host-tools/pe/pe_rig.h"

static const uint8_t id[PE_BUILD_ID] = { 0xde, 0xad };

/* Write into the file at path. */
static int write_elf(const struct pe_functions *functions, Elf *dwarf, char path[64])
{
	int fd = memfd_create("elf", 0);

	made_elf_parse(&made);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	assert_int_equal(pe_elf_write(fd, &made.image, functions, dwarf, id, &error), 0);
	return fd;
}

static void assert_code(const struct made_elf *of, uint16_t machine)
{
	const Elf64_Ehdr *header = made_elf_header(of);
	const Elf64_Phdr *segment = (const void *)(of->bytes + header->e_phoff);
	const Elf64_Shdr *text = made_elf_section(of, SHT_PROGBITS);

	assert_int_equal(header->e_type, ET_DYN);
	assert_int_equal(header->e_machine, machine);
	assert_int_equal(header->e_entry, PE_FILE_ENTRY);
	assert_int_equal(segment->p_type, PT_LOAD);
	assert_int_equal(segment->p_flags, PF_R | PF_X);
	assert_int_equal(segment->p_vaddr, PE_FILE_TEXT);
	assert_int_equal(segment->p_filesz, MADE_ELF_CODE);
	assert_int_equal(segment->p_offset, PE_FILE_TEXT);
	assert_int_equal(text->sh_flags, SHF_ALLOC | SHF_EXECINSTR);
	assert_int_equal(text->sh_addr, PE_FILE_TEXT);
	assert_int_equal(text->sh_offset, PE_FILE_TEXT);
	assert_int_equal(text->sh_size, MADE_ELF_CODE);
	assert_memory_equal(of->bytes + PE_FILE_TEXT, of->file.bytes + PE_FILE_AT_TEXT,
	                    MADE_ELF_CODE);
}

static void an_address_and_an_offset_in_it_are_an_rva(void **state)
{
	(void)state;
	assert_code(&made, EM_X86_64);
	made_elf_free(&made);
	pe_file_put(&made.file, PE_FILE_COFF, PE_MACHINE_ARM64, 2);
	made.elf = NULL;
	made_elf_write(&made);
	assert_code(&made, EM_AARCH64);
}

static void the_elf_file_has_the_build_id_and_the_functions(void **state)
{
	struct pe_function all[] = {
		{ .rva = PE_FILE_TEXT, .size = 3, .name = (char[]){ "One" } },
		{ .rva = PE_FILE_TEXT + 3, .size = 7, .name = (char[]){ "Two" } },
		{ .rva = PE_FILE_DATA, .size = 7, .name = (char[]){ "NoCode" } },
		{ .rva = PE_FILE_TEXT + 0x1f4, .size = 1, .name = (char[]){ "Last" } }
	};
	struct elf_functions written = { 0 };
	char path[64];
	int fd = write_elf(&(struct pe_functions){ all, 4 }, NULL, path);

	(void)state;
	assert_true(buildid_is_of(path, id, sizeof(id)));
	assert_true(elf_functions_load(&written, path));
	assert_int_equal(written.count, 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct pe_function *function = &all[i + i / 2];

		assert_string_equal(written.all[i].name, function->name);
		assert_int_equal(written.all[i].offset, function->rva);
		assert_int_equal(written.all[i].size, function->size);
	}
	elf_functions_free(&written);
	close(fd);
}

static const void *section(Elf *elf, const char *wanted, size_t *size)
{
	Elf_Scn *at = NULL;
	size_t names = 0;

	elf_getshdrstrndx(elf, &names);
	while ((at = elf_nextscn(elf, at))) {
		Elf_Data *data = elf_rawdata(at, NULL);

		if (!strcmp(elf_strptr(elf, names, elf64_getshdr(at)->sh_name), wanted)) {
			*size = data->d_size;
			return data->d_buf;
		}
	}
	return NULL;
}

static void the_elf_file_has_only_the_dwarf_sections_that_debuggers_read(void **state)
{
	const struct pe_functions none = { 0 };
	int own = open("/proc/self/exe", O_RDONLY), fd;
	Elf *from = elf_begin(own, ELF_C_READ, NULL), *to;
	const void *expected, *found;
	size_t size = 0, found_size = 0;
	char path[64];

	(void)state;
	fd = write_elf(&none, from, path);
	to = elf_begin(fd, ELF_C_READ, NULL);
	expected = section(from, ".debug_info", &size);
	found = section(to, ".debug_info", &found_size);
	assert_non_null(expected);
	assert_non_null(found);
	assert_int_equal(size, found_size);
	assert_memory_equal(expected, found, size);
	assert_non_null(section(to, ".debug_line", &size));
	assert_non_null(section(from, ".rodata", &size));
	assert_null(section(to, ".rodata", &size));
	section(to, ".text", &size);
	assert_int_equal(size, MADE_ELF_CODE);
	elf_end(from);
	elf_end(to);
	close(own);
	close(fd);
}

static off_t written_size(void)
{
	const struct pe_functions none = { 0 };
	struct stat about;
	char path[64];
	int fd = write_elf(&none, made_elf_open(&made), path);

	assert_int_equal(fstat(fd, &about), 0);
	close(fd);
	return about.st_size;
}

static void false_sizes_in_dwarf_do_not_enlarge_the_file(void **state)
{
	Elf64_Shdr *debug = made_elf_debug(&made);
	off_t least = written_size();

	(void)state;
	debug->sh_addralign = 1ULL << 40;
	assert_in_range(written_size(), least, least + 16);
	debug->sh_addralign = UINT64_MAX;
	assert_in_range(written_size(), least, least + 16);
	debug->sh_addralign = 1;
	debug->sh_offset = 0;
	/* the claimed sizes: the whole file, and the same for a second section */
	debug->sh_size = made.size;
	assert_in_range(written_size(), least, least + (off_t)made.size);
	*made_elf_section(&made, SHT_STRTAB) = *debug;
	assert_in_range(written_size(), least, least + (off_t)made.size);
}

/* Make the image's second section one of code, at this address. */
static unsigned code_sections(uint32_t rva)
{
	const struct pe_functions none = { 0 };
	unsigned count = 0;
	char path[64];
	size_t headers;
	Elf *elf;
	int fd;

	pe_file_put(&made.file, PE_FILE_SECTIONS + 40 + 36, PE_SECTION_CODE, 4);
	pe_file_put(&made.file, PE_FILE_SECTIONS + 40 + 12, rva, 4);
	fd = write_elf(&none, NULL, path);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_int_equal(elf_getphdrnum(elf, &headers), 0);
	for (size_t i = 0; i < headers; i++)
		count += elf64_getphdr(elf)[i].p_type == PT_LOAD;
	elf_end(elf);
	close(fd);
	return count;
}

static void a_section_over_another_or_over_the_header_is_left_out(void **state)
{
	(void)state;
	assert_int_equal(code_sections(PE_FILE_DATA), 2);
	assert_int_equal(code_sections(PE_FILE_TEXT + 0x1f5), 2);
	assert_int_equal(code_sections(PE_FILE_TEXT + 0x1f4), 1);
	assert_int_equal(code_sections(0x20), 1);
	assert_int_equal(code_sections(PE_FILE_SPAN - 0xff), 1); /* beyond the image */
	assert_int_equal(code_sections(PE_FILE_SPAN - 0x100), 2);
}

static void a_failed_write_is_reported(void **state)
{
	const struct pe_functions none = { 0 };
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(pe_elf_write(fd, &made.image, &none, NULL, id, &error) < 0);
	assert_non_null(strstr(error.text, "making an ELF file: "));
	assert_null(strstr(error.text, "no error")); /* libelf's own error message is not lost */
	close(fd);
	fd = memfd_create("elf", 0);
	made.image.image_size = (256U << 20) + 1;
	assert_int_equal(pe_elf_write(fd, &made.image, &none, NULL, id, &error), -EFBIG);
	assert_string_equal(error.text, "the image claims to be larger than 256 MiB");
	pe_file_put(&made.file, PE_FILE_SECTIONS + 36, 0, 4);
	made_elf_parse(&made);
	assert_true(pe_elf_write(fd, &made.image, &none, NULL, id, &error) < 0);
	assert_string_equal(error.text, "making an ELF file: the image has no code");
	made.image.machine = 0x5064; /* RISC-V */
	assert_int_equal(pe_elf_write(fd, &made.image, &none, NULL, id, &error), -ENODATA);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pe_rig_setup, pe_rig_teardown)
		TEST(an_address_and_an_offset_in_it_are_an_rva),
		TEST(the_elf_file_has_the_build_id_and_the_functions),
		TEST(the_elf_file_has_only_the_dwarf_sections_that_debuggers_read),
		TEST(false_sizes_in_dwarf_do_not_enlarge_the_file),
		TEST(a_section_over_another_or_over_the_header_is_left_out),
		TEST(a_failed_write_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
