/* SPDX-License-Identifier: MIT */
/* A program's files, which are kept from its end until they are written to the firmware's volume;
 * meanwhile the heap is used again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/payload/payload_fetch.h"
#include "agent/payload/payload_memory.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/record/reader.h"
#include "agent/volume/volume.h"
#include "arch/arch.h"
#include "lib/console/console.h"
#include "lib/resident.h"
#include "pmu/clock/clock.h"

#define HEAP  4096U
#define FILES 8U

static uint8_t heap[HEAP], archive[64];
static struct {
	const uint8_t *bytes;
	uint64_t size;
	uint8_t contents[HEAP];
	unsigned written;
} files[FILES];
static struct command command;
static struct trace_region region;
static struct channel channel;
static char said[1000];
static int full; /* the volume's answer: it is full */

/* ---- Its neighbours ---- */

static int find(const char *name, const void **bytes, uint64_t *size)
{
	unsigned i = (unsigned)strtoul(name, NULL, 10);

	if (i >= FILES || !files[i].bytes)
		return -ENOENT;
	*bytes = files[i].bytes;
	*size = files[i].size;
	return 0;
}

int volume_write_beside(const char *path, const char *name, const void *bytes, uint64_t size,
                        char to[VOLUME_PATH_MAX], struct error *error)
{
	unsigned i = (unsigned)strtoul(name, NULL, 10);

	assert_string_equal(path, "\\bareperf\\0001.data");
	if (full)
		return error_set(error, full, "full");
	assert_int_equal(size, files[i].size);
	assert_memory_equal(bytes, files[i].contents, size);
	files[i].written++;
	snprintf(to, VOLUME_PATH_MAX, "there\\%s", name);
	return 0;
}

int arch_call_payload(int (*function)(void *argument), void *argument)
{
	return function(argument);
}

void arch_irq_disable(void)
{
}

int payload_run(int (*entry)(void *argument), void *argument, enum payload_end *end)
{
	*end = PAYLOAD_RETURNED;
	return entry(argument);
}

static bool is_within(const uint8_t *bytes, uint64_t size, const uint8_t *place, uint64_t length)
{
	uint64_t offset = (uint64_t)bytes - (uint64_t)place;

	return offset <= length && size <= length - offset;
}

bool payload_owns(const void *bytes, uint64_t size)
{
	return is_within(bytes, size, heap, HEAP) ||
	       is_within(bytes, size, archive, sizeof(archive));
}

void *payload_heap(uint64_t *size)
{
	*size = HEAP;
	return heap;
}

bool resident_has_taken_over(void)
{
	return true;
}

bool reader_is_announced(const struct trace_region *r)
{
	(void)r;
	return false;
}

bool reader_await_room(struct trace_region *r, struct channel *c, struct stream *stream)
{
	(void)r;
	(void)c;
	(void)stream;
	return false;
}

struct stream *payload_output_files(void)
{
	return NULL;
}

void payload_allow(void)
{
}

void console_printf(const char *format, ...)
{
	size_t used = strlen(said);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said + used, sizeof(said) - used, format, arguments);
	va_end(arguments);
}

/* ---- */

static int set_up(void **state)
{
	static struct tr_header header;

	(void)state;
	memset(files, 0, sizeof(files));
	command = (struct command){ .nr_fetch = 0 };
	region = (struct trace_region){ .header = &header };
	said[0] = 0;
	full = 0;
	payload_fetch_begin();
	payload_fetch_offer(find);
	return 0;
}

static void ask_for(const char *name)
{
	command.fetch[command.nr_fetch++] = name;
}

static void has_file(unsigned i, uint8_t *at, uint64_t size)
{
	for (uint64_t k = 0; k < size; k++)
		at[k] = (uint8_t)rand();
	memcpy(files[i].contents, at, size);
	files[i].bytes = at;
	files[i].size = size;
}

/* Keep the files at the program's end, overwrite the heap, and write the files to the volume. */
static int goes_home(uint64_t *held)
{
	*held = payload_fetch(&command, &region, &channel);
	assert_true(*held <= HEAP);
	memset(heap, 0xa5, HEAP - *held);
	return payload_fetch_save(&command, "\\bareperf\\0001.data");
}

static void files_anywhere_in_the_heap_outlive_its_next_use(void **state)
{
	static const char *const names[FILES] = { "0", "1", "2", "3", "4", "5", "6", "7" };

	for (unsigned turn = 0; turn < 1000; turn++) {
		uint64_t at = 0, all = 0, held;

		set_up(state);
		for (unsigned i = 0; i < FILES; i++) {
			uint64_t size = (uint64_t)rand() % (HEAP / FILES);

			ask_for(names[(3 * i + turn) % FILES]);
			at += (uint64_t)rand() % (HEAP / FILES - size);
			has_file(i, heap + at, size);
			at += size;
			all += size;
		}
		assert_int_equal(goes_home(&held), 0);
		assert_int_equal(held, all);
		for (unsigned i = 0; i < FILES; i++)
			assert_int_equal(files[i].written, 1);
	}
}

static void a_file_with_two_names_is_kept_once(void **state)
{
	uint64_t held;

	(void)state;
	has_file(0, heap + 100, 1000);
	has_file(2, heap, 50);
	files[1] = files[0];
	ask_for("0");
	ask_for("2");
	ask_for("1");
	assert_int_equal(goes_home(&held), 0);
	assert_int_equal(held, 1050);
	assert_int_equal(files[0].written + files[1].written + files[2].written, 3);
}

static void a_file_outside_of_the_heap_stays_at_its_address(void **state)
{
	uint64_t held;

	(void)state;
	has_file(0, archive, sizeof(archive));
	ask_for("0");
	assert_int_equal(goes_home(&held), 0);
	assert_int_equal(held, 0);
	assert_int_equal(files[0].written, 1);
}

static void each_that_is_not_to_be_had_is_reported_and_the_others_are_written(void **state)
{
	uint64_t held;

	(void)state;
	has_file(0, heap, HEAP);
	has_file(3, archive, 5);
	files[1].bytes = heap + 1; /* as long as the heap minus one, so that both overlap */
	files[1].size = HEAP - 1;
	files[2].bytes = heap + 1;
	files[2].size = HEAP; /* beyond the heap's end */
	ask_for("1");
	ask_for("none");
	ask_for("2");
	ask_for("3");
	command.fetch[1] = "9";
	memcpy(files[1].contents, heap + 1, HEAP - 1);
	ask_for("0");
	assert_int_equal(goes_home(&held), -ENOENT);
	assert_string_equal(
	    said,
	    "written: there\\1\n"
	    "bareperf: --fetch: 9: the program has written no file of this name\n"
	    "bareperf: --fetch: 2: the program gave an invalid address or size for this file\n"
	    "written: there\\3\n"
	    "bareperf: --fetch: 0: the program gave an invalid address or size for this file\n");
}

static void a_volume_that_takes_none_is_reported_and_a_program_that_offers_none(void **state)
{
	uint64_t held;

	(void)state;
	has_file(0, heap, 10);
	ask_for("0");
	full = -ENOSPC;
	assert_int_equal(goes_home(&held), -ENOSPC);
	payload_fetch_begin();
	assert_int_equal(goes_home(&held), -ENOENT);
	assert_string_equal(said,
	                    "bareperf: --fetch: full\n"
	                    "bareperf: --fetch: 0: the program has written no file of this name\n");
}

static void damaged_files_are_not_written(void **state)
{
	(void)state;
	has_file(0, heap, 10);
	ask_for("0");
	assert_int_equal(payload_fetch(&command, &region, &channel), 10);
	memset(heap, 0xa5, HEAP);
	assert_int_equal(payload_fetch_save(&command, "\\bareperf\\0001.data"), -EIO);
	assert_string_equal(said, "bareperf: --fetch: 0: it was damaged in RAM\n");
	assert_int_equal(files[0].written, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(files_anywhere_in_the_heap_outlive_its_next_use, set_up),
		cmocka_unit_test_setup(a_file_with_two_names_is_kept_once, set_up),
		cmocka_unit_test_setup(a_file_outside_of_the_heap_stays_at_its_address, set_up),
		cmocka_unit_test_setup(
		    each_that_is_not_to_be_had_is_reported_and_the_others_are_written, set_up),
		cmocka_unit_test_setup(
		    a_volume_that_takes_none_is_reported_and_a_program_that_offers_none, set_up),
		cmocka_unit_test_setup(damaged_files_are_not_written, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
