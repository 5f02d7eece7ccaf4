/* SPDX-License-Identifier: MIT */
/*
 * Common code of the test images: from UEFI's entry to bareperf's machine; the command line's words
 * choose what happens; TAP on the console.
 */
#ifndef TESTS_FIRMWARE_IMAGE_H
#define TESTS_FIRMWARE_IMAGE_H

#include <string.h>

#include "agent/input/command_line.h"
#include "agent/input/loadoptions.h"
#include "agent/payload/payload_run.h"
#include "boot/start.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/panic.h"
#include "lib/platform.h"
#include "lib/syscalls.h"

static char test_command[1024];
static struct arch_platform test_platform; /* a copy that a test may change */
static struct arch_clock test_clock;
static unsigned tap_results, tap_failures;

/* Report one result. A failure is also printed. */
static inline bool tap_ok(bool passed, const char *claim)
{
	tap_results++;
	tap_failures += !passed;
	console_printf("%s %u - %s\n", passed ? "ok" : "not ok", tap_results, claim);
	return passed;
}

/* The same, with both numbers if they differ. */
static inline bool tap_equal(uint64_t seen, uint64_t expected, const char *claim)
{
	bool passed = tap_ok(seen == expected, claim);

	if (!passed)
		console_printf("# seen %lu (0x%lx), expected %lu (0x%lx)\n", seen, seen, expected,
		               expected);
	return passed;
}

static inline void tap_finish(void)
{
	console_printf("1..%u\n", tap_results);
}

/* Whether the command line contains this word. */
static inline bool test_asked(const char *word)
{
	const char *at = test_command;
	size_t length = strlen(word);

	while ((at = strstr(at, word)) != NULL) {
		if ((at == test_command || at[-1] == ' ') && (at[length] == 0 || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

/* Read any load options, otherwise the volume's \bareperf.cfg. */
static inline void test_read_command(void)
{
	EFI_LOADED_IMAGE *self = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	if (!self || loadoptions_to_text(self->LoadOptions, self->LoadOptionsSize, test_command,
	                                 sizeof(test_command)) <= 0)
		command_line_read(test_command, sizeof(test_command));
}

/* Boot, and call story() after the take-over. Does not return if all goes well. */
static inline EFI_STATUS test_boot(EFI_HANDLE image, EFI_SYSTEM_TABLE *system,
                                   void (*falsify)(void), int (*story)(void *arg))
{
	efi_begin(image, system);
	test_read_command();
	if (memory_init() != 0)
		return EFI_OUT_OF_RESOURCES;
	test_platform = *platform_init(ARCH_TABLES_NONE);
	if (falsify)
		falsify();
	framebuffer_init();
	if (memory_prepare(&test_platform) != 0)
		return EFI_OUT_OF_RESOURCES;
	if (memory_exit_boot_services() != 0)
		return EFI_ABORTED;
	return (EFI_STATUS)arch_take_over(story, NULL);
}

/* The usual start of a test: console, clock, heap. Returns the clock's error. */
static inline int test_start(void)
{
	void *heap;
	uint64_t size;
	int code;

	console_start(&test_platform);
	code = arch_clock_init(&test_clock);
	memory_heap(&heap, &size);
	syscalls_init(heap, size, &test_clock);
	payload_run_init();
	return code;
}

#endif
