/* SPDX-License-Identifier: MIT */
/*
 * All handles that have the protocol are looked through, and compared with what was there before:
 *
 *	when the protocol is installed		whoever loads, firmware's dispatcher included
 *	before and after StartImage()		Exit() unloads an application, and ends there
 *	after UnloadImage()
 *
 * Who ends boot services is seen by a hook of ExitBootServices(), and, by whatever pointer he calls
 * it, by the event group that newer firmware signals in it (UEFI 2.10, 7.4.6).
 *
 * What the firmware unloads by itself (a driver whose entry point fails) is found at the next of
 * these.
 */
#include "lib/efi_images.h"

#include <errno.h>
#include <string.h>

#include "lib/efi.h"
#include "lib/efi_hook.h"
#include "lib/efi_image_name.h"

/* EFI_EVENT_GROUP_BEFORE_EXIT_BOOT_SERVICES: UEFI 2.9, 7.1; GNU-EFI does not declare it. */
#define BEFORE_EXIT_BOOT_SERVICES_GUID                                 \
	{                                                              \
		0x8be0e274, 0x3970, 0x4b44,                            \
		{                                                      \
			0x80, 0xc5, 0x1a, 0xb9, 0x50, 0x2f, 0x3b, 0xfc \
		}                                                      \
	}

static struct known {
	EFI_HANDLE handle;
	uint64_t base, size;
	bool there;
} known[EFI_IMAGES_MAX];
static unsigned nr_known, unknown;

/* NULL: nobody any more; calls that began before may still return through our hooks. */
static const struct efi_images_watcher *watching;
static EFI_EVENT loaded, leaving, ended;
static bool has_left;

/* What our hooks call. One that could not be taken out is there still. */
static EFI_IMAGE_START start_image;
static EFI_IMAGE_UNLOAD unload_image;
static EFI_EXIT_BOOT_SERVICES exit_boot_services;
static struct {
	bool start, unload, exit;
} stays;

/* ---- What is there ---- */

/* Without its protocol: it has gone. */
static void images_tell(const struct known *image, const EFI_LOADED_IMAGE *protocol)
{
	struct efi_image_place place = { .base = image->base, .size = image->size };

	if (protocol)
		efi_image_describe(&place, protocol);
	watching->tell(watching->context, &place, protocol);
}

static struct known *images_find(EFI_HANDLE handle, const EFI_LOADED_IMAGE *protocol)
{
	for (unsigned i = 0; i < nr_known; i++)
		if (known[i].handle == handle && known[i].base == (uint64_t)protocol->ImageBase &&
		    known[i].size == protocol->ImageSize)
			return &known[i];
	return NULL;
}

static void efi_images_forget_gone(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < nr_known; i++) {
		if (known[i].there)
			known[kept++] = known[i];
		else
			images_tell(&known[i], NULL);
	}
	nr_known = kept;
}

static void efi_images_add_come(EFI_HANDLE handle, const EFI_LOADED_IMAGE *protocol)
{
	if (images_find(handle, protocol))
		return;
	if (nr_known == EFI_IMAGES_MAX) {
		unknown++;
		return;
	}
	known[nr_known] =
	    (struct known){ handle, (uint64_t)protocol->ImageBase, protocol->ImageSize, true };
	images_tell(&known[nr_known++], protocol);
}

/* Of one that is being loaded the place is not known yet. */
static const EFI_LOADED_IMAGE *images_placed(EFI_HANDLE handle)
{
	const EFI_LOADED_IMAGE *protocol =
	    efi_protocol(handle, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	return protocol && protocol->ImageBase && protocol->ImageSize ? protocol : NULL;
}

/* Those that have gone first: their places are others' by now. */
static void images_compare(const EFI_HANDLE *handles, UINTN count)
{
	for (unsigned i = 0; i < nr_known; i++)
		known[i].there = false;
	for (UINTN i = 0; i < count; i++) {
		const EFI_LOADED_IMAGE *protocol = images_placed(handles[i]);
		struct known *image = protocol ? images_find(handles[i], protocol) : NULL;

		if (image)
			image->there = true;
	}
	efi_images_forget_gone();
	for (UINTN i = 0; i < count; i++) {
		const EFI_LOADED_IMAGE *protocol = images_placed(handles[i]);

		if (protocol)
			efi_images_add_come(handles[i], protocol);
	}
}

/* At the level of the notification, which so does not come in between, nor does one that ends all
 * of this. */
static bool images_look(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_HANDLE *handles;
	EFI_TPL before;
	UINTN count;
	bool found;

	before = services->RaiseTPL(TPL_CALLBACK);
	found = watching &&
	        !EFI_ERROR(services->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles));
	if (found) {
		images_compare(handles, count);
		services->FreePool(handles);
	}
	services->RestoreTPL(before);
	return found;
}

/* ---- When to look ---- */

static VOID EFIAPI efi_images_on_loaded(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	images_look();
}

/* Once, by whichever comes first. TPL_CALLBACK or below. */
static void images_leave(const struct efi_images_watcher *watcher)
{
	if (!watcher || has_left)
		return;
	has_left = true;
	watcher->leaves(watcher->context);
}

static VOID EFIAPI efi_images_on_leaving(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	images_leave(watching);
}

static VOID EFIAPI efi_images_on_ended(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	efi_boot_services = false;
	watching->ends(watching->context);
}

/* Where somebody asks for it. */
static const char *images_name(const struct efi_images_watcher *watcher, EFI_HANDLE handle,
                               char *name, size_t size)
{
	const EFI_LOADED_IMAGE *protocol = watcher->returns ? images_placed(handle) : NULL;

	memcpy(name, "image", sizeof("image"));
	if (protocol)
		efi_image_name(protocol, name, size);
	return name;
}

static EFI_STATUS EFIAPI efi_images_hooked_start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
	const struct efi_images_watcher *watcher = watching;
	char name[EFI_IMAGE_NAME_MAX];
	const void *started = NULL;
	EFI_STATUS status;

	images_look();
	if (watcher)
		started = watcher->starts(watcher->context,
		                          images_name(watcher, image, name, sizeof(name)));
	status = start_image(image, size, data);
	if (watcher && watcher == watching)
		watcher->left(watcher->context, started);
	images_look();
	if (watcher && watcher == watching && watcher->returns)
		watcher->returns(watcher->context, name);
	return status;
}

static EFI_STATUS EFIAPI efi_images_hooked_unload(EFI_HANDLE image)
{
	EFI_STATUS status = unload_image(image);

	images_look();
	return status;
}

static EFI_STATUS EFIAPI efi_images_hooked_exit(EFI_HANDLE image, UINTN key)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_TPL level = services->RaiseTPL(TPL_HIGH_LEVEL);
	const struct efi_images_watcher *watcher = watching;

	services->RestoreTPL(level);
	if (level <= TPL_CALLBACK)
		images_leave(watcher);
	return exit_boot_services(image, key);
}

static void efi_images_hook(EFI_BOOT_SERVICES *services)
{
	if (!stays.start) {
		start_image = services->StartImage;
		services->StartImage = efi_images_hooked_start;
	}
	if (!stays.unload) {
		unload_image = services->UnloadImage;
		services->UnloadImage = efi_images_hooked_unload;
	}
	if (!stays.exit) {
		exit_boot_services = services->ExitBootServices;
		services->ExitBootServices = efi_images_hooked_exit;
	}
	efi_services_changed();
}

static void efi_images_unhook(EFI_BOOT_SERVICES *services)
{
	stays.start = services->StartImage != efi_images_hooked_start &&
	              efi_hook_stays("StartImage()");
	if (!stays.start)
		services->StartImage = start_image;
	stays.unload = services->UnloadImage != efi_images_hooked_unload &&
	               efi_hook_stays("UnloadImage()");
	if (!stays.unload)
		services->UnloadImage = unload_image;
	stays.exit = services->ExitBootServices != efi_images_hooked_exit &&
	             efi_hook_stays("ExitBootServices()");
	if (!stays.exit)
		services->ExitBootServices = exit_boot_services;
	efi_services_changed();
}

static bool efi_images_create_events(EFI_BOOT_SERVICES *services)
{
	EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	static const EFI_GUID leave_group = BEFORE_EXIT_BOOT_SERVICES_GUID;
	VOID *registration;

	loaded = leaving = ended = NULL;
	return !EFI_ERROR(services->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                        efi_images_on_loaded, NULL, &loaded)) &&
	       !EFI_ERROR(services->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                          efi_images_on_leaving, NULL, &leave_group,
	                                          &leaving)) &&
	       !EFI_ERROR(services->CreateEvent(EVT_SIGNAL_EXIT_BOOT_SERVICES, TPL_NOTIFY,
	                                        efi_images_on_ended, NULL, &ended)) &&
	       !EFI_ERROR(services->RegisterProtocolNotify(&guid, loaded, &registration));
}

static void efi_images_close_events(EFI_BOOT_SERVICES *services)
{
	if (ended)
		services->CloseEvent(ended);
	if (leaving)
		services->CloseEvent(leaving);
	if (loaded)
		services->CloseEvent(loaded);
}

int efi_images_watch(const struct efi_images_watcher *watcher)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	watching = watcher;
	nr_known = unknown = 0;
	has_left = false;
	if (!efi_images_create_events(services) || !images_look()) {
		efi_images_close_events(services);
		return -ENOMEM;
	}
	efi_images_hook(services);
	return 0;
}

unsigned efi_images_unwatch(void)
{
	efi_images_unhook(efi_system->BootServices);
	efi_images_close_events(efi_system->BootServices);
	watching = NULL;
	return unknown;
}
