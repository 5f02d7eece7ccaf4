/* SPDX-License-Identifier: MIT */
/*
 * A file with any bytes in the directory of --symbols. An image: its own symbol table is read. An
 * ELF file (bit 1 of the first byte): it has the name of a valid image. From either an ELF file is
 * made, in which each function lies in code, none overlaps another, and which is not much larger
 * than its input. First byte odd: the rest are changes to a valid file (tests/fuzz/changes.h); with
 * bits 1 and 2, to the image that a valid ELF file is compared with.
 */
#include <libelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/pe/pe_elf.h"
#include "host-tools/pe/pe_of_elf.h"
#include "host-tools/report/symbols/elf_functions.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/guarded.h"
#include "tests/unit/host-tools/pe/made_elf.h"

/* Larger images are not written, for speed, unless they are refused. */
#define MOST_WRITTEN (32U << 20)
#define MOST_TAKEN   (256U << 20)
#define GOOD_SIZE    (PE_FILE_SIZE + 5 * 18 + 32)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* {value, section, class, name}; a long name, a section's own symbol, data, and a symbol beyond the
 * section. */
static void make_good(uint8_t good[GOOD_SIZE])
{
	static const struct {
		char name[9];
		uint32_t value, string;
		uint8_t section, class;
	} symbols[] = {
		{ "first", 0, 0, 1, 2 },   { "", 0x40, 4, 1, 3 },        { ".text", 0, 0, 1, 3 },
		{ "counter", 0, 0, 2, 2 }, { "beyond", 0x400, 0, 1, 2 },
	};
	uint8_t *at = good + PE_FILE_SIZE;
	struct pe_file file;

	pe_file_make(&file);
	pe_file_put(&file, PE_FILE_COFF + 8, PE_FILE_SIZE, 4);
	pe_file_put(&file, PE_FILE_COFF + 12, 5, 4);
	memset(good, 0, GOOD_SIZE);
	memcpy(good, &file, sizeof(file));
	for (unsigned i = 0; i < 5; i++, at += 18) {
		memcpy(at, symbols[i].name, strlen(symbols[i].name));
		memcpy(at + 4, &symbols[i].string, symbols[i].string ? 4 : 0);
		memcpy(at + 8, &symbols[i].value, 4);
		at[12] = symbols[i].section;
		at[16] = symbols[i].class;
	}
	strcpy((char *)at + 4, "a_function_with_a_name");
}

static void check_functions(const struct pe_functions *functions, const struct pe_image *image)
{
	struct pe_section section;

	for (size_t i = 0; i < functions->count; i++) {
		const struct pe_function *function = &functions->all[i];
		bool in_code = false;

		for (uint32_t s = 0; pe_section(image, s, &section); s++)
			in_code |= pe_section_is_code(&section) && function->rva >= section.rva &&
			           function->rva - section.rva < section.size;
		if (!in_code || !function->size || !*function->name ||
		    (i && function[-1].rva + (uint64_t)function[-1].size > function->rva))
			abort();
	}
}

/* The number of functions in the ELF file that is made of it. */
static int write_and_read(const struct pe_image *image, const struct pe_functions *functions,
                          Elf *dwarf, size_t size)
{
	static const uint8_t id[PE_BUILD_ID] = { 1 };
	struct elf_functions written = { 0 };
	struct error error = { "" };
	struct stat about;
	char path[64];
	int fd = memfd_create("elf", 0), count;
	bool is_tried = image->image_size <= MOST_WRITTEN || image->image_size > MOST_TAKEN;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (is_tried && !pe_elf_write(fd, image, functions, dwarf, id, &error) &&
	    (!elf_functions_load(&written, path) || fstat(fd, &about) ||
	     image->image_size > MOST_TAKEN ||
	     (uint64_t)about.st_size > image->image_size + 64 * (uint64_t)size + 8192))
		abort();
	count = (int)written.count;
	if (written.count > functions->count)
		abort();
	close(fd);
	elf_functions_free(&written);
	return count;
}

/* -1: it is not an image. */
static int look_at(const uint8_t *bytes, size_t size)
{
	struct pe_functions functions = { 0 };
	struct pe_image image;
	const char *why;
	int count;

	if (pe_parse(&image, bytes, size, PE_FILE, &why))
		return -1;
	if (pe_functions_of_coff(&functions, &image))
		functions.count = functions.all ? functions.count : 0;
	check_functions(&functions, &image);
	count = write_and_read(&image, &functions, NULL, size);
	pe_functions_free(&functions);
	return count;
}

/* The ELF file alone, without an image. */
static void look_at_lone_elf(Elf *elf, size_t size)
{
	static const uint8_t id[PE_BUILD_ID] = { 1 };
	struct pe_functions functions = { 0 };
	struct error error = { "" };
	struct pe_image image;
	int64_t moved = 0;
	void *bytes;

	pe_of_elf_is(elf, id);
	if (!pe_of_elf_make(&image, &bytes, elf))
		return;
	if (!pe_functions_of_elf(&functions, &image, elf, &moved, &error)) {
		check_functions(&functions, &image);
		write_and_read(&image, &functions, elf, size);
	}
	pe_functions_free(&functions);
	free(bytes);
}

/* -1: the image was not made of this ELF file. */
static int look_at_elf(const struct pe_image *image, const uint8_t *bytes, size_t size)
{
	uint8_t *copy = guarded_alloc(size); /* libelf is built without sanitizers */
	struct pe_functions functions = { 0 };
	struct error error = { "" };
	int64_t moved = 0;
	int count = -1;
	Elf *elf;

	memcpy(copy, bytes, size);
	elf = elf_memory((char *)copy, size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		look_at_lone_elf(elf, size);
	if (elf && elf_kind(elf) == ELF_K_ELF &&
	    !pe_functions_of_elf(&functions, image, elf, &moved, &error)) {
		check_functions(&functions, image);
		count = write_and_read(image, &functions, elf, size);
	}
	pe_functions_free(&functions);
	elf_end(elf);
	guarded_free(copy, size);
	return count;
}

static int look_at_changed_elf(const uint8_t *changes, size_t size)
{
	struct made_elf made;
	int count;

	made_elf_make(&made);
	made_elf_debug(&made);
	fuzz_change(made.bytes, made.size, changes, size);
	count = look_at_elf(&made.image, made.bytes, made.size);
	made_elf_free(&made);
	return count;
}

/* -1: it is no longer an image, or no longer one of that ELF file. */
static int look_at_changed_image(const uint8_t *changes, size_t size)
{
	struct made_elf made;
	const char *why;
	int count = -1;

	made_elf_make(&made);
	fuzz_change(&made.file, sizeof(made.file), changes, size);
	if (!pe_parse(&made.image, &made.file, sizeof(made.file), PE_FILE, &why))
		count = look_at_elf(&made.image, made.bytes, made.size);
	made_elf_free(&made);
	return count;
}

/* Compare it with the valid image. */
static void look_at_any_elf(const uint8_t *bytes, size_t size)
{
	struct made_elf made = { .size = 0 };

	pe_file_make(&made.file);
	made_elf_parse(&made);
	look_at_elf(&made.image, bytes, size);
}

static int look_at_changed(const uint8_t *changes, size_t size)
{
	static uint8_t good[GOOD_SIZE];

	make_good(good);
	fuzz_change(good, sizeof(good), changes, size);
	return look_at(good, sizeof(good));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const uint8_t image = 1, elf = 3, image_of_elf = 7;

	elf_version(EV_CURRENT);
	if (look_at_changed(NULL, 0) != 2 || look_at_changed_elf(NULL, 0) != 2 ||
	    look_at_changed_image(NULL, 0) != 2)
		abort();
	fuzz_seed(*argc, *argv, "image", &image, 1);
	fuzz_seed(*argc, *argv, "elf", &elf, 1);
	fuzz_seed(*argc, *argv, "image-of-elf", &image_of_elf, 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if ((data[0] & 7) == 7)
		look_at_changed_image(data + 1, size - 1);
	else if ((data[0] & 3) == 3)
		look_at_changed_elf(data + 1, size - 1);
	else if (data[0] & 2)
		look_at_any_elf(data + 1, size - 1);
	else if (data[0] & 1)
		look_at_changed(data + 1, size - 1);
	else
		look_at(data + 1, size - 1);
	return 0;
}
