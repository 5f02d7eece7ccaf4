/* SPDX-License-Identifier: MIT */
/*
 * At these times all handles with the protocol are compared with the images known before:
 *
 *	when the protocol is installed		any loader, firmware's dispatcher too
 *	before and after StartImage()		Exit() unloads an application, and ends there
 *	after UnloadImage()
 *	before ExitBootServices()
 *	each 10 ms, if there is a reason	unloads by the firmware itself (a driver whose entry
 *						point fails): its table for debuggers counts
 *						images (UEFI 2.10, 18.4.3);
 *						images that a running one has placed itself, and
 *						presents as its own, as shim does with GRUB
 *
 * A hook of ExitBootServices() sees the end of boot services. If the caller uses an older pointer,
 * the hook is bypassed; then the event group that newer firmware signals in it shows the end (UEFI
 * 2.10, 7.4.6).
 */
#include "lib/efi/efi_images.h"

#include <errno.h>
#include <string.h>

#include "lib/efi/efi.h"
#include "lib/efi/efi_hook.h"
#include "lib/efi/efi_image_name.h"
#include "lib/efi/efi_image_set.h"

/* EFI_EVENT_GROUP_BEFORE_EXIT_BOOT_SERVICES: UEFI 2.9, 7.1; GNU-EFI does not declare it. */
#define BEFORE_EXIT_BOOT_SERVICES_GUID                                 \
	{                                                              \
		0x8be0e274, 0x3970, 0x4b44,                            \
		{                                                      \
			0x80, 0xc5, 0x1a, 0xb9, 0x50, 0x2f, 0x3b, 0xfc \
		}                                                      \
	}

/* EFI_DEBUG_IMAGE_INFO_TABLE_HEADER: UEFI 2.10, 18.4.3; not in GNU-EFI's <efi.h>. Its flag
 * "modified" is reset by debuggers, so it is not used here. */
#define DEBUG_IMAGE_INFO_TABLE_GUID                                    \
	{                                                              \
		0x49152e77, 0x1ada, 0x4764,                            \
		{                                                      \
			0xb7, 0xa2, 0x7a, 0xfe, 0xfe, 0xd9, 0x5e, 0x8b \
		}                                                      \
	}
struct image_table {
	UINT32 status, count;
	VOID *images;
};

#define PERIOD_100NS 100000U /* 10 ms */

/* The firmware's table, or NULL; and the number of images at the last look. */
static const struct image_table *table;
static UINT32 counted;

/* The running images, the most recently started first; each entry is on its hook's stack. */
struct running {
	EFI_HANDLE handle;
	uint64_t base; /* its base according to its protocol; 0: not read yet */
	struct running *before;
};
static struct running *running;

/* NULL: nobody watches any more; calls that began before may still return through our hooks. */
static const struct efi_images_watcher *watching;
static EFI_EVENT loaded, leaving, ended, timer;
static VOID *registration; /* key of the notification for new protocols */
static bool has_left;

#define HOOKS 3U

static struct efi_hook hooks[HOOKS];

/* ---- Loaded images ---- */

static UINT32 images_count(void)
{
	return table ? *(const volatile UINT32 *)&table->count : 0;
}

static void images_report_look(bool begins)
{
	if (watching && watching->looks)
		watching->looks(watching->context, begins);
}

/* Runs at the notification's TPL, so neither a notification nor the end of watching comes in
 * between. */
static bool images_look(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_HANDLE *handles;
	EFI_TPL before;
	UINTN count;
	bool found;

	before = services->RaiseTPL(TPL_CALLBACK);
	images_report_look(true);
	counted = images_count();
	found = watching &&
	        !EFI_ERROR(services->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles));
	if (found) {
		efi_image_set_compare(handles, count);
		services->FreePool(handles);
	}
	images_report_look(false);
	services->RestoreTPL(before);
	return found;
}

/* ---- When to look ---- */

/* A handle may be one that an unnoticed unload has freed and a new image has reused; all places of
 * the former image are then gone. */
static void images_renew(void)
{
	EFI_HANDLE handle;

	for (unsigned i = 0; i < EFI_IMAGES_MAX; i++) {
		UINTN size = sizeof(handle);

		if (EFI_ERROR(efi_system->BootServices->LocateHandle(ByRegisterNotify, NULL,
		                                                     registration, &size, &handle)))
			return;
		efi_image_set_renew(handle);
	}
}

static VOID EFIAPI efi_images_on_loaded(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	images_renew();
	images_look();
}

/* Allocates nothing. At TPL_CALLBACK, or while no image can be started. */
static bool images_have_changed(void)
{
	bool changed = images_count() != counted;

	for (struct running *at = running; at; at = at->before) {
		const EFI_LOADED_IMAGE *protocol = efi_image_placed(at->handle);
		uint64_t base = protocol ? (uint64_t)protocol->ImageBase : at->base;

		changed |= at->base && at->base != base;
		at->base = base;
	}
	return changed;
}

static void images_look_if_changed(void)
{
	if (images_have_changed())
		images_look();
}

static VOID EFIAPI efi_images_on_time(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	images_look_if_changed();
}

/* Called once, at the first sign of the end of boot services. Returns true if the memory map has
 * changed. TPL_CALLBACK or below. */
static bool images_leave(const struct efi_images_watcher *watcher)
{
	if (!watcher || has_left)
		return false;
	has_left = true;
	images_look_if_changed();
	return watcher->leaves(watcher->context);
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

/* The name, if the watcher asks for it. */
static const char *images_name(const struct efi_images_watcher *watcher, EFI_HANDLE handle,
                               char *name, size_t size)
{
	const EFI_LOADED_IMAGE *protocol = watcher->returns ? efi_image_placed(handle) : NULL;

	memcpy(name, "image", sizeof("image"));
	if (protocol)
		efi_image_name(protocol, name, size);
	return name;
}

/* The base is set later; until then it is not compared. */
static void images_run(struct running *here)
{
	const EFI_LOADED_IMAGE *protocol = efi_image_placed(here->handle);

	here->base = protocol ? (uint64_t)protocol->ImageBase : 0;
	__atomic_store_n(&running, here, __ATOMIC_RELEASE);
}

static EFI_STATUS EFIAPI efi_images_hooked_start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
	const struct efi_images_watcher *watcher = watching;
	struct running here = { .handle = image, .before = running };
	char name[EFI_IMAGE_NAME_MAX];
	const void *started = NULL;
	EFI_STATUS status;

	images_look();
	images_run(&here);
	if (watcher)
		started = watcher->starts(watcher->context,
		                          images_name(watcher, image, name, sizeof(name)));
	status = ((EFI_IMAGE_START)hooks[0].former)(image, size, data);
	if (watcher && watcher == watching)
		watcher->left(watcher->context, started);
	__atomic_store_n(&running, here.before, __ATOMIC_RELEASE);
	images_look();
	if (watcher && watcher == watching && watcher->returns)
		watcher->returns(watcher->context, name);
	return status;
}

static EFI_STATUS EFIAPI efi_images_hooked_unload(EFI_HANDLE image)
{
	EFI_STATUS status = ((EFI_IMAGE_UNLOAD)hooks[1].former)(image);

	images_look();
	return status;
}

/* Refuse a caller with an old map. The firmware would refuse it too, but EDK2 stops its timer
 * before the check, and would run without events until the next call. */
static EFI_STATUS EFIAPI efi_images_hooked_exit(EFI_HANDLE image, UINTN key)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_TPL level = services->RaiseTPL(TPL_HIGH_LEVEL);
	const struct efi_images_watcher *watcher = watching;

	services->RestoreTPL(level);
	if (level <= TPL_CALLBACK && images_leave(watcher))
		return EFI_INVALID_PARAMETER;
	return ((EFI_EXIT_BOOT_SERVICES)hooks[2].former)(image, key);
}

static struct efi_hook hooks[HOOKS] = {
	EFI_HOOK(StartImage, efi_images_hooked_start),
	EFI_HOOK(UnloadImage, efi_images_hooked_unload),
	EFI_HOOK(ExitBootServices, efi_images_hooked_exit),
};

static bool efi_images_create_events(EFI_BOOT_SERVICES *services)
{
	EFI_GUID guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	static const EFI_GUID leave_group = BEFORE_EXIT_BOOT_SERVICES_GUID;

	loaded = leaving = ended = timer = NULL;
	return !EFI_ERROR(services->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                        efi_images_on_loaded, NULL, &loaded)) &&
	       !EFI_ERROR(services->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                          efi_images_on_leaving, NULL, &leave_group,
	                                          &leaving)) &&
	       !EFI_ERROR(services->CreateEvent(EVT_SIGNAL_EXIT_BOOT_SERVICES, TPL_NOTIFY,
	                                        efi_images_on_ended, NULL, &ended)) &&
	       !EFI_ERROR(services->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                        efi_images_on_time, NULL, &timer)) &&
	       !EFI_ERROR(services->SetTimer(timer, TimerPeriodic, PERIOD_100NS)) &&
	       !EFI_ERROR(services->RegisterProtocolNotify(&guid, loaded, &registration));
}

static void efi_images_close_events(EFI_BOOT_SERVICES *services)
{
	if (timer)
		services->CloseEvent(timer);
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
	table = efi_configuration_table((EFI_GUID)DEBUG_IMAGE_INFO_TABLE_GUID);
	efi_image_set_begin(watcher);
	has_left = false;
	if (!efi_images_create_events(services) || !images_look()) {
		efi_images_close_events(services);
		watching = NULL;
		return -ENOMEM;
	}
	efi_hooks_set(hooks, HOOKS);
	return 0;
}

unsigned efi_images_unwatch(void)
{
	efi_hooks_remove(hooks, HOOKS);
	efi_images_close_events(efi_system->BootServices);
	watching = NULL;
	return efi_image_set_unreported();
}
