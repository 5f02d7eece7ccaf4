// SPDX-License-Identifier: MIT
/*
 * An image that counts what a branch trace costs, in instructions from vector to IRET: a short loop
 * is run over and over, and what it takes longer than without a trace is a segment's switch. Under
 * QEMU's -icount the CPU's clock goes on by as much with each instruction, and nops tell by how
 * much. This CPU is its own reader, between two runs of the loop.
 */
#include "tests/firmware/image.h"

#include "pmu/clock.h"
#include "pmu/intel_bts.h"
#include "pmu/sample.h"

#define NOPS    1000U
#define LARGEST (16U << 20)
#define LAPS    4U  /* around the area */
#define MOST    64U /* switches in these */
#define SLICE   20U /* branches; fewer than a segment's */

static _Alignas(TR_PAGE) struct perf_event_mmap_page control;
static _Alignas(TR_PAGE) uint8_t data[16 * TR_PAGE], area[LARGEST];
static uint64_t scratch[RING_LEVELS * 1024];
static struct ring ring;
static struct ring_owner owner;
static struct ring_member member;
static struct ring_aux aux;
static struct tr_doorbell doorbell;
static struct perf_event event;
static volatile uint32_t bell, *bells = &bell;

/* As a channel's doorbell is rung. */
static void notify(void *context, uint32_t vector)
{
	volatile uint32_t *const *rung = context;

	**rung = vector;
}

static bool prepare(uint64_t size)
{
	struct ring_config config = {
		.control = &control,
		.data = data,
		.size = sizeof(data),
		.max_record = 1024,
		.scratch = scratch,
		.owner = &owner,
	};

	memset(&event, 0, sizeof(event));
	memset(&control, 0, sizeof(control));
	doorbell.pending = 0;
	owner = (struct ring_owner){ .doorbell = &doorbell, .notify = notify, .context = &bells };
	member = (struct ring_member){ .ring = &ring, .owns = true, .aux_source = &pmu_intel_bts };
	event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_INTEL_BTS,
		.size = sizeof(event.attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		               PERF_SAMPLE_CPU,
		.sample_max_stack = 1,
	};
	event.ring = &ring;
	event.aux = &aux;
	event.account.id = 1;
	event.account.trailer_size = sample_id_size(event.attr.sample_type);
	event.account.trailer = sample_trailer;
	return !ring_init(&ring, &config) && !event_init(&event) &&
	       !ring_aux_init(&aux, &member, &event.account,
	                      &(struct ring_aux_config){ .area = area, .size = size }) &&
	       !pmu_intel_bts.setup_aux(&event, area, size);
}

static void read_all(void)
{
	__atomic_store_n(&control.aux_tail, control.aux_head, __ATOMIC_RELEASE);
	__atomic_store_n(&control.data_tail, control.data_head, __ATOMIC_RELEASE);
	__atomic_store_n(&doorbell.pending, 0, __ATOMIC_RELAXED);
}

/* What each segment's switch took, as the clock has it; the shortest first. */
static struct {
	uint64_t clocks[MOST];
	unsigned count;
} switches;

/* What a few branches take, and their reader. */
static uint64_t slice(void)
{
	uint64_t start = arch_cycles();

	arch_spin_with_frame_pointer(0, SLICE);
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

/* Fill the area some times, which without a switch takes so long a slice. */
static void fill(uint64_t size, uint64_t untraced)
{
	uint64_t head = aux.head;

	switches.count = 0;
	while (aux.head - head < LAPS * size) {
		uint64_t records = aux.records, clock = slice();

		if (aux.records != records)
			add(clock - untraced);
		read_all();
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

static void tell(uint64_t size, uint64_t unit)
{
	uint64_t sum = 0;

	if (!switches.count)
		return;
	for (unsigned i = 0; i < switches.count; i++)
		sum += switches.clocks[i];
	console_printf("cost %lu median %lu mean %lu most %lu of %u\n", size >> 10,
	               switches.clocks[switches.count / 2] * NOPS / unit,
	               sum * NOPS / unit / switches.count,
	               switches.clocks[switches.count - 1] * NOPS / unit, switches.count);
}

static void measure(uint64_t size)
{
	uint64_t unit = clock_of_nops(), untraced = slice();

	if (!tap_ok(prepare(size), "an event is ready"))
		return;
	/* No word on the console while it traces: that would be a thousand branches. */
	if (event_enable(&event))
		return;
	fill(size, untraced); /* until it goes round as it always will */
	fill(size, untraced);
	event_disable(&event);
	tap_ok(!event.branches.lost && !aux.truncated && !ring.lost, "nothing is lost");
	tap_ok(slice() == untraced, "a slice takes as long as before");
	if (tap_ok(switches.count >= LAPS * 7 && switches.count < MOST, "segments were filled"))
		tell(size, unit);
}

static int story(void *arg)
{
	const char *why;

	(void)arg;
	test_start();
	clock_set(&machine_clock, test_clock.frequency, arch_cycles());
	if (pmu_intel_bts.probe(&why)) {
		console_printf("# SKIP %s\n", why);
	} else {
		measure(64U << 10);
		measure(LARGEST);
	}
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
	arch_halt();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
