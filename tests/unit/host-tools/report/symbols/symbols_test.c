/* SPDX-License-Identifier: MIT */
/* The image at an address at a time, and the function in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/report/symbols/symbols.h"
#include "tests/unit/host-tools/pe/made_elf.h"
#include "tests/unit/temporary.h"
#include "writer/perfdata/perf_file.h"

#define BASE 0x7e000000UL
#define SPAN 0x4000UL

static const uint8_t id[PE_BUILD_ID] = { 1 }; /* the id of made_elf.h */
static char directory[PATH_MAX];
static struct symbols *symbols;

static int setup(void **state)
{
	(void)state;
	temporary_path(directory, "symbols");
	symbols = symbols_new(NULL);
	return mkdir(directory, 0700) || setenv("PERF_BUILDID_DIR", directory, 1);
}

static int teardown(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	symbols_free(symbols);
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command); /* NOLINT(cert-env33-c): a command of this test */
}

/* is_reported: firmware has reported the image; otherwise it is one of bareperf's own. */
static void add(bool is_reported, const char *name, uint64_t address, uint64_t size, uint64_t time)
{
	size_t bytes = sizeof(struct perf_record_mmap2) + (strlen(name) + 8) / 8 * 8;
	struct perf_record_mmap2 *record = calloc(1, bytes);

	record->header = (struct perf_event_header){ PERF_RECORD_MMAP2, 0, (uint16_t)bytes };
	record->addr = address;
	record->len = size;
	if (is_reported) {
		record->header.misc = PERF_RECORD_MISC_MMAP_BUILD_ID;
		record->build_id_size = sizeof(id);
		memcpy(record->build_id, id, sizeof(id));
		record->build_id[1] = strcmp(name, "Known.efi") ? (uint8_t)name[0] : 0;
	}
	memcpy(record->filename, name, strlen(name) + 1);
	symbols_add(symbols, &record->header, time);
	free(record);
}

/* Each name has another build-id. */
static void load(const char *name, uint64_t address, uint64_t size, uint64_t time)
{
	add(true, name, address, size, time);
}

static const char *name_at(uint64_t address, uint64_t time)
{
	return symbols_name(symbols, symbols_at(symbols, address, time));
}

/* The state that pe_search_cache() leaves. */
static void cache_known(void)
{
	char path[PATH_MAX + 16];
	struct error error;
	struct made_elf made;
	FILE *file;

	made_elf_make(&made);
	snprintf(path, sizeof(path), "%s/elf", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	fclose(file);
	assert_int_equal(buildid_cache_put(path, "[uefi]/Known.efi", id, sizeof(id), &error), 0);
	made_elf_free(&made);
}

static void a_function_is_found_wherever_its_image_was_loaded(void **state)
{
	struct symbol_code code;
	struct symbol symbol;

	(void)state;
	cache_known();
	load("Known.efi", BASE, SPAN, 0);
	load("/b/Known.dll", BASE + SPAN, SPAN, 0); /* an unknown build */
	symbol = symbols_find(symbols, BASE + MADE_ELF_SECOND + 15);
	assert_string_equal(symbol.name, "Second");
	assert_string_equal(symbol.file, "Known.efi");
	assert_string_equal(symbol.module, "Known");
	assert_int_equal(symbol.offset, MADE_ELF_SECOND + 15);
	assert_true(symbols_code(symbols, BASE + MADE_ELF_SECOND + 15, &code));
	assert_int_equal(code.address, BASE + MADE_ELF_SECOND);
	assert_int_equal(code.offset, MADE_ELF_SECOND);
	assert_int_equal(code.size, 16);
	assert_string_equal(name_at(BASE + MADE_ELF_FIRST, 9), "First");
	assert_string_equal(name_at(BASE + MADE_ELF_FIRST + 16, 9), "Known+0x1020");
	assert_string_equal(name_at(BASE + SPAN + MADE_ELF_FIRST, 9), "Known+0x1010");
}

static void without_symbols_an_address_is_the_modules(void **state)
{
	(void)state;
	load("/edk2/NvmExpressDxe/DEBUG/NvmExpressDxe.dll", BASE, SPAN, 0);
	load("\\tools\\APP.EFI", BASE + SPAN, SPAN, 0);
	assert_string_equal(name_at(BASE + 0x1a40, 0), "NvmExpressDxe+0x1a40");
	assert_string_equal(name_at(BASE + SPAN, 0), "APP+0x0");
	assert_string_equal(name_at(BASE + 2 * SPAN, 0), "0x7e008000");
	assert_null(symbols_known(symbols, BASE + 0x1a40));
	add(false, "bareperf.efi", BASE + 3 * SPAN, SPAN, 0); /* its offsets are no RVAs */
	assert_string_equal(name_at(BASE + 3 * SPAN, 0), "bareperf.efi+0x0");
	assert_null(symbols_find(symbols, BASE + 3 * SPAN).module);
}

static void an_address_is_its_times_image(void **state)
{
	uint64_t now = BASE + MADE_ELF_FIRST;

	(void)state;
	cache_known();
	load("First.efi", BASE, SPAN, 100);
	load("Known.efi", BASE, SPAN, 200);
	load("Third.efi", BASE + 0x2000, SPAN, 300); /* over half of it */
	assert_string_equal(name_at(now, 99), "0x7e001010");
	assert_string_equal(name_at(now, 100), "First+0x1010");
	assert_string_equal(name_at(now, 199), "First+0x1010");
	assert_string_equal(name_at(now, 200), "First");
	assert_string_equal(name_at(now, 1000), "First");
	assert_string_equal(name_at(BASE + 0x2000, 299), "Known+0x2000");
	assert_string_equal(name_at(BASE + 0x2000, 300), "Third+0x0");
	assert_string_equal(name_at(BASE + SPAN, 299), "0x7e004000");
	assert_string_equal(name_at(BASE + 0x2000, 0), "Third+0x0"); /* without a time */
	assert_int_equal(symbols_at(symbols, now, 1000), now);
	assert_ptr_equal(symbols_find(symbols, symbols_at(symbols, now, 150)).module,
	                 symbols_find(symbols, symbols_at(symbols, now + 1, 150)).module);
	/* this image is reported last, because its record is in another ring */
	load("Early.efi", BASE, SPAN, 50);
	assert_string_equal(name_at(now, 60), "Early+0x1010");
	assert_string_equal(name_at(now, 199), "First+0x1010");
	assert_string_equal(name_at(now, 1000), "First");
}

/* The result does not depend on earlier queries. */
static void assert_real(uint64_t address, uint64_t time)
{
	assert_int_equal(symbols_real(symbols, symbols_at(symbols, address, time)), address);
}

static void an_address_of_the_past_is_the_machines(void **state)
{
	const uint64_t high = 0xffff800000000000;
	struct symbol_code code;

	(void)state;
	cache_known();
	load("Known.efi", BASE, SPAN, 100);
	load("Second.efi", BASE, SPAN, 200);
	load("High.efi", high, SPAN, 300);
	for (uint64_t time = 0; time <= 400; time += 50) {
		assert_real(BASE + 0x1010, time);
		assert_real(BASE - 1, time);
		assert_real(high + SPAN - 1, time);
	}
	assert_string_equal(name_at(high + 16, 299), "0xffff800000000010");
	assert_int_equal(symbols_find(symbols, symbols_at(symbols, high, 299)).offset, high);
	assert_true(
	    symbols_code(symbols, symbols_at(symbols, BASE + MADE_ELF_SECOND + 1, 150), &code));
	assert_int_equal(code.address, BASE + MADE_ELF_SECOND);
	load("Known.efi", BASE, SPAN, 500);
	assert_int_equal(symbols_at(symbols, BASE, 150), BASE);
	load("Last.efi", BASE, SPAN, 600);
	assert_int_equal(symbols_at(symbols, BASE, 150), symbols_at(symbols, BASE, 550));
}

static void an_image_that_is_loaded_again_is_the_same_file(void **state)
{
	const char *name;

	(void)state;
	load("First.efi", BASE, SPAN, 100);
	load("Second.efi", BASE, SPAN, 200);
	load("First.efi", BASE + SPAN, SPAN, 300);
	name = symbols_find(symbols, symbols_at(symbols, BASE, 150)).file;
	assert_string_equal(name, "First.efi");
	assert_ptr_equal(symbols_find(symbols, BASE + SPAN).file, name);
}

/* One image after the other at each of a few addresses, with nothing in between, as a machine
 * reports them. */
static void many_loads_are_each_its_times(void **state)
{
	uint64_t time = 1;

	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		uint64_t at = BASE + i % 3 * SPAN;

		load(i % 2 ? "Odd.efi" : "Even.efi", at, SPAN, time++);
		add(false, "//anon", at, SPAN, time++);
	}
	assert_string_equal(name_at(BASE + 16, 1), "Even+0x10");
	assert_string_equal(name_at(BASE + 16, 2), "anon+0x10");
	assert_string_equal(name_at(BASE + 16, 3000 - 2 * 3 + 1), "Odd+0x10");
	assert_string_equal(name_at(BASE + 16, 3000 - 2 * 3 + 2), "anon+0x10");
	assert_string_equal(name_at(BASE + 2 * SPAN + 16, 3000 - 1), "Odd+0x10");
	assert_string_equal(name_at(BASE + 2 * SPAN + 16, 3000), "anon+0x10");
}

static void too_many_symbols_are_reported_once(void **state)
{
	char reported[256];
	FILE *errors = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t size;

	(void)state;
	assert_non_null(errors);
	fflush(stderr);
	dup2(fileno(errors), STDERR_FILENO);
	for (unsigned i = 0; i < 65536 + 2; i++)
		add(false, i < 65536 ? "first" : "beyond", BASE, SPAN, i + 1);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(errors);
	size = fread(reported, 1, sizeof(reported) - 1, errors);
	reported[size] = 0;
	fclose(errors);
	assert_non_null(strstr(reported, "more than 65536 mappings"));
	assert_ptr_equal(strchr(reported, '\n'), reported + size - 1);
	assert_string_equal(name_at(BASE, 65536 + 2), "first+0x0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_function_is_found_wherever_its_image_was_loaded),
		TEST(without_symbols_an_address_is_the_modules),
		TEST(an_address_is_its_times_image),
		TEST(an_address_of_the_past_is_the_machines),
		TEST(an_image_that_is_loaded_again_is_the_same_file),
		TEST(many_loads_are_each_its_times),
		TEST(too_many_symbols_are_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
