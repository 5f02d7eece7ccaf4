/* SPDX-License-Identifier: MIT */
/* The story of a run. */
#include <errno.h>

#include "boot/agent.h"
#include "boot/console.h"
#include "boot/efi.h"
#include "boot/framebuffer.h"
#include "boot/memory.h"
#include "boot/start.h"

/* Second half: the machine is ours. */
static int serve(void *platform)
{
	int error;

	console_start(platform); /* UART, framebuffer */
	error = agent_start();   /* clock, timer, heap */
	if (error) {
		console_printf("bareperf: the clock or the timer does not work (%d)\n", error);
		return MACHINE_POWEROFF;
	}
	return (int)agent_serve(); /* the command line, then the host's commands */
}

/* Why we did not take the machine, to the user and to the firmware. */
static EFI_STATUS give_up(const char *what, int error)
{
	console_printf("bareperf: %s (%d)\n", what, error);
	return EFI_LOAD_ERROR;
}

/* First half: a guest of the firmware. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	static char command[COMMAND_MAX_LENGTH + 1];
	static struct channel channel;
	const struct arch_platform *platform;
	int error;

	efi_begin(image, system); /* console on the firmware's screen */
	error = memory_init();    /* the memory map */
	if (error)
		return give_up("the firmware gives no memory map", error);
	platform = platform_init();     /* ACPI */
	error = channel_open(&channel); /* where the trace region lies */
	if (!error)
		error = agent_open(&channel, platform); /* readers may look from here on */
	if (error)
		return give_up("no memory for the trace region", error);
	error = command_line_read(command, sizeof(command));
	if (error < 0)
		return give_up("the command line is of no use", error);
	if (!agent_accept(command)) /* wrong, or answered already */
		return EFI_SUCCESS;
	agent_adopt_payload(); /* the user's program, if there is one */
	framebuffer_init();
	error = memory_prepare(platform); /* page tables, stacks, vectors */
	if (error)
		return give_up("no memory for page tables", error);
	if (!memory_exit_boot_services()) /* no way back but a reset */
		error = arch_take_over(serve, (void *)(uintptr_t)platform);
	machine_reset((enum machine_reset)error);
}
