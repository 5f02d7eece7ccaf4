/* SPDX-License-Identifier: MIT */
/* The file that a machine writes of its own region, which stays as it is, is the one that the host
 * writes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/session/session.h"

static struct fixture fixture;
static uint8_t *before;
static struct error error;
static uint8_t *first; /* the first file's bytes */
static size_t first_size;

/* A backward ring, or AUX areas, with doorbells that nobody has cleared. */
static void fill(bool aux)
{
	static uint8_t branches[24 * 20];

	if (aux)
		fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	else
		fixture_init(&fixture, TR_RING_BACKWARD);
	memset(branches, 0x5a, sizeof(branches));
	for (unsigned i = 0; i < 400; i++) {
		fixture_sample(&fixture, i % 2, i % 3 == 1, 0x1000 + i, 1000, i % 8);
		if (aux && i % 50 == 0)
			fixture_piece(&fixture, 0, branches, sizeof(branches), 0);
	}
	fixture_complete(&fixture);
	before = malloc(FIXTURE_SIZE);
	assert_non_null(before);
	memcpy(before, fixture.bytes, FIXTURE_SIZE);
}

static void empty(void)
{
	fixture_free(&fixture);
	free(before);
	free(first);
	before = first = NULL;
}

static uint8_t *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 20);

	assert_true(file && bytes);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

/* The session of a machine over this channel; its file is the first one's, or becomes it. */
static void save(struct channel *channel)
{
	char path[PATH_MAX];
	const struct session_options options = { .output = path, .as_machine = true };
	struct session session;
	struct region region;
	uint8_t *bytes;
	size_t size;

	temporary_path(path, "as-machine");
	unlink(path);
	assert_int_equal(region_open(&region, channel, &error), 0);
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(session.found.samples > 50);
	session_end(&session);
	region_close(&region);
	channel_close(channel);
	bytes = load(path, &size);
	unlink(path);
	if (first) {
		assert_int_equal(size, first_size);
		assert_memory_equal(bytes, first, size);
		free(bytes);
	} else {
		first = bytes;
		first_size = size;
	}
}

static void save_still(void)
{
	struct channel channel;

	assert_int_equal(channel_open_still(&channel, fixture.bytes, FIXTURE_SIZE, &error), 0);
	save(&channel);
	assert_memory_equal(fixture.bytes, before, FIXTURE_SIZE);
}

static void save_file(void)
{
	struct channel channel;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fixture.fd);
	assert_int_equal(channel_open_file(&channel, path, &CHANNEL_ANY_FILE, &error), 0);
	save(&channel);
}

static void a_region_is_saved_again_and_again_and_stays_as_it_is(void **state)
{
	(void)state;
	for (int aux = 0; aux < 2; aux++) {
		fill(aux);
		save_still();
		save_still();
		save_file();
		empty();
	}
}

static bool has_text(const char *text)
{
	return memmem(first, first_size, text, strlen(text) + 1);
}

static void nothing_of_the_host_is_in_it(void **state)
{
	char build[PATH_MAX];

	(void)state;
	fill(false);
	save_still();
	assert_true(has_text("bareperf.efi"));
	assert_true(has_text("record"));
	assert_true(has_text("--"));
	assert_non_null(getcwd(build, sizeof(build)));
	assert_null(memmem(first, first_size, build, strlen(build)));
	empty();
}

static void an_image_without_a_file_lies_at_its_link_address(void **state)
{
	struct tr_image image = { .name = "", .link_address = 0x3000 };
	const struct region region = { .header = { .images.count = 1 }, .images = &image };
	struct image_file *files = images_named(&region);

	(void)state;
	assert_non_null(files);
	assert_string_equal(files->path, "[image]");
	assert_int_equal(files->file_offset, 0x3000);
	assert_false(files->found);
	images_free(files, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_is_saved_again_and_again_and_stays_as_it_is),
		cmocka_unit_test(nothing_of_the_host_is_in_it),
		cmocka_unit_test(an_image_without_a_file_lies_at_its_link_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
