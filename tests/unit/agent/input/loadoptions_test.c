/* SPDX-License-Identifier: MIT */
/* The command line from foreign bytes: LoadOptions and \bareperf.cfg. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/input/loadoptions.h"

static char text[64];

/* Exactly size bytes on the heap, so that the sanitizer detects reads beyond them. */
static int convert(int (*parse)(const void *, size_t, char *, size_t), const void *bytes,
                   size_t size)
{
	void *copy = malloc(size ? size : 1);
	int result;

	memcpy(copy, bytes, size);
	memset(text, '#', sizeof(text));
	result = parse(copy, size, text, sizeof(text));
	free(copy);
	return result;
}

/* ASCII as UCS-2, with a NUL if with_nul. */
static int options(const char *ascii, int with_nul)
{
	unsigned char wide[512];
	size_t count = strlen(ascii) + (with_nul ? 1 : 0);

	for (size_t i = 0; i < count; i++) {
		wide[2 * i] = (unsigned char)ascii[i];
		wide[2 * i + 1] = 0;
	}
	return convert(loadoptions_to_text, wide, 2 * count);
}

static void assert_options(const char *given, const char *expected)
{
	assert_int_equal(options(given, 1), strlen(expected));
	assert_string_equal(text, expected);
	assert_int_equal(options(given, 0), strlen(expected));
	assert_string_equal(text, expected);
}

static void a_line_is_taken_with_or_without_its_nul(void **state)
{
	(void)state;
	assert_options("record -- noploop 1", "record -- noploop 1");
	assert_options("  help\t", "help");
	assert_options("", "");
	assert_options("   ", "");
}

static void bytes_after_the_nul_are_not_read(void **state)
{
	static const unsigned char bytes[] = { 'l', 0, 's', 0, 0, 0, 0xff, 0xff };

	(void)state;
	assert_int_equal(convert(loadoptions_to_text, bytes, sizeof(bytes)), 2);
	assert_string_equal(text, "ls");
}

static void the_images_own_name_is_skipped(void **state)
{
	(void)state;
	assert_options("bareperf.efi list", "list");
	assert_options("FS0:\\EFI\\BOOT\\BOOTX64.EFI  record -g", "record -g");
	assert_options("\"fs0:\\my files\\bareperf.efi\" list", "list");
	assert_options("bareperf.efi", "");
	assert_options("x.efi y.efi", "y.efi");
	assert_options("record.efix", "record.efix");
	assert_options("\"unfinished.efi", "\"unfinished.efi");
}

static void the_text_that_qemus_loader_appends_is_dropped(void **state)
{
	(void)state;
	assert_options("record -- payload initrd=initrd", "record -- payload");
	assert_options(" initrd=initrd", "");
	assert_options("xinitrd=initrd", "xinitrd=initrd");
	assert_options("initrd=initrd list", "initrd=initrd list");
}

static bool names_image(const char *options)
{
	uint8_t wide[2 * 600];
	size_t length = strlen(options) + 1;

	for (size_t i = 0; i < length; i++) {
		wide[2 * i] = (uint8_t)options[i];
		wide[2 * i + 1] = 0;
	}
	return loadoptions_name_image(wide, 2 * length);
}

static void a_shells_options_begin_with_an_images_name(void **state)
{
	char path[560];

	(void)state;
	assert_true(names_image("bareperf.efi list"));
	assert_true(names_image("  fs0:\\efi\\boot\\BOOTX64.EFI"));
	assert_true(names_image("\"fs0:\\my files\\bareperf.efi\" foo"));
	assert_false(names_image("quiet splash"));
	assert_false(names_image("record bareperf.efi"));
	assert_false(names_image(""));
	memset(path, 'x', sizeof(path) - 1); /* longer than any path */
	strcpy(path + sizeof(path) - 5, ".efi");
	assert_false(names_image(path));
	assert_false(loadoptions_name_image(NULL, 8));
	assert_false(loadoptions_name_image("x\0.\0e\0f\0i\0", 9));
	assert_true(loadoptions_name_image("x\0.\0e\0f\0i\0", 10));
}

static void a_kernels_parameters_are_no_command(void **state)
{
	(void)state;
	assert_true(loadoptions_are_parameters("root=/dev/sdb3 init=/sbin/init rootwait ro"));
	assert_true(loadoptions_are_parameters("quiet=") && loadoptions_are_parameters("="));
	assert_false(loadoptions_are_parameters("record -o a=b -- payload x=y"));
	assert_false(loadoptions_are_parameters("recrod"));
	assert_false(loadoptions_are_parameters(""));
}

static void no_options_are_an_empty_line(void **state)
{
	(void)state;
	assert_int_equal(loadoptions_to_text(NULL, 0, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(loadoptions_to_text(NULL, 17, text, sizeof(text)), 0);
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	static const unsigned char guid[] = { 0x10, 0x9f, 0x4e, 0x3c, 0x80, 0x21, 0xff, 0x00 };
	static const unsigned char control[] = { 'a', 0, 7, 0, 'b', 0 };
	static const unsigned char umlaut[] = { 'a', 0, 0xe4, 0, 0, 0 };

	(void)state;
	assert_int_equal(convert(loadoptions_to_text, guid, sizeof(guid)), -EINVAL);
	assert_string_equal(text, "");
	assert_int_equal(convert(loadoptions_to_text, "abc", 3), -EINVAL);
	assert_int_equal(convert(loadoptions_to_text, control, sizeof(control)), -EINVAL);
	assert_int_equal(convert(loadoptions_to_text, umlaut, sizeof(umlaut)), -EINVAL);
	assert_string_equal(text, "a"); /* up to there */
}

static void a_line_that_does_not_fit_is_refused(void **state)
{
	char line[65];

	(void)state;
	memset(line, 'a', sizeof(line));
	line[63] = 0;
	assert_int_equal(options(line, 1), 63);
	line[63] = 'a';
	line[64] = 0;
	assert_int_equal(options(line, 1), -E2BIG);
	assert_int_equal(strlen(text), 63);
	memcpy(line, "record.efi list", 15);
	assert_int_equal(options(line, 1), -E2BIG);
	assert_memory_equal(text, "listaaa", 7);
}

static void assert_config(const char *given, const char *expected)
{
	assert_int_equal(convert(config_to_text, given, strlen(given)), strlen(expected));
	assert_string_equal(text, expected);
}

static void the_first_command_of_a_file_is_taken(void **state)
{
	(void)state;
	assert_config("list\n", "list");
	assert_config("list", "list");
	assert_config("# comment\r\n\r\n  \t\n  record -g  \r\nlist\n", "record -g");
	assert_config("\xef\xbb\xbf# with a mark\nhelp\n", "help");
	assert_config("list # the rest belongs to it", "list # the rest belongs to it");
}

static void a_file_without_a_command_is_an_empty_line(void **state)
{
	(void)state;
	assert_config("", "");
	assert_config("\n\n# only this", "");
	assert_config("\xef\xbb\xbf", "");
}

static void the_uefi_shells_files_are_read(void **state)
{
	static const unsigned char file[] = { 0xff, 0xfe, '#', 0, '\r', 0, '\n', 0,
		                              'l',  0,    's', 0, '\r', 0, '\n', 0 };

	(void)state;
	assert_int_equal(convert(config_to_text, file, sizeof(file)), 2);
	assert_string_equal(text, "ls");
	/* half a character at the end does not count */
	assert_int_equal(convert(config_to_text, file, 11), 1);
	assert_string_equal(text, "l");
}

static void a_file_of_rubbish_is_refused(void **state)
{
	(void)state;
	assert_int_equal(convert(config_to_text,
	                         "\x7f"
	                         "ELF\x02\x01",
	                         6),
	                 -EINVAL);
	assert_string_equal(text, "");
}

static void random_bytes_never_do_harm(void **state)
{
	unsigned char bytes[128];

	(void)state;
	srandom(1);
	for (int round = 0; round < 200000; round++) {
		size_t size = (size_t)random() % sizeof(bytes);
		int result;

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)(random() % 3 ? random() % 128 : random());
		result = convert(round & 1 ? config_to_text : loadoptions_to_text, bytes, size);
		assert_true((result >= 0 || result == -E2BIG || result == -EINVAL) &&
		            result < (int)sizeof(text));
		assert_true(strnlen(text, sizeof(text)) < sizeof(text));
		if (result >= 0)
			assert_int_equal(strlen(text), result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_with_or_without_its_nul),
		cmocka_unit_test(bytes_after_the_nul_are_not_read),
		cmocka_unit_test(the_images_own_name_is_skipped),
		cmocka_unit_test(the_text_that_qemus_loader_appends_is_dropped),
		cmocka_unit_test(a_shells_options_begin_with_an_images_name),
		cmocka_unit_test(a_kernels_parameters_are_no_command),
		cmocka_unit_test(no_options_are_an_empty_line),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(a_line_that_does_not_fit_is_refused),
		cmocka_unit_test(the_first_command_of_a_file_is_taken),
		cmocka_unit_test(a_file_without_a_command_is_an_empty_line),
		cmocka_unit_test(the_uefi_shells_files_are_read),
		cmocka_unit_test(a_file_of_rubbish_is_refused),
		cmocka_unit_test(random_bytes_never_do_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
