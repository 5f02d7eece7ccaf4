/* SPDX-License-Identifier: MIT */
#include "agent/bench/services_run.h"

#include <errno.h>

#include "arch/arch.h"
#include "lib/memory/memory.h"
#include "pmu/instruction_counter.h"

#define STALL_US 20000U
#define STALLS   3U
#define LIMIT_S  2U  /* of a case */
#define LEAST    10U /* calls of a case that takes longer */

/* Values of one case, and the cost of the reading itself, which is subtracted. */
static struct {
	uint64_t *ticks, *instructions;
	uint64_t mask;
	uint64_t own_ticks, own_instructions;
	bool counts;
} run;

/* ---- The clock ---- */

/* Stall() waits at least so long: the shortest of some stalls is closest. */
static uint64_t services_stall(unsigned us)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < STALLS; i++) {
		uint64_t before = arch_cycles(), ticks;

		efi_system->BootServices->Stall(us);
		ticks = arch_cycles() - before;
		least = ticks < least ? ticks : least;
	}
	return least;
}

/* The difference of two stalls has no cost of the calls. The local APIC's timer, by which bareperf
 * measures the clock after a take-over, is in use by the firmware. */
static uint64_t services_clock(void)
{
	return services_scale(services_stall(STALL_US + 1) - services_stall(1), 1000000, STALL_US);
}

/* ---- One case ---- */

static EFI_STATUS services_nothing(uint64_t unused)
{
	(void)unused;
	return EFI_SUCCESS;
}

static EFI_STATUS services_call(const struct services_case *one, uint64_t i)
{
	uint64_t clock = arch_cycles();
	uint64_t count = run.counts ? instruction_counter->read() : 0;
	EFI_STATUS status = one->call(one->argument);

	count = run.counts ? instruction_counter->read() - count : 0;
	run.ticks[i] = arch_cycles() - clock;
	run.instructions[i] = count & run.mask;
	return status;
}

static EFI_STATUS services_step(const struct services_case *one, uint64_t i)
{
	EFI_STATUS status = one->before ? one->before(one->argument) : EFI_SUCCESS, undone;
	bool called;

	if (EFI_ERROR(status))
		return status;
	status = services_call(one, i);
	called = status == one->expected;
	undone = one->after && (called || one->before) ? one->after(one->argument) : EFI_SUCCESS;
	if (called)
		return undone;
	return status ? status : EFI_ABORTED; /* it succeeded where it should not */
}

static void services_subtract(uint64_t *values, uint64_t count, uint64_t own)
{
	for (uint64_t i = 0; i < count; i++)
		values[i] = values[i] > own ? values[i] - own : 0;
}

static void services_measure(const struct services_report *report, const struct services_case *one,
                             struct services_result *result)
{
	uint64_t until = arch_cycles() + LIMIT_S * report->frequency, i = 0;

	*result = (struct services_result){ .of = one };
	result->status = services_step(one, 0); /* the first call may load what later ones find */
	while (!EFI_ERROR(result->status) && i < report->calls &&
	       (i < LEAST || arch_cycles() < until))
		result->status = services_step(one, i++);
	if (EFI_ERROR(result->status))
		return;
	services_subtract(run.ticks, i, run.own_ticks);
	services_subtract(run.instructions, i, run.own_instructions);
	services_figures_of(&result->ticks, run.ticks, i);
	services_figures_of(&result->instructions, run.instructions, i);
}

/* The reading costs at least as much as in its quickest repetition. */
static void services_measure_reading(const struct services_report *report)
{
	static const struct services_case nothing = { .call = services_nothing };
	struct services_result result;

	run.own_ticks = run.own_instructions = 0;
	services_measure(report, &nothing, &result);
	run.own_ticks = result.ticks.min;
	run.own_instructions = result.instructions.min;
}

/* ---- All cases ---- */

static void services_measure_list(struct services_report *report, const struct services_case *one)
{
	for (; one->service && report->count < SERVICES_MOST; one++)
		services_measure(report, one, &report->results[report->count++]);
}

static void services_measure_all(struct services_report *report, bool console)
{
	static const struct services_case *const lists[] = {
		services_of_memory,  services_of_events,  services_of_handles,
		services_of_runtime, services_of_devices,
	};

	report->count = 0;
	services_measure_reading(report);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		services_measure_list(report, lists[i]);
	if (console)
		services_measure_list(report, services_of_console);
}

static uint64_t services_used_pages(void)
{
	UINTN size = SERVICES_ROOM, key, descriptor = 0;
	UINT32 version;
	uint64_t pages = 0;

	if (EFI_ERROR(efi_system->BootServices->GetMemoryMap(
	        &size, (EFI_MEMORY_DESCRIPTOR *)(void *)services_room, &key, &descriptor,
	        &version)))
		return 0;
	for (UINTN at = 0; descriptor && at + descriptor <= size; at += descriptor) {
		const EFI_MEMORY_DESCRIPTOR *one = (void *)(services_room + at);

		pages += one->Type != EfiConventionalMemory ? one->NumberOfPages : 0;
	}
	return pages;
}

static uint64_t services_handles(void)
{
	UINTN size = SERVICES_ROOM;

	if (EFI_ERROR(efi_system->BootServices->LocateHandle(AllHandles, NULL, NULL, &size,
	                                                     (EFI_HANDLE *)(void *)services_room)))
		return 0;
	return size / sizeof(EFI_HANDLE);
}

static uint64_t services_level(void)
{
	EFI_TPL level = efi_system->BootServices->RaiseTPL(TPL_HIGH_LEVEL);

	efi_system->BootServices->RestoreTPL(level);
	return level;
}

/* All of it once unmeasured: pools grow to the size that they keep. */
static void services_warm_up(struct services_report *report, bool console)
{
	uint64_t calls = report->calls;

	report->calls = 1;
	services_measure_all(report, console);
	report->calls = calls;
}

static void services_count(struct services_report *report)
{
	report->why = instruction_counter_begin(&run.mask);
	report->counts = run.counts = !report->why;
}

int services_run(struct services_report *report, bool console)
{
	size_t pages = (size_t)(report->calls * sizeof(uint64_t) / ARCH_PAGE + 1);
	uint64_t handles, used;

	services_room = memory_alloc_pages(SERVICES_ROOM / ARCH_PAGE);
	run.ticks = memory_alloc_pages(pages);
	run.instructions = memory_alloc_pages(pages);
	if (!services_room || !run.ticks || !run.instructions)
		return -ENOMEM;
	report->frequency = services_clock();
	services_count(report);
	services_warm_up(report, console);
	handles = services_handles();
	used = services_used_pages();
	services_measure_all(report, console);
	report->left.handles = (int64_t)(services_handles() - handles);
	report->left.pages = (int64_t)(services_used_pages() - used);
	report->left.level = services_level();
	if (run.counts)
		instruction_counter->end();
	return 0;
}
