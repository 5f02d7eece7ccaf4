/* SPDX-License-Identifier: MIT */
#include "lib/resident.h"

#include <errno.h>

#include "arch/takeover.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/panic.h"
#include "lib/platform.h"
#include "lib/processors.h"

static const struct arch_platform *resident_platform;
static uint64_t interrupts; /* the firmware's interrupt flag */
static bool is_taken_over;

/* For a panic, after which the firmware does not continue: its screen and UART may be used. */
static void resident_show(void)
{
	console_start(resident_platform);
}

int resident_begin(const struct arch_platform *platform, bool other_cpus)
{
	int code = arch_keep_firmware();

	resident_platform = platform;
	if (code == -ENOTSUP)
		console_printf(
		    "the firmware has shadow stacks on (CR4.CET), which cannot be given "
		    "back: use --exclusive, or switch CET off in its menus\n");
	if (code == 0)
		code = memory_firmware_heap();
	if (code == 0 && other_cpus && arch_cpus_are_firmwares()) {
		code = processors_take_over();
		if (code != 0 && arch_cpus_end() == 0)
			processors_return();
	}
	if (code == 0)
		code = memory_init(); /* updates the free memory, after all allocations */
	if (code != 0)
		return code;
	panic_set_screen(resident_show);
	framebuffer_status_keep();
	console_hold();
	efi_boot_services = false;
	is_taken_over = true;
	interrupts = arch_irq_save();
	return 0;
}

bool resident_has_taken_over(void)
{
	return is_taken_over;
}

int resident_end(void)
{
	int code = arch_cpus_end();

	if (code != 0) {
		resident_show();
		console_release();
		return code;
	}
	arch_give_back();
	panic_set_screen(NULL);
	efi_boot_services = true;
	is_taken_over = false;
	arch_irq_restore(interrupts);
	framebuffer_status_return();
	console_release();
	return processors_return();
}
