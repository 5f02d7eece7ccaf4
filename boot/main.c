/* SPDX-License-Identifier: MIT */
/* The story of a run. */
#include <errno.h>

#include "agent/agent.h"
#include "agent/crash_store.h"
#include "agent/uefi/boot_record.h"
#include "boot/channel_services.h"
#include "boot/start.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/efi/efi.h"
#include "lib/hosted.h"
#include "lib/memory.h"
#include "lib/resident.h"
#include "lib/watchdog.h"

/* Second half: the machine is ours. */
static int main_serve(void *platform)
{
	int code;

	if (!agent_is_resident())
		console_start(platform); /* UART, framebuffer; else they are the firmware's */
	code = agent_start();            /* clock, timer, heap */
	if (code)
		agent_fail("the clock or the timer does not work", NULL, code);
	else
		agent_serve(); /* the command line, then the host's commands */
	return 0;
}

/* The firmware has its memory back, and goes on. */
static EFI_STATUS main_go_back(EFI_STATUS status)
{
	agent_close();
	memory_free_all();
	return status;
}

/* The firmware goes on; resident: with its memory back. */
static EFI_STATUS main_go_home(EFI_STATUS status)
{
	agent_linger(); /* the result, on the screen */
	return agent_is_resident() ? main_go_back(status) : status;
}

/* Why we did not take the machine, to the user, the host and the firmware. */
static EFI_STATUS main_give_up(const char *what, int code)
{
	agent_fail(what, NULL, code);
	return main_go_home(EFI_LOAD_ERROR);
}

/* Resident: a guest of the firmware again. */
static EFI_STATUS main_give_back(void)
{
	int code = resident_end(); /* CPUs, tables, timers, interrupts, console */

	if (code) {
		agent_fail("a CPU does not return to the firmware: the machine is reset", NULL,
		           code);
		machine_reset(MACHINE_REBOOT);
	}
	agent_write_output(); /* what becomes of the recording */
	if (agent_end() != MACHINE_STAY)
		machine_reset(agent_end());
	return main_go_home(agent_outcome() ? EFI_ABORTED : EFI_SUCCESS);
}

/* Nothing samples it, say. */
static EFI_STATUS main_leave_firmware_alone(const char *why, int code)
{
	agent_fail("the firmware cannot be recorded", why, code);
	return main_go_home(EFI_LOAD_ERROR);
}

/* The firmware goes on, and we with it: what runs on it is recorded. */
static EFI_STATUS main_go_along(const struct arch_platform *platform)
{
	const char *why;
	int code = hosted_begin(platform, &why); /* a timer that the firmware does not use */

	if (code)
		return main_leave_firmware_alone(why, code);
	main_serve((void *)(uintptr_t)platform);
	agent_part();
	agent_write_output();
	if (agent_end() != MACHINE_STAY)
		machine_reset(agent_end());
	return main_go_home(agent_outcome() ? EFI_ABORTED : EFI_SUCCESS);
}

/* The firmware goes on without us, and boots: that is recorded until it ends boot services. */
static EFI_STATUS main_stay_behind(const struct arch_platform *platform)
{
	const char *why;
	int code = hosted_begin(platform, &why);

	if (code)
		return main_leave_firmware_alone(why, code);
	main_serve((void *)(uintptr_t)platform);
	if (!agent_outcome()) {
		agent_go_on();
		return EFI_SUCCESS;
	}
	agent_part();
	return main_go_home(EFI_ABORTED);
}

static EFI_STATUS main_answer_status(void)
{
	if (!agent_is_resident() || !agent_outcome())
		return EFI_SUCCESS;
	return agent_outcome() == -EINVAL ? EFI_INVALID_PARAMETER : EFI_ABORTED;
}

/* First half: a guest of the firmware. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	static struct channel channel;
	static struct lines lines;
	const struct arch_platform *platform;
	enum arch_tables wanted;
	bool stopped;
	int code;

	efi_begin(image, system); /* console on the firmware's screen */
	if (boot_record_is_elsewhere(&stopped))
		return stopped ? EFI_SUCCESS : EFI_ALREADY_STARTED;
	code = memory_init(); /* the memory map */
	if (code)
		return main_give_up("the firmware gives no memory map", code);
	crash_store_find();               /* what a reset has left in RAM */
	wanted = agent_read_command();    /* load options, or \bareperf.cfg */
	platform = platform_init(wanted); /* ACPI, or the device tree */
	watchdog_init(platform);          /* one that the firmware has started */
	crash_store_save();               /* becomes a file */
	/* where the trace region lies */
	code = channel_open(&channel, &channel_services, agent_region_size(platform));
	lines_find(&lines, &channel_services);
	channel.lines = &lines;
	if (!code)
		code = agent_open(&channel, platform); /* readers may look from here on */
	if (code)
		return main_give_up("there is no trace region", code);
	if (!agent_choose()) /* the menu, where somebody sits in front of the machine */
		return main_go_back(EFI_SUCCESS);
	if (!agent_accept()) /* the command is wrong, or answered already */
		return main_go_home(main_answer_status());
	if (agent_records_boot())
		return main_stay_behind(platform);
	if (agent_is_hosted())
		return main_go_along(platform);
	agent_adopt_payload(); /* the user's program, if there is one */
	framebuffer_init();
	if (agent_is_resident())
		agent_announce();
	code = memory_prepare(platform); /* page tables, stacks, vectors */
	if (!code && agent_is_resident())
		code = resident_begin(platform, agent_needs_other_cpus());
	if (code)
		return main_give_up(code == -ENODEV
		                        ? "no table names an interrupt controller that we know"
		                        : "the machine cannot be prepared",
		                    code);
	if (!agent_is_resident())
		code = memory_exit_boot_services(); /* no way back but a reset */
	if (!code)
		code = arch_take_over(main_serve, (void *)(uintptr_t)platform);
	if (code)
		agent_fail("the machine cannot be taken over", NULL, code);
	if (agent_is_resident())
		return main_give_back();
	machine_reset(agent_end());
}
