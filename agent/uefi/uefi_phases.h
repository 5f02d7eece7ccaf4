/* SPDX-License-Identifier: MIT */
/*
 * The phases of the firmware's boot, as marks on the time line (pmu/mark.h), if the event `marks`
 * is recorded (--boot adds it). "phase NAME" begins a phase, which lasts until the next one. Errors
 * that the firmware reports are marks as well.
 *
 *	progress codes, errors	EFI_RSC_HANDLER_PROTOCOL (PI 1.7, volume 3, 6), if there is one
 *	EndOfDxe		PI 1.7, volume 2
 *	ReadyToBoot		UEFI 2.10, 7.1
 *	images			started, and returned: StartImage()
 *	ExitBootServices()	its call
 *
 * At the end of the recording come the times that the firmware itself has noted: "SOURCE SECONDS s:
 * NAME"; the sources are FPDT (ACPI), coreboot (its timestamps) and bootstage (U-Boot's). They
 * count from the reset by the firmware's own clock, which may differ from ours. "boot counter
 * SECONDS s: " is the CPU's counter when our clock was 0. "boot device MODULE: PATH" is a device
 * that a driver manages; these come at ReadyToBoot, and at the end if boot services still work.
 */
#ifndef AGENT_UEFI_UEFI_PHASES_H
#define AGENT_UEFI_UEFI_PHASES_H

/* Begin and end to write marks. begin: boot services only. end: also as
 * EVT_SIGNAL_EXIT_BOOT_SERVICES notification. Thread. */
void uefi_phases_begin(void);
void uefi_phases_end(void);

/* A phase begins now; name and more are the parts of its name. No effect if marks are not recorded,
 * or outside begin and end. Allocates nothing. Any TPL. Boot services only. Thread. */
void uefi_phase(const char *name, const char *more);

/* Write the firmware's own times (lib/platform.h) as marks, if there are any, or a mark that says
 * why a source cannot be read; then the CPU's counter. Until ExitBootServices() returns. Thread. */
void uefi_phases_report_times(void);

/* Write the drivers' devices as marks. Boot services only, at TPL_CALLBACK at most. Thread. */
void uefi_phases_report_devices(void);

#endif
