/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_drivers.h"

#include <stdbool.h>
#include <stddef.h>

#include "lib/efi/efi.h"
#include "lib/efi/efi_image_name.h"

#define DRIVERS_OF_ONE 16U /* the most drivers of one device that are reported */
#define PATH_MAX       128U

/* The drivers of one device that were found. */
struct efi_drivers {
	EFI_HANDLE agents[DRIVERS_OF_ONE];
	unsigned count;
};

static void efi_drivers_add(struct efi_drivers *drivers, EFI_HANDLE agent)
{
	for (unsigned i = 0; i < drivers->count; i++) {
		if (drivers->agents[i] == agent)
			return;
	}
	if (drivers->count < DRIVERS_OF_ONE)
		drivers->agents[drivers->count++] = agent;
}

/* Find the drivers that have opened this protocol of the device. */
static void efi_drivers_of_protocol(struct efi_drivers *drivers, EFI_HANDLE device, EFI_GUID *guid)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *opens;
	UINTN count;

	if (EFI_ERROR(services->OpenProtocolInformation(device, guid, &opens, &count)))
		return;
	for (UINTN i = 0; i < count; i++) {
		if (opens[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER)
			efi_drivers_add(drivers, opens[i].AgentHandle);
	}
	services->FreePool(opens);
}

static void efi_drivers_of(struct efi_drivers *drivers, EFI_HANDLE device)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_GUID **guids;
	UINTN count;

	if (EFI_ERROR(services->ProtocolsPerHandle(device, &guids, &count)))
		return;
	for (UINTN i = 0; i < count; i++)
		efi_drivers_of_protocol(drivers, device, guids[i]);
	services->FreePool(guids);
}

/* An agent is the handle that has the driver's binding, which names its image. */
static bool efi_drivers_name(EFI_HANDLE agent, char *name, size_t size)
{
	EFI_DRIVER_BINDING *binding = efi_protocol(agent, (EFI_GUID)DRIVER_BINDING_PROTOCOL);
	const EFI_LOADED_IMAGE *image = efi_protocol(binding ? binding->ImageHandle : agent,
	                                             (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	if (image)
		efi_image_name(image, name, size);
	return image;
}

static bool efi_drivers_path(EFI_DEVICE_PATH_TO_TEXT_PROTOCOL *to_text, EFI_HANDLE device,
                             char *path, size_t size)
{
	EFI_DEVICE_PATH *binary = efi_protocol(device, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID);
	CHAR16 *text = binary ? to_text->ConvertDevicePathToText(binary, FALSE, FALSE) : NULL;
	size_t used = 0;

	if (!text)
		return false;
	for (; used < size - 1 && text[used]; used++)
		path[used] = text[used] >= ' ' && text[used] < 0x7f ? (char)text[used] : '?';
	path[used] = 0;
	efi_system->BootServices->FreePool(text);
	return used;
}

void efi_drivers_report(efi_driver_fn report)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_DEVICE_PATH_TO_TEXT_PROTOCOL *to_text =
	    efi_locate((EFI_GUID)EFI_DEVICE_PATH_TO_TEXT_PROTOCOL_GUID);
	EFI_GUID guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	char name[EFI_IMAGE_NAME_MAX], path[PATH_MAX];
	unsigned reported = 0;
	EFI_HANDLE *devices;
	UINTN count;

	if (!to_text ||
	    EFI_ERROR(services->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &devices)))
		return;
	for (UINTN i = 0; i < count; i++) {
		struct efi_drivers drivers = { .count = 0 };

		efi_drivers_of(&drivers, devices[i]);
		if (!drivers.count || !efi_drivers_path(to_text, devices[i], path, sizeof(path)))
			continue;
		for (unsigned d = 0; d < drivers.count && reported < EFI_DRIVERS_MAX; d++) {
			if (!efi_drivers_name(drivers.agents[d], name, sizeof(name)))
				continue;
			report(name, path);
			reported++;
		}
	}
	services->FreePool(devices);
}
