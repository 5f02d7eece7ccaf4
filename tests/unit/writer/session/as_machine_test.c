/* SPDX-License-Identifier: MIT */
/* A machine writes its own region to the same file as the host, byte for byte, and does not change
 * the region. Both sides of writer/host.h are linked here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "agent/volume/perf_output_volume.h"
#include "agent/volume/session_machine.h"
#include "agent/volume/volume_file.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/session/session.h"

static struct fixture fixture;
static uint8_t *before;
static struct error error;
static uint8_t *first; /* the first file's bytes */
static size_t first_size;

/* A machine's volume, which contains only the appended file. */
int volume_file_create(struct volume_file **file, const char *path, struct error *reason)
{
	*file = (struct volume_file *)fopen(path, "wbx");
	return *file ? 0 : error_errno(reason, "creating %s", path);
}

int volume_file_append(struct volume_file *file, const void *bytes, size_t size,
                       struct error *reason)
{
	return fwrite(bytes, 1, size, (FILE *)file) == size ? 0 : error_errno(reason, "appending");
}

int volume_file_finish(struct volume_file *file, struct error *reason)
{
	return fclose((FILE *)file) ? error_errno(reason, "finishing") : 0;
}

void volume_file_abandon(struct volume_file *file)
{
	if (file)
		fclose((FILE *)file);
}

/* A backward ring, or AUX areas, with doorbells that are still set. */
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

/* Write a file on this side, from the channel's region. */
static void write_file(const struct writer_host *host, struct channel *channel, const char *path)
{
	const struct session_options options = { .host = host, .output = path };
	struct session session;
	struct region region;

	assert_int_equal(region_open(&region, channel, &error), 0);
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(session.found.samples > 50);
	session_end(&session);
	region_close(&region);
	channel_close(channel);
}

/* The file is equal to the first one, or is the first one. */
static void compare(const char *path)
{
	size_t size;
	uint8_t *bytes = load(path, &size);

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

/* As in agent/volume/volume.c: the file is measured, then written. */
static void save_on_machine(void)
{
	struct perf_output_plan plan = { .is_measured = false };
	struct channel channel;
	char path[PATH_MAX];

	temporary_path(path, "as-machine");
	unlink(path);
	perf_output_set_plan(&plan);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(channel_open_still(&channel, fixture.bytes, FIXTURE_SIZE, &error),
		                 0);
		write_file(&session_machine, &channel, path);
		plan.is_measured = true;
	}
	compare(path);
	assert_memory_equal(fixture.bytes, before, FIXTURE_SIZE);
}

static void save_on_host(void)
{
	struct writer_host host = session_host;
	struct channel channel;
	char region[64], path[PATH_MAX];

	host.images_find = images_named;
	temporary_path(path, "as-machine");
	unlink(path);
	snprintf(region, sizeof(region), "/proc/self/fd/%d", fixture.fd);
	assert_int_equal(channel_open_file(&channel, region, &CHANNEL_ANY_FILE, &error), 0);
	write_file(&host, &channel, path);
	compare(path);
}

static void machine_and_host_write_the_same_file_of_a_region(void **state)
{
	(void)state;
	for (int aux = 0; aux < 2; aux++) {
		fill(aux);
		save_on_machine();
		save_on_machine();
		save_on_host();
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
	save_on_machine();
	assert_true(has_text("bareperf.efi"));
	assert_true(has_text("record"));
	assert_true(has_text("--"));
	assert_non_null(getcwd(build, sizeof(build)));
	assert_null(memmem(first, first_size, build, strlen(build)));
	empty();
}

static void an_image_without_a_file_has_its_link_address(void **state)
{
	struct tr_image image = { .name = "", .link_address = 0x3000 };
	const struct region region = { .header = { .images.count = 1 }, .images = &image };
	struct image_file *files = images_named(&region, NULL);

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
		cmocka_unit_test(machine_and_host_write_the_same_file_of_a_region),
		cmocka_unit_test(nothing_of_the_host_is_in_it),
		cmocka_unit_test(an_image_without_a_file_has_its_link_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
