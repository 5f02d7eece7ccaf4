/* SPDX-License-Identifier: MIT */
#include "agent/uefi/uefi_calls.h"

#include "lib/efi/efi.h"
#include "lib/efi/efi_hook.h"
#include "pmu/callchain.h"

static EFI_STALL stall;
static EFI_WAIT_FOR_EVENT wait_for_event;
static EFI_CHECK_EVENT check_event;
static bool is_on; /* false: a hook that could not be removed only calls its service */
static struct {
	bool stall, wait_for_event, check_event;
} stays;

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
	status = stall(microseconds);
	uefi_call_leave(&call);
	return status;
}

static EFI_STATUS EFIAPI uefi_wait_for_event(UINTN count, EFI_EVENT *events, UINTN *index)
{
	struct callchain_call call;
	EFI_STATUS status;

	uefi_call_enter(&call, (uint64_t)uefi_wait_for_event, __builtin_return_address(0),
	                __builtin_frame_address(0));
	status = wait_for_event(count, events, index);
	uefi_call_leave(&call);
	return status;
}

static EFI_STATUS EFIAPI uefi_check_event(EFI_EVENT event)
{
	struct callchain_call call;
	EFI_STATUS status;

	uefi_call_enter(&call, (uint64_t)uefi_check_event, __builtin_return_address(0),
	                __builtin_frame_address(0));
	status = check_event(event);
	uefi_call_leave(&call);
	return status;
}

void uefi_calls_begin(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	if (!stays.stall) {
		stall = services->Stall;
		services->Stall = uefi_stall;
	}
	if (!stays.wait_for_event) {
		wait_for_event = services->WaitForEvent;
		services->WaitForEvent = uefi_wait_for_event;
	}
	if (!stays.check_event) {
		check_event = services->CheckEvent;
		services->CheckEvent = uefi_check_event;
	}
	efi_services_changed();
	is_on = true;
}

void uefi_calls_end(void)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;

	is_on = false;
	stays.stall = services->Stall != uefi_stall && efi_hook_stays("Stall()");
	if (!stays.stall)
		services->Stall = stall;
	stays.wait_for_event = services->WaitForEvent != uefi_wait_for_event &&
	                       efi_hook_stays("WaitForEvent()");
	if (!stays.wait_for_event)
		services->WaitForEvent = wait_for_event;
	stays.check_event = services->CheckEvent != uefi_check_event &&
	                    efi_hook_stays("CheckEvent()");
	if (!stays.check_event)
		services->CheckEvent = check_event;
	efi_services_changed();
	callchain_call = NULL;
}
