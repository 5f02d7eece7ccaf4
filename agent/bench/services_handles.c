/* SPDX-License-Identifier: MIT */
/* UEFI 2.10, 7.3 "Protocol Handler Services". */
#include "agent/bench/services_case.h"

/* A protocol of our own, so that no driver reacts. */
static EFI_GUID own = {
	0x1b8e2d5c, 0x7c1f, 0x4a0a, { 0x9d, 0x3e, 0x52, 0x0c, 0x8a, 0x6f, 0x41, 0xb7 }
};
static EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;

static struct {
	EFI_HANDLE handle, *list;
	void *interface;
	EFI_GUID **protocols;
	EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *openers;
	EFI_DEVICE_PATH *path;
} handles;

static uint8_t interface_of_ours;

static EFI_STATUS services_free_list(void *list)
{
	return efi_system->BootServices->FreePool(list);
}

/* ---- Installing ---- */

static EFI_STATUS services_install(uint64_t unused)
{
	(void)unused;
	handles.handle = NULL;
	return efi_system->BootServices->InstallProtocolInterface(
	    &handles.handle, &own, EFI_NATIVE_INTERFACE, &interface_of_ours);
}

static EFI_STATUS services_uninstall(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->UninstallProtocolInterface(handles.handle, &own,
	                                                            &interface_of_ours);
}

static EFI_STATUS services_reinstall(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->ReinstallProtocolInterface(
	    handles.handle, &own, &interface_of_ours, &interface_of_ours);
}

static EFI_STATUS services_install_multiple(uint64_t unused)
{
	(void)unused;
	handles.handle = NULL;
	return efi_system->BootServices->InstallMultipleProtocolInterfaces(
	    &handles.handle, &own, &interface_of_ours, NULL);
}

/* ---- Opening ---- */

static EFI_STATUS services_handle_protocol(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->HandleProtocol(efi_image, &loaded_image,
	                                                &handles.interface);
}

static EFI_STATUS services_open(uint64_t attributes)
{
	return efi_system->BootServices->OpenProtocol(efi_image, &loaded_image, &handles.interface,
	                                              efi_image, NULL, (UINT32)attributes);
}

/* The opening is registered at our own handle, with our image as agent. */
static EFI_STATUS services_open_ours(uint64_t attributes)
{
	return efi_system->BootServices->OpenProtocol(handles.handle, &own, &handles.interface,
	                                              efi_image, NULL, (UINT32)attributes);
}

static EFI_STATUS services_close_ours(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->CloseProtocol(handles.handle, &own, efi_image, NULL);
}

static EFI_STATUS services_install_and_open(uint64_t attributes)
{
	EFI_STATUS status = services_install(0);

	return EFI_ERROR(status) ? status : services_open_ours(attributes);
}

static EFI_STATUS services_close_and_uninstall(uint64_t unused)
{
	EFI_STATUS status = services_close_ours(unused);

	return EFI_ERROR(status) ? status : services_uninstall(unused);
}

/* ---- Searching ---- */

static EFI_STATUS services_openers(uint64_t unused)
{
	UINTN count;

	(void)unused;
	return efi_system->BootServices->OpenProtocolInformation(efi_image, &loaded_image,
	                                                         &handles.openers, &count);
}

static EFI_STATUS services_free_openers(uint64_t unused)
{
	(void)unused;
	return services_free_list(handles.openers);
}

static EFI_STATUS services_protocols(uint64_t unused)
{
	UINTN count;

	(void)unused;
	return efi_system->BootServices->ProtocolsPerHandle(efi_image, &handles.protocols, &count);
}

static EFI_STATUS services_free_protocols(uint64_t unused)
{
	(void)unused;
	return services_free_list(handles.protocols);
}

static EFI_STATUS services_locate_handle(uint64_t type)
{
	UINTN size = SERVICES_ROOM;

	return efi_system->BootServices->LocateHandle(type, &device_path, NULL, &size,
	                                              (EFI_HANDLE *)(void *)services_room);
}

static EFI_STATUS services_locate_buffer(uint64_t type)
{
	UINTN count;

	return efi_system->BootServices->LocateHandleBuffer(type, &device_path, NULL, &count,
	                                                    &handles.list);
}

static EFI_STATUS services_free_handles(uint64_t unused)
{
	(void)unused;
	return services_free_list(handles.list);
}

static EFI_STATUS services_locate_protocol(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->LocateProtocol(&device_path, NULL, &handles.interface);
}

static EFI_STATUS services_find_path(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->LocateProtocol(&device_path, NULL, (void **)&handles.path);
}

static EFI_STATUS services_locate_path(uint64_t unused)
{
	EFI_DEVICE_PATH *path = handles.path;
	EFI_HANDLE device;

	(void)unused;
	return efi_system->BootServices->LocateDevicePath(&device_path, &path, &device);
}

#define GET  EFI_OPEN_PROTOCOL_GET_PROTOCOL
#define TEST EFI_OPEN_PROTOCOL_TEST_PROTOCOL

/* clang-format off */
const struct services_case services_of_handles[] = {
	{ "InstallProtocolInterface", "new handle", 0, NULL, services_install, services_uninstall, 0 },
	{ "UninstallProtocolInterface", "", 0, services_install, services_uninstall, NULL, 0 },
	{ "ReinstallProtocolInterface", "", 0, services_install, services_reinstall, services_uninstall, 0 },
	{ "InstallMultipleProtocolInterfaces", "1", 0, NULL, services_install_multiple, services_uninstall, 0 },
	{ "HandleProtocol", "", 0, NULL, services_handle_protocol, NULL, 0 },
	{ "OpenProtocol", "TEST_PROTOCOL", TEST, NULL, services_open, NULL, 0 },
	{ "OpenProtocol", "GET_PROTOCOL", GET, services_install, services_open_ours, services_close_and_uninstall, 0 },
	{ "CloseProtocol", "", GET, services_install_and_open, services_close_ours, services_uninstall, 0 },
	{ "OpenProtocolInformation", "", 0, NULL, services_openers, services_free_openers, 0 },
	{ "ProtocolsPerHandle", "", 0, NULL, services_protocols, services_free_protocols, 0 },
	{ "LocateHandle", "AllHandles", AllHandles, NULL, services_locate_handle, NULL, 0 },
	{ "LocateHandle", "ByProtocol", ByProtocol, NULL, services_locate_handle, NULL, 0 },
	{ "LocateHandleBuffer", "AllHandles", AllHandles, NULL, services_locate_buffer, services_free_handles, 0 },
	{ "LocateHandleBuffer", "ByProtocol", ByProtocol, NULL, services_locate_buffer, services_free_handles, 0 },
	{ "LocateProtocol", "", 0, NULL, services_locate_protocol, NULL, 0 },
	{ "LocateDevicePath", "", 0, services_find_path, services_locate_path, NULL, 0 },
	{ 0 },
};
