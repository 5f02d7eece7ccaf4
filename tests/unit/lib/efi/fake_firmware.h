/* SPDX-License-Identifier: MIT */
/*
 * A firmware for unit tests: boot services for events, task priority levels and protocols, and
 * variables. A notification comes at once if the level allows it, otherwise when the level falls.
 */
#ifndef TESTS_UNIT_LIB_EFI_FAKE_FIRMWARE_H
#define TESTS_UNIT_LIB_EFI_FAKE_FIRMWARE_H

#include "lib/efi/efi.h"

/* No services, at TPL_APPLICATION. A test adds the services that it needs. */
extern EFI_BOOT_SERVICES fake_services;
void fake_firmware_begin(void);

/* A handle is any address; it gets the protocol with this interface; NULL removes it. */
void fake_install(EFI_HANDLE handle, EFI_GUID guid, void *interface);
void fake_uninstall(EFI_HANDLE handle, EFI_GUID guid);

/* The number of events that were not closed; CreateEvent() fails with so many. */
unsigned fake_open_events(void);
extern unsigned fake_most_events;

/* Whether this image is a driver. */
extern bool fake_is_driver;
/* Set the only configuration table. */
void fake_set_table(EFI_GUID guid, const void *table);

/* Signal the events of a group, or those whose timers are set to at most this time. */
void fake_signal_group(EFI_GUID group);
void fake_time_comes(UINT64 in_100ns);

/* Boot services end: registered events are notified. Afterwards a call of any of the firmware's
 * services, also at run time, fails the test. */
void fake_exit_boot_services(void);

/* An interrupt signals the event just before the level falls next. */
void fake_hold(EFI_EVENT event);

EFI_TPL fake_level(void);

/* Set a variable of any vendor. NULL and 0: the variable does not exist. */
void fake_set_variable(const CHAR16 *name, const void *bytes, UINTN size);
const void *fake_variable(const CHAR16 *name, UINTN *size);

/* From now on reading and writing variables fail with these errors. */
void fake_variable_fails(const CHAR16 *name, EFI_STATUS read, EFI_STATUS write);

/* The number of variables. */
unsigned fake_variables(void);

#endif
