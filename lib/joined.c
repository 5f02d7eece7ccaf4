/* SPDX-License-Identifier: MIT */
#include "lib/joined.h"

#include <errno.h>

#include "arch/join.h"
#include "lib/efi.h"
#include "lib/memory.h"
#include "lib/parse/hob.h"

/* PI 1.7, volume 2, 12.3; GNU-EFI does not declare it. What is not called has no type. */
#define CPU_ARCH_GUID                                                  \
	{                                                              \
		0x26baccb1, 0x6f42, 0x11d4,                            \
		{                                                      \
			0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 \
		}                                                      \
	}
#define HOB_LIST_GUID                                                  \
	{                                                              \
		0x7739f24c, 0x93d7, 0x11d4,                            \
		{                                                      \
			0x9a, 0x3a, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d \
		}                                                      \
	}
#define MOST_HOBS (16U << 20) /* bytes; the list has an end of its own (5.3.2) */

struct cpu_arch {
	VOID *flush_data_cache, *enable_interrupt;
	EFI_STATUS(EFIAPI *disable_interrupt)(struct cpu_arch *protocol);
	VOID *get_interrupt_state, *init;
	EFI_STATUS(EFIAPI *register_interrupt_handler)
	(struct cpu_arch *protocol, intptr_t type, arch_handed_fn handler);
};

static EFI_STATUS(EFIAPI *disable_interrupt)(struct cpu_arch *protocol);

/* In place of EDK2's, which for TPL_HIGH_LEVEL masks FIQ with IRQ: our interrupts, FIQs there, are
 * let in as before. */
static EFI_STATUS EFIAPI joined_disable_but_ours(struct cpu_arch *protocol)
{
	uint64_t mask = arch_join_mask();
	EFI_STATUS status = disable_interrupt(protocol);

	arch_join_unmask(mask);
	return status;
}

static int joined_hand_on(intptr_t type, arch_handed_fn handler)
{
	struct cpu_arch *protocol = efi_locate((EFI_GUID)CPU_ARCH_GUID);

	if (!protocol || EFI_ERROR(protocol->register_interrupt_handler(protocol, type, handler)))
		return -ENODEV;
	if (handler) {
		disable_interrupt = protocol->disable_interrupt;
		protocol->disable_interrupt = joined_disable_but_ours;
	} else if (protocol->disable_interrupt == joined_disable_but_ours) {
		protocol->disable_interrupt = disable_interrupt;
	}
	return 0;
}

/* PI 1.7, volume 3, 5.4.2: EDK2 hands its list of HOBs on. */
static struct arch_join_stack joined_stack(void)
{
	const void *list = efi_configuration_table((EFI_GUID)HOB_LIST_GUID);
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	struct arch_join_stack stack;

	if (list && hob_stack(list, MOST_HOBS, &stack.low, &stack.high) && here >= stack.low &&
	    here < stack.high)
		return stack;
	return (struct arch_join_stack){ 0, 0 };
}

int joined_begin(const struct arch_platform *platform, const char **why)
{
	int code = memory_borrow_heap();

	*why = NULL;
	return code ? code : arch_join(platform, joined_hand_on, joined_stack(), why);
}

void joined_end(void)
{
	arch_part();
}
