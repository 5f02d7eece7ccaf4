/* SPDX-License-Identifier: MIT */
/*
 * From UEFI to a machine of our own: the stages of a run, in their order. All of it is thread
 * context.
 *
 *	with the firmware's services	efi_begin()			lib/efi/efi.h
 *					memory_init()			lib/memory/memory.h
 *					platform_init()			here
 *					framebuffer_init()		lib/console/framebuffer.h
 *					(the channel: memory_add_mapping()
 *					or memory_alloc_region())
 *					memory_prepare(platform)	lib/memory/memory.h
 *					memory_exit_boot_services()
 *	the firmware is gone		arch_take_over(story)		arch/arch.h
 *	in the story			console_start(platform)		here
 *					arch_clock_init(), arch_timer_init()
 *					syscalls_init()			lib/syscalls.h
 *	at the end			machine_reset()			here
 *
 * A panic (lib/panic.h) may end it anywhere.
 */
#ifndef LIB_PLATFORM_H
#define LIB_PLATFORM_H

#include "arch/arch.h"
#include "lib/firmware_time.h"
#include "lib/uart/uart.h"

/* Set by efi_begin(). */
struct boot_entry {
	uint64_t cycles; /* arch_cycles() */
	uint64_t epoch;  /* the firmware's wall clock, s since 1970-01-01 UTC; 0: unknown */
};
const struct boot_entry *boot_entry(void);

/* A number that differs between boots. */
uint64_t boot_nonce(void);

/* The machine's description from the firmware's tables, kept for good: ACPI's if there are any,
 * else the device tree's; or only the wanted kind (ARCH_TABLES_NONE: either). The console
 * reports the choice and the missing or refused parts, which stay 0. The boot CPU is always
 * included. Memory that the tables reserve is not used from here on. Boot services only, after
 * memory_init(). */
const struct arch_platform *platform_init(enum arch_tables wanted);

/* The sources of times that a firmware has measured itself. */
enum platform_times { PLATFORM_FPDT, PLATFORM_COREBOOT, PLATFORM_BOOTSTAGE, PLATFORM_TIMES };

/* Report all times of a source; see fpdt_read(), coreboot_read() and devicetree_bootstage(). A
 * machine without the source reports none. Returns NULL, or what is wrong with its tables. After
 * memory_init() and before ExitBootServices(). Thread. */
const char *platform_firmware_times(enum platform_times source, firmware_time_fn report,
                                    void *context);

/* Send the console to the UART and the framebuffer, if there are any. Not with boot services,
 * because ConOut uses both. In the story of arch_take_over(). */
void console_start(const struct arch_platform *facts);

/* Hand the console's UART over to the caller: the console does not write to it any more. NULL:
 * there is none. After console_start(). Thread. */
struct uart *console_take_uart(void);

/* Resident mode, while the firmware stalls: send bytes on its console's serial line, as many as fit
 * without waiting; returns their number. Rate and line settings stay the firmware's. Not on two
 * CPUs at once. Any context. */
unsigned console_drip(const char *text, unsigned length);

/* Receive at most count bytes from that line; the firmware does not get them. Returns their
 * number. */
unsigned console_hear(uint8_t *bytes, unsigned count);

/* MACHINE_STAY: halt, so that the screen, and memory, can be read. */
enum machine_reset { MACHINE_POWEROFF, MACHINE_REBOOT, MACHINE_STAY };

/* Give the CPU back and call the firmware's ResetSystem() (UEFI 2.10, 8.5.1). If that returns, halt
 * the CPU. */
_Noreturn void machine_reset(enum machine_reset how);

#endif
