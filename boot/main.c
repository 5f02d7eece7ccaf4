/* SPDX-License-Identifier: MIT */
/* The story of a run. */
#include "agent/agent.h"
#include "agent/crash_store.h"
#include "agent/uefi/boot_record.h"
#include "boot/channel_services.h"
#include "boot/run_mode.h"
#include "boot/start.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/watchdog.h"

/* Open the trace region and the serial lines, so that readers can use them. Returns 0 or a negative
 * errno. */
static int main_open_region(const struct arch_platform *platform)
{
	static struct channel channel;
	static struct lines lines;
	int code = channel_open(&channel, &channel_services, agent_region_size(platform));

	lines_find(&lines, &channel_services);
	channel.lines = &lines;
	return code ? code : agent_open(&channel, platform);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	const struct arch_platform *platform;
	enum arch_tables wanted;
	bool stopped;
	int code;

	efi_begin(image, system);               /* console on the firmware's screen */
	if (boot_record_is_elsewhere(&stopped)) /* another instance records this boot */
		return stopped ? EFI_SUCCESS : EFI_ALREADY_STARTED;
	code = memory_init(); /* the memory map */
	if (code)
		return run_mode_refuse("the firmware gives no memory map", code);
	crash_store_find();               /* recordings that a reset left in RAM */
	wanted = agent_read_command();    /* load options, or \bareperf.cfg */
	platform = platform_init(wanted); /* ACPI, or the device tree */
	watchdog_init(platform);          /* if the firmware has started one */
	crash_store_save();               /* they become files */
	code = main_open_region(platform);
	if (code)
		return run_mode_refuse("there is no trace region", code);
	if (!agent_choose()) /* the menu, for a user at the machine */
		return run_mode_end(EFI_SUCCESS);
	if (!agent_accept()) /* a wrong command, or one that is done already */
		return run_mode_leave();
	return run_mode_enter(platform); /* exclusive, resident or hosted */
}
