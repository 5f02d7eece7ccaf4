/* SPDX-License-Identifier: MIT */
/*
 * The firmware's services, as GNU-EFI declares them: called directly, with the calling convention
 * of UEFI (the headers' EFIAPI).
 */
#ifndef LIB_EFI_EFI_H
#define LIB_EFI_EFI_H

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

extern EFI_HANDLE efi_image;
extern EFI_SYSTEM_TABLE *efi_system;

/* True until ExitBootServices() was called for the first time. */
extern bool efi_boot_services;

/* Keep handle and table, send the console to ConOut, stop the watchdog, and note the time.
 * Call first. Thread. */
void efi_begin(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Whether our image is a boot services driver, which stays when its entry point returns. Boot
 * services only. Thread. */
bool efi_is_driver(void);

/* The interface of the first handle that has this protocol, or of the given handle; NULL if
 * there is none. Boot services only. Thread. */
void *efi_locate(EFI_GUID protocol);
void *efi_protocol(EFI_HANDLE handle, EFI_GUID protocol);

/* Set the checksum of the table of boot services; call it after a change (UEFI 2.10, 4.2). Boot
 * services only. Thread. */
void efi_services_changed(void);

/* The configuration table of this GUID (UEFI 2.10, 4.6), or NULL. Thread. */
const void *efi_configuration_table(EFI_GUID guid);

/* Convert a time to seconds since 1970-01-01 00:00 UTC; 0: the time is outside UEFI's bounds. An
 * unspecified time zone counts as UTC. Pure. */
uint64_t efi_time_to_epoch(const EFI_TIME *time);

#endif
