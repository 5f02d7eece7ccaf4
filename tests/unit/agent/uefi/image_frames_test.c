/* SPDX-License-Identifier: MIT */
/* The report of which images keep frame pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/uefi/image_frames.h"
#include "lib/console/console.h"
#include "lib/image.h"
#include "pmu/callchain_images.h"

char __image_start[1];
static char said[65536];
static size_t length;

void console_write(const char *text, size_t size)
{
	assert_true(size < sizeof(said) - length);
	memcpy(said + length, text, size);
	length += size;
	said[length] = 0;
}

static struct efi_image_place place(const char *name, uint64_t base, enum pe_frames frames)
{
	struct efi_image_place image = { .base = base, .size = 4096, .frames = frames };

	snprintf(image.name, sizeof(image.name), "%s", name);
	return image;
}

static void add(const char *name, uint64_t base, enum pe_frames frames)
{
	struct efi_image_place image = place(name, base, frames);

	image_frames_add(&image);
}

static void put(void *context, const char *text, size_t size)
{
	(void)context;
	console_write(text, size);
}

/* On the console there is one line; in the text beside the recording the names follow. */
static void tells(const char *line, const char *names)
{
	length = 0;
	image_frames_report();
	assert_string_equal(said, line);
	length = 0;
	image_frames_write(put, NULL);
	assert_memory_equal(said, line, strlen(line));
	assert_string_equal(said + strlen(line), names);
}

static void each_is_named_on_lines_that_a_terminal_has(void **state)
{
	(void)state;
	image_frames_begin();
	tells("frame pointers: 0 images keep them, 0 keep none, 0 are unknown\n", "");
	add("/b/X64/Spinner/DEBUG/Spinner.dll", 4096, PE_FRAMES_KEPT);
	add("a.efi", 2 * 4096, PE_FRAMES_KEPT);
	for (unsigned i = 0; i < 4; i++)
		add("an-image-with-a-name-that-is-as-long-as-this.efi", (3 + i) * 4096,
		    PE_FRAMES_NONE);
	add("c.efi", 7 * 4096, PE_FRAMES_UNKNOWN);
	add("bareperf.efi", (uint64_t)__image_start, PE_FRAMES_KEPT);
	add("d.efi", 8 * 4096, PE_FRAMES_NONE);
	image_frames_end();
	tells("frame pointers: 2 images keep them, 5 keep none, 1 are unknown\n",
	      "  kept: Spinner a\n"
	      "  none: an-image-with-a-name-that-is-as-long-as\n"
	      "    an-image-with-a-name-that-is-as-long-as\n"
	      "    an-image-with-a-name-that-is-as-long-as\n"
	      "    an-image-with-a-name-that-is-as-long-as d\n"
	      "  unknown: c\n");
}

/* " none:" and 35 times " a" are 78 columns. */
static void a_line_is_full_before_the_next(void **state)
{
	(void)state;
	image_frames_begin();
	for (unsigned i = 0; i < 35; i++)
		add("a.efi", i * 4096, PE_FRAMES_NONE);
	image_frames_report();
	length = 0;
	image_frames_write(put, NULL);
	assert_int_equal(strlen(strchr(said, '\n') + 1), 78);
	add("a.efi", 35 * 4096, PE_FRAMES_NONE);
	image_frames_report();
	length = 0;
	image_frames_write(put, NULL);
	assert_string_equal(strchr(said, '\n') + 1 + 78, "    a\n");
	image_frames_end();
}

static void images_without_room_are_counted(void **state)
{
	(void)state;
	image_frames_begin();
	for (unsigned i = 0; i < 600; i++)
		add("an-image-with-a-name-that-is-as-long-as-this.efi", i * 4096, PE_FRAMES_NONE);
	image_frames_end();
	image_frames_report();
	length = 0;
	image_frames_write(put, NULL);
	assert_memory_equal(said, "frame pointers: 0 images keep them, 600 keep none, ", 51);
	assert_true(length > 16000 && length < 20000);
}

static void a_finding_is_reported_again_once(void **state)
{
	(void)state;
	image_frames_begin();
	add("a.efi", 4096, PE_FRAMES_KEPT);
	image_frames_end();
	length = 0;
	said[0] = 0;
	image_frames_write(put, NULL);
	assert_string_equal(said, "");
	image_frames_report();
	length = 0;
	image_frames_write(put, NULL);
	image_frames_write(put, NULL);
	assert_string_equal(said,
	                    "frame pointers: 1 images keep them, 0 keep none, 0 are unknown\n"
	                    "  kept: a\n");
	image_frames_report();
	image_frames_begin();
	length = 0;
	said[0] = 0;
	image_frames_write(put, NULL);
	assert_string_equal(said, "");
	image_frames_end();
}

static void handlers_find_those_that_are_there(void **state)
{
	struct efi_image_place image = place("a.efi", 4096, PE_FRAMES_KEPT);

	(void)state;
	image_frames_begin();
	add("b.efi", 8192, PE_FRAMES_NONE);
	image_frames_add(&image);
	assert_true(callchain_images_are_known());
	assert_int_equal(callchain_image_at(5000)->frames, CALLCHAIN_FRAMES_KEPT);
	assert_int_equal(callchain_image_at(8192)->frames, CALLCHAIN_FRAMES_NONE);
	image_frames_remove(&image);
	assert_null(callchain_image_at(5000));
	image_frames_end();
	assert_false(callchain_images_are_known());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_named_on_lines_that_a_terminal_has),
		cmocka_unit_test(a_line_is_full_before_the_next),
		cmocka_unit_test(images_without_room_are_counted),
		cmocka_unit_test(a_finding_is_reported_again_once),
		cmocka_unit_test(handlers_find_those_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
