/* SPDX-License-Identifier: MIT */
#include "boot/run_mode.h"

#include <errno.h>

#include "agent/agent.h"
#include "agent/bench/bench_memory.h"
#include "arch/steal.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/efi/efi.h"
#include "lib/hosted.h"
#include "lib/memory/memory.h"
#include "lib/resident.h"

EFI_STATUS run_mode_end(EFI_STATUS status)
{
	agent_close();
	memory_free_all();
	return status;
}

/* Leave the result on the screen, and return to the firmware. */
static EFI_STATUS run_show_and_end(EFI_STATUS status)
{
	agent_linger();
	return agent_is_resident() ? run_mode_end(status) : status;
}

EFI_STATUS run_mode_refuse(const char *what, int code)
{
	agent_fail(what, NULL, code);
	return run_show_and_end(EFI_LOAD_ERROR);
}

EFI_STATUS run_mode_leave(void)
{
	if (agent_end() != MACHINE_STAY)
		machine_reset(agent_end());
	if (!agent_is_resident() || !agent_outcome())
		return run_show_and_end(EFI_SUCCESS);
	return run_show_and_end(agent_outcome() == -EINVAL ? EFI_INVALID_PARAMETER : EFI_ABORTED);
}

/* Run the commands, after the take-over or beside the firmware. */
static int run_commands(void *platform)
{
	int code;

	if (!agent_is_resident())
		console_start(platform); /* UART and framebuffer; else the firmware's console */
	code = agent_start();            /* clock, timer, heap */
	if (code)
		agent_fail("the clock or the timer does not work", NULL, code);
	else
		agent_serve(); /* the command line, then the host's commands */
	return 0;
}

/* Write the recording, and end as the command says. */
static EFI_STATUS run_write_and_end(void)
{
	agent_write_output();
	if (agent_end() != MACHINE_STAY)
		machine_reset(agent_end());
	return run_show_and_end(agent_outcome() ? EFI_ABORTED : EFI_SUCCESS);
}

/* ---- Exclusive and resident mode ---- */

static int run_prepare(const struct arch_platform *platform)
{
	uint64_t address, size;
	int code;

	agent_adopt_payload(); /* the user's program, if there is one */
	framebuffer_init();
	code = arch_steal_area(platform, &address, &size)
	           ? memory_add_mapping(address, size, ARCH_MAP_DATA)
	           : 0;
	if (agent_is_resident())
		agent_announce();
	else
		bench_memory_take();
	if (!code)
		code = memory_prepare(platform); /* page tables, stacks, vectors */
	if (!code && agent_is_resident())
		code = resident_begin(platform, agent_needs_other_cpus());
	return code;
}

static EFI_STATUS run_refuse_preparation(int code)
{
	return run_mode_refuse(code == -ENODEV ? "no table names a supported interrupt controller"
	                                       : "the machine cannot be prepared",
	                       code);
}

static void run_take_over(const struct arch_platform *platform)
{
	int code = arch_take_over(run_commands, (void *)(uintptr_t)platform);

	if (code)
		agent_fail("the machine cannot be taken over", NULL, code);
}

static EFI_STATUS run_exclusive(const struct arch_platform *platform)
{
	int code = run_prepare(platform);

	if (code)
		return run_refuse_preparation(code);
	code = memory_exit_boot_services(); /* only a reset brings the firmware back */
	if (code)
		agent_fail("the machine cannot be taken over", NULL, code);
	else
		run_take_over(platform);
	machine_reset(agent_end());
}

static EFI_STATUS run_resident(const struct arch_platform *platform)
{
	int code = run_prepare(platform);

	if (code)
		return run_refuse_preparation(code);
	run_take_over(platform);
	code = resident_end(); /* CPUs, tables, timers, interrupts, console */
	if (code) {
		agent_fail("a CPU does not return to the firmware: the machine is reset", NULL,
		           code);
		machine_reset(MACHINE_REBOOT);
	}
	return run_write_and_end();
}

/* ---- The firmware continues: hosted mode ---- */

/* Begin to sample beside the firmware. false: it was refused, which is reported. */
static bool run_begin_hosted(const struct arch_platform *platform)
{
	const char *why;
	int code = hosted_begin(platform, &why); /* a timer that the firmware does not use */

	if (code)
		agent_fail("the firmware cannot be recorded", why, code);
	else
		run_commands((void *)(uintptr_t)platform);
	return !code;
}

static EFI_STATUS run_hosted(const struct arch_platform *platform)
{
	if (!run_begin_hosted(platform))
		return run_show_and_end(EFI_LOAD_ERROR);
	agent_end_hosted();
	return run_write_and_end();
}

/* The recording lasts until the firmware ends boot services. */
static EFI_STATUS run_hosted_boot(const struct arch_platform *platform)
{
	if (!run_begin_hosted(platform))
		return run_show_and_end(EFI_LOAD_ERROR);
	if (!agent_outcome()) {
		agent_continue_boot();
		return EFI_SUCCESS;
	}
	agent_end_hosted();
	return run_show_and_end(EFI_ABORTED);
}

EFI_STATUS run_mode_enter(const struct arch_platform *platform)
{
	static const struct {
		bool (*is_asked_for)(void);
		EFI_STATUS (*run)(const struct arch_platform *platform);
	} modes[] = {
		{ agent_records_boot, run_hosted_boot },
		{ agent_is_hosted, run_hosted },
		{ agent_is_resident, run_resident },
	};

	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].is_asked_for())
			return modes[i].run(platform);
	return run_exclusive(platform);
}
