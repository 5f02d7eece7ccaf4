/* SPDX-License-Identifier: MIT */
/* Archives that the host makes, and damaged ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/record/command/guest_archive.h"
#include "lib/cpio.h"

static uint8_t *archive; /* exactly this size, so that ASan detects reads beyond it */
static uint64_t archive_size;

static void make(const char *program, const char *input, char **files, unsigned count)
{
	const struct guest guest = {
		.payload = program, .input = input, .files = files, .file_count = count
	};
	struct error error = { "" };
	int fd = guest_archive(&guest, &error);
	struct stat about;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &about), 0);
	archive_size = (uint64_t)about.st_size;
	archive = malloc(archive_size);
	assert_int_equal(pread(fd, archive, archive_size, 0), (ssize_t)archive_size);
	close(fd);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	char program[] = "/tmp/bareperf-cpio-XXXXXX", data[] = "/tmp/bareperf-cpio-XXXXXX";
	char *files[] = { data };

	(void)state;
	close(mkstemp(program));
	close(mkstemp(data));
	write_file(program, "program");
	write_file(data, "");
	make(program, program, files, 1);
	unlink(program);
	unlink(data);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(archive);
	return 0;
}

static void an_archive_has_the_files_that_were_put_into_it(void **state)
{
	struct cpio_entry entry;
	uint64_t at = 0;

	(void)state;
	assert_true(cpio_is_archive(archive, archive_size));
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 1);
	assert_string_equal(entry.name, "payload.elf");
	assert_int_equal(entry.size, 7);
	assert_memory_equal(entry.bytes, "program", 7);
	assert_true(S_ISREG(entry.mode));
	assert_true(entry.mtime > 1600000000);
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 1);
	assert_string_equal(entry.name, "dev/stdin");
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 1);
	assert_memory_equal(entry.name, "/tmp/bareperf-cpio-", 19);
	assert_int_equal(entry.size, 0);
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 0);
}

/* The number of entries before the end, or before the damaged place. */
static int entries(const uint8_t *bytes, uint64_t size, int *last)
{
	struct cpio_entry entry;
	uint64_t at = 0;
	int count = 0;

	while ((*last = cpio_next(bytes, size, &at, &entry)) == 1) {
		assert_true(entry.bytes >= bytes && entry.bytes + entry.size <= bytes + size);
		assert_true(strlen(entry.name) < size);
		count++;
	}
	return count;
}

static void a_journal_that_is_cut_off_is_damaged(void **state)
{
	int last;

	(void)state;
	assert_int_equal(entries(archive, archive_size, &last), 3);
	assert_int_equal(last, 0);
	for (uint64_t size = 0; size < archive_size - 3; size++) { /* 3: the trailer's padding */
		uint8_t *cut = malloc(size ? size : 1);

		memcpy(cut, archive, size);
		entries(cut, size, &last);
		assert_int_equal(last, -EINVAL);
		free(cut);
	}
}

static void no_byte_of_it_is_trusted(void **state)
{
	static const uint8_t values[] = { 0, '0', '9', 'f', 'F', 'g', 0xff };
	int last;

	(void)state;
	for (uint64_t i = 0; i < archive_size; i++) {
		uint8_t was = archive[i];

		for (unsigned v = 0; v < sizeof(values); v++) {
			archive[i] = values[v];
			assert_in_range(entries(archive, archive_size, &last), 0, 4);
		}
		archive[i] = was;
	}
	archive[5] = '3';
	assert_false(cpio_is_archive(archive, archive_size));
}

/* The output of `cpio -o -H newc` for a directory's files, in this order. */
static void make_by_cpio(const char *script)
{
	char command[1000];
	FILE *out;

	snprintf(command, sizeof(command),
	         "d=$(mktemp -d) && cd $d && %s | cpio --quiet -o -H newc; cd / && rm -r $d",
	         script);
	archive = malloc(65536);
	out = popen(command, "r");
	assert_non_null(out);
	archive_size = fread(archive, 1, 65536, out);
	assert_int_equal(pclose(out), 0);
	assert_true(archive_size > 0 && archive_size < 65536);
}

static void assert_has(const char *name, const char *text, bool linked)
{
	struct cpio_entry entry = { 0 };
	uint64_t at = 0;

	while (cpio_next(archive, archive_size, &at, &entry) == 1 && strcmp(entry.name, name) != 0)
		continue;
	assert_string_equal(entry.name, name);
	assert_int_equal(entry.size, strlen(text));
	assert_memory_equal(entry.bytes, text, entry.size);
	assert_int_equal(entry.linked, linked);
}

static void each_name_of_a_file_has_its_bytes(void **state)
{
	(void)state;
	make_by_cpio(
	    "printf one >a; ln a b; printf two >c; ln c d; : >e; ln e f; ln a z; "
	    "printf '%s\\n' a c e b f d z");
	assert_has("a", "one", true);
	assert_has("b", "one", true);
	assert_has("c", "two", true);
	assert_has("d", "two", true);
	assert_has("e", "", false);
	assert_has("f", "", false);
	assert_has("z", "one", true);
}

/* As tools other than GNU cpio write it. */
static void a_name_is_reported_without_where_it_was_looked_for(void **state)
{
	static const char doubled[] = { '.', '/', '/', 'x' }, twice[] = { '.', '/', '.', '/' };
	struct cpio_entry entry;
	uint64_t at = 0;

	(void)state;
	make_by_cpio("printf one >xxxx; ln -s xxxx yyyy; printf '%s\\n' xxxx yyyy");
	memcpy(memmem(archive, archive_size, "xxxx", 5), doubled, sizeof(doubled));
	memcpy(memmem(archive, archive_size, "yyyy", 5), twice, sizeof(twice));
	assert_has("x", "one", false);
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 1);
	assert_int_equal(cpio_next(archive, archive_size, &at, &entry), 1);
	assert_string_equal(entry.name, "");
	assert_true(S_ISLNK(entry.mode));
}

static void a_file_that_cannot_be_handed_over_is_named(void **state)
{
	char *files[] = { "/nowhere/to/be/found" };
	struct guest guest = { .payload = "/dev/null" };
	struct error error = { "" };

	(void)state;
	assert_true(guest_archive(&guest, &error) < 0);
	assert_non_null(strstr(error.text, "/dev/null"));
	guest = (struct guest){ .payload = "/proc/self/exe", .files = files, .file_count = 1 };
	assert_int_equal(guest_archive(&guest, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nowhere/to/be/found"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_archive_has_the_files_that_were_put_into_it,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_journal_that_is_cut_off_is_damaged, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(no_byte_of_it_is_trusted, set_up, tear_down),
		cmocka_unit_test_teardown(each_name_of_a_file_has_its_bytes, tear_down),
		cmocka_unit_test_teardown(a_name_is_reported_without_where_it_was_looked_for,
		                          tear_down),
		cmocka_unit_test(a_file_that_cannot_be_handed_over_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
