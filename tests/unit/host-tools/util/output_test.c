/* SPDX-License-Identifier: MIT */
/* Output files: existing ones are kept, links are followed, and no two recordings have the same
 * file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/util/output.h"
#include "tests/unit/temporary.h"

#define PROCESSES 6
#define ROUNDS    300

static char directory[PATH_MAX], path[PATH_MAX + 16], old_path[PATH_MAX + 32],
    link_path[PATH_MAX + 16];
static struct error error;
static char *place, *old;

static int setup(void **state)
{
	(void)state;
	temporary_path(directory, "output");
	assert_int_equal(mkdir(directory, 0700), 0);
	snprintf(path, sizeof(path), "%s/perf.data", directory);
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	snprintf(link_path, sizeof(link_path), "%s/link", directory);
	error.text[0] = 0;
	place = old = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(place);
	free(old);
	unlink(path);
	unlink(old_path);
	unlink(link_path);
	return rmdir(directory); /* no other file was left there */
}

/* Open `at`, write text, close. */
static void record(const char *at, const char *text)
{
	int fd;

	free(place);
	free(old);
	fd = output_open(at, &place, &old, &error);
	if (fd < 0)
		fail_msg("%s", error.text);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_holds(const char *at, const char *text)
{
	char found[64] = "";
	int fd = open(at, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, found, sizeof(found) - 1) >= 0);
	close(fd);
	assert_string_equal(found, text);
}

static void the_last_recording_is_kept_and_the_one_before_it_is_not(void **state)
{
	(void)state;
	record(path, "one");
	assert_string_equal(place, path);
	assert_int_not_equal(access(old_path, F_OK), 0);
	record(path, "two");
	assert_string_equal(old, old_path);
	record(path, "three");
	assert_holds(path, "three");
	assert_holds(old_path, "two");
}

static void an_empty_file_is_no_recording(void **state)
{
	const mode_t mask = umask(0);
	struct stat stat_of;

	(void)state;
	record(path, "");
	umask(mask);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 07777, 0644);
	record(path, "one");
	assert_int_not_equal(access(old_path, F_OK), 0);
}

static void a_link_and_its_old_target_are_kept(void **state)
{
	struct stat stat_of;

	(void)state;
	assert_int_equal(symlink("perf.data", link_path), 0);
	record(link_path, "one"); /* its target does not exist yet */
	assert_string_equal(place, path);
	record(link_path, "two");
	assert_string_equal(place, path);
	assert_int_equal(lstat(link_path, &stat_of), 0);
	assert_true(S_ISLNK(stat_of.st_mode));
	assert_holds(path, "two");
	assert_holds(old_path, "one");
}

static void a_file_that_is_being_written_is_refused_and_left_alone(void **state)
{
	char *mine, *mine_old, *none, *none_old;
	int fd;

	(void)state;
	record(path, "one");
	fd = output_open(path, &mine, &mine_old, &error);
	assert_true(fd >= 0);
	assert_int_equal(output_open(path, &none, &none_old, &error), -EBUSY); /* still empty */
	assert_null(none);
	assert_null(none_old);
	assert_int_equal(write(fd, "two", 3), 3);
	assert_int_equal(output_open(path, &none, &none_old, &error), -EBUSY);
	assert_ptr_equal(strstr(error.text, path), error.text);
	assert_non_null(strstr(error.text,
	                       " is being written by another recording: name another "
	                       "file with -o"));
	assert_holds(path, "two");
	assert_holds(old_path, "one");
	close(fd);
	free(mine);
	free(mine_old);
	record(path, "three");
	assert_holds(old_path, "two");
}

/* A pipe, which behaves like a device: there is no data of ours that could be lost. */
static void any_number_of_outputs_may_write_to_a_pipe_or_device(void **state)
{
	char *first, *none, found[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = output_open(path, &first, &none, &error);
	assert_true(fd >= 0);
	assert_null(none);
	record(path, "one");
	assert_null(old);
	assert_int_equal(write(fd, "two", 3), 3);
	assert_int_equal(read(fd, found, sizeof(found)), 6);
	assert_string_equal(found, "onetwo");
	close(fd);
	free(first);
}

static void a_file_that_cannot_be_created_is_reported(void **state)
{
	(void)state;
	assert_int_equal(output_open("/nowhere/perf.data", &place, &old, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nowhere/perf.data"));
	assert_int_equal(output_open(directory, &place, &old, &error), -EISDIR);
}

/* Whether the opened file is still at its path, and contains only this text. */
static bool is_mine(int fd, const char *text)
{
	struct stat file, name;
	char found[64] = "";

	return !fstat(fd, &file) && !stat(path, &name) && file.st_ino == name.st_ino &&
	       pread(fd, found, sizeof(found) - 1, 0) == (ssize_t)strlen(text) &&
	       !strcmp(found, text);
}

/* Record repeatedly; returns 0 if every recording was refused or was changed by no other process.
 * */
static int record_and_look(int number)
{
	for (int i = 0; i < ROUNDS; i++) {
		char text[32], *own, *own_old;
		int fd = output_open(path, &own, &own_old, &error);

		if (fd == -EBUSY) {
			sched_yield();
			continue;
		}
		if (fd < 0)
			return 1;
		snprintf(text, sizeof(text), "process %d, round %d", number, i);
		if (write(fd, text, strlen(text)) < 0)
			return 2;
		for (int turn = 0; turn < 3; turn++)
			sched_yield();
		if (!is_mine(fd, text))
			return 3;
		close(fd);
		free(own);
		free(own_old);
	}
	return 0;
}

static void recordings_that_race_are_each_refused_or_whole(void **state)
{
	pid_t children[PROCESSES];

	(void)state;
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(record_and_look(i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status = -1;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(access(old_path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(the_last_recording_is_kept_and_the_one_before_it_is_not),
		TEST(an_empty_file_is_no_recording),
		TEST(a_link_and_its_old_target_are_kept),
		TEST(a_file_that_is_being_written_is_refused_and_left_alone),
		TEST(any_number_of_outputs_may_write_to_a_pipe_or_device),
		TEST(a_file_that_cannot_be_created_is_reported),
		TEST(recordings_that_race_are_each_refused_or_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
