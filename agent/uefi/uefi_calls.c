/* SPDX-License-Identifier: MIT */
#include "agent/uefi/uefi_calls.h"

#include "lib/efi/efi.h"
#include "lib/efi/efi_hook.h"
#include "pmu/callchain.h"

#define HOOKS 3U

static struct efi_hook hooks[HOOKS];
static bool is_on; /* false: a hook that could not be removed only calls its service */

/* Readers look up a caller one byte before its address, hence function + 1. */
static void uefi_call_enter(struct callchain_call *call, uint64_t function, const void *caller,
                            const void *frame)
{
	*call = (struct callchain_call){ function + 1, (uint64_t)caller, (uint64_t)frame,
		                         callchain_call };
	if (is_on)
		__atomic_store_n(&callchain_call, call, __ATOMIC_RELEASE);
}

static void uefi_call_leave(const struct callchain_call *call)
{
	if (is_on)
		__atomic_store_n(&callchain_call, call->before, __ATOMIC_RELEASE);
}

static EFI_STATUS EFIAPI uefi_stall(UINTN microseconds)
{
	struct callchain_call call;
	EFI_STATUS status;

	uefi_call_enter(&call, (uint64_t)uefi_stall, __builtin_return_address(0),
	                __builtin_frame_address(0));
	status = ((EFI_STALL)hooks[0].former)(microseconds);
	uefi_call_leave(&call);
	return status;
}

static EFI_STATUS EFIAPI uefi_wait_for_event(UINTN count, EFI_EVENT *events, UINTN *index)
{
	struct callchain_call call;
	EFI_STATUS status;

	uefi_call_enter(&call, (uint64_t)uefi_wait_for_event, __builtin_return_address(0),
	                __builtin_frame_address(0));
	status = ((EFI_WAIT_FOR_EVENT)hooks[1].former)(count, events, index);
	uefi_call_leave(&call);
	return status;
}

static EFI_STATUS EFIAPI uefi_check_event(EFI_EVENT event)
{
	struct callchain_call call;
	EFI_STATUS status;

	uefi_call_enter(&call, (uint64_t)uefi_check_event, __builtin_return_address(0),
	                __builtin_frame_address(0));
	status = ((EFI_CHECK_EVENT)hooks[2].former)(event);
	uefi_call_leave(&call);
	return status;
}

static struct efi_hook hooks[HOOKS] = {
	EFI_HOOK(Stall, uefi_stall),
	EFI_HOOK(WaitForEvent, uefi_wait_for_event),
	EFI_HOOK(CheckEvent, uefi_check_event),
};

void uefi_calls_begin(void)
{
	efi_hooks_set(hooks, HOOKS);
	is_on = true;
}

void uefi_calls_end(void)
{
	is_on = false;
	efi_hooks_remove(hooks, HOOKS);
	callchain_call = NULL;
}
