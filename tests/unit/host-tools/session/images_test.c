/* SPDX-License-Identifier: MIT */
/* An image's ELF file is found by its build-id: the places, their order, and files that are
 * ignored. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/session/images.h"
#include "tests/unit/host-tools/small_elf.h"
#include "tests/unit/temporary.h"

static struct tr_image images[2];
static struct region region;
static char directory[PATH_MAX];

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void write_elf(const char *name, uint8_t id)
{
	const struct small_elf elf = small_elf(id);

	write_file(name, &elf, sizeof(elf));
}

static void make_directory(const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void describe(void)
{
	region = (struct region){ .header = { .machine = EM_X86_64 }, .images = images };
	region.header.images.count = 1;
	images[0] = (struct tr_image){ .link_address = SMALL_ELF_LINKED + 7,
		                       .build_id_size = SMALL_ELF_ID,
		                       .name = "image.efi" };
	memset(images[0].build_id, 1, SMALL_ELF_ID);
}

static int setup(void **state)
{
	(void)state;
	temporary_path(directory, "images");
	assert_int_equal(mkdir(directory, 0700), 0);
	describe();
	return 0;
}

static int teardown(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command); /* NOLINT(cert-env33-c): a command of this test */
}

/* In these places the first image is found as this file of the directory; NULL: not found. */
static void expect(const struct image_places *places, const char *name)
{
	struct image_file *files = images_find(&region, places);
	char path[2 * PATH_MAX];

	assert_non_null(files);
	assert_int_equal(files[0].found, !!name);
	if (name) {
		snprintf(path, sizeof(path), "%s/%s", directory, name);
		assert_string_equal(files[0].path, path);
		assert_int_equal(files[0].file_offset, offsetof(struct small_elf, code) + 7);
	} else {
		assert_string_equal(files[0].path, *images[0].name ? images[0].name : "[image]");
	}
	images_free(files, region.header.images.count);
}

/* A path in the directory. */
static const char *in(const char *name)
{
	static char paths[4][2 * PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static void a_file_is_known_by_its_build_id_and_has_the_code(void **state)
{
	const struct image_places places = { .symbols = in("elf") };

	(void)state;
	expect(&places, NULL); /* the path does not exist */
	write_elf("elf", 1);
	expect(&places, "elf");
	images[0].link_address = SMALL_ELF_LINKED + 64; /* beyond the segment's bytes */
	expect(&places, NULL);
	images[0].link_address = SMALL_ELF_LINKED - 1;
	expect(&places, NULL);
	describe();
	images[0].build_id_size = SMALL_ELF_ID - 1;
	expect(&places, NULL);
	images[0].build_id_size = 0; /* its build-id is not known */
	expect(&places, NULL);
	describe();
	write_elf("elf", 2);
	expect(&places, NULL);
	write_file("elf", "\177ELF is no more than this", 25);
	expect(&places, NULL);
	images[0].name[0] = 0;
	expect(&places, NULL);
}

static void in_a_directory_the_file_with_symbols_is_preferred(void **state)
{
	const struct image_places places = { .symbols = directory };

	(void)state;
	write_elf("another.sym", 2);
	write_file("text", "text", 4);
	assert_int_equal(mkfifo(in("fifo"), 0700), 0); /* a search must not block at a FIFO */
	expect(&places, NULL);
	write_elf("b.o", 1);
	expect(&places, "b.o");
	write_elf("a.sym", 1);
	write_elf("c.o", 1);
	write_elf("d.symbols", 1);
	expect(&places, "a.sym");
}

static void the_users_files_come_first_then_the_payload_then_the_booted_image(void **state)
{
	struct image_places places = { .symbols = in("symbols"),
		                       .payload = in("payload"),
		                       .booted = in("boot/image.efi") };
	char before[PATH_MAX];

	(void)state;
	make_directory("boot");
	write_elf("boot/any", 1);
	expect(&places, "boot/any");
	write_elf("payload", 1);
	expect(&places, "payload");
	write_elf("symbols", 1);
	expect(&places, "symbols");
	places.symbols = places.payload = NULL;
	expect(&places, "boot/any");
	/* an image in our current directory */
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(in("boot")), 0);
	places.booted = "image.efi";
	expect(&places, "boot/any");
	assert_int_equal(chdir(before), 0);
	places.booted = NULL;
	expect(&places, NULL);
}

static void each_image_has_its_own_file(void **state)
{
	struct image_places places = { .symbols = directory };
	struct image_file *files;

	(void)state;
	region.header.images.count = 2;
	images[1] = images[0];
	memset(images[1].build_id, 2, SMALL_ELF_ID);
	write_elf("first", 1);
	write_elf("second", 2);
	files = images_find(&region, &places);
	assert_string_equal(files[0].path, in("first"));
	assert_string_equal(files[1].path, in("second"));
	images_free(files, 2);
}

/* Whether perf's cache has the first image's file after it was found as this one. */
static bool is_cached(const struct small_elf *elf)
{
	const struct image_places places = { .symbols = in("elf") };
	struct image_file *files;
	bool is_there;
	char *cached;

	write_file("elf", elf, sizeof(*elf));
	files = images_find(&region, &places);
	assert_true(files[0].found);
	images_cache(&region, files);
	images_free(files, 1);
	cached = buildid_cache_find(images[0].build_id, SMALL_ELF_ID);
	is_there = cached;
	free(cached);
	return is_there;
}

/* Files that a machine wrote use these addresses as offsets, and perf has one file per build-id. */
static void only_an_image_with_file_offsets_equal_to_link_addresses_is_cached(void **state)
{
	struct small_elf elf = small_elf(1);

	(void)state;
	assert_int_equal(setenv("PERF_BUILDID_DIR", in("cache"), 1), 0);
	assert_false(is_cached(&elf));
	elf.segments[2].p_vaddr = elf.segments[2].p_offset;
	images[0].link_address = elf.segments[2].p_vaddr + 7;
	assert_true(is_cached(&elf));
}

/* A copy of this program in that directory, which prints the path that it finds. */
static int run_copy(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		execl(in("bin/program"), "program", directory, (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void built_or_installed_images_are_found_beside_the_tool(void **state)
{
	static const char *const places[] = { "x86_64", "bin/x86_64", "lib/bareperf/x86_64" };
	int from = open("/proc/self/exe", O_RDONLY), to;
	struct stat stat_of;
	off_t done = 0;

	(void)state;
	make_directory("bin");
	make_directory("lib");
	make_directory("lib/bareperf");
	assert_int_equal(fstat(from, &stat_of), 0);
	to = open(in("bin/program"), O_WRONLY | O_CREAT, 0700);
	while (done < stat_of.st_size)
		assert_true(sendfile(to, from, &done, (size_t)(stat_of.st_size - done)) > 0);
	close(to);
	close(from);
	assert_int_equal(run_copy(), 1);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char name[64];

		make_directory(places[i]);
		snprintf(name, sizeof(name), "%s/bareperf.sym", places[i]);
		write_elf(name, 1);
		assert_int_equal(run_copy(), 0);
		assert_int_equal(unlink(in(name)), 0);
		assert_int_equal(run_copy(), 1);
	}
}

static int say_what_is_found(void)
{
	struct image_file *files;
	int found;

	describe();
	files = images_find(&region, &(struct image_places){ 0 });
	found = files && files[0].found;
	images_free(files, 1);
	return !found;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_file_is_known_by_its_build_id_and_has_the_code),
		TEST(in_a_directory_the_file_with_symbols_is_preferred),
		TEST(the_users_files_come_first_then_the_payload_then_the_booted_image),
		TEST(each_image_has_its_own_file),
		TEST(only_an_image_with_file_offsets_equal_to_link_addresses_is_cached),
		TEST(built_or_installed_images_are_found_beside_the_tool),
	};

	(void)argv;
	if (argc > 1)
		return say_what_is_found();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
