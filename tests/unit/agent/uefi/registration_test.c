/* SPDX-License-Identifier: MIT */
/* Our driver in the firmware's list of drivers: other entries stay, whatever the firmware returns.
 * */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/uefi/registration.h"
#include "agent/volume/volume_where.h"
#include "lib/console/console.h"
#include "lib/efi/efi_file_path.h"
#include "tests/unit/lib/efi/fake_firmware.h"

#define MOST    256U /* drivers in an order that we read */
#define LARGE   5000U
#define COMMAND "record --boot -e cpu-clock"

static const CHAR16 order_name[] = u"DriverOrder";
static char said[1024];

void console_printf(const char *format, ...)
{
	va_list arguments;
	size_t length = strlen(said);

	va_start(arguments, format);
	vsnprintf(said + length, sizeof(said) - length, format, arguments);
	va_end(arguments);
}

/* ---- The volume that we come from, with a driver on it ---- */

static EFI_STATUS EFIAPI file_open(EFI_FILE_HANDLE root, EFI_FILE_HANDLE *file, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
	(void)mode;
	(void)attributes;
	*file = root;
	return memcmp(name, u"\\bareperf-dxe.efi", sizeof(u"\\bareperf-dxe.efi")) == 0
	           ? EFI_SUCCESS
	           : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI file_close(EFI_FILE_HANDLE file)
{
	(void)file;
	return EFI_SUCCESS;
}

EFI_HANDLE volume_handle(void)
{
	return NULL;
}

EFI_FILE *volume_root(struct error *error)
{
	static EFI_FILE root = { .Open = file_open, .Close = file_close };

	(void)error;
	return &root;
}

static EFI_STATUS EFIAPI pool_allocate(EFI_MEMORY_TYPE type, UINTN size, VOID **buffer)
{
	(void)type;
	*buffer = malloc(size);
	return *buffer ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI pool_free(VOID *buffer)
{
	free(buffer);
	return EFI_SUCCESS;
}

static EFI_LOADED_IMAGE self;

static int begin(void **state)
{
	(void)state;
	fake_firmware_begin();
	fake_services.AllocatePool = pool_allocate;
	fake_services.FreePool = pool_free;
	self.FilePath = efi_file_path(NULL, "\\bareperf.efi");
	fake_install(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &self);
	said[0] = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(self.FilePath);
	return 0;
}

/* ---- The variables ---- */

static void set_order(unsigned count, uint16_t first)
{
	uint16_t numbers[MOST + 1];

	for (unsigned i = 0; i < count; i++)
		numbers[i] = (uint16_t)(first + i);
	fake_set_variable(order_name, numbers, count * sizeof(*numbers));
}

static void assert_order(unsigned count, ...)
{
	UINTN size;
	const uint8_t *bytes = fake_variable(order_name, &size);
	va_list numbers;

	assert_int_equal(size, count * 2);
	va_start(numbers, count);
	for (unsigned i = 0; i < count; i++) {
		int number = va_arg(numbers, int);

		assert_int_equal(bytes[2 * i] | bytes[2 * i + 1] << 8, number);
	}
	va_end(numbers);
}

/* The load options follow the path. */
static void assert_ours(const CHAR16 *name, const char *command)
{
	UINTN size, length = 2 * (strlen(command) + 1);
	const uint8_t *bytes = fake_variable(name, &size);

	assert_non_null(bytes);
	assert_true(size > length);
	for (UINTN i = 0; i < length; i++)
		assert_int_equal(bytes[size - length + i], i % 2 ? 0 : command[i / 2]);
}

static void add_large(const CHAR16 *name)
{
	uint8_t bytes[LARGE];

	memset(bytes, 0x5a, sizeof(bytes));
	fake_set_variable(name, bytes, sizeof(bytes));
}

static void assert_large(const CHAR16 *name)
{
	UINTN size;
	const uint8_t *bytes = fake_variable(name, &size);

	assert_int_equal(size, LARGE);
	for (UINTN i = 0; i < LARGE; i++)
		assert_int_equal(bytes[i], 0x5a);
}

static void assert_both_refuse(int code, const char *why)
{
	said[0] = 0;
	assert_int_equal(registration_add(COMMAND), code);
	assert_non_null(strstr(said, why));
	said[0] = 0;
	assert_int_equal(registration_remove(), code);
	assert_non_null(strstr(said, why));
}

/* ---- Claims ---- */

static void a_registration_is_removed_without_a_trace(void **state)
{
	(void)state;
	assert_int_equal(registration_add(COMMAND), 0);
	assert_order(1, 0);
	assert_ours(u"Driver0000", COMMAND);
	assert_int_equal(fake_variables(), 2);
	assert_int_equal(registration_add("record --boot"), 0);
	assert_order(1, 0);
	assert_ours(u"Driver0000", "record --boot");
	assert_int_equal(registration_remove(), 0);
	assert_int_equal(fake_variables(), 0);
	assert_int_equal(registration_remove(), 0);
	assert_non_null(strstr(said, "is not registered"));
}

static void other_drivers_stay_in_their_order(void **state)
{
	(void)state;
	fake_set_variable(u"Driver0007", "another", 8);
	fake_set_variable(u"Driver0000", "in no order", 12);
	set_order(1, 7);
	assert_int_equal(registration_add(COMMAND), 0);
	assert_order(2, 7, 1);
	assert_ours(u"Driver0001", COMMAND);
	assert_int_equal(registration_remove(), 0);
	assert_order(1, 7);
	assert_int_equal(fake_variables(), 3);
}

static void an_order_that_is_too_long_stays(void **state)
{
	UINTN size;

	(void)state;
	set_order(MOST + 1, 16);
	assert_both_refuse(-EFBIG, "DriverOrder has more than 256 drivers");
	assert_int_equal(fake_variables(), 1);
	fake_variable(order_name, &size);
	assert_int_equal(size, 2 * (MOST + 1));
}

/* Even if the order has its greatest length, our entries may be in it. */
static void a_full_order_has_room_for_its_own_entries(void **state)
{
	UINTN size;

	(void)state;
	set_order(MOST, 16);
	assert_int_equal(registration_add(COMMAND), -ENOSPC);
	assert_non_null(strstr(said, "too many drivers"));
	assert_int_equal(fake_variables(), 1);
	set_order(MOST - 1, 16);
	assert_int_equal(registration_add(COMMAND), 0);
	assert_int_equal(registration_add("record --boot"), 0);
	assert_ours(u"Driver0000", "record --boot");
	fake_variable(order_name, &size);
	assert_int_equal(size, 2 * MOST);
}

static void an_unreadable_variable_does_not_count_as_missing(void **state)
{
	(void)state;
	set_order(1, 7);
	fake_variable_fails(order_name, EFI_DEVICE_ERROR, 0);
	assert_both_refuse(-EIO, "does not read its variable DriverOrder (0x8000000000000007)");
	assert_order(1, 7);
	fake_variable_fails(order_name, 0, 0);
	fake_variable_fails(u"Driver0007", EFI_DEVICE_ERROR, 0);
	assert_both_refuse(-EIO, "does not read its variable Driver0007");
	assert_order(1, 7);
	fake_variable_fails(u"Driver0007", 0, 0);
	fake_variable_fails(u"Driver0000", EFI_DEVICE_ERROR, 0);
	said[0] = 0;
	assert_int_equal(registration_add(COMMAND), -EIO);
	assert_non_null(strstr(said, "does not read its variable Driver0000"));
	assert_int_equal(fake_variables(), 1);
	assert_order(1, 7);
}

static void a_large_option_is_another_s(void **state)
{
	(void)state;
	add_large(u"Driver0000"); /* in no order */
	add_large(u"Driver0007");
	set_order(1, 7);
	assert_int_equal(registration_add(COMMAND), 0);
	assert_order(2, 7, 1);
	assert_int_equal(registration_remove(), 0);
	assert_order(1, 7);
	assert_large(u"Driver0000");
	assert_large(u"Driver0007");
	assert_int_equal(fake_variables(), 3);
}

static void an_order_that_is_not_kept_leaves_no_option(void **state)
{
	(void)state;
	fake_variable_fails(order_name, 0, EFI_OUT_OF_RESOURCES);
	assert_int_equal(registration_add(COMMAND), -EIO);
	assert_non_null(strstr(said, "does not write its variable DriverOrder"));
	assert_int_equal(fake_variables(), 0);
}

/* ---- Windows ---- */

/* The path of the boot entry is a MEDIA_FILEPATH_DP after a node of an odd length. */
static void set_boot(const CHAR16 *name, uint32_t attributes, const CHAR16 *file, UINTN bytes)
{
	static const uint8_t node[] = { 1, 1, 7, 0, 'x', 'y', 'z' };
	uint8_t option[256] = { (uint8_t)attributes };
	UINTN size = 6;

	memcpy(option + size, u"entry", sizeof(u"entry"));
	size += sizeof(u"entry");
	memcpy(option + size, node, sizeof(node));
	size += sizeof(node);
	memcpy(option + size, file, bytes);
	fake_set_variable(name, option, size + bytes);
}
#define SET_BOOT(name, attributes, file) set_boot(name, attributes, file, sizeof(file))

static void set_boot_order(const uint16_t *numbers, unsigned count)
{
	fake_set_variable(u"BootOrder", numbers, count * sizeof(*numbers));
}

static void windows_among_the_boot_entries_is_reported(void **state)
{
	static const uint16_t numbers[] = { 0, 0x1a, 2, 3, 4 };

	(void)state;
	SET_BOOT(u"Boot0000", 1, u"\\EFI\\debian\\shimx64.efi");
	SET_BOOT(u"Boot001A", 1, u"\\EFI\\Microsoft\\Boot\\bootmgfw.efi");
	SET_BOOT(u"Boot0002", 1, u"\\EFI\\Micros");
	SET_BOOT(u"Boot0003", 0, u"\\EFI\\Microsoft\\Boot\\off.efi");
	SET_BOOT(u"Boot0005", 1, u"\\EFI\\Microsoft\\Boot\\in.no.order.efi");
	registration_warn_of_windows();
	assert_string_equal(said, "");
	set_boot_order(numbers, 5);
	registration_warn_of_windows();
	assert_non_null(strstr(said, "Boot001A is Windows' boot manager"));
	assert_non_null(strstr(said, "--until ready-to-boot"));
	assert_null(strstr(strstr(said, "Boot001A") + 1, "Boot0"));
	assert_int_equal(strncmp(said, "Boot001A", 8), 0);
}

static void windows_is_known_whatever_its_letters(void **state)
{
	static const uint16_t numbers[] = { 7, 8 };

	(void)state;
	add_large(u"Boot0007");
	SET_BOOT(u"Boot0008", 1, u"\\efi\\MICROSOFT\\x");
	set_boot_order(numbers, 2);
	registration_warn_of_windows();
	assert_int_equal(strncmp(said, "Boot0008", 8), 0);
	fake_variable_fails(u"Boot0008", EFI_DEVICE_ERROR, 0);
	said[0] = 0;
	registration_warn_of_windows();
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_registration_is_removed_without_a_trace, begin,
		                                end),
		cmocka_unit_test_setup_teardown(other_drivers_stay_in_their_order, begin, end),
		cmocka_unit_test_setup_teardown(an_order_that_is_too_long_stays, begin, end),
		cmocka_unit_test_setup_teardown(a_full_order_has_room_for_its_own_entries, begin,
		                                end),
		cmocka_unit_test_setup_teardown(an_unreadable_variable_does_not_count_as_missing,
		                                begin, end),
		cmocka_unit_test_setup_teardown(a_large_option_is_another_s, begin, end),
		cmocka_unit_test_setup_teardown(an_order_that_is_not_kept_leaves_no_option, begin,
		                                end),
		cmocka_unit_test_setup_teardown(windows_among_the_boot_entries_is_reported, begin,
		                                end),
		cmocka_unit_test_setup_teardown(windows_is_known_whatever_its_letters, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
