/* SPDX-License-Identifier: MIT */
/*
 * A firmware for unit tests, of boot services as far as they are about events, task priority levels
 * and protocols, and with variables. A notification comes at once where the level allows it, else
 * when it falls.
 */
#ifndef TESTS_UNIT_LIB_EFI_FAKE_FIRMWARE_H
#define TESTS_UNIT_LIB_EFI_FAKE_FIRMWARE_H

#include "lib/efi/efi.h"

/* No services, at TPL_APPLICATION. A test adds the services that it needs. */
extern EFI_BOOT_SERVICES fake_services;
void fake_firmware_begin(void);

/* A handle is any address; it has the protocol by this interface, or no more. */
void fake_install(EFI_HANDLE handle, EFI_GUID guid, void *interface);
void fake_uninstall(EFI_HANDLE handle, EFI_GUID guid);

/* How many events there are that were not closed; EFI_ERROR by CreateEvent() with so many. */
unsigned fake_open_events(void);
extern unsigned fake_most_events;

/* Whether we are a driver. */
extern bool fake_is_driver;
/* The only configuration table that there is. */
void fake_set_table(EFI_GUID guid, const void *table);

/* Signal those of a group, or those whose timers have been set to no more than this. */
void fake_signal_group(EFI_GUID group);
void fake_time_comes(UINT64 in_100ns);

/* Boot services end: who has asked for it is notified. From here on none of the firmware's
 * services, nor of its runtime's, may be called: the test ends then. */
void fake_exit_boot_services(void);

/* Signalled by an interrupt just before the level falls for the next time. */
void fake_hold(EFI_EVENT event);

EFI_TPL fake_level(void);

/* A variable of any vendor's: its bytes, 0: there is none. NULL and 0: which is not there. */
void fake_set_variable(const CHAR16 *name, const void *bytes, UINTN size);
const void *fake_variable(const CHAR16 *name, UINTN *size);

/* Reading it, and writing it, fail with this, from now on. */
void fake_variable_fails(const CHAR16 *name, EFI_STATUS read, EFI_STATUS write);

/* How many there are. */
unsigned fake_variables(void);

#endif
