/* SPDX-License-Identifier: MIT */
/* ExitBootServices() ends a recording: in its notification no memory is allocated, no file is
 * written, and no service of the firmware is called, except one of the PI specification's made for
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/input/mailbox.h"
#include "agent/payload/payload_threads.h"
#include "agent/record/record_regions.h"
#include "agent/record/record_stop.h"
#include "agent/record/record_tick.h"
#include "agent/uefi/boot_record.h"
#include "agent/uefi/image_records.h"
#include "arch/host/fake_cpu.h"
#include "arch/hosted.h"
#include "lib/console/console.h"
#include "lib/efi/efi_drivers.h"
#include "lib/efi/efi_image_name.h"
#include "lib/hosted.h"
#include "lib/image.h"
#include "lib/platform.h"
#include "pmu/mark.h"
#include "pmu/pmu.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/lib/efi/fake_firmware.h"

char __image_start[1];

static struct fixture fixture;
static struct command command = { .boot = true };
static struct channel channel;
static struct traced_cpu cpu;
static struct perf_event events[2];
static struct recording recording;
static unsigned parted, registered;
static bool has_ended;

/* ---- Neighbours ---- */

void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *image)
{
	(void)image;
	strcpy(place->name, "image.efi");
}

void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size)
{
	(void)image;
	(void)size;
	strcpy(name, "image.efi");
}

bool boot_record_leaves(void)
{
	fail(); /* only a hook may call the firmware's service */
	return false;
}

void boot_record_hosts(const char *text)
{
	(void)text;
}

void recording_switch_here(struct traced_cpu *c)
{
	(void)c;
}

static EFI_STATUS EFIAPI add(VOID *callback, EFI_TPL level)
{
	(void)callback;
	(void)level;
	registered++;
	return EFI_SUCCESS;
}

/* PI 1.7, volume 3, 6: a registered callback must be unregistered when boot services end. */
static EFI_STATUS EFIAPI forget(VOID *callback)
{
	(void)callback;
	registered--;
	return EFI_SUCCESS;
}

void *efi_locate(EFI_GUID protocol)
{
	static const struct {
		EFI_STATUS(EFIAPI *add)(VOID *, EFI_TPL);
		EFI_STATUS(EFIAPI *remove)(VOID *);
	} router = { add, forget };

	(void)protocol;
	assert_false(has_ended);
	return (void *)(uintptr_t)&router;
}

const char *platform_firmware_times(enum platform_times source, firmware_time_fn tell,
                                    void *context)
{
	if (source == PLATFORM_FPDT)
		tell(context, 1500000000, "OS loader: LoadImage() starts");
	return NULL;
}

void efi_drivers_report(efi_driver_fn tell)
{
	(void)tell;
}

void arch_cpu_identify(struct arch_cpu_id *id)
{
	*id = (struct arch_cpu_id){ 0 };
}

void hosted_report_more(void)
{
}

void arch_hosted_again(void)
{
}

void arch_hosted_end(void)
{
	assert_true(cpu.stopped); /* the CPU has stopped before its timer is given back */
	parted++;
}

void arch_irq_disable(void)
{
}

void arch_irq_enable(void)
{
}

void arch_wait(void)
{
}

int arch_cpu_run(unsigned at, void (*run)(void *arg), void *arg)
{
	(void)at;
	(void)run;
	(void)arg;
	return -1;
}

bool arch_cpu_idle(unsigned at)
{
	(void)at;
	return true;
}

void recording_attend(struct perf_event *event)
{
	(void)event;
}

const uint32_t *mailbox_watch(const struct trace_region *region, uint32_t *heard)
{
	(void)region;
	(void)heard;
	return NULL;
}

void recording_tick(struct tick *tick, const struct arch_regs *regs)
{
	(void)tick;
	(void)regs;
}

void regions_learn(void)
{
}

void regions_report(struct traced_cpu *c)
{
	(void)c;
}

void payload_threads_open(void)
{
}

bool payload_threads_serve(void)
{
	return false;
}

void payload_threads_close(void)
{
}

/* The firmware's screen would be used. */
void console_printf(const char *format, ...)
{
	(void)format;
	assert_false(has_ended);
}

void console_write(const char *text, size_t length)
{
	(void)text;
	(void)length;
	assert_false(has_ended);
}

int recording_fail(struct recording *r, int code, const char *format, ...)
{
	(void)r;
	(void)format;
	return code;
}

/* ---- The recording ---- */

static void begin(void)
{
	static EFI_LOADED_IMAGE image = { .ImageBase = &image, .ImageSize = 4096 };

	fake_firmware_begin();
	fake_install(&image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &image);
	fixture_init(&fixture, 0);
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	cpu = (struct traced_cpu){ .recording = &recording, .events = events };
	cpu.ring = fixture.rings[0];
	events[1] = (struct perf_event){ .attr = { .type = PERF_TYPE_SOFTWARE,
		                                   .config = PERF_COUNT_SW_BPF_OUTPUT,
		                                   .sample_period = 1 },
		                         .ring = &cpu.ring };
	mark_cpus[0].event = &events[1];
	timer_init();
	tick_start(&cpu.tick, recording_tick);
	recording = (struct recording){ .command = &command,
		                        .region = &fixture.region,
		                        .channel = &channel,
		                        .nr_cpus = 1,
		                        .cpus = &cpu };
	parted = 0;
	has_ended = false;
	assert_int_equal(image_records_begin(&recording), 0);
	assert_int_equal(registered, 1);
}

/* Returns whether the region has this text, which is that of a mark. */
static bool says(const char *text)
{
	return memmem(fixture.bytes, FIXTURE_SIZE, text, strlen(text));
}

static void the_end_of_boot_services_stops_gives_back_and_publishes(void **state)
{
	const struct tr_header *header;

	(void)state;
	begin();
	cpu.live = true;
	header = fixture_header(&fixture);
	has_ended = true;
	fake_exit_boot_services();
	assert_int_equal(parted, 1);
	assert_int_equal(registered, 0);
	assert_int_equal(header->state, TR_COMPLETE);
	assert_string_equal(header->message, "ended by ExitBootServices()");
	assert_true(says("FPDT 1.500000000 s: OS loader: LoadImage() starts"));
	assert_false(efi_boot_services);
	assert_false(cpu.live);
	fixture_free(&fixture);
}

/* The recording was stopped before, so its state stays. */
static void a_stopped_recording_is_left_unchanged(void **state)
{
	(void)state;
	begin();
	has_ended = true;
	fake_exit_boot_services();
	assert_int_equal(parted, 0);
	assert_int_equal(registered, 0);
	assert_int_equal(fixture_header(&fixture)->state, TR_RECORDING);
	assert_false(says("FPDT"));
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_of_boot_services_stops_gives_back_and_publishes),
		cmocka_unit_test(a_stopped_recording_is_left_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
