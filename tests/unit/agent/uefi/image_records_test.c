/* SPDX-License-Identifier: MIT */
/* The image whose call waits when another image leaves from inside a call; and the time in which
 * its events count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent/record/record_cpu.h"
#include "agent/record/record_stop.h"
#include "agent/uefi/boot_record.h"
#include "agent/uefi/image_records.h"
#include "agent/uefi/uefi_phases.h"
#include "arch/hosted.h"
#include "lib/console/console.h"
#include "lib/efi/efi_image_name.h"
#include "lib/hosted.h"
#include "lib/image.h"
#include "pmu/callchain.h"
#include "tests/unit/lib/efi/fake_firmware.h"

/* The only image of this program: our own, for which there is no record. */
char __image_start[1];

void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *image)
{
	(void)image;
	place->name[0] = 0;
}

bool boot_record_leaves(void)
{
	return true;
}

static const char *hosting;

void boot_record_hosts(const char *command)
{
	hosting = command;
}

void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size)
{
	(void)image;
	(void)size;
	name[0] = 0;
}

void uefi_phases_begin(void)
{
}

void uefi_phases_end(void)
{
}

void uefi_phases_report_times(void)
{
}

void uefi_phase(const char *name, const char *more)
{
	(void)name;
	(void)more;
}

void hosted_report_more(void)
{
}

void arch_hosted_again(void)
{
}

void arch_hosted_end(void)
{
}

void arch_irq_disable(void)
{
}

static bool counts;

void arch_irq_enable(void)
{
}

void recording_switch_here(struct traced_cpu *c)
{
	counts = !c->recording->off;
}

void console_printf(const char *format, ...)
{
	(void)format;
}

void console_write(const char *text, size_t length)
{
	(void)text;
	(void)length;
}

int recording_fail(struct recording *r, int code, const char *format, ...)
{
	(void)r;
	(void)format;
	return code;
}

void recording_stop_cpu(struct traced_cpu *c)
{
	(void)c;
}

/* ---- An image that waits ---- */

static jmp_buf left;
static bool leaves; /* leaves by Exit(), in a notification of WaitForEvent() */
static const struct callchain_call *waiting, *before_waiting;

static EFI_STATUS EFIAPI wait(UINTN count, EFI_EVENT *events, UINTN *index)
{
	(void)count;
	(void)events;
	(void)index;
	waiting = callchain_call;
	/* the image is gone when its caller returns */
	before_waiting = waiting ? waiting->before : NULL;
	if (leaves)
		longjmp(left, 1);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
	(void)image;
	(void)size;
	(void)data;
	if (!setjmp(left))
		fake_services.WaitForEvent(0, NULL, NULL);
	return EFI_SUCCESS;
}

static struct command command;
static struct tr_header header = { .command = "record -- a.efi" };
static struct trace_region region = { .header = &header };
static struct traced_cpu cpu;
static struct recording recording = { .command = &command, .region = &region, .cpus = &cpu };
static EFI_LOADED_IMAGE ours = { .ImageBase = __image_start, .ImageSize = 1 };

static void begin(void)
{
	fake_firmware_begin();
	fake_services.StartImage = start;
	fake_services.WaitForEvent = wait;
	fake_install(&command, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID, &ours);
	leaves = false;
	waiting = NULL;
	counts = false;
	cpu = (struct traced_cpu){ .recording = &recording };
	recording.image_alone = false;
	assert_int_equal(image_records_begin(&recording), 0);
}

static void an_image_that_left_by_exit_does_not_wait(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct callchain_call outer = { 1, 2, 0, NULL };

		begin();
		leaves = i;
		callchain_call = &outer;
		fake_services.StartImage(NULL, NULL, NULL);
		assert_non_null(waiting);
		assert_ptr_not_equal(waiting, &outer);
		assert_ptr_equal(callchain_call, &outer);
		image_records_end(&recording);
		assert_null(callchain_call);
		assert_ptr_equal(fake_services.StartImage, start);
		assert_ptr_equal(fake_services.WaitForEvent, wait);
	}
}

static EFI_WAIT_FOR_EVENT under;

static EFI_STATUS EFIAPI others_wait(UINTN count, EFI_EVENT *events, UINTN *index)
{
	return under(count, events, index);
}

/* When the driver has ended, the waiting image is unknown. */
static void an_image_that_waits_through_another_hook_still_waits(void **state)
{
	(void)state;
	begin();
	fake_is_driver = true;
	under = fake_services.WaitForEvent;
	fake_services.WaitForEvent = others_wait;
	fake_services.WaitForEvent(0, NULL, NULL);
	assert_non_null(waiting);
	image_records_end(&recording);
	assert_ptr_equal(fake_services.WaitForEvent, others_wait);
	assert_ptr_equal(fake_services.StartImage, start);
	waiting = &(struct callchain_call){ 1, 2, 0, NULL };
	assert_int_equal(fake_services.WaitForEvent(0, NULL, NULL), EFI_SUCCESS);
	assert_null(waiting);
	assert_int_equal(image_records_begin(&recording), 0); /* another one */
	fake_services.WaitForEvent(0, NULL, NULL);
	assert_non_null(waiting);
	assert_null(before_waiting);
	image_records_end(&recording);
}

/* samples count in the outer image: before the inner one starts, while it runs, and after it has
 * ended */
static bool counted[3];

static EFI_STATUS EFIAPI start_inner(EFI_HANDLE image, UINTN *size, CHAR16 **data)
{
	(void)size;
	(void)data;
	if (image) {
		counted[1] = counts;
		return EFI_SUCCESS;
	}
	counted[0] = counts;
	fake_services.StartImage(&command, NULL, NULL);
	counted[2] = counts;
	return EFI_SUCCESS;
}

static void events_count_from_an_image_s_start_to_its_return(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin();
		recording.image_alone = i == 0;
		image_records_end(&recording);
		fake_services.StartImage = start_inner;
		assert_int_equal(image_records_begin(&recording), 0);
		assert_false(counts);
		fake_services.StartImage(NULL, NULL, NULL);
		for (unsigned j = 0; j < 3; j++)
			assert_int_equal(counted[j], i == 0);
		assert_false(counts);
		fake_services.StartImage(NULL, NULL, NULL); /* repeated calls are allowed */
		assert_int_equal(counted[2], i == 0);
		assert_false(counts);
		image_records_end(&recording);
	}
}

static void other_images_learn_of_a_recording_while_it_lasts(void **state)
{
	(void)state;
	begin();
	assert_string_equal(hosting, "record -- a.efi");
	image_records_end(&recording);
	assert_null(hosting);
	command.boot = true; /* boot_record_begin() reports the error */
	begin();
	assert_null(hosting);
	image_records_end(&recording);
	command.boot = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_count_from_an_image_s_start_to_its_return),
		cmocka_unit_test(other_images_learn_of_a_recording_while_it_lasts),
		cmocka_unit_test(an_image_that_left_by_exit_does_not_wait),
		cmocka_unit_test(an_image_that_waits_through_another_hook_still_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
