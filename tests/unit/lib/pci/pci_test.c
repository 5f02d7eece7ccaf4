/* SPDX-License-Identifier: MIT */
/* A BAR contains foreign numbers, by whatever way it is read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/pci/pci.h"
#include "lib/pci/pci_access.h"
#include "tests/unit/lib/memory/fake_map.h"

static uint64_t bar_address, bar_size;
static uint32_t bar_flags; /* bit 0: I/O ports */
static int bar_code;
static char said[512];

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
}

void *efi_locate(EFI_GUID guid)
{
	(void)guid;
	return NULL;
}

static void begin(const struct arch_platform *platform)
{
	(void)platform;
}

static uint32_t read(void *device, uint32_t offset, unsigned bytes)
{
	(void)device;
	(void)bytes;
	return offset == 0 ? 0x1af4 : offset == 2 ? 0x1110 : bar_flags;
}

static int bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	(void)device;
	(void)number;
	*address = bar_address;
	*size = bar_size;
	return bar_code;
}

const struct pci_access pci_by_ecam = { .begin = begin, .read = read, .bar = bar };
const struct pci_access pci_by_firmware = { .begin = begin };

static int ask(uint32_t flags, uint64_t address, uint64_t size)
{
	static const struct arch_platform platform = { .ecam_count = 1 };
	uint64_t got, got_size;

	bar_flags = flags;
	bar_address = address;
	bar_size = size;
	pci_begin(&platform);
	said[0] = 0;
	return pci_bar(NULL, 2, &got, &got_size);
}

static void a_bar_where_no_device_can_be_is_reported_and_not_used(void **state)
{
	(void)state;
	host_address_bits = 40;
	assert_int_equal(ask(0, FAKE_RAM_END, 1U << 24), 0);
	assert_string_equal(said, "");
	assert_int_equal(ask(0, 1ULL << 39, 1ULL << 39), 0);
	assert_int_equal(ask(0, 1ULL << 40, 4096), -EIO);
	assert_string_equal(said,
	                    "PCI: BAR 2 of device 1af4:1110 at 0x10000000000, 0x1000 bytes: the "
	                    "CPU has fewer bits of address: it is not used\n");
	assert_int_equal(ask(0, UINT64_MAX - 4095, 4096), -EIO);
	assert_int_equal(ask(0, FAKE_RAM_END, UINT64_MAX), -EIO);
	assert_int_equal(ask(0, FAKE_RAM - 4096, 8192), -EIO);
	assert_int_equal(ask(0, 0, 4096), -EIO);
	assert_int_equal(ask(0, FAKE_RAM_END, 0), -EIO);
	assert_string_not_equal(said, "");
}

static void ports_are_a_space_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(ask(1, 0xc000, 8), 0);
	assert_int_equal(ask(1, 0xfffc, 8), -EIO);
	assert_int_equal(ask(1, 0x3eff0000, 8), 0); /* a host bridge maps ports into memory */
}

static void a_bar_without_an_address_is_reported(void **state)
{
	(void)state;
	bar_code = -EIO;
	assert_int_equal(ask(0, FAKE_RAM_END, 4096), -EIO);
	assert_non_null(strstr(said, "the firmware gives no address for BAR 2"));
	bar_code = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bar_where_no_device_can_be_is_reported_and_not_used),
		cmocka_unit_test(ports_are_a_space_of_their_own),
		cmocka_unit_test(a_bar_without_an_address_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
