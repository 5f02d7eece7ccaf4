/* SPDX-License-Identifier: MIT */
#include "agent/uefi/uefi_phases.h"

#include <stdint.h>
#include <string.h>

#include "agent/uefi/status_code.h"
#include "arch/arch.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_drivers.h"
#include "lib/platform.h"
#include "lib/print.h"
#include "pmu/clock/clock.h"
#include "pmu/mark.h"

#define GROUPS   2U
#define RAW_MAX  160U /* bytes of a mark's raw data, with its size field */
#define TEXT_MAX (RAW_MAX - (uint32_t)sizeof(uint32_t))

/* PI 1.7, volume 3, 6; GNU-EFI does not declare it. */
#define RSC_HANDLER_GUID                                               \
	{                                                              \
		0x86212936, 0x0e76, 0x41c8,                            \
		{                                                      \
			0xa0, 0x3a, 0x2a, 0xf2, 0xfc, 0x1c, 0x39, 0xe2 \
		}                                                      \
	}
typedef EFI_STATUS(EFIAPI *rsc_handler_fn)(UINT32 type, UINT32 value, UINT32 instance,
                                           EFI_GUID *caller, VOID *data);
struct rsc_handler {
	EFI_STATUS(EFIAPI *add)(rsc_handler_fn callback, EFI_TPL level);
	EFI_STATUS(EFIAPI *remove)(rsc_handler_fn callback);
};

static const struct {
	EFI_GUID guid;
	const char *name;
} groups[GROUPS] = {
	{ { 0x02ce967a, 0xdd7e, 0x4ffc, { 0x9e, 0xe7, 0x81, 0x0c, 0xf0, 0x47, 0x08, 0x80 } },
	  "EndOfDxe" },
	{ { 0x7ce88fb3, 0x4bd7, 0x4679, { 0x87, 0xa8, 0xa8, 0xd8, 0xde, 0xe5, 0x0d, 0x2b } },
	  "ReadyToBoot" },
};
#define READY_TO_BOOT 1U /* its index */
static EFI_EVENT events[GROUPS];
static EFI_EVENT devices;          /* the drivers' devices are reported */
static struct rsc_handler *router; /* NULL: there is none, or it refuses our handler */
static uint64_t boot_cpu;          /* its hw_id: only the boot CPU writes the ring */
static bool is_on;

static uint64_t uefi_phases_this_cpu(void)
{
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	return id.hw_id;
}

/* Write a mark. On the boot CPU, at a TPL at which no notification can end the recording. */
static void uefi_phases_put_mark(const char *kind, const char *name, const char *more,
                                 const void *caller)
{
	union {
		uint64_t words[RAW_MAX / 8];
		struct {
			uint32_t size;
			char text[TEXT_MAX];
		};
	} raw = { { 0 } };
	struct perf_event *event = __atomic_load_n(&mark_cpus[0].event, __ATOMIC_RELAXED);
	uint32_t bytes;

	if (!is_on || !event || !event->attr.sample_period)
		return;
	print_text(raw.text, TEXT_MAX, "%s%s%s", kind, name, more);
	bytes = ((uint32_t)(sizeof(raw.size) + strlen(raw.text)) + 8) & ~7U;
	bytes = bytes < 16 ? 16 : bytes;
	raw.size = bytes - (uint32_t)sizeof(raw.size);
	mark_put_slow(event, (uint64_t)caller, raw.words, bytes, 0, NULL);
}

/* Write a mark at TPL_HIGH_LEVEL: the recording's end is a notification, and must not come while
 * the ring is written. Some callers are already at TPL_HIGH_LEVEL. */
static void uefi_phases_put(const char *kind, const char *name, const char *more,
                            const void *caller)
{
	EFI_TPL before = efi_system->BootServices->RaiseTPL(TPL_HIGH_LEVEL);

	uefi_phases_put_mark(kind, name, more, caller);
	efi_system->BootServices->RestoreTPL(before);
}

void uefi_phase(const char *name, const char *more)
{
	uefi_phases_put("phase ", name, more, __builtin_return_address(0));
}

/* Registered at TPL_HIGH_LEVEL, so that the firmware calls it at once, and not when the TPL drops.
 */
static EFI_STATUS EFIAPI uefi_phases_on_status_code(UINT32 type, UINT32 value, UINT32 instance,
                                                    EFI_GUID *caller, VOID *data)
{
	char text[STATUS_CODE_TEXT];

	(void)caller;
	(void)data;
	if (status_code_text(type, value, instance, text, sizeof(text)) &&
	    uefi_phases_this_cpu() == boot_cpu)
		uefi_phases_put((type & STATUS_CODE_TYPE) == STATUS_CODE_PROGRESS ? "phase " : "",
		                text, "", __builtin_return_address(0));
	return EFI_SUCCESS;
}

static VOID EFIAPI uefi_phases_on_group(EFI_EVENT event, VOID *context)
{
	(void)event;
	uefi_phases_put("phase ", context, "", __builtin_return_address(0));
}

/* The recording may end in ExitBootServices(), in which no service can be called. Not in the
 * notification above, since names of images are read from firmware volumes. */
static VOID EFIAPI uefi_phases_on_devices(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	uefi_phases_report_devices();
}

void uefi_phases_begin(void)
{
	is_on = true;
	boot_cpu = uefi_phases_this_cpu();
	router = efi_locate((EFI_GUID)RSC_HANDLER_GUID);
	if (router && EFI_ERROR(router->add(uefi_phases_on_status_code, TPL_HIGH_LEVEL)))
		router = NULL;
	for (unsigned i = 0; i < GROUPS; i++) {
		events[i] = NULL;
		efi_system->BootServices->CreateEventEx(
		    EVT_NOTIFY_SIGNAL, TPL_NOTIFY, uefi_phases_on_group,
		    (VOID *)(uintptr_t)groups[i].name, &groups[i].guid, &events[i]);
	}
	devices = NULL;
	efi_system->BootServices->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
	                                        uefi_phases_on_devices, NULL,
	                                        &groups[READY_TO_BOOT].guid, &devices);
}

void uefi_phases_end(void)
{
	is_on = false;
	if (router)
		router->remove(uefi_phases_on_status_code);
	router = NULL;
	for (unsigned i = 0; i < GROUPS && efi_boot_services; i++) {
		if (events[i])
			efi_system->BootServices->CloseEvent(events[i]);
		events[i] = NULL;
	}
	if (devices && efi_boot_services)
		efi_system->BootServices->CloseEvent(devices);
	devices = NULL;
}

struct uefi_phases_times {
	const char *source; /* with a blank behind it */
	const void *caller;
};

static void uefi_phases_put_time(const char *kind, uint64_t ns, const char *name,
                                 const void *caller)
{
	char time[40];

	print_text(time, sizeof(time), "%s%llu.%09llu s: ", kind, ns / NSEC_PER_SEC,
	           ns % NSEC_PER_SEC);
	uefi_phases_put_mark(time, name, "", caller);
}

static void uefi_phases_report_time(void *context, uint64_t ns, const char *name)
{
	const struct uefi_phases_times *times = context;

	uefi_phases_put_time(times->source, ns, name, times->caller);
}

/* If the firmware's times count the same counter as our clock, they are larger than ours by the
 * counter's value at our 0. The last mark gives that value. */
void uefi_phases_report_times(void)
{
	static const struct {
		const char *time, *error;
	} kinds[PLATFORM_TIMES] = {
		[PLATFORM_FPDT] = { "FPDT ", "error FPDT: " },
		[PLATFORM_COREBOOT] = { "coreboot ", "error coreboot: " },
		[PLATFORM_BOOTSTAGE] = { "bootstage ", "error bootstage: " },
	};
	const void *caller = __builtin_return_address(0);

	if (!is_on)
		return;
	for (enum platform_times i = 0; i < PLATFORM_TIMES; i++) {
		struct uefi_phases_times times = { kinds[i].time, caller };
		const char *wrong = platform_firmware_times(i, uefi_phases_report_time, &times);

		if (wrong)
			uefi_phases_put_mark(kinds[i].error, wrong, "", caller);
	}
	uefi_phases_put_time("boot counter ", 0 - machine_clock.time_zero, "the recording's 0",
	                     caller);
}

static void uefi_phases_report_device(const char *module, const char *path)
{
	char kind[80];

	print_text(kind, sizeof(kind), "boot device %s: ", module);
	uefi_phases_put(kind, path, "", __builtin_return_address(0));
}

void uefi_phases_report_devices(void)
{
	if (is_on)
		efi_drivers_report(uefi_phases_report_device);
}
