/* SPDX-License-Identifier: MIT */
/*
 * An image whose thread writes records while its timer and NMIs interrupt it and write to the same
 * ring; another CPU reads the ring and sends the NMIs. Every record must arrive whole and in order,
 * or be counted as lost. Prints TAP.
 */
#include "tests/firmware/image.h"

/* The handlers write as the thread does; no vector registers are saved for them. */
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "ringbuf/reader/ring_reader.h"

#define RING_SIZE (4 * TR_PAGE)

/* The heap has no aligned memory; the rig asks for one ring. */
static _Alignas(TR_PAGE) uint8_t pages[TR_PAGE + RING_SIZE];

static void *take_pages(size_t alignment, size_t size)
{
	return alignment == TR_PAGE && size == sizeof(pages) ? pages : NULL;
}

#define aligned_alloc take_pages
#include "tests/unit/ringbuf/ring_rig.c"
#undef aligned_alloc

#define RECORDS  100000U
#define ENOUGH   300U /* number of interrupts, and of NMIs, that interrupted a writer */
#define PATIENCE 60U  /* seconds of guest time before missing interrupts are a failure */

static struct rig rig;
static volatile bool over;
static volatile uint64_t within[RIG_EVENTS], visits[RIG_EVENTS];
static uint64_t random_of[3] = { 1, 2, 3 }; /* random states of the thread, the timer, the reader */
static const char *reader_wrong;

static void visit(unsigned event)
{
	visits[event]++;
	within[event] += ring_is_writing(&rig.ring);
}

static void on_timer(const struct arch_regs *regs)
{
	(void)regs;
	visit(1);
	rig_write(&rig, 1, 48, 0);
	if (!over)
		arch_timer_arm(arch_cycles() + rig_random(&random_of[1]) % 20000);
}

static void on_signal(const struct arch_regs *regs)
{
	(void)regs;
	if (arch_cpu() != 0)
		return;
	visit(2);
	rig_write_alone(&rig, 2, 56);
}

static void read_and_signal(void *arg)
{
	(void)arg;
	while (!over && !reader_wrong) {
		reader_wrong = rig_drain(&rig, rig_random(&random_of[2]) % 200);
		if (rig_random(&random_of[2]) % 4 == 0)
			arch_cpu_signal(0);
		__atomic_store_n(&rig.doorbell.pending, 0, __ATOMIC_RELAXED);
	}
}

static bool enough(uint64_t written, uint64_t deadline)
{
	if (arch_cycles() > deadline || reader_wrong)
		return true;
	return written >= RECORDS && within[1] >= ENOUGH && within[2] >= ENOUGH;
}

/* Write a record; if it is lost, give the reader some time. */
static bool write_one(void)
{
	uint32_t size = 32 + (uint32_t)(rig_random(&random_of[0]) % 20) * 8;
	uint64_t until;

	if (rig_write(&rig, 0, size, 0))
		return true;
	until = arch_cycles() + rig_random(&random_of[0]) % 200000;
	while (arch_cycles() < until)
		arch_relax();
	return false;
}

static void write_records(void)
{
	uint64_t deadline = arch_cycles() + PATIENCE * test_clock.frequency;
	uint64_t written = 0;

	arch_timer_arm(arch_cycles());
	arch_irq_enable();
	while (!enough(written, deadline)) {
		for (int i = 0; i < 1000; i++)
			written += write_one();
	}
	over = true;
	while (!arch_cpu_idle(1))
		arch_relax();
	arch_irq_disable();
	arch_timer_disarm();
}

static int story(void *arg)
{
	const char *wrong;

	(void)arg;
	tap_equal((uint64_t)test_start(), 0, "the clock's frequency is found");
	rig_init(&rig, RING_SIZE, 0, 0, 1000);
	arch_timer_init(on_timer);
	arch_signal_init(on_signal);
	if (tap_equal((uint64_t)arch_cpu_run(1, read_and_signal, NULL), 0, "a reader runs")) {
		write_records();
		wrong = reader_wrong ? reader_wrong : rig_drain(&rig, UINT64_MAX);
		if (!wrong)
			wrong = rig_check(&rig);
		console_printf(
		    "# %lu records, %lu lost; interrupts %lu, NMIs %lu, within a writer %lu "
		    "and %lu%s%s\n",
		    rig.events[0].number, rig.ring.lost, visits[1], visits[2], within[1], within[2],
		    wrong ? ": " : "", wrong ? wrong : "");
		tap_ok(!wrong, "every record arrived whole and in order, or is counted as lost");
		tap_ok(within[1] >= ENOUGH, "interrupts wrote within the thread's writing");
		tap_ok(within[2] >= ENOUGH, "NMIs wrote within another's writing");
		tap_ok(rig.alone > 0, "... and alone");
	}
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
