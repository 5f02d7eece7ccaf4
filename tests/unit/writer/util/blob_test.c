/* SPDX-License-Identifier: MIT */
/* Buffers that grow, the journal's slots, and error messages that are composed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "host-tools/util/journal.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

static void added_bytes_are_there_for_any_size(void **state)
{
	struct blob blob = { 0 };
	size_t size = 0;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		uint8_t bytes[400];

		memset(bytes, (int)(i & 0xff), sizeof(bytes));
		blob_add(&blob, bytes, i);
	}
	assert_false(blob.failed);
	for (unsigned i = 0; i < 400; i++) {
		for (unsigned j = 0; j < i; j++)
			assert_int_equal(blob.bytes[size++], i & 0xff);
	}
	assert_int_equal(blob.size, size);
	blob_free(&blob);
	assert_null(blob.bytes);
	assert_int_equal(blob.size, 0);
}

static void a_failure_is_remembered_and_nothing_added_after_it(void **state)
{
	struct blob blob = { 0 };

	(void)state;
	blob_u32(&blob, 1);
	assert_null(blob_extend(&blob, SIZE_MAX / 2)); /* more than any machine has */
	assert_true(blob.failed);
	blob_u32(&blob, 2);
	blob_printf(&blob, "%s", "text");
	assert_int_equal(blob.size, sizeof(uint32_t));
	blob_free(&blob);
	assert_false(blob.failed);
}

static void texts_are_put_as_they_are(void **state)
{
	struct blob blob = { 0 };

	(void)state;
	blob_printf(&blob, "%s=%u", "100%s", 7U);
	assert_int_equal(blob.size, 7);
	assert_memory_equal(blob.bytes, "100%s=7", 7);
	blob_free(&blob);
	blob_padded(&blob, "100%s", 8);
	assert_int_equal(blob.size, 8);
	assert_memory_equal(blob.bytes, "100%s\0\0\0", 8);
	blob_free(&blob);
	blob_padded(&blob, "100%s", 4);
	assert_memory_equal(blob.bytes, "100\0", 4);
	blob_free(&blob);
}

static void a_string_of_perfs_is_padded_to_64(void **state)
{
	char text[300];

	(void)state;
	for (uint32_t length = 0; length < sizeof(text); length++) {
		struct blob blob = { 0 };
		uint32_t size;

		memset(text, 'x', length);
		text[length] = 0;
		blob_perf_string(&blob, text);
		memcpy(&size, blob.bytes, sizeof(size));
		assert_int_equal(size % 64, 0);
		assert_true(size > length && size <= length + 64);
		assert_int_equal(blob.size, sizeof(size) + size);
		assert_string_equal((const char *)blob.bytes + sizeof(size), text);
		blob_free(&blob);
	}
}

/* A committed slot stays unchanged while the next one is written. */
static void a_journals_slots_alternate_and_hold_the_last_state(void **state)
{
	struct journal journal;
	void *memory;

	(void)state;
	for (size_t size = 1; size < 5000; size += 333) {
		uint8_t expected[5000];

		assert_int_equal(journal_open(&journal, size), 0);
		assert_null(journal_last(&journal));
		for (unsigned i = 1; i < 5; i++) {
			uint8_t *next = journal_next(&journal);

			assert_int_equal((uintptr_t)next % 8, 0);
			memset(next, (int)i, size);
			if (i > 1) {
				memset(expected, (int)i - 1, size);
				assert_memory_equal(journal_last(&journal), expected, size);
			}
			journal_commit(&journal);
			assert_int_equal(journal_commits(&journal), i);
			assert_ptr_equal(journal_last(&journal), next);
		}
		memory = journal.head;
		assert_int_equal(msync(memory, 1, MS_ASYNC), 0);
		journal_close(&journal);
		assert_int_equal(msync(memory, 1, MS_ASYNC), -1); /* it was freed */
		assert_null(journal.head);
		journal_close(&journal); /* a second call is harmless */
	}
}

static void errors_name_the_action_its_object_and_the_reason(void **state)
{
	struct error error = { "" };

	(void)state;
	assert_int_equal(error_set(&error, -EPROTO, "%s at %u", "100%s", 7U), -EPROTO);
	assert_string_equal(error.text, "100%s at 7");
	assert_int_equal(error_prefix(&error, -EIO, "reading %s", "%d"), -EIO);
	assert_string_equal(error.text, "reading %d: 100%s at 7");
	errno = ENOENT;
	assert_int_equal(error_errno(&error, "opening %s", "%s"), -ENOENT);
	assert_string_equal(error.text, "opening %s: No such file or directory");
	for (unsigned i = 0; i < 200; i++)
		error_prefix(&error, -EIO, "and again"); /* cut if there is no more room */
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_bytes_are_there_for_any_size),
		cmocka_unit_test(a_failure_is_remembered_and_nothing_added_after_it),
		cmocka_unit_test(texts_are_put_as_they_are),
		cmocka_unit_test(a_string_of_perfs_is_padded_to_64),
		cmocka_unit_test(a_journals_slots_alternate_and_hold_the_last_state),
		cmocka_unit_test(errors_name_the_action_its_object_and_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
