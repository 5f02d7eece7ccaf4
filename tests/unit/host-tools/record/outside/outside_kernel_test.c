/* SPDX-License-Identifier: MIT */
/* The guest's kernel: which parts of its file are code, and why a file is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/record/outside/outside_kernel.h"
#include "tests/unit/host-tools/small_elf.h"

static struct outside_config config;
static struct error error;
static char *symbols;

static int load(const void *bytes, size_t size)
{
	char path[] = "/tmp/bareperf-kernel-XXXXXX";
	int fd = mkstemp(path), code;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	config = (struct outside_config){ 0 };
	error = (struct error){ "" };
	free(symbols);
	code = outside_kernel_load(&config, path, EM_AARCH64, &symbols, &error);
	close(fd);
	unlink(path);
	return code;
}

static void an_executable_segment_is_an_image_of_whole_pages(void **state)
{
	struct small_elf elf = small_elf(7);

	(void)state;
	elf.segments[2].p_vaddr = 0xffffffff81000010ULL;
	elf.segments[2].p_memsz = 0x1000;
	assert_int_equal(load(&elf, sizeof(elf)), 0);
	assert_int_equal(config.image_count, 1);
	assert_int_equal(config.images[0].address, 0xffffffff81000000ULL);
	assert_int_equal(config.images[0].link_address, 0xffffffff81000000ULL);
	assert_int_equal(config.images[0].size, 0x2000);
	assert_int_equal(config.images[0].build_id_size, SMALL_ELF_ID);
	assert_int_equal(config.images[0].build_id[0], 7);
	assert_memory_equal(config.images[0].name, "bareperf-kernel-", 16);
}

static void each_executable_segment_counts(void **state)
{
	struct small_elf elf = small_elf(7);

	(void)state;
	elf.segments[1].p_flags |= PF_X;
	elf.segments[1].p_vaddr = 0x400000;
	assert_int_equal(load(&elf, sizeof(elf)), 0);
	assert_int_equal(config.image_count, 2);
	assert_int_equal(config.images[0].address, 0x400000);
	elf.segments[2].p_filesz = 0;
	assert_int_equal(load(&elf, sizeof(elf)), 0);
	assert_int_equal(config.image_count, 1);
}

static void a_wrong_file_is_refused_with_the_reason(void **state)
{
	struct small_elf elf = small_elf(7);

	(void)state;
	assert_true(load("MZ, a compressed kernel", 23) < 0);
	assert_non_null(strstr(error.text, "give the vmlinux"));
	elf.segments[0].p_type = PT_NULL;
	assert_true(load(&elf, sizeof(elf)) < 0);
	assert_non_null(strstr(error.text, "no build-id"));
	elf = small_elf(7);
	elf.segments[2].p_flags = PF_R;
	assert_true(load(&elf, sizeof(elf)) < 0);
	assert_non_null(strstr(error.text, "no executable segment"));
	assert_true(outside_kernel_load(&config, "/none", EM_AARCH64, &symbols, &error) < 0);
	assert_non_null(strstr(error.text, "--symbols /none"));
}

static void a_list_of_functions_becomes_an_elf_file_in_perfs_cache(void **state)
{
	static const char list[] = "ffff800008010000 T _stext\nffff800008010100 t next\n";
	char directory[] = "/tmp/bareperf-cache-XXXXXX", command[128];

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(setenv("PERF_BUILDID_DIR", directory, 1), 0);
	assert_int_equal(load(list, strlen(list)), 0);
	assert_int_equal(config.image_count, 1);
	assert_int_equal(config.images[0].address, 0xffff800008010000ULL);
	assert_non_null(strstr(symbols, "/[guest]/bareperf-kernel-"));
	assert_non_null(
	    strstr(strrchr(symbols, '/'), "bareperf-kernel-")); /* perf shows this name */
	assert_int_equal(access(symbols, R_OK), 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	assert_int_equal(unsetenv("PERF_BUILDID_DIR") | unsetenv("HOME"), 0);
	assert_true(load(list, strlen(list)) < 0);
	assert_non_null(strstr(error.text, "set HOME or PERF_BUILDID_DIR"));
	free(symbols);
	symbols = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_executable_segment_is_an_image_of_whole_pages),
		cmocka_unit_test(each_executable_segment_counts),
		cmocka_unit_test(a_wrong_file_is_refused_with_the_reason),
		cmocka_unit_test(a_list_of_functions_becomes_an_elf_file_in_perfs_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
