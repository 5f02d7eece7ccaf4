/* SPDX-License-Identifier: MIT */
/*
 * From UEFI to a machine of our own: the stages of a run, in the order in which main.c tells
 * them. All of it is thread context.
 *
 *	with the firmware's services		efi_begin()			lib/efi/efi.h
 *						memory_init()			lib/memory/memory.h
 *						platform_init()			here
 *						framebuffer_init()		lib/console/framebuffer.h
 *						(the channel finds its memory: memory_add_mapping(), or
 *						memory_alloc_region())
 *						memory_prepare(platform)	lib/memory/memory.h
 *						memory_exit_boot_services()
 *	the firmware is gone			arch_take_over(story)		arch/arch.h
 *		in the story			console_start(platform)		here
 *						arch_clock_init(), arch_timer_init()
 *						syscalls_init()			lib/syscalls.h
 *		at the end			machine_reset()			here
 *
 * A panic (lib/panic.h) may end it anywhere.
 */
#ifndef LIB_PLATFORM_H
#define LIB_PLATFORM_H

#include "arch/arch.h"
#include "lib/acpi/acpi_fpdt.h"
#include "lib/uart/uart.h"

/* When efi_begin() was called. */
struct boot_entry {
	uint64_t cycles; /* arch_cycles() */
	uint64_t epoch;  /* the firmware's wall clock, s since 1970-01-01 UTC; 0: unknown */
};
const struct boot_entry *boot_entry(void);

/* A number that differs between boots. */
uint64_t boot_nonce(void);

/* The machine's description in the firmware's tables, kept for good: ACPI's, if there are any, else
 * the device tree; or only the wanted ones (ARCH_TABLES_NONE: any). The console gets the choice,
 * and the missing or refused parts, which stay 0. The boot CPU is always in it. Memory that the
 * tables reserve is nobody's from here on. Boot services only, after memory_init(). */
const struct arch_platform *platform_init(enum arch_tables wanted);

/* The firmware's notes about its own boot, from ACPI's tables: fpdt_read()'s. NULL, or the table's
 * fault. After memory_init() and before ExitBootServices(). Thread. */
const char *platform_firmware_times(fpdt_tell_fn tell, void *context);

/* The console goes to the UART and the framebuffer, where there are such. Not with boot services:
 * ConOut uses both. Inside the story of arch_take_over(). */
void console_start(const struct arch_platform *facts);

/* The console's UART, from now on the caller's: the console writes to it no more. NULL: there is
 * none. After console_start(). Thread. */
struct uart *console_take_uart(void);

/* Resident, while the firmware stands still: bytes for its console's serial line, as many as go
 * without a wait, and how many that were. Rate and line are as it left them. Not on two CPUs at a
 * time. Any context. */
unsigned console_drip(const char *text, unsigned length);

/* The same in the other direction: bytes that came, at most so many, which the firmware then does
 * not get. */
unsigned console_hear(uint8_t *bytes, unsigned count);

/* MACHINE_STAY: halt, so that the screen, and memory, can be read. */
enum machine_reset { MACHINE_POWEROFF, MACHINE_REBOOT, MACHINE_STAY };

/* Give the CPU back and call the firmware's ResetSystem() (UEFI 2.10, 8.5.1). Where it returns, the
 * CPU is halted. */
_Noreturn void machine_reset(enum machine_reset how);

#endif
