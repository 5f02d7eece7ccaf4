/* SPDX-License-Identifier: MIT */
#include "agent/uefi/boot_until.h"

#include <errno.h>

#include "agent/uefi/boot_key.h"
#include "lib/efi/efi.h"

#define MS_100NS 10000U

/* UEFI 2.10, 7.1.4; GNU-EFI does not declare it. */
#define READY_TO_BOOT_GUID                                             \
	{                                                              \
		0x7ce88fb3, 0x4bd7, 0x4679,                            \
		{                                                      \
			0x87, 0xa8, 0xa8, 0xd8, 0xde, 0xe5, 0x0d, 0x2b \
		}                                                      \
	}

static EFI_EVENT ready, expired, pressed;
static void (*until_reached)(const char *what);

/* context: a phrase that names the end. */
static VOID EFIAPI boot_until_on_end(EFI_EVENT event, VOID *context)
{
	(void)event;
	if (efi_boot_services)
		until_reached(context);
}

static bool boot_until_await_ready(EFI_BOOT_SERVICES *services)
{
	static const EFI_GUID group = READY_TO_BOOT_GUID;
	static char what[] = "ended at ReadyToBoot";

	return !EFI_ERROR(services->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                          boot_until_on_end, what, &group, &ready));
}

static bool boot_until_await_time(EFI_BOOT_SERVICES *services, uint64_t ms)
{
	static char what[] = "ended by its time";

	return !EFI_ERROR(services->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                        boot_until_on_end, what, &expired)) &&
	       !EFI_ERROR(services->SetTimer(expired, TimerRelative, ms * MS_100NS));
}

static bool boot_until_await_key(EFI_BOOT_SERVICES *services)
{
	static char what[] = "stopped by a key";

	return !EFI_ERROR(services->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, boot_until_on_end,
	                                        what, &pressed)) &&
	       boot_key_begin(pressed) == 0;
}

int boot_until_begin(const struct command_until *until, void (*reached)(const char *what))
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	until_reached = reached;
	if ((!until->ready_to_boot || boot_until_await_ready(services)) &&
	    (!until->key || boot_until_await_key(services)) &&
	    (!until->ms || boot_until_await_time(services, until->ms)))
		return 0;
	boot_until_end();
	return -ENOMEM;
}

static void until_close(EFI_EVENT *event)
{
	if (*event)
		efi_system->BootServices->CloseEvent(*event);
	*event = NULL;
}

void boot_until_end(void)
{
	boot_key_end();
	until_close(&ready);
	until_close(&expired);
	until_close(&pressed);
}
