/* SPDX-License-Identifier: MIT */
/* Firmware that lacks parts that EDK2 has: see chain.h. */
#include "tests/firmware/chain.h"

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return chain_run(image, system, NULL, NULL);
}
