/* SPDX-License-Identifier: MIT */
#include "agent/announce.h"

#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/efi/efi.h"
#include "lib/watchdog.h"

#define NAME 48 /* the most characters of a firmware's name */

/* UEFI 2.10, 4.3: FirmwareVendor; Revision holds major and minor * 10 in its halves. */
static void announce_firmware(void)
{
	const CHAR16 *vendor = efi_system->FirmwareVendor;
	unsigned revision = efi_system->Hdr.Revision;
	char name[NAME + 1];
	unsigned i = 0;

	for (; vendor && vendor[i] != 0 && i < NAME; i++)
		name[i] = vendor[i] >= ' ' && vendor[i] <= '~' ? (char)vendor[i] : '?';
	name[i] = 0;
	console_printf("firmware: %s, UEFI %u.%u\n", name, revision >> 16, revision % 65536 / 10);
}

static void announce_screen(void)
{
	struct framebuffer_size size = framebuffer_size();

	if (size.scale == 0)
		return; /* framebuffer_init() has printed why */
	console_printf("screen: %u x %u", size.width, size.height);
	if (size.scale > 1)
		console_printf(", letters %u times as large", size.scale);
	console_printf("\n");
}

static void announce_watchdog(const struct arch_platform *platform)
{
	static const char *const states[] = {
		[WATCHDOG_UNKNOWN] = "",
		[WATCHDOG_STOPPED] = ", stopped",
		[WATCHDOG_COUNTS] = ", counting",
	};

	if (!platform->watchdog)
		return;
	console_printf(
	    "hardware watchdog (ACPI %s)%s. %s\n", platform->watchdog,
	    states[watchdog_state(platform)],
	    watchdog_is_served()
	        ? "If it counts, bareperf resets its count during a recording"
	        : "bareperf cannot reset its count: if it counts, it resets the machine");
}

void announce_machine(const struct arch_platform *platform, bool resident)
{
	unsigned cpus = platform->cpu_count ? platform->cpu_count : 1;
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	console_printf("bareperf %s: %u CPU%s, %s%s%s\n", BAREPERF_VERSION, cpus,
	               cpus == 1 ? "" : "s", id.vendor, *id.model ? ", " : "", id.model);
	if (resident)
		announce_firmware();
	announce_screen();
	announce_watchdog(platform);
	if (resident)
		console_printf(
		    "during a recording the firmware is stopped: a USB keyboard does not work, "
		    "and only the last row of the screen and the serial console show the "
		    "progress\n");
	console_printf(
	    "to end a recording early: q, Esc or Ctrl-C, on a serial line or a PS/2 "
	    "keyboard\n");
}
