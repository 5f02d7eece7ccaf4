/* SPDX-License-Identifier: MIT */
#include "lib/processors.h"

#include <errno.h>

#include "arch/takeover.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

#define MS_PER_SECOND 1000U
#define US_PER_MS     1000U

#define MP_SERVICES_GUID                                               \
	{                                                              \
		0x3fdda605, 0xa76e, 0x4f46,                            \
		{                                                      \
			0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 \
		}                                                      \
	}

typedef VOID(EFIAPI *mp_procedure)(VOID *argument);

/* GNU-EFI does not declare it. Unused members have no type. */
struct mp_services {
	EFI_STATUS(EFIAPI *get_number)(struct mp_services *self, UINTN *all, UINTN *enabled);
	EFI_STATUS(EFIAPI *get_info)(struct mp_services *self, UINTN number, VOID *info);
	VOID *startup_all;
	EFI_STATUS(EFIAPI *startup_this)
	(struct mp_services *self, mp_procedure procedure, UINTN number, EFI_EVENT over,
	 UINTN timeout_us, VOID *argument, BOOLEAN *finished);
	VOID *switch_boot, *enable, *who_am_i;
};

struct mp_info {
	UINT64 id;
	UINT32 flags;
	UINT32 location[3], extended_location[6];
};
#define MP_BOOT    (1U << 0)
#define MP_ENABLED (1U << 1)

/* One event per CPU that runs our procedure, signalled when it ends; NULL: it has ended. */
static EFI_EVENT events[ARCH_MAX_CPUS];
static unsigned nr_events;

static VOID EFIAPI processors_serve(VOID *argument)
{
	(void)argument;
	arch_cpu_take_over();
}

static int processors_start(struct mp_services *services, UINTN number)
{
	EFI_BOOT_SERVICES *boot = efi_system->BootServices;
	struct mp_info info = { 0 };

	if (nr_events == ARCH_MAX_CPUS || EFI_ERROR(services->get_info(services, number, &info)) ||
	    (info.flags & (MP_BOOT | MP_ENABLED)) != MP_ENABLED)
		return 0;
	if (EFI_ERROR(boot->CreateEvent(0, 0, NULL, NULL, &events[nr_events])))
		return -EIO;
	if (EFI_ERROR(services->startup_this(services, processors_serve, number, events[nr_events],
	                                     0, NULL, NULL))) {
		boot->CloseEvent(events[nr_events]);
		return -EIO;
	}
	nr_events++;
	return 0;
}

/* The number of procedures that have ended. */
static unsigned processors_ended(void)
{
	EFI_BOOT_SERVICES *boot = efi_system->BootServices;
	unsigned ended = 0;

	for (unsigned i = 0; i < nr_events; i++) {
		if (events[i] && boot->CheckEvent(events[i]) == EFI_SUCCESS) {
			boot->CloseEvent(events[i]);
			events[i] = NULL;
		}
		ended += !events[i];
	}
	return ended;
}

static unsigned processors_taken_or_ended(void)
{
	return arch_cpus_taken_over() + processors_ended();
}

static int processors_await(unsigned (*which)(void))
{
	for (unsigned i = 0; i < ARCH_CPU_PATIENCE * MS_PER_SECOND; i++) {
		if (which() == nr_events)
			return 0;
		efi_system->BootServices->Stall(US_PER_MS);
	}
	return -ETIMEDOUT;
}

int processors_take_over(void)
{
	struct mp_services *services = efi_locate((EFI_GUID)MP_SERVICES_GUID);
	UINTN all, enabled;
	int code = 0;

	if (!services || EFI_ERROR(services->get_number(services, &all, &enabled))) {
		console_printf(
		    "the firmware does not hand over other CPUs: use them with "
		    "--exclusive only\n");
		return 0;
	}
	for (UINTN number = 0; number < all && code == 0; number++)
		code = processors_start(services, number);
	return code != 0 ? code : processors_await(processors_taken_or_ended);
}

int processors_return(void)
{
	return processors_await(processors_ended);
}
