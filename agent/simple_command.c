/* SPDX-License-Identifier: MIT */
#include "agent/simple_command.h"

#include "agent/bench/services.h"
#include "agent/crash_store.h"
#include "agent/save.h"
#include "agent/tables.h"
#include "agent/uefi/boot_check.h"
#include "agent/uefi/refusal.h"
#include "agent/uefi/registration.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

/* The command `stop`. During a recording the ticks carry it out, and boot_record_is_elsewhere()
 * stops a boot's recording. So here nothing is being recorded. */
static void simple_command_stop(void)
{
	if (!efi_boot_services)
		return;
	console_printf("nothing is being recorded\n");
	refusal_report();
}

/* boot_check() has checked the command. */
static int simple_command_register(const struct command *command, const char *text)
{
	int code =
	    registration_add(command->registered ? text + command->registered : COMMAND_BOOT);

	if (code == 0)
		boot_check_report_room();
	if (code == 0 && !command->until.ready_to_boot)
		registration_warn_of_windows();
	return code;
}

bool simple_command_run(struct command *command, const char *text, int *outcome)
{
	switch (command->verb) {
	case COMMAND_HELP:
		command_print_usage(&image_tables, console_printf);
		return true;
	case COMMAND_STOP:
		simple_command_stop();
		return true;
	case COMMAND_SLOWER:
		return true; /* a recording's ticks obey it; now there is no recording */
	case COMMAND_RECOVER:
		*outcome = crash_store_report();
		return true;
	case COMMAND_VERSION:
		console_printf("bareperf %s\n", BAREPERF_VERSION);
		return true;
	case COMMAND_SAVE:
		*outcome = save_kept(command); /* refused after boot services have ended */
		return true;
	case COMMAND_REGISTER:
		*outcome = simple_command_register(command, text);
		return true;
	case COMMAND_BENCH:
		if (command->uefi)
			*outcome = services_bench(command);
		return command->uefi;
	case COMMAND_UNREGISTER:
		*outcome = registration_remove();
		return true;
	default:
		return false;
	}
}
