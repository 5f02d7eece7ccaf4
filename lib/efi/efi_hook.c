/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_hook.h"

#include "lib/console/console.h"
#include "lib/efi/efi.h"

bool efi_hook_stays(const char *service)
{
	if (efi_is_driver())
		return true;
	console_printf(
	    "uefi: another program has hooked %s during the recording: its hook ends with "
	    "bareperf's (but not with bareperf-dxe.efi, which stays)\n",
	    service);
	return false;
}
