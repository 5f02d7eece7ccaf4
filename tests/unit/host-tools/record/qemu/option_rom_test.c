/* SPDX-License-Identifier: MIT */
/* The driver's file becomes a ROM as UEFI 2.10, 14.4.2, defines it; other files are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/rom_command.h"
#include "host-tools/record/qemu/option_rom.h"
#include "tests/unit/lib/parse/pe_file.h"

static struct {
	struct pe_file pe;
	struct rom_command command;
	char last;
} file;
static uint8_t rom[2 * sizeof(file)];
static struct error error;
static char path[] = "/tmp/bareperf-rom-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	pe_file_make(&file.pe);
	memcpy(file.command.magic, ROM_COMMAND_MAGIC, sizeof(ROM_COMMAND_MAGIC));
	file.last = 'z';
	return 0;
}

/* The ROM of the first size bytes of the file. Returns its size, or a negative errno. */
static int make(size_t size, const char *command)
{
	int fd, code;
	ssize_t got;

	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &file, size), size);
	close(fd);
	error.text[0] = 0;
	code = option_rom_make(path, command, &error);
	unlink(path);
	if (code < 0)
		return code;
	got = pread(code, rom, sizeof(rom), 0);
	close(code);
	return (int)got;
}

static unsigned number(size_t at, unsigned bytes)
{
	unsigned value = 0;

	while (bytes--)
		value = value << 8 | rom[at + bytes];
	return value;
}

static void the_roms_header_describes_the_driver(void **state)
{
	int size = make(sizeof(file), "record --boot");

	(void)state;
	assert_true(size >= (int)sizeof(file) + 0x40 && size < (int)sizeof(file) + 0x40 + 512);
	assert_int_equal(size % 512, 0);
	assert_int_equal(number(0, 2), 0xaa55);
	assert_int_equal(number(2, 2), size / 512);
	assert_int_equal(number(4, 4), 0x0ef1);
	assert_int_equal(number(8, 2), PE_EFI_BOOT_SERVICE_DRIVER);
	assert_int_equal(number(0xa, 2), PE_MACHINE_AMD64);
	assert_int_equal(number(0xc, 2), 0);
	assert_int_equal(number(0x16, 2), 0x40);
	assert_int_equal(number(0x18, 2), 0x1c);
	assert_memory_equal(rom + 0x1c, "PCIR", 4);
	assert_int_equal(number(0x1c + 4, 4), 0x11101af4);
	assert_int_equal(number(0x1c + 0xa, 2), 0x1c);
	assert_int_equal(number(0x1c + 0x10, 2), size / 512);
	assert_int_equal(number(0x1c + 0x14, 1), 3);
	assert_int_equal(number(0x1c + 0x15, 1), 0x80);
}

static void the_drivers_file_is_unchanged_but_for_its_command(void **state)
{
	(void)state;
	assert_true(make(sizeof(file), "record --boot -F 99") > 0);
	strcpy(file.command.text, "record --boot -F 99");
	assert_memory_equal(rom + 0x40, &file, sizeof(file));
}

static void a_command_has_as_much_room_as_the_machine_takes(void **state)
{
	char command[sizeof(file.command.text) + 1];

	(void)state;
	memset(command, 'x', sizeof(command));
	command[sizeof(command) - 1] = 0;
	assert_int_equal(make(sizeof(file), command), -E2BIG);
	command[sizeof(command) - 2] = 0;
	assert_true(make(sizeof(file), command) > 0);
	assert_int_equal(rom[0x40 + sizeof(file.pe) + sizeof(file.command) - 1], 0);
	assert_int_equal(rom[0x40 + sizeof(file.pe) + sizeof(file.command) - 2], 'x');
}

static void files_that_are_no_driver_are_refused(void **state)
{
	(void)state;
	assert_int_equal(make(sizeof(file.pe), ""), -ENOEXEC);
	assert_non_null(strstr(error.text, "no place for a command: build it again"));
	assert_int_equal(make(sizeof(file.pe) + sizeof(file.command) - 1, ""), -ENOEXEC);
	assert_true(make(sizeof(file.pe) + sizeof(file.command), "") > 0);
	assert_int_equal(make(0, ""), -ENOEXEC);
	assert_int_equal(make(10, ""), -ENOEXEC);
	file.pe = (struct pe_file){ 0 };
	assert_int_equal(make(sizeof(file), ""), -ENOEXEC);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(option_rom_make("/nowhere.efi", "", &error), -ENOENT);
	assert_int_equal(option_rom_make("/tmp", "", &error), -ENOEXEC);
	assert_non_null(strstr(error.text, "/tmp is no file"));
}

static void the_driver_lies_beside_the_image(void **state)
{
	char image[] = "/tmp/bareperf-rom-XXXXXX-dxe.EFI", found[PATH_MAX];
	int fd = mkstemps(image, 8);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	strcpy(strstr(image, "-dxe"), ".EFI");
	assert_int_equal(option_rom_driver(image, found, &error), 0);
	assert_string_equal(strstr(found, "-dxe"), "-dxe.EFI");
	unlink(found);
	assert_int_equal(option_rom_driver(image, found, &error), -ENOENT);
	assert_non_null(strstr(error.text, "-dxe.EFI"));
	assert_int_equal(option_rom_driver("image", found, &error), -ENOENT);
	assert_int_equal(option_rom_driver("", found, &error), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_roms_header_describes_the_driver, set_up),
		cmocka_unit_test_setup(the_drivers_file_is_unchanged_but_for_its_command, set_up),
		cmocka_unit_test_setup(a_command_has_as_much_room_as_the_machine_takes, set_up),
		cmocka_unit_test_setup(files_that_are_no_driver_are_refused, set_up),
		cmocka_unit_test(the_driver_lies_beside_the_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
