/* SPDX-License-Identifier: MIT */
/* perf's cache of files by build-id: it has perf's layout, and a file is used only if its build-id
 * is the one of its place. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "tests/unit/host-tools/small_elf.h"
#include "tests/unit/temporary.h"

#define TAIL "ababababababababababababababababababab"
#define TEXT "ab" TAIL /* of the build-id */

static char directory[PATH_MAX], cache[PATH_MAX + 16], file[PATH_MAX + 16];
static uint8_t id[SMALL_ELF_ID];
static struct error error;

static void write_elf(const char *path, uint8_t byte)
{
	const struct small_elf elf = small_elf(byte);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &elf, sizeof(elf)), sizeof(elf));
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	temporary_path(directory, "buildid");
	snprintf(cache, sizeof(cache), "%s/a/cache", directory);
	snprintf(file, sizeof(file), "%s/f.sym", directory);
	memset(id, 0xab, sizeof(id));
	return mkdir(directory, 0700) || setenv("PERF_BUILDID_DIR", cache, 1);
}

static int teardown(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command); /* NOLINT(cert-env33-c): a command of this test */
}

static void a_build_id_is_written_in_hexadecimal(void **state)
{
	static const uint8_t bytes[BUILDID_MAX + 3] = { 0, 0x1f, 0xa0, [BUILDID_MAX] = 0xee };
	char text[BUILDID_TEXT];

	(void)state;
	buildid_text(text, bytes, 0);
	assert_string_equal(text, "");
	buildid_text(text, bytes, 3);
	assert_string_equal(text, "001fa0");
	buildid_text(text, bytes, sizeof(bytes)); /* no more than fits */
	assert_int_equal(strlen(text), 2 * BUILDID_MAX);
	assert_null(strstr(text, "ee"));
}

static void a_file_has_the_build_id_or_not(void **state)
{
	(void)state;
	assert_false(buildid_is_of(file, id, sizeof(id)));
	write_elf(file, 0xab);
	assert_true(buildid_is_of(file, id, sizeof(id)));
	assert_false(buildid_is_of(file, id, sizeof(id) - 1));
	assert_false(buildid_is_of(file, id, 0));
	id[19]++;
	assert_false(buildid_is_of(file, id, sizeof(id)));
	id[19]--;
	assert_false(buildid_is_of(directory, id, sizeof(id)));
	assert_int_equal(truncate(file, 4), 0);
	assert_false(buildid_is_of(file, id, sizeof(id)));
}

static void an_added_file_is_at_perfs_path_and_is_found(void **state)
{
	char expected[3 * PATH_MAX], target[3 * PATH_MAX] = "";
	const mode_t mask = umask(0);
	struct stat stat_of;
	char *found;

	(void)state;
	write_elf(file, 0xab);
	assert_null(buildid_cache_find(id, sizeof(id)));
	for (unsigned times = 0; times < 2; times++) { /* the second time it is there already */
		assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), 0);
		snprintf(expected, sizeof(expected), "%s%s/" TEXT "/elf", cache, file);
		assert_true(buildid_is_of(expected, id, sizeof(id)));
		snprintf(expected, sizeof(expected), "%s/.build-id/ab/" TAIL, cache);
		assert_true(readlink(expected, target, sizeof(target) - 1) > 0);
		snprintf(expected, sizeof(expected), "../..%s/" TEXT, file);
		assert_string_equal(target, expected);
		found = buildid_cache_find(id, sizeof(id));
		snprintf(expected, sizeof(expected), "%s/.build-id/ab/" TAIL "/elf", cache);
		assert_string_equal(found, expected);
		free(found);
	}
	umask(mask);
	assert_int_equal(stat(cache, &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 07777, 0755);
	write_elf(file, 1); /* it is a copy, which stays unchanged */
	found = buildid_cache_find(id, sizeof(id));
	assert_non_null(found);
	write_elf(found, 1);
	free(found);
	/* the file's build-id no longer matches its place */
	assert_null(buildid_cache_find(id, sizeof(id)));
}

static void a_link_that_leads_nowhere_is_replaced(void **state)
{
	char link[3 * PATH_MAX];
	char *found;

	(void)state;
	write_elf(file, 0xab);
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), 0);
	snprintf(link, sizeof(link), "%s/.build-id/ab/" TAIL, cache);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("nowhere", link), 0);
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), 0);
	found = buildid_cache_find(id, sizeof(id));
	assert_non_null(found);
	free(found);
}

static void a_generated_file_replaces_the_old_one(void **state)
{
	char expected[3 * PATH_MAX], *found;

	(void)state;
	write_elf(file, 0xab);
	for (unsigned times = 0; times < 2; times++) {
		assert_int_equal(buildid_cache_put(file, "[uefi]/x.efi", id, sizeof(id), &error),
		                 0);
		snprintf(expected, sizeof(expected), "%s/[uefi]/x.efi/" TEXT "/elf", cache);
		assert_true(buildid_is_of(expected, id, sizeof(id)));
		found = buildid_cache_find(id, sizeof(id));
		assert_non_null(found);
		if (!times)
			write_elf(expected, 1); /* the file in the cache is outdated */
		free(found);
	}
	snprintf(expected, sizeof(expected), "%s/other", directory);
	write_elf(expected, 0xab);
	assert_int_equal(buildid_cache_add(expected, id, sizeof(id), &error), 0);
	assert_int_equal(buildid_cache_put(file, "[uefi]/x.efi", id, sizeof(id), &error), 0);
	snprintf(expected, sizeof(expected), "%s/.build-id/ab/" TAIL "/elf", cache);
	found = realpath(expected, NULL);
	/* by the build-id the newer file is found */
	assert_non_null(strstr(found, "/[uefi]/x.efi/"));
	free(found);
}

static void without_a_place_there_is_no_cache_and_no_complaint(void **state)
{
	const char *before = getenv("HOME");
	char *home = before ? strdup(before) : NULL, *found;

	(void)state;
	write_elf(file, 0xab);
	error.text[0] = 0;
	assert_int_equal(buildid_cache_add("f.sym", id, sizeof(id), &error), -ENOENT);
	assert_int_equal(buildid_cache_add(file, id, 1, &error), -ENOENT);
	assert_int_equal(setenv("PERF_BUILDID_DIR", "", 1), 0);
	assert_int_equal(setenv("HOME", directory, 1), 0);
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), 0);
	found = buildid_cache_find(id, sizeof(id));
	assert_non_null(found);
	assert_non_null(strstr(found, "/.debug/.build-id/ab/"));
	free(found);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), -ENOENT);
	assert_null(buildid_cache_find(id, sizeof(id)));
	assert_string_equal(error.text, "");
	if (home)
		setenv("HOME", home, 1);
	free(home);
}

static void a_failed_copy_is_reported_and_leaves_nothing(void **state)
{
	char place[3 * PATH_MAX];

	(void)state;
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), -ENOENT);
	assert_non_null(strstr(error.text, "opening"));
	snprintf(place, sizeof(place), "%s/plain", directory);
	write_elf(place, 1);
	/* a file instead of a directory */
	assert_int_equal(setenv("PERF_BUILDID_DIR", place, 1), 0);
	write_elf(file, 0xab);
	assert_int_equal(buildid_cache_add(file, id, sizeof(id), &error), -ENOTDIR);
	assert_non_null(strstr(error.text, "making"));
	assert_int_equal(setenv("PERF_BUILDID_DIR", cache, 1), 0);
	snprintf(place, sizeof(place), "%s/some", directory);
	assert_int_equal(mkdir(place, 0700), 0); /* reading the directory fails */
	assert_int_equal(buildid_cache_add(place, id, sizeof(id), &error), -EISDIR);
	assert_non_null(strstr(error.text, "copying"));
	assert_null(buildid_cache_find(id, sizeof(id)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_build_id_is_written_in_hexadecimal),
		TEST(a_file_has_the_build_id_or_not),
		TEST(an_added_file_is_at_perfs_path_and_is_found),
		TEST(a_generated_file_replaces_the_old_one),
		TEST(a_link_that_leads_nowhere_is_replaced),
		TEST(without_a_place_there_is_no_cache_and_no_complaint),
		TEST(a_failed_copy_is_reported_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
