/* SPDX-License-Identifier: MIT */
/* UEFI 2.10, 7.1 "Event, Timer, and Task Priority Services"; 7.5 for Stall(). */
#include "agent/bench/services_case.h"

static struct {
	EFI_EVENT event;
	EFI_TPL level;
} events;

static VOID EFIAPI services_notify(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
}

/* ---- Events ---- */

static EFI_STATUS services_create_event(uint64_t type)
{
	return efi_system->BootServices->CreateEvent(
	    (UINT32)type, TPL_CALLBACK, type ? services_notify : NULL, NULL, &events.event);
}

static EFI_STATUS services_close_event(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->CloseEvent(events.event);
}

static EFI_STATUS services_signal_event(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->SignalEvent(events.event);
}

static EFI_STATUS services_check_event(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->CheckEvent(events.event);
}

static EFI_STATUS services_set_timer(uint64_t unused)
{
	(void)unused;
	return efi_system->BootServices->SetTimer(events.event, TimerRelative, 600000000000ULL);
}

/* ---- Levels and time ---- */

static EFI_STATUS services_raise(uint64_t level)
{
	events.level = efi_system->BootServices->RaiseTPL(level);
	return EFI_SUCCESS;
}

static EFI_STATUS services_restore(uint64_t unused)
{
	(void)unused;
	efi_system->BootServices->RestoreTPL(events.level);
	return EFI_SUCCESS;
}

static EFI_STATUS services_stall(uint64_t us)
{
	return efi_system->BootServices->Stall(us);
}

/* clang-format off */
const struct services_case services_of_events[] = {
	{ "RaiseTPL", "to TPL_NOTIFY", TPL_NOTIFY, NULL, services_raise, services_restore, 0 },
	{ "RaiseTPL", "to TPL_HIGH_LEVEL", TPL_HIGH_LEVEL, NULL, services_raise, services_restore, 0 },
	{ "RestoreTPL", "from TPL_NOTIFY", TPL_NOTIFY, services_raise, services_restore, NULL, 0 },
	{ "RestoreTPL", "from TPL_HIGH_LEVEL", TPL_HIGH_LEVEL, services_raise, services_restore, NULL, 0 },
	{ "CreateEvent", "", 0, NULL, services_create_event, services_close_event, 0 },
	{ "CreateEvent", "EVT_NOTIFY_SIGNAL", EVT_NOTIFY_SIGNAL, NULL, services_create_event, services_close_event, 0 },
	{ "CloseEvent", "", 0, services_create_event, services_close_event, NULL, 0 },
	{ "SignalEvent", "EVT_NOTIFY_SIGNAL", EVT_NOTIFY_SIGNAL, services_create_event, services_signal_event, services_close_event, 0 },
	{ "CheckEvent", "not signaled", 0, services_create_event, services_check_event, services_close_event, EFI_NOT_READY },
	{ "SetTimer", "TimerRelative", EVT_TIMER, services_create_event, services_set_timer, services_close_event, 0 },
	{ "Stall", "1 us", 1, NULL, services_stall, NULL, 0 },
	{ 0 },
};
