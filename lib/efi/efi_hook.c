/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_hook.h"

#include "lib/console/console.h"
#include "lib/efi/efi.h"

bool efi_hook_stays(const char *service)
{
	if (efi_is_driver())
		return true;
	console_printf(
	    "uefi: somebody has hooked %s while it was recorded, by way of us, who go: "
	    "his hook is out of use (with bareperf-dxe.efi, which stays, it is not)\n",
	    service);
	return false;
}
