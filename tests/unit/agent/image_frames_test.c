/* SPDX-License-Identifier: MIT */
/* Which images keep frame pointers, as a recording says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/image_frames.h"
#include "lib/console.h"
#include "lib/image.h"
#include "pmu/callchain_images.h"

char __image_start[1];
static char said[512];

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
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

static void few_are_named_and_many_are_counted(void **state)
{
	(void)state;
	image_frames_begin();
	image_frames_tell();
	assert_string_equal(said,
	                    "frame pointers: 0 images keep them, 0 keep none, "
	                    "0 tell too little\n");
	add("/b/X64/Spinner/DEBUG/Spinner.dll", 4096, PE_FRAMES_KEPT);
	add("a.efi", 2 * 4096, PE_FRAMES_KEPT);
	for (unsigned i = 0; i < 4; i++)
		add("an-image-with-a-name-that-is-as-long-as-this.efi", (3 + i) * 4096,
		    PE_FRAMES_NONE);
	add("c.efi", 7 * 4096, PE_FRAMES_UNTOLD);
	add("bareperf.efi", (uint64_t)__image_start, PE_FRAMES_KEPT);
	image_frames_tell();
	assert_string_equal(said,
	                    "frame pointers: 2 images keep them (Spinner a), 4 keep none "
	                    "(an-image-with-a-name-that-is-as "
	                    "an-image-with-a-name-that-is-as "
	                    "an-image-with-a-name-that-is-as "
	                    "an-image-with-a-name-that-is-as), 1 tell too little\n");
	add("d.efi", 8 * 4096, PE_FRAMES_NONE);
	image_frames_end();
	image_frames_tell();
	assert_string_equal(said,
	                    "frame pointers: 2 images keep them (Spinner a), 5 keep none, "
	                    "1 tell too little\n");
}

static void handlers_find_those_that_are_there(void **state)
{
	struct efi_image_place image = place("a.efi", 4096, PE_FRAMES_KEPT);

	(void)state;
	image_frames_begin();
	add("b.efi", 8192, PE_FRAMES_NONE);
	image_frames_add(&image);
	assert_true(callchain_images_told());
	assert_int_equal(callchain_image_at(5000)->frames, CALLCHAIN_FRAMES_KEPT);
	assert_int_equal(callchain_image_at(8192)->frames, CALLCHAIN_FRAMES_NONE);
	image_frames_remove(&image);
	assert_null(callchain_image_at(5000));
	image_frames_end();
	assert_false(callchain_images_told());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_named_and_many_are_counted),
		cmocka_unit_test(handlers_find_those_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
