/* SPDX-License-Identifier: MIT */
/*
 * A hook is a function of ours that replaces a service of the firmware and calls the former one.
 * Removing it restores the former pointer, unless another program has hooked the service since:
 * that hook still calls ours.
 */
#ifndef LIB_EFI_EFI_HOOK_H
#define LIB_EFI_EFI_HOOK_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*efi_hook_service)(void);

struct efi_hook {
	const char *name;
	size_t offset; /* offset of the service's pointer in EFI_BOOT_SERVICES */
	efi_hook_service ours;
	efi_hook_service former; /* the former function; call it with its own type */
	bool stays;              /* it could not be removed */
};

#define EFI_HOOK(service, function)                                                    \
	{                                                                              \
		.name = #service "()", .offset = offsetof(EFI_BOOT_SERVICES, service), \
		.ours = (efi_hook_service)(function),                                  \
	}

/* Hook the boot services. Thread. */
void efi_hooks_set(struct efi_hook *hooks, unsigned count);

/* Remove the hooks. If another program's hook lies above ours, ours stays in a driver, whose code
 * stays in memory, and must only pass calls on. An application's code is freed, so the former
 * pointer is restored; that disables the other hook, which the console reports. Boot services only.
 * Thread. */
void efi_hooks_remove(struct efi_hook *hooks, unsigned count);

#endif
