/* SPDX-License-Identifier: MIT */
/* A recording ends while a phase is about to be marked: --until's end is a notification at
 * TPL_CALLBACK, after which the ring's memory may belong to anybody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/uefi/uefi_phases.h"
#include "arch/arch.h"
#include "lib/efi/efi_drivers.h"
#include "lib/platform.h"
#include "pmu/mark.h"
#include "tests/unit/lib/efi/fake_firmware.h"

static const EFI_GUID ready_to_boot = {
	0x7ce88fb3, 0x4bd7, 0x4679, { 0x87, 0xa8, 0xa8, 0xd8, 0xde, 0xe5, 0x0d, 0x2b }
};

struct mark_cpu mark_cpus[TR_MAX_CPUS];

static struct perf_event marks;
static EFI_EVENT end; /* --until's */
static bool gone;     /* the ring */
static unsigned put;
static char marks_put[8][160], text[160]; /* the first marks' texts, and the last one's */

/* A timer interrupt, just before the first word is written. */
void mark_put_slow(struct perf_event *event, uint64_t ip, const uint64_t *raw, uint32_t bytes,
                   uint32_t values, const uint64_t *value)
{
	(void)ip;
	(void)bytes;
	(void)values;
	(void)value;
	if (end)
		fake_services.SignalEvent(end);
	assert_false(gone);
	assert_ptr_equal(event, &marks);
	strncpy(text, (const char *)raw + sizeof(uint32_t), sizeof(text) - 1);
	if (put < 8)
		strcpy(marks_put[put], text);
	put++;
}

static VOID EFIAPI on_end(EFI_EVENT event, VOID *context)
{
	(void)context;
	fake_services.CloseEvent(event);
	end = NULL;
	uefi_phases_end();
	gone = true;
}

static EFI_STATUS(EFIAPI *report)(UINT32 type, UINT32 value, UINT32 instance, EFI_GUID *caller,
                                  VOID *data);

static EFI_STATUS EFIAPI add(VOID *callback, EFI_TPL at)
{
	assert_int_equal(at, TPL_HIGH_LEVEL); /* at the level of the report, whatever it is */
	report = callback;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI forget(VOID *callback)
{
	assert_ptr_equal(callback, report);
	report = NULL;
	return EFI_SUCCESS;
}

void *efi_locate(EFI_GUID protocol)
{
	static const struct {
		EFI_STATUS(EFIAPI *add)(VOID *, EFI_TPL);
		EFI_STATUS(EFIAPI *remove)(VOID *);
	} router = { add, forget };

	(void)protocol;
	return (void *)(uintptr_t)&router;
}

void arch_cpu_identify(struct arch_cpu_id *id)
{
	*id = (struct arch_cpu_id){ 0 };
}

const char *platform_firmware_times(enum platform_times source, firmware_time_fn tell,
                                    void *context)
{
	if (source == PLATFORM_COREBOOT)
		return "it is damaged";
	tell(context, 1500000000 + source, "OS loader: LoadImage() starts");
	return NULL;
}

void efi_drivers_report(efi_driver_fn tell)
{
	assert_int_equal(fake_level(), TPL_CALLBACK); /* names are read from volumes there */
	tell("DiskDxe.efi", "PciRoot(0x0)/Pci(0x3,0x0)");
}

static void begin(void)
{
	fake_firmware_begin();
	marks.attr.sample_period = 1;
	mark_cpus[0].event = &marks;
	put = 0;
	gone = false;
	uefi_phases_begin();
	fake_services.CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_end, NULL, &end);
}

static void the_recordings_end_comes_after_the_mark(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		begin();
		if (i == 0)
			uefi_phase("app.efi", " starts");
		else if (i == 1)
			report(0x00000001, 0x03050002, 0, NULL, NULL);
		else
			fake_signal_group(ready_to_boot);
		assert_int_equal(put, 1);
		assert_true(gone);
		assert_int_equal(fake_level(), TPL_APPLICATION);
		assert_string_equal(text, i == 0   ? "phase app.efi starts"
		                          : i == 1 ? "phase DXE BS driver: initialisation begins"
		                                   : "phase ReadyToBoot");
		assert_null(report);
		uefi_phase("later", "");
		assert_int_equal(put, 1);
		assert_int_equal(fake_open_events(), 0);
	}
}

/* ExitBootServices() may be the end, in which no service can be called. */
static void drivers_devices_are_reported_before_a_loader_starts(void **state)
{
	(void)state;
	begin();
	fake_services.CloseEvent(end);
	end = NULL;
	fake_signal_group(ready_to_boot);
	assert_int_equal(put, 2);
	assert_string_equal(text, "boot device DiskDxe.efi: PciRoot(0x0)/Pci(0x3,0x0)");
	uefi_phases_end();
	assert_int_equal(fake_open_events(), 0);
	fake_services.RaiseTPL(TPL_CALLBACK);
	uefi_phases_report_devices();
	fake_services.RestoreTPL(TPL_APPLICATION);
	assert_int_equal(put, 2); /* nothing is recorded any more */
}

/* An application that was started earlier has already reported it. */
static void the_highest_level_is_reported_as_well(void **state)
{
	(void)state;
	begin();
	fake_services.RaiseTPL(TPL_HIGH_LEVEL);
	report(0x00000001, 0x03050002, 0, NULL, NULL);
	assert_int_equal(put, 1);
	assert_int_equal(fake_level(), TPL_HIGH_LEVEL);
	assert_false(gone);
	fake_services.RestoreTPL(TPL_APPLICATION);
	assert_true(gone);
}

/* The firmware's notes are reported when boot services have ended, after which there is no task
 * priority level. */
static void the_firmwares_own_times_need_no_service(void **state)
{
	EFI_BOOT_SERVICES kept;

	(void)state;
	begin();
	fake_services.CloseEvent(end);
	end = NULL;
	efi_boot_services = false;
	clock_set(&machine_clock, NSEC_PER_SEC, 3250000001);
	kept = fake_services;
	memset(&fake_services, 0, sizeof(fake_services));
	uefi_phases_report_times();
	uefi_phases_end();
	fake_services = kept;
	assert_int_equal(put, 4);
	assert_string_equal(marks_put[0], "FPDT 1.500000000 s: OS loader: LoadImage() starts");
	assert_string_equal(marks_put[1], "error coreboot: it is damaged");
	assert_string_equal(marks_put[2], "bootstage 1.500000002 s: OS loader: LoadImage() starts");
	assert_string_equal(marks_put[3], "boot counter 3.250000001 s: the recording's 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recordings_end_comes_after_the_mark),
		cmocka_unit_test(drivers_devices_are_reported_before_a_loader_starts),
		cmocka_unit_test(the_highest_level_is_reported_as_well),
		cmocka_unit_test(the_firmwares_own_times_need_no_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
