/* SPDX-License-Identifier: MIT */
/* The drivers' devices, on a firmware with two devices and two drivers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/efi/efi_drivers.h"
#include "lib/efi/efi_image_name.h"
#include "tests/unit/lib/efi/fake_firmware.h"

/* Handles are the addresses of these. */
static char disk, keys, disk_agent, fat_agent, lost_agent;
static EFI_DRIVER_BINDING bindings[2];
static EFI_LOADED_IMAGE images[2];
static EFI_DEVICE_PATH paths[2];
static EFI_GUID block_io = { .Data1 = 1 }, disk_io = { .Data1 = 2 };
static bool has_text, fails;
static unsigned allocated;
static char reported[4096];

static void *allocate(size_t size)
{
	allocated++;
	return calloc(1, size);
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
	allocated--;
	free(memory);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI locate_buffer(EFI_LOCATE_SEARCH_TYPE type, EFI_GUID *guid, VOID *key,
                                       UINTN *count, EFI_HANDLE **handles)
{
	(void)type;
	(void)guid;
	(void)key;
	*count = 2;
	*handles = allocate(2 * sizeof(EFI_HANDLE));
	(*handles)[0] = &disk;
	(*handles)[1] = &keys;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI protocols_of(EFI_HANDLE handle, EFI_GUID ***guids, UINTN *count)
{
	if (fails && handle == &disk)
		return EFI_OUT_OF_RESOURCES;
	*count = handle == &disk ? 2 : 1;
	*guids = allocate(2 * sizeof(EFI_GUID *));
	(*guids)[0] = &block_io;
	(*guids)[1] = &disk_io;
	return EFI_SUCCESS;
}

/* The disk's driver has opened both of its protocols; a file system one of them, after another
 * program that only looked. */
static EFI_STATUS EFIAPI opens_of(EFI_HANDLE handle, EFI_GUID *guid,
                                  EFI_OPEN_PROTOCOL_INFORMATION_ENTRY **opens, UINTN *count)
{
	if (handle == &keys) {
		*opens = allocate(sizeof(**opens));
		(*opens)[0].AgentHandle = &lost_agent; /* neither a driver nor an image any more */
		(*opens)[0].Attributes = EFI_OPEN_PROTOCOL_BY_DRIVER;
		*count = 1;
		return EFI_SUCCESS;
	}
	*count = guid == &block_io ? 1 : 3;
	*opens = allocate(3 * sizeof(**opens));
	(*opens)[0].AgentHandle = &disk_agent;
	(*opens)[0].Attributes = EFI_OPEN_PROTOCOL_BY_DRIVER;
	(*opens)[1].AgentHandle = &keys;
	(*opens)[1].Attributes = 1;
	(*opens)[2].AgentHandle = &fat_agent;
	(*opens)[2].Attributes = EFI_OPEN_PROTOCOL_BY_DRIVER | 0x20;
	return EFI_SUCCESS;
}

static CHAR16 *EFIAPI to_text(const EFI_DEVICE_PATH *path, BOOLEAN display, BOOLEAN shortcuts)
{
	CHAR16 *text = allocate(200 * sizeof(CHAR16));
	const char *from = path == &paths[0] ? "Pci(0x3,0x0)" : "Keys";

	assert_false(display);
	assert_false(shortcuts);
	for (size_t i = 0; from[i]; i++)
		text[i] = (CHAR16)from[i];
	text[2] = path == &paths[0] ? 0x263a : text[2];
	for (size_t i = 12; fails && i < 199; i++)
		text[i] = 'x';
	return text;
}

void *efi_locate(EFI_GUID protocol)
{
	static EFI_DEVICE_PATH_TO_TEXT_PROTOCOL text = { .ConvertDevicePathToText =
		                                             (void *)to_text };

	(void)protocol;
	return has_text ? &text : NULL;
}

void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size)
{
	snprintf(name, size, "%s", image == &images[0] ? "DiskDxe.efi" : "Fat.efi");
}

static void tell(const char *module, const char *path)
{
	size_t length = strlen(reported);

	snprintf(reported + length, sizeof(reported) - length, "%s %s\n", module, path);
}

static void report(void)
{
	fake_firmware_begin();
	fake_services.LocateHandleBuffer = locate_buffer;
	fake_services.ProtocolsPerHandle = protocols_of;
	fake_services.OpenProtocolInformation = opens_of;
	fake_services.FreePool = free_pool;
	for (unsigned i = 0; i < 2; i++) {
		bindings[i].ImageHandle = &images[i];
		fake_install(&images[i], (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &images[i]);
	}
	fake_install(&disk_agent, (EFI_GUID)DRIVER_BINDING_PROTOCOL, &bindings[0]);
	fake_install(&fat_agent, (EFI_GUID)DRIVER_BINDING_PROTOCOL, &bindings[1]);
	fake_install(&disk, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID, &paths[0]);
	fake_install(&keys, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID, &paths[1]);
	reported[0] = 0;
	efi_drivers_report(tell);
	assert_int_equal(allocated, 0);
}

static void each_driver_is_reported_once_for_a_device(void **state)
{
	(void)state;
	has_text = true;
	fails = false;
	report();
	assert_string_equal(reported, "DiskDxe.efi Pc?(0x3,0x0)\nFat.efi Pc?(0x3,0x0)\n");
}

static void firmware_without_text_has_no_devices(void **state)
{
	(void)state;
	has_text = false;
	report();
	assert_string_equal(reported, "");
}

static void a_device_whose_protocols_cannot_be_read_is_left_out(void **state)
{
	(void)state;
	has_text = fails = true;
	report();
	assert_string_equal(reported, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_driver_is_reported_once_for_a_device),
		cmocka_unit_test(firmware_without_text_has_no_devices),
		cmocka_unit_test(a_device_whose_protocols_cannot_be_read_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
