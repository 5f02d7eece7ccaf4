/* SPDX-License-Identifier: MIT */
/* Parts of running firmware that bareperf takes for an ISA: EDK2's protocols, here the test's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/hosted.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/hosted.h"
#include "lib/memory/memory.h"

#define NUMBERS 64U
#define TIMER   30U
#define PMU     23U

/* ---- EFI_HARDWARE_INTERRUPT_PROTOCOL, as ArmGicDxe has it ---- */

struct hardware_interrupt {
	EFI_STATUS(EFIAPI *register_source)(void *protocol, UINTN source, arch_handed_fn handler);
	EFI_STATUS(EFIAPI *enable)(void *protocol, UINTN source);
	EFI_STATUS(EFIAPI *disable)(void *protocol, UINTN source);
	EFI_STATUS(EFIAPI *get_state)(void *protocol, UINTN source, BOOLEAN *on);
	EFI_STATUS(EFIAPI *end)(void *protocol, UINTN source);
};

static arch_handed_fn handlers[NUMBERS];
static BOOLEAN enabled[NUMBERS];
static UINTN ended;

static EFI_STATUS EFIAPI enable(void *protocol, UINTN source)
{
	(void)protocol;
	enabled[source] = TRUE;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI disable(void *protocol, UINTN source)
{
	(void)protocol;
	enabled[source] = FALSE;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI register_source(void *protocol, UINTN source, arch_handed_fn handler)
{
	if (source >= NUMBERS)
		return EFI_UNSUPPORTED;
	if (!handler && !handlers[source])
		return EFI_INVALID_PARAMETER;
	if (handler && handlers[source])
		return EFI_ALREADY_STARTED;
	handlers[source] = handler;
	return handler ? enable(protocol, source) : disable(protocol, source);
}

static EFI_STATUS EFIAPI get_state(void *protocol, UINTN source, BOOLEAN *on)
{
	(void)protocol;
	if (source >= NUMBERS)
		return EFI_UNSUPPORTED;
	*on = enabled[source];
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI end(void *protocol, UINTN source)
{
	(void)protocol;
	ended = source;
	return EFI_SUCCESS;
}

static struct hardware_interrupt interrupts = { register_source, enable, disable, get_state, end };

/* ---- The parts that lib/hosted.c uses ---- */

static bool has_interrupts;
static int hosted_code;
static const char *hosted_why, *hosted_missed;
static struct arch_hosted_firmware given;
static char said[1024];

void *efi_locate(EFI_GUID protocol)
{
	const EFI_GUID guid = {
		0x2890b3ea, 0x053d, 0x1643, { 0xad, 0x0c, 0xd6, 0x48, 0x08, 0xda, 0x3f, 0xf1 }
	};

	return has_interrupts && memcmp(&protocol, &guid, sizeof(guid)) == 0 ? &interrupts : NULL;
}

/* Hand-off blocks: PI 1.7, volume 3, 5.2, 5.3 and 5.4.2. */
static struct {
	uint16_t type, length;
	uint32_t reserved;
	uint64_t words[6];
} handoff = { 1, sizeof(handoff), 0, { 9 } };
static struct blocks {
	uint8_t first[sizeof(handoff)];
	uint16_t type, length;
	uint32_t reserved;
	EFI_GUID name;
	uint64_t base, size, kind;
	uint16_t end_type, end_length;
	uint32_t end_reserved;
} blocks;
static bool has_blocks;

const void *efi_configuration_table(EFI_GUID guid)
{
	const EFI_GUID list = {
		0x7739f24c, 0x93d7, 0x11d4, { 0x9a, 0x3a, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d }
	};

	return has_blocks && memcmp(&guid, &list, sizeof(list)) == 0 ? &blocks : NULL;
}

static void have_stack(uint64_t low, uint64_t high)
{
	blocks = (struct blocks){ .type = 2,
		                  .length = offsetof(struct blocks, end_type) - sizeof(handoff),
		                  .name = { 0x4ed4bf27,
		                            0x4092,
		                            0x42e9,
		                            { 0x80, 0x7d, 0x52, 0x7b, 0x1d, 0x00, 0xc9, 0xbd } },
		                  .base = low,
		                  .size = high - low,
		                  .end_type = 0xffff,
		                  .end_length = 8 };
	memcpy(blocks.first, &handoff, sizeof(handoff));
	has_blocks = true;
}

int memory_firmware_heap(void)
{
	return 0;
}

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said + strlen(said), sizeof(said) - strlen(said), format, arguments);
	va_end(arguments);
}

int arch_hosted_begin(const struct arch_platform *platform,
                      const struct arch_hosted_firmware *firmware, const char **why)
{
	(void)platform;
	given = *firmware;
	*why = hosted_why;
	return hosted_code;
}

const char *arch_hosted_misses(void)
{
	return hosted_missed;
}

uint64_t arch_hosted_mask(void)
{
	return 0;
}

void arch_hosted_unmask(uint64_t mask)
{
	(void)mask;
}

void arch_hosted_end(void)
{
}

static int set_up(void **state)
{
	(void)state;
	memset(handlers, 0, sizeof(handlers));
	memset(enabled, 0, sizeof(enabled));
	has_interrupts = true;
	has_blocks = false;
	hosted_code = 0;
	hosted_why = hosted_missed = NULL;
	said[0] = 0;
	ended = 0;
	return 0;
}

/* ---- Interrupts ---- */

static void ours(intptr_t number, void *context)
{
	(void)number;
	(void)context;
}

static void timers(intptr_t number, void *context)
{
	(void)number;
	(void)context;
}

static const struct arch_hosted_interrupts *begin(void)
{
	const char *why;

	assert_int_equal(hosted_begin(NULL, &why), 0);
	assert_null(why);
	return given.interrupts;
}

static void an_interrupt_without_a_handler_is_routed_and_released(void **state)
{
	const struct arch_hosted_interrupts *i = begin();

	(void)state;
	assert_int_equal(i->lead(PMU, ours), 0);
	assert_true(handlers[PMU] == ours && i->is_enabled(PMU));
	assert_int_equal(i->lead(PMU, NULL), 0);
	assert_true(!handlers[PMU] && !i->is_enabled(PMU));
	i->enable(PMU);
	assert_true(enabled[PMU]);
	i->disable(PMU);
	assert_false(enabled[PMU]);
	i->end(PMU);
	assert_int_equal(ended, PMU);
}

/* EDK2's TimerDxe has a handler for each of the CPU's timers. */
static void an_interrupt_with_a_handler_is_taken_from_it(void **state)
{
	const struct arch_hosted_interrupts *i = begin();

	(void)state;
	register_source(&interrupts, TIMER, timers);
	assert_int_equal(i->lead(TIMER, ours), 1);
	assert_true(handlers[TIMER] == ours && enabled[TIMER]);
}

static void an_interrupt_that_the_controller_lacks_is_refused(void **state)
{
	const struct arch_hosted_interrupts *i = begin();

	(void)state;
	assert_int_equal(i->lead(NUMBERS, ours), -ENODEV);
	assert_false(i->is_enabled(NUMBERS));
}

static void a_firmware_without_the_protocol_gives_none(void **state)
{
	(void)state;
	has_interrupts = false;
	assert_null(begin());
}

/* ---- The stack ---- */

/* Callers are searched on that stack only. */
static void the_stack_is_the_one_of_the_hand_off_blocks_if_that_is_where_we_are(void **state)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	(void)state;
	have_stack(here - 65536, here + 4096);
	begin();
	assert_int_equal(given.stack.low, here - 65536);
	assert_int_equal(given.stack.high, here + 4096);
	have_stack(here + 4096, here + 65536); /* another stack */
	begin();
	assert_int_equal(given.stack.high, 0);
	has_blocks = false;
	begin();
	assert_int_equal(given.stack.high, 0);
}

/* ---- The messages ---- */

static void the_gaps_of_a_recording_are_reported_at_its_beginning(void **state)
{
	(void)state;
	begin();
	assert_string_equal(said, "");
	hosted_missed = "this is late";
	begin();
	assert_string_equal(said, "uefi: this is late\n");
	assert_string_equal(hosted_misses(), "this is late");
}

static void a_later_finding_is_reported_once(void **state)
{
	(void)state;
	begin();
	hosted_report_more();
	assert_string_equal(said, "");
	hosted_missed = "that was lost";
	hosted_report_more();
	hosted_report_more();
	assert_string_equal(said, "uefi: that was lost\n");
	begin(); /* known from the start */
	said[0] = 0;
	hosted_report_more();
	assert_string_equal(said, "");
}

static void why_there_is_none_is_the_caller_s_to_say(void **state)
{
	const char *why;

	(void)state;
	hosted_code = -ENODEV;
	hosted_why = "no timer";
	assert_int_equal(hosted_begin(NULL, &why), -ENODEV);
	assert_string_equal(why, "no timer");
	assert_string_equal(said, "");
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_interrupt_without_a_handler_is_routed_and_released),
		CASE(an_interrupt_with_a_handler_is_taken_from_it),
		CASE(an_interrupt_that_the_controller_lacks_is_refused),
		CASE(a_firmware_without_the_protocol_gives_none),
		CASE(the_stack_is_the_one_of_the_hand_off_blocks_if_that_is_where_we_are),
		CASE(the_gaps_of_a_recording_are_reported_at_its_beginning),
		CASE(a_later_finding_is_reported_once),
		CASE(why_there_is_none_is_the_caller_s_to_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
