/* SPDX-License-Identifier: MIT */
/*
 * A hook is a function of ours in a service's place, which calls what stood there. It ends by
 * putting that back, unless somebody has hooked the service since: his hook calls ours, for good.
 */
#ifndef LIB_EFI_EFI_HOOK_H
#define LIB_EFI_EFI_HOOK_H

#include <stdbool.h>

/* Whether one that somebody else's stands above stays where it is, and does nothing but hand on: in
 * a driver, whose code stays. That of an application goes when it has ended: then what stood there
 * before is to be put back, and the other's hook with it is nobody's, which is said. Boot services
 * only. Thread. */
bool efi_hook_stays(const char *service);

#endif
