/* SPDX-License-Identifier: MIT */
/*
 * An image that counts the cost of a record for its writer in instructions. Under QEMU's -icount
 * the CPU's clock advances by a constant per instruction, which nops calibrate. Prints "cost CASE
 * NUMBER"; tests/bench/ring_instructions.py compares the numbers with docs/ring-instructions.md.
 */
#include "tests/firmware/image.h"

/* The cases are compiled with the flags of handlers. */
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "pmu/sample.h"
#include "ringbuf/ring.h"
#include "ringbuf/ring_alone.h"

#define NOINLINE   __attribute__((noinline))
#define SIZE       (2 * TR_PAGE)
#define RECORD     64U
#define MAX_RECORD 1024U
#define FRAMES     8U /* frames of the callchain */
#define NOPS       1000U

static _Alignas(TR_PAGE) struct perf_event_mmap_page control;
static _Alignas(TR_PAGE) uint8_t data[SIZE];
static uint64_t scratch[RING_LEVELS * MAX_RECORD / 8];
static struct ring ring;
static struct ring_owner owner;
static struct tr_doorbell doorbell;
static struct perf_event event;
static uint64_t clock_of_nops;
static volatile uint64_t clock_of_sample;

static void prepare(uint32_t flags)
{
	struct ring_config config = {
		.control = &control,
		.data = data,
		.size = SIZE,
		.flags = flags,
		.max_record = MAX_RECORD,
		.scratch = scratch,
		.owner = &owner,
	};

	owner.doorbell = &doorbell;
	doorbell.pending = 0;
	ring_init(&ring, &config);
}

static inline void build(uint64_t *record, uint64_t time)
{
	record[0] = PERF_RECORD_SAMPLE | (uint64_t)RECORD << 48;
#pragma GCC unroll 8
	for (unsigned i = 1; i < RECORD / 8; i++)
		record[i] = time;
}

static NOINLINE void nothing(void)
{
}

static NOINLINE void nops(void)
{
	__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(NOPS));
}

static NOINLINE void record(void)
{
	struct ring_output out;
	uint64_t *at = ring_reserve(&out, &ring, &event.account, RECORD);

	if (!at)
		return;
	build(at, 0);
	ring_commit(&out);
}

static NOINLINE void record_with_time(void)
{
	struct ring_output out;
	uint64_t *at = ring_reserve(&out, &ring, &event.account, RECORD);

	if (!at)
		return;
	build(at, arch_cycles());
	ring_commit(&out);
}

static NOINLINE void record_alone(void)
{
	uint64_t at = ring_load(&ring.published);

	if (!ring_is_alone(&ring, at, RECORD))
		return;
	build(ring_place_alone(&ring, at), 0);
	ring_commit_alone(&ring, &event.account, at + RECORD);
}

static void write_records(uint64_t count)
{
	while (count--)
		record();
}

/* The first record of a ring takes the long path. */
static void prepare_forward(void)
{
	prepare(0);
	record();
}

static void prepare_backward(void)
{
	prepare(TR_RING_BACKWARD);
	record();
}

/* An outer writer has reserved space and not written yet. */
static void prepare_nested(void)
{
	prepare_forward();
	ring.claim = ring.published << 32;
}

static void prepare_full(void)
{
	prepare(0);
	write_records(SIZE / RECORD + 1);
}

static void prepare_lost_due(void)
{
	prepare_full();
	__atomic_store_n(&control.data_tail, SIZE, __ATOMIC_RELEASE);
}

static void prepare_wakeup(void)
{
	prepare(0);
	write_records(SIZE / RECORD / 2 - 1);
}

static void prepare_wrap(void)
{
	prepare_forward();
	ring.head = ring.published = ring.tail = SIZE - RECORD / 2;
	ring.limit = 0;
}

struct counted {
	const char *name;
	void (*prepare)(void);
	void (*run)(void);
};

static const struct counted CASES[] = {
	{ "record", prepare_forward, record },
	{ "record-with-time", prepare_forward, record_with_time },
	{ "record-alone", prepare_forward, record_alone },
	{ "record-nested", prepare_nested, record },
	{ "record-backward", prepare_backward, record },
	{ "record-lost", prepare_full, record },
	{ "record-after-lost", prepare_lost_due, record },
	{ "record-that-wakes", prepare_wakeup, record },
	{ "record-that-wraps", prepare_wrap, record },
};

static NOINLINE uint64_t clock_of(void (*run)(void))
{
	uint64_t start = arch_cycles();

	run();
	return arch_cycles() - start;
}

static void tell(const char *name, uint64_t clock)
{
	console_printf("cost %s %lu\n", name, clock * NOPS / clock_of_nops);
	tap_ok(clock && clock * NOPS % clock_of_nops == 0, name);
}

static void on_timer(const struct arch_regs *regs)
{
	struct sample_data sample = { .time = 1, .period = 1000 };
	uint64_t start, between;

	if (clock_of_sample)
		return;
	between = arch_cycles();
	start = arch_cycles();
	sample_output(&event, regs, &sample);
	clock_of_sample = arch_cycles() - start - (start - between);
}

/* Be interrupted so many frames deep. */
static NOINLINE void descend(unsigned frames)
{
	if (frames) {
		descend(frames - 1);
		return;
	}
	arch_timer_arm(arch_cycles());
	arch_irq_enable();
	while (!clock_of_sample)
		arch_relax();
	arch_irq_disable();
}

static void take_sample(void)
{
	const uint64_t *at = (const uint64_t *)(data + RECORD);

	event.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	                         PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
	                         PERF_SAMPLE_CALLCHAIN;
	event.attr.sample_max_stack = FRAMES;
	event.ring = &ring;
	prepare_forward();
	arch_timer_init(on_timer);
	descend(2 * FRAMES);
	arch_timer_disarm();
	tell("sample-with-callchain", clock_of_sample);
	tap_equal(at[7], 1 + FRAMES, "its callchain has 8 addresses below PERF_CONTEXT_USER");
}

static int story(void *arg)
{
	uint64_t clock_of_nothing;

	(void)arg;
	tap_equal((uint64_t)test_start(), 0, "the clock's frequency is found");
	clock_of_nothing = clock_of(nothing);
	clock_of_nops = clock_of(nops) - clock_of_nothing;
	tap_ok(clock_of_nops % NOPS == 0, "each nop takes as long");
	for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
		CASES[i].prepare();
		tell(CASES[i].name, clock_of(CASES[i].run) - clock_of_nothing);
	}
	take_sample();
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
