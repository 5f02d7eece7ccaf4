/* SPDX-License-Identifier: MIT */
/*
 * What the firmware and its boot come to, as marks on the time line (pmu/mark.h), where the event
 * `marks` is recorded, as --boot has it: "phase NAME" where one begins, which lasts until the next;
 * and errors that the firmware reports.
 *
 *	progress codes, errors	EFI_RSC_HANDLER_PROTOCOL (PI 1.7, volume 3, 6), where it is
 *	EndOfDxe		PI 1.7, volume 2
 *	ReadyToBoot		UEFI 2.10, 7.1
 *	images			started, and returned: StartImage()
 *	ExitBootServices()	who calls it
 *
 * And when the recording ends, what the firmware has noted itself: "FPDT SECONDS s: WHAT", which
 * are since the reset by the firmware's own clock, with which ours is not known to agree; with
 * "FPDT counter SECONDS s: ", what the CPU's counter was when our clock was 0.
 */
#ifndef AGENT_UEFI_UEFI_PHASES_H
#define AGENT_UEFI_UEFI_PHASES_H

/* Be told of them from here on, and no more. Boot services, or EVT_SIGNAL_EXIT_BOOT_SERVICES for
 * the latter. Thread. */
void uefi_phases_begin(void);
void uefi_phases_end(void);

/* A phase begins now: its name, in pieces. No effect where marks are not recorded, or not between
 * begin and end. Any TPL; nothing is allocated. Boot services only. Thread. */
void uefi_phase(const char *name, const char *more);

/* The firmware's own times (FPDT: ACPI 6.5, 5.2.24), if it has noted any, as marks of now; or what
 * is wrong with them. Until ExitBootServices() returns. Thread. */
void uefi_phases_tell_times(void);

#endif
