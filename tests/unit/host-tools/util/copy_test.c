/* SPDX-License-Identifier: MIT */
/* Copying a file: completely, or with the reason of the failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host-tools/util/copy.h"

#define SIZE 200000 /* several buffers, and a part of one */

static uint8_t bytes[SIZE], copied[SIZE + 1];
static FILE *from, *to;

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
	from = tmpfile();
	to = tmpfile();
	assert_true(from && to);
	assert_int_equal(pwrite(fileno(from), bytes, SIZE, 0), SIZE);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fclose(from);
	fclose(to);
	return 0;
}

static void a_copy_has_every_byte(void **state)
{
	(void)state;
	assert_int_equal(copy_all(fileno(from), fileno(to)), 0);
	assert_int_equal(pread(fileno(to), copied, sizeof(copied), 0), SIZE);
	assert_memory_equal(copied, bytes, SIZE);
}

/* The last successful write(2) writes only a part, and does not change errno. */
static void a_full_disk_is_the_reported_reason(void **state)
{
	struct rlimit old, little;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	little = old;
	little.rlim_cur = SIZE - 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	errno = EEXIST;
	assert_int_equal(copy_all(fileno(from), fileno(to)), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(pread(fileno(to), copied, sizeof(copied), 0), SIZE - 10);
}

static void a_failed_read_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(copy_all(-1, fileno(to)), -EBADF);
	assert_int_equal(copy_all(fileno(from), -1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_copy_has_every_byte),
		TEST(a_full_disk_is_the_reported_reason),
		TEST(a_failed_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
