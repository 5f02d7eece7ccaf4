/* SPDX-License-Identifier: MIT */
#include "agent/crash_store.h"

#include <string.h>

#include "agent/summary.h"
#include "agent/volume/recover.h"
#include "arch/arch.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

static int saved; /* recovered files, or a negative errno */

void crash_store_find(void)
{
	recover_find();
}

void crash_store_save(void)
{
	saved = recover_save(summary_of_file);
}

int crash_store_report(void)
{
	if (saved >= 0)
		console_printf("recordings recovered: %d\n", saved);
	else
		console_printf("a recording could not be recovered: %s (%d)\n", strerror(-saved),
		               saved);
	return saved < 0 ? saved : 0;
}

/* TCG PC Client Platform Reset Attack Mitigation Specification: bit 0 makes the firmware clear RAM.
 */
static bool crash_store_is_cleared(void)
{
	static CHAR16 name[] = u"MemoryOverwriteRequestControl";
	EFI_GUID guid = {
		0xe20939be, 0x32d4, 0x41be, { 0xa1, 0x50, 0x89, 0x7f, 0x85, 0xd4, 0x98, 0x29 }
	};
	uint8_t control = 0;
	UINTN size = sizeof(control);

	return !EFI_ERROR(
	           efi_system->RuntimeServices->GetVariable(name, &guid, NULL, &size, &control)) &&
	       control & 1;
}

void crash_store_warn(void)
{
	const char *why = crash_store_is_cleared() ? "the firmware is asked to clear it "
	                                             "(MemoryOverwriteRequestControl)"
	                                           : arch_memory_forgets();

	if (why)
		console_printf("a reset will lose the RAM's contents, and so the recording: %s\n",
		               why);
}
