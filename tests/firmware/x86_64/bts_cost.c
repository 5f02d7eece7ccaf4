/* SPDX-License-Identifier: MIT */
/*
 * An image that counts the cost of a branch trace, in instructions from the vector to IRET: a short
 * loop runs repeatedly, and its additional time compared with no trace is a segment switch. Under
 * QEMU's -icount the CPU's clock advances by a constant per instruction, which nops calibrate. This
 * CPU is its own reader, between two runs of the loop. Prints "cost WAY ..." for each way to trace;
 * tests/firmware/bts_cost.py reads it.
 */
#include "pmu/clock/clock.h"
#include "tests/event_switch.h"
#include "tests/firmware/x86_64/bts_image.h"

#define NOPS    1000U
#define LARGEST (16U << 20)
#define LAPS    4U  /* times that the area is filled */
#define MOST    64U /* the most switches in that time */
#define SLICE   20U /* branches; fewer than a segment holds */

static _Alignas(TR_PAGE) uint8_t area[LARGEST];
static volatile uint32_t bell, *bells = &bell;
static uint32_t asked;
static uint64_t attended;

/* A way to trace. */
struct way {
	const char *name;
	uint64_t size;         /* size of the AUX area, bytes */
	uint64_t watermark;    /* 0: the default */
	uint64_t data;         /* size of the data ring, bytes */
	uint64_t late;         /* the reader comes when so many bytes are unread */
	bool asks;             /* snapshots are requested all the time */
	const uint64_t *which; /* a turn counts as a switch if this counter changes */
};

/* Stands for the ring of a channel's doorbell. */
static void notify(void *context, uint32_t vector)
{
	volatile uint32_t *const *rung = context;

	**rung = vector;
}

static void attend(struct perf_event *of)
{
	attended++;
	of->heard = asked;
}

static bool prepare(const struct way *way)
{
	memset(&event, 0, sizeof(event));
	event.attend = attend;
	event.asked = &asked;
	event.heard = asked;
	owner = (struct ring_owner){ .doorbell = &doorbell, .notify = notify, .context = &bells };
	return bts_prepare(area, way->size, way->watermark, way->data);
}

/* The work of reader and tick between two runs of the loop. */
static void serve(const struct way *way)
{
	asked += way->asks;
	if (intel_bts_of(&event)->running && control.aux_head - control.aux_tail < way->late)
		return;
	bts_read_all();
	arch_trace_hold();
	pmu_intel_bts.poll(&event);
	arch_trace_release();
}

/* The clock's time of each segment switch, in ascending order. */
static struct {
	uint64_t clocks[MOST];
	unsigned count;
} switches;

/* The time of a few branches, and whether the counter changed meanwhile. */
static __attribute__((noinline)) uint64_t slice(const volatile uint64_t *count, bool *moved)
{
	uint64_t start = arch_cycles(), before = *count;

	arch_spin_with_frame_pointer(0, SLICE);
	*moved = *count != before;
	return arch_cycles() - start;
}

static void add(uint64_t clock)
{
	unsigned i = switches.count;

	if (i == MOST)
		return;
	switches.count++;
	for (; i > 0 && switches.clocks[i - 1] > clock; i--)
		switches.clocks[i] = switches.clocks[i - 1];
	switches.clocks[i] = clock;
}

/* Fill the area several times; untraced: the time of the same loop without a switch. */
static void fill(const struct way *way, uint64_t untraced)
{
	uint64_t head = aux.head;

	switches.count = 0;
	while (aux.head - head < LAPS * way->size) {
		bool counts;
		uint64_t clock = slice(way->which, &counts);

		if (counts)
			add(clock - untraced);
		serve(way);
	}
}

static uint64_t clock_of_nops(void)
{
	uint64_t start = arch_cycles(), between;

	between = arch_cycles() - start;
	start = arch_cycles();
	__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(NOPS));
	return arch_cycles() - start - between;
}

static void tell(const struct way *way, uint64_t unit)
{
	uint64_t sum = 0;

	if (!switches.count)
		return;
	for (unsigned i = 0; i < switches.count; i++)
		sum += switches.clocks[i];
	console_printf("cost %s median %lu mean %lu most %lu of %u\n", way->name,
	               switches.clocks[switches.count / 2] * NOPS / unit,
	               sum * NOPS / unit / switches.count,
	               switches.clocks[switches.count - 1] * NOPS / unit, switches.count);
}

static void measure(const struct way *way)
{
	bool moved;
	uint64_t unit = clock_of_nops(), untraced = slice(way->which, &moved);

	console_printf("# %s\n", way->name);
	if (!tap_ok(prepare(way), "an event is ready"))
		return;
	/* Print nothing while tracing: printing would add a thousand branches. */
	if (event_enable(&event))
		return;
	fill(way, untraced);
	event_disable(&event);
	tap_ok(event.branches.records + event.branches.lost ==
	           event.count + event.branches.interrupts,
	       "recorded + lost = taken + interrupts");
	tap_ok(way->which == &aux.truncated || (!event.branches.lost && !aux.truncated),
	       "nothing is lost, but where there is no room");
	tap_ok(slice(way->which, &moved) == untraced, "a slice takes as long as before");
	if (tap_ok(switches.count && switches.count < MOST, "segments were filled"))
		tell(way, unit);
}

static const struct way ways[] = {
	{ "64KiB", 64U << 10, .data = sizeof(data), .which = &aux.records },
	{ "16MiB", LARGEST, .data = sizeof(data), .which = &aux.records },
	{ "late-reader", 64U << 10, .data = sizeof(data), .late = 40U << 10,
	  .which = &aux.records },
	{ "watermark-of-100", 64U << 10, 100, sizeof(data), .which = &aux.records },
	{ "data-ring-half-full", 64U << 10, .data = TR_PAGE,
	  .which = &owner.causes[TR_WAKEUP_THRESHOLD] },
	{ "no-room", 64U << 10, .data = sizeof(data), .late = UINT64_MAX, .which = &aux.truncated },
	{ "asked", 64U << 10, .data = sizeof(data), .asks = true, .which = &attended },
};

static int story(void *arg)
{
	const char *why;

	(void)arg;
	test_start();
	clock_set(&machine_clock, test_clock.frequency, arch_cycles());
	if (pmu_intel_bts.probe(&why)) {
		console_printf("# SKIP %s\n", why);
	} else {
		for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
			measure(&ways[i]);
	}
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
	arch_halt();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
