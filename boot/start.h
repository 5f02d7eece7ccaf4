/* SPDX-License-Identifier: MIT */
/*
 * The image's entry point.
 */
#ifndef BOOT_START_H
#define BOOT_START_H

#include <efi.h>

/* Called by the firmware: relocates the image, then calls efi_main(). UEFI 2.10, 4.1. */
EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *systab);

/* The program. Called by efi_start() with the firmware's services, on the firmware's stack. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *systab);

#endif
