/* SPDX-License-Identifier: MIT */
#include "lib/hosted.h"

#include <errno.h>

#include "arch/hosted.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/parse/hob.h"

/* PI 1.7, volume 2, 12.3; GNU-EFI does not declare these. Unused members have no type. */
#define CPU_ARCH_GUID                                                  \
	{                                                              \
		0x26baccb1, 0x6f42, 0x11d4,                            \
		{                                                      \
			0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 \
		}                                                      \
	}
#define HARDWARE_INTERRUPT_GUID                                        \
	{                                                              \
		0x2890b3ea, 0x053d, 0x1643,                            \
		{                                                      \
			0xad, 0x0c, 0xd6, 0x48, 0x08, 0xda, 0x3f, 0xf1 \
		}                                                      \
	}
#define HOB_LIST_GUID                                                  \
	{                                                              \
		0x7739f24c, 0x93d7, 0x11d4,                            \
		{                                                      \
			0x9a, 0x3a, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d \
		}                                                      \
	}
#define MOST_HOBS (16U << 20) /* bytes; the list also has an end mark (5.3.2) */

struct cpu_arch {
	VOID *flush_data_cache, *enable_interrupt;
	EFI_STATUS(EFIAPI *disable_interrupt)(struct cpu_arch *protocol);
	VOID *get_interrupt_state, *init;
	EFI_STATUS(EFIAPI *register_interrupt_handler)
	(struct cpu_arch *protocol, intptr_t type, arch_handed_fn handler);
};

/* EDK2's (EmbeddedPkg). A source is an interrupt number. */
struct hardware_interrupt {
	EFI_STATUS(EFIAPI *register_source)
	(struct hardware_interrupt *protocol, UINTN source, arch_handed_fn handler);
	EFI_STATUS(EFIAPI *enable)(struct hardware_interrupt *protocol, UINTN source);
	EFI_STATUS(EFIAPI *disable)(struct hardware_interrupt *protocol, UINTN source);
	EFI_STATUS(EFIAPI *get_state)
	(struct hardware_interrupt *protocol, UINTN source, BOOLEAN *enabled);
	EFI_STATUS(EFIAPI *end)(struct hardware_interrupt *protocol, UINTN source);
};

static EFI_STATUS(EFIAPI *disable_interrupt)(struct cpu_arch *protocol);
static struct hardware_interrupt *hardware_interrupt;
static const char *reported; /* the last phrase about missing samples that was printed */

/* ---- Exceptions ---- */

/* Replaces EDK2's function, which masks FIQ together with IRQ for TPL_HIGH_LEVEL: our interrupts
 * are FIQs, so F is restored. */
static EFI_STATUS EFIAPI hosted_disable_but_ours(struct cpu_arch *protocol)
{
	uint64_t mask = arch_hosted_mask();
	EFI_STATUS status = disable_interrupt(protocol);

	arch_hosted_unmask(mask);
	return status;
}

static int hosted_hand_on(intptr_t type, arch_handed_fn handler)
{
	struct cpu_arch *protocol = efi_locate((EFI_GUID)CPU_ARCH_GUID);

	if (!protocol || EFI_ERROR(protocol->register_interrupt_handler(protocol, type, handler)))
		return -ENODEV;
	if (handler) {
		disable_interrupt = protocol->disable_interrupt;
		protocol->disable_interrupt = hosted_disable_but_ours;
	} else if (protocol->disable_interrupt == hosted_disable_but_ours) {
		protocol->disable_interrupt = disable_interrupt;
	}
	return 0;
}

/* ---- Interrupts ---- */

/* EDK2's timer driver has a handler for each of the CPU's timers, even for those that it does not
 * use. */
static int hosted_lead(uint32_t number, arch_handed_fn handler)
{
	struct hardware_interrupt *protocol = hardware_interrupt;
	EFI_STATUS status = protocol->register_source(protocol, number, handler);
	bool was_handled = handler && status == EFI_ALREADY_STARTED;

	if (was_handled) {
		protocol->register_source(protocol, number, NULL);
		status = protocol->register_source(protocol, number, handler);
	}
	return EFI_ERROR(status) ? -ENODEV : was_handled;
}

static void hosted_enable(uint32_t number)
{
	hardware_interrupt->enable(hardware_interrupt, number);
}

static void hosted_disable(uint32_t number)
{
	hardware_interrupt->disable(hardware_interrupt, number);
}

static bool hosted_is_enabled(uint32_t number)
{
	BOOLEAN enabled = FALSE;

	return !EFI_ERROR(hardware_interrupt->get_state(hardware_interrupt, number, &enabled)) &&
	       enabled;
}

static void hosted_end_of(uint32_t number)
{
	hardware_interrupt->end(hardware_interrupt, number);
}

static const struct arch_hosted_interrupts interrupts = {
	.lead = hosted_lead,
	.enable = hosted_enable,
	.disable = hosted_disable,
	.is_enabled = hosted_is_enabled,
	.end = hosted_end_of,
};

static const struct arch_hosted_interrupts *hosted_find_interrupts(void)
{
	hardware_interrupt = efi_locate((EFI_GUID)HARDWARE_INTERRUPT_GUID);
	return hardware_interrupt ? &interrupts : NULL;
}

/* ---- Begin and end ---- */

/* PI 1.7, volume 3, 5.4.2: EDK2 publishes its list of HOBs. */
static struct arch_hosted_stack hosted_stack(void)
{
	const void *list = efi_configuration_table((EFI_GUID)HOB_LIST_GUID);
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	struct arch_hosted_stack stack;

	if (list && hob_stack(list, MOST_HOBS, &stack.low, &stack.high) && here >= stack.low &&
	    here < stack.high)
		return stack;
	return (struct arch_hosted_stack){ 0, 0 };
}

void hosted_report_more(void)
{
	const char *misses = hosted_misses();

	if (misses && misses != reported)
		console_printf("uefi: %s\n", misses);
	reported = misses;
}

int hosted_begin(const struct arch_platform *platform, const char **why)
{
	const struct arch_hosted_firmware firmware = {
		.hand_on = hosted_hand_on,
		.interrupts = hosted_find_interrupts(),
		.stack = hosted_stack(),
	};
	int code = memory_firmware_heap();

	*why = NULL;
	if (code == 0)
		code = arch_hosted_begin(platform, &firmware, why);
	reported = NULL;
	if (code == 0)
		hosted_report_more();
	return code;
}

const char *hosted_misses(void)
{
	return arch_hosted_misses();
}

void hosted_end(void)
{
	arch_hosted_end();
}
