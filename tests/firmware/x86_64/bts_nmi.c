/* SPDX-License-Identifier: MIT */
/*
 * An image whose branch trace is interrupted by its timer, and that by NMIs, at every instruction
 * of its way in and out. The NMI is the debug store's, which the hardware model makes as late as
 * its property pmi-skid says; the timer is set an instruction later each time. So the segment is
 * filled to a few places, and both come while nothing branches:
 *
 *	threshold    places left    timer      NMI, pmi-skid instructions later
 *	----+-------------+-----------+----------+---------
 *	     branches      nops ...
 *
 * Each way to be interrupted is judged for itself, by the ledger and by what was recorded. Prints
 * where the NMIs found the program, for tests/firmware/bts_nmi_test.py.
 */
#include "arch/x86_64/pmu/trace.h"
#include "arch/x86_64/pmu/trace_step.h"
#include "pmu/clock/clock.h"
#include "pmu/x86/intel_taken.h"
#include "tests/event_switch.h"
#include "tests/firmware/x86_64/bts_image.h"

/* No vector registers are saved for handlers. */
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#define AREA     (4U * TR_PAGE)
#define PLACES   5U   /* free places in the segment: 0 to 4 */
#define SLED     4000 /* nops: more than the delay of an NMI plus a tick */
#define STEP     16U  /* clock ns per instruction under -icount shift=4 */
#define SKID     2000U
/* Instructions by which the timer precedes the NMI, so that the NMI hits the timer handler's entry
 * or exit. */
#define WAY_IN   100U
#define WAY_OUT  700U
#define RETURNED 1100U
#define LATEST   20U /* the NMI may come so many instructions before the timer */

extern const struct trace_step x86_trace_steps[];

static _Alignas(TR_PAGE) uint8_t area[AREA];
/* by offset from x86_vectors: number of first NMIs that return there */
static uint16_t visits[8192];
static const struct trace_step *hold, *release; /* the timer entry's steps */
static bool first, twice; /* first: no NMI has come yet; twice: the first NMI sends another */
static uint64_t ticks;

static uint64_t offset_of(uint64_t address)
{
	return address - (uint64_t)x86_vectors;
}

static void on_timer(const struct arch_regs *regs)
{
	(void)regs;
	ticks++;
	pmu_intel_bts.poll(&event);
}

/* Shares the NMI with the trace and its counters. An NMI that is sent inside an NMI comes after its
 * IRET. */
static enum arch_pmi on_nmi(const struct arch_regs *regs)
{
	if (first && offset_of(regs->rip) < sizeof(visits) / sizeof(*visits))
		visits[offset_of(regs->rip)]++;
	if (first && twice)
		arch_cpu_signal(arch_cpu());
	first = false;
	return ARCH_PMI_NOT_MINE;
}

static void on_signal(const struct arch_regs *regs)
{
	(void)regs;
}

/* One taken branch per turn, until so many places are free. */
static void fill(uint64_t places)
{
	struct branch_segment *open = &intel_bts_of(&event)->area.open;
	struct branch_record *end = open->end - places;

	__asm__ volatile("1: cmp %1, %0; ja 1b" : : "r"(end), "m"(open->index) : "memory");
}

static void nops(void)
{
	__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(SLED));
}

/* Deliveries of interrupts in the area, which was empty before. */
static uint64_t deliveries(void)
{
	const struct branch_record *record = (const void *)area;
	uint64_t found = 0;

	for (; record + 1 <= (const struct branch_record *)(const void *)(area + AREA); record++) {
		bool nmi = record->to == (uint64_t)x86_nmi_entry;
		bool back = trace_in_entries(record->from) && !nmi; /* from an NMI */

		found += nmi || (record->to == (uint64_t)x86_timer_entry && !back);
	}
	return found;
}

/* A case of an NMI that comes at about the tick's time. */
struct way {
	bool room; /* another segment is free */
	uint64_t places;
	bool twice;
};

static bool trial(const struct way *way, uint64_t early)
{
	const struct branch_account *account = &event.branches;
	struct branch_area *segments = &intel_bts_of(&event)->area;

	memset(area, 0, sizeof(area));
	memset(&event, 0, sizeof(event));
	owner = (struct ring_owner){ .doorbell = &doorbell };
	if (!bts_prepare(area, AREA, 0, sizeof(data)) || event_enable(&event) ||
	    arch_pmi_share(on_nmi))
		return false;
	ticks = 0;
	while (!way->room && branch_area_has_next(segments, segments->open.end)) {
		fill(30);
		nops();
	}
	first = true;
	twice = way->twice;
	fill(40);
	arch_timer_arm(arch_cycles() + (SKID + LATEST - early) * STEP);
	fill(way->places);
	arch_irq_enable();
	nops();
	arch_irq_disable();
	event_disable(&event);
	arch_pmi_leave(on_nmi);
	return !account->unknown && ticks == 1 && !aux.truncated == way->room &&
	       account->records + account->lost == event.count + account->interrupts &&
	       account->interrupts == deliveries() && account->lost < 1000 &&
	       account->returns == intel_taken_far();
}

static void tell_visits(void)
{
	for (uint64_t i = 0; i < sizeof(visits) / sizeof(*visits); i++) {
		if (visits[i])
			console_printf("visits %lx %u\n", i, visits[i]);
	}
}

/* The timer precedes the NMI by `from` instructions at first, and by one less each time, down to
 * -LATEST. */
static void sweep(const struct way *way, uint64_t from, uint64_t to)
{
	uint64_t wrong = 0;

	memset(visits, 0, sizeof(visits));
	for (uint64_t early = from; early <= to; early++) {
		if (trial(way, early) || wrong++ > 8)
			continue;
		console_printf(
		    "# %lu early: recorded %lu + lost %ld = taken %lu + interrupts %lu; "
		    "deliveries %lu, returns %lu of %lu, ticks %lu\n",
		    early, event.branches.records, (long)event.branches.lost, event.count,
		    event.branches.interrupts, deliveries(), event.branches.returns,
		    intel_taken_far(), ticks);
	}
	console_printf("# %s for another segment, %lu places left, %s\n",
	               way->room ? "room" : "no room", way->places,
	               way->twice ? "two NMIs" : "an NMI");
	tap_equal(wrong, 0, "the ledger is exact wherever the NMI comes");
	console_printf("way %s\n", from ? "out" : "in");
	tell_visits();
}

static void find_steps(void)
{
	uint64_t entry = offset_of((uint64_t)x86_timer_entry);

	for (hold = x86_trace_steps; hold->entry != entry; hold++)
		;
	release = hold + 1;
	console_printf("timer %lx hold %x %x %x release %x %x %x\n", entry, hold->begin,
	               hold->first, hold->last, release->begin, release->first, release->last);
}

static int story(void *arg)
{
	const char *why;

	(void)arg;
	test_start();
	clock_set(&machine_clock, test_clock.frequency, arch_cycles());
	if (pmu_intel_bts.probe(&why)) {
		console_printf("# SKIP %s\n", why);
	} else if (tap_ok(!arch_timer_init(on_timer), "there is a timer")) {
		find_steps();
		arch_signal_init(on_signal);
		for (unsigned i = 0; i < 4 * PLACES; i++) {
			struct way way = { i & 1, i / 4, i & 2 };

			sweep(&way, 0, WAY_IN);
			if (!way.places)
				sweep(&way, WAY_OUT, RETURNED);
		}
	}
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
	arch_halt();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
