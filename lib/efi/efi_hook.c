/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_hook.h"

#include <string.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"

static bool efi_hook_stays(const char *service)
{
	if (efi_is_driver())
		return true;
	console_printf(
	    "uefi: another program has hooked %s during the recording: its hook ends with "
	    "bareperf's (but not with bareperf-dxe.efi, which stays)\n",
	    service);
	return false;
}

static void *efi_hook_slot(const struct efi_hook *hook)
{
	return (char *)efi_system->BootServices + hook->offset;
}

void efi_hooks_set(struct efi_hook *hooks, unsigned count)
{
	for (struct efi_hook *hook = hooks; hook < hooks + count; hook++)
		if (!hook->stays) {
			memcpy(&hook->former, efi_hook_slot(hook), sizeof(hook->former));
			memcpy(efi_hook_slot(hook), &hook->ours, sizeof(hook->ours));
		}
	efi_services_changed();
}

void efi_hooks_remove(struct efi_hook *hooks, unsigned count)
{
	for (struct efi_hook *hook = hooks; hook < hooks + count; hook++) {
		hook->stays = memcmp(efi_hook_slot(hook), &hook->ours, sizeof(hook->ours)) &&
		              efi_hook_stays(hook->name);
		if (!hook->stays)
			memcpy(efi_hook_slot(hook), &hook->former, sizeof(hook->former));
	}
	efi_services_changed();
}
