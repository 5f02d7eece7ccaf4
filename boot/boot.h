/* SPDX-License-Identifier: MIT */
/*
 * From UEFI to a machine of our own: the stages of a run, in the order in which main.c tells
 * them. All of it is thread context.
 *
 *	with the firmware's services		efi_begin()			boot/efi.h
 *						command_line_read()		here
 *						memory_init()			boot/memory.h
 *						platform_init()			here
 *						framebuffer_init()		boot/framebuffer.h
 *		(the channel finds its memory:	memory_add_mapping(), or
 *						memory_alloc_region())
 *						memory_prepare(platform)	boot/memory.h
 *						memory_exit_boot_services()
 *	the firmware is gone			arch_take_over(story)		arch/arch.h
 *		in the story			console_start(platform)		here
 *						arch_clock_init(), arch_timer_init()
 *						syscalls_init()			boot/syscalls.h
 *						payload_run()			boot/payload_run.h
 *		at the end			machine_reset()			here
 *
 * A panic (boot/panic.h) may end it anywhere.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include "arch/arch.h"

/* When efi_begin() was called. */
struct boot_entry {
	uint64_t cycles; /* arch_cycles() */
	uint64_t epoch;  /* the firmware's wall clock, s since 1970-01-01 UTC; 0: unknown */
};
const struct boot_entry *boot_entry(void);

/*
 * The command line: LoadOptions if they are text, else \bareperf.cfg on the volume that the image
 * was loaded from. Returns its length, 0 if there is none; -EINVAL or -E2BIG if the file is there,
 * or load options begin with a command's name, but are of no use (said on the console). text is a
 * valid string in any case; capacity >= 1. Boot services only.
 */
int command_line_read(char *text, size_t capacity);

/* ACPI's facts about the machine, kept for good. What is missing or refused is said on the
 * console and left 0. Boot services only, after memory_init(). */
const struct arch_platform *platform_init(void);

/* The console goes to the UART and the framebuffer, where there are such. Not with boot services:
 * ConOut uses both. Inside the story of arch_take_over(). */
void console_start(const struct arch_platform *facts);

/* MACHINE_STAY: halt, so that the screen, and memory, can be read. */
enum machine_reset { MACHINE_POWEROFF, MACHINE_REBOOT, MACHINE_STAY };

/* Give the CPU back and call the firmware's ResetSystem() (UEFI 2.10, 8.5.1). Where it returns, the
 * CPU is halted. */
_Noreturn void machine_reset(enum machine_reset how);

#endif
