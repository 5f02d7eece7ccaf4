/* SPDX-License-Identifier: MIT */
#include "lib/resident.h"

#include "arch/loan.h"
#include "lib/console.h"
#include "lib/efi.h"
#include "lib/framebuffer.h"
#include "lib/memory.h"
#include "lib/panic.h"
#include "lib/platform.h"
#include "lib/processors.h"

static const struct arch_platform *resident_platform;
static uint64_t interrupts; /* the firmware's */

/* Nobody comes back to the firmware's screen. */
static void resident_show(void)
{
	console_start(resident_platform);
}

int resident_begin(const struct arch_platform *platform, bool other_cpus)
{
	int error = arch_keep_firmware();

	resident_platform = platform;
	if (error == 0)
		error = memory_borrow_heap();
	if (error == 0 && other_cpus && arch_cpus_are_lent()) {
		error = processors_borrow();
		if (error != 0 && arch_cpus_end() == 0)
			processors_return();
	}
	if (error == 0)
		error = memory_init(); /* what nobody uses, now that all is taken */
	if (error != 0)
		return error;
	panic_set_screen(resident_show);
	framebuffer_status_keep();
	console_hold();
	efi_boot_services = false;
	interrupts = arch_irq_save();
	return 0;
}

int resident_end(void)
{
	int error = arch_cpus_end();

	if (error != 0) {
		resident_show();
		console_release();
		return error;
	}
	arch_give_back();
	panic_set_screen(NULL);
	efi_boot_services = true;
	arch_irq_restore(interrupts);
	framebuffer_status_return();
	console_release();
	return processors_return();
}
