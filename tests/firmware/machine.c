/* SPDX-License-Identifier: MIT */
/*
 * An image that tests the machine layer and prints TAP, then switches the machine off. Words on the
 * command line: no-pm-timer and no-hpet hide these timers from bareperf; dead-pm-timer replaces the
 * timer by a stopped one; reboot ends with a reset; give-back calls the firmware before that;
 * signals-wait: masked interrupts keep a signal out (GICv2).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "tests/firmware/image.h"

/* ---- The timer ---- */

static volatile unsigned fired;
static volatile uint64_t fired_at;
static volatile uint64_t period; /* 0: once */

static void count_timer(const struct arch_regs *regs)
{
	(void)regs;
	fired_at = arch_cycles();
	fired++;
	if (period != 0)
		arch_timer_arm(fired_at + period);
}

/* With counted instructions, an emulator leaves its guest at each read of the clock and each
 * arch_relax() to run its other CPUs, which takes as long as thousands of instructions. */
static void wait_until(uint64_t deadline)
{
	while (arch_cycles() < deadline) {
		for (unsigned i = 0; i < 1000; i++)
			__asm__ volatile("");
	}
}

static uint64_t ms(uint64_t n)
{
	return test_clock.frequency / 1000 * n;
}

/* Wait for the timer, even if a busy host delays it, and then check that no second interrupt comes.
 * */
static unsigned wait_for_timer(void)
{
	for (uint64_t end = arch_cycles() + ms(10000); fired == 0 && arch_cycles() < end;)
		arch_relax();
	wait_until(arch_cycles() + ms(10));
	return fired;
}

static void test_timer_deadlines(void)
{
	bool early = false, missed = false;

	for (int i = 0; i < 20; i++) {
		uint64_t deadline = arch_cycles() + ms(1) + (uint64_t)i * 997;

		fired = 0;
		arch_timer_arm(deadline);
		for (uint64_t end = deadline + ms(10000); fired == 0 && arch_cycles() < end;)
			arch_relax();
		missed |= fired != 1;
		early |= fired_at < deadline;
	}
	tap_ok(!missed, "each deadline of the timer interrupts once");
	tap_ok(!early, "the timer never interrupts before its deadline");
}

static void test_timer_changes(void)
{
	uint64_t deadline;

	fired = 0;
	arch_timer_arm(arch_cycles() + ms(100000));
	arch_timer_arm(arch_cycles() + ms(1));
	tap_equal(wait_for_timer(), 1, "a second deadline replaces the first");
	fired = 0;
	arch_timer_arm(arch_cycles() - ms(1));
	tap_equal(wait_for_timer(), 1, "a deadline that is past interrupts at once");
	do { /* repeat until it was disarmed in time, which a busy host may prevent */
		fired = 0;
		deadline = arch_cycles() + ms(200);
		arch_timer_arm(deadline);
		arch_timer_disarm();
	} while (arch_cycles() >= deadline);
	wait_until(deadline + ms(20));
	tap_equal(fired, 0, "a disarmed timer is silent");
	fired = 0;
	arch_irq_disable();
	arch_timer_arm(arch_cycles() + ms(1));
	wait_until(arch_cycles() + ms(10));
	tap_equal(fired, 0, "masked interrupts stay out");
	arch_irq_enable();
	tap_equal(wait_for_timer(), 1, "and come in when they are let in");
}

/* Repeat: on a busy host the first interrupt may come before the CPU sleeps. */
static void test_wait(void)
{
	unsigned before;

	period = ms(1);
	arch_timer_arm(arch_cycles() + period);
	before = fired;
	arch_wait();
	tap_ok(fired > before, "arch_wait() sleeps until the interrupt was handled");
	period = 0;
	arch_timer_disarm();
}

/* Logistic map: any lost bit of a vector register changes all later values. */
static __attribute__((noinline)) double chaos(unsigned steps)
{
	volatile double seed = 0.3; /* volatile: the compiler must compute the values each time */
	double x = seed, y = 0.7;

	for (unsigned i = 0; i < steps; i++) {
		x = 3.9 * x * (1 - x);
		y = 3.7 * y * (1 - y) + x * 1e-9;
	}
	return x + y;
}

static uint64_t bits(double value)
{
	union {
		double value;
		uint64_t bits;
	} both = { value };

	return both.bits;
}

static void test_vector_state(void)
{
	double quiet = chaos(1000000), interrupted = quiet;

	fired = 0;
	period = ms(1) / 10;
	arch_timer_arm(arch_cycles() + period);
	for (int i = 0; i < 300 && fired <= 10 && bits(interrupted) == bits(quiet); i++)
		interrupted = chaos(1000000);
	period = 0;
	arch_timer_disarm();
	tap_equal(bits(interrupted), bits(quiet), "interrupts leave the vector registers alone");
	tap_ok(fired > 10, "and they came while floating point was computed");
}

/* ---- Stacks ---- */

static void test_stacks(void)
{
	const uint64_t wild[] = {
		0, 8, 0x4141414141414141, UINT64_MAX, UINT64_MAX - 7, (uint64_t)&test_platform
	};
	uint64_t here = (uint64_t)__builtin_frame_address(0), low = 0, high = 0;
	bool found = false;

	tap_ok(arch_stack_bounds(here, &low, &high) && low <= here && here < high &&
	           high - low >= 0x10000,
	       "our stack has bounds");
	tap_ok(!arch_stack_bounds(low - 1, &low, &high), "the page below it is no stack");
	for (unsigned i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		found |= arch_stack_bounds(wild[i], &low, &high);
	tap_ok(!found, "wild stack pointers lie on no stack");
}

/* ---- newlib's system calls ---- */

static int return_seven(void *arg)
{
	(void)arg;
	return 7;
}

static int exit_with_nine(void *arg)
{
	(void)arg;
	exit(9);
}

static int abort_payload(void *arg)
{
	(void)arg;
	abort();
}

static void test_payloads(void)
{
	enum payload_end end;

	tap_ok(payload_run(return_seven, NULL, &end) == 7 && end == PAYLOAD_RETURNED,
	       "a payload that returns gives its result");
	tap_ok(payload_run(exit_with_nine, NULL, &end) == 9 && end == PAYLOAD_EXITED,
	       "exit() ends the payload and nothing else");
	tap_ok(payload_run(abort_payload, NULL, &end) == 134 && end == PAYLOAD_EXITED,
	       "abort() ends it with 128 + SIGABRT");
}

static void test_heap(void)
{
	char *large = malloc(64 << 20);
	char *small = malloc(100);

	tap_ok(large && small, "malloc() gives 64 MiB");
	if (large) {
		memset(large, 0x5a, 64 << 20);
		tap_ok(large[0] == 0x5a && large[(64 << 20) - 1] == 0x5a, "and it is memory");
	}
	free(large);
	free(small);
	errno = 0;
	large = malloc(1ULL << 50);
	tap_ok(!large && errno == ENOMEM, "malloc() of more than there is fails with ENOMEM");
	free(large);
}

static void test_files(void)
{
	struct stat status;
	FILE *file;
	char byte;

	tap_equal((uint64_t)read(STDIN_FILENO, &byte, 1), 0, "standard input is at its end");
	errno = 0;
	tap_ok(write(77, "x", 1) == -1 && errno == EBADF, "writing to no file fails with EBADF");
	errno = 0;
	file = fopen("/etc/passwd", "r");
	tap_ok(!file && errno == ENOENT, "there are no files");
	if (file)
		fclose(file);
	tap_ok(isatty(1) == 1 && isatty(9) == 0, "standard output is a terminal, others are not");
	tap_ok(fstat(1, &status) == 0 && S_ISCHR(status.st_mode), "and a character device");
	errno = 0;
	tap_ok(lseek(1, 0, SEEK_SET) == -1 && errno == ESPIPE, "on which nobody seeks");
	tap_equal((uint64_t)getpid(), 1, "the process is number 1");
	tap_ok(printf("# %s %5.3f %d\n", "printf() with a fraction:", 2.0 / 3, -1) == 37,
	       "printf() formats and writes");
}

static void test_clocks(void)
{
	struct timeval before, after;
	struct tms used;
	clock_t start = times(&used);
	int64_t passed;

	gettimeofday(&before, NULL);
	wait_until(arch_cycles() + ms(50));
	gettimeofday(&after, NULL);
	passed = (after.tv_sec - before.tv_sec) * 1000000LL + after.tv_usec - before.tv_usec;
	tap_ok(passed >= 50000 && passed < 60000000, "gettimeofday() counts microseconds");
	tap_ok(times(&used) - start >= CLOCKS_PER_SEC / 20, "times() counts ticks");
	console_printf("# epoch %ld\n", (long)before.tv_sec);
}

/* ---- The other CPUs ---- */

static struct {
	volatile unsigned cpu;
	volatile bool runs, stop, stack_ok;
	volatile unsigned timer, signals, runs_total;
	volatile uint64_t cycles;
} other;

static void count_signal(const struct arch_regs *regs)
{
	(void)regs;
	if (arch_cpu() == other.cpu)
		other.signals++;
}

static void run_other(void *arg)
{
	uint64_t low, high, end;

	other.cpu = arch_cpu();
	other.stack_ok = arch_stack_bounds((uint64_t)__builtin_frame_address(0), &low, &high);
	other.runs_total++;
	(void)arg;
	other.runs = true;
	while (!other.stop) /* interrupts are masked here */
		other.cycles = arch_cycles();
	fired = 0;
	arch_timer_arm(arch_cycles() + ms(1));
	arch_irq_enable();
	for (end = arch_cycles() + ms(10000); fired == 0 && arch_cycles() < end;)
		arch_relax();
	other.timer = fired;
}

static bool wait_for_idle(unsigned cpu)
{
	for (uint64_t end = arch_cycles() + ms(20000); arch_cycles() < end; arch_relax())
		if (arch_cpu_idle(cpu))
			return true;
	return false;
}

/* Checks of one other CPU; false at the first failure, which is printed. */
static bool try_cpu(unsigned cpu)
{
	bool waits = test_asked("signals-wait");

	memset((void *)&other, 0, sizeof(other));
	if (arch_cpu_run(cpu, run_other, NULL) != 0)
		return tap_ok(false, "a CPU runs a function");
	for (uint64_t end = arch_cycles() + ms(20000); !other.runs && arch_cycles() < end;)
		arch_relax();
	if (other.cpu != cpu || !other.stack_ok)
		return tap_ok(false, "a CPU knows its number and its stack");
	if (arch_cpu_idle(cpu) || arch_cpu_run(cpu, run_other, NULL) != -EBUSY)
		return tap_ok(false, "a CPU that is busy refuses more work");
	arch_cpu_signal(cpu);
	for (uint64_t end = arch_cycles() + ms(20000);
	     !waits && other.signals == 0 && arch_cycles() < end;)
		arch_relax();
	if (!waits && other.signals != 1)
		return tap_ok(false, "a CPU that masks interrupts hears a signal once");
	other.stop = true;
	if (!wait_for_idle(cpu))
		return tap_ok(false, "a CPU comes to an end");
	if (other.timer != 1)
		return tap_ok(false, "a CPU has a timer of its own");
	if (other.signals != 1)
		return tap_ok(false, "a CPU hears a signal once");
	return true;
}

static void test_cpus(void)
{
	unsigned good = 0;

	console_printf("# %u CPUs\n", arch_cpu_count());
	tap_equal(arch_cpu(), 0, "the boot CPU is number 0");
	tap_equal((uint64_t)-arch_cpu_run(0, run_other, NULL), EINVAL,
	          "the boot CPU cannot be sent work");
	tap_equal((uint64_t)-arch_cpu_run(arch_cpu_count(), run_other, NULL), EINVAL,
	          "nor can a CPU that is not there");
	arch_signal_init(count_signal);
	/* each CPU twice: started, and woken */
	for (unsigned i = 1; i < 2 * arch_cpu_count() - 1; i++)
		good += try_cpu((i - 1) % (arch_cpu_count() - 1) + 1);
	tap_equal(
	    good, 2 * (arch_cpu_count() - 1),
	    "every other CPU runs the given function, twice, with its own stack, timer and signal");
}

static void test_memory(void)
{
	tap_ok(memory_is_known((uint64_t)&test_platform, 4096), "our own memory is in the map");
	tap_ok(!memory_is_known(0, 16) && !memory_is_known(UINT64_MAX - 4, 16) &&
	           !memory_is_known(1ULL << 50, 16) && !memory_is_known(4096, UINT64_MAX - 8192),
	       "addresses and sizes that are garbage are not");
}

/* The page tables, descriptor tables and interrupt controller are the firmware's again. */
static void test_give_back(void)
{
	EFI_TIME now = { 0 };
	EFI_STATUS status;

	arch_give_back();
	status = efi_system->RuntimeServices->GetTime(&now, NULL);
	tap_ok(status == EFI_SUCCESS && efi_time_to_epoch(&now) >= boot_entry()->epoch,
	       "the firmware's services answer when the machine was given back");
}

static int story(void *arg)
{
	int code = test_start();

	(void)arg;
	console_printf("# clock %d source %u frequency %lu\n", code, test_clock.source,
	               test_clock.frequency);
	if (test_asked("no-clock-expected")) {
		tap_equal((uint64_t)-code, ENODEV, "without a reference there is no clock");
		tap_equal((uint64_t)-arch_timer_init(count_timer), ENODEV, "and no timer");
		tap_finish();
		machine_reset(MACHINE_POWEROFF);
	}
	tap_equal((uint64_t)code, 0, "the clock's frequency is found");
	tap_equal((uint64_t)arch_timer_init(count_timer), 0, "there is a timer");
	arch_irq_enable();
	test_timer_deadlines();
	test_timer_changes();
	test_wait();
	test_vector_state();
	test_stacks();
	test_payloads();
	test_heap();
	test_files();
	test_clocks();
	test_memory();
	test_cpus();
	if (test_asked("give-back"))
		test_give_back();
	tap_finish();
	machine_reset(test_asked("reboot") ? MACHINE_REBOOT : MACHINE_POWEROFF);
}

/* A timer that does not count, in place of the PM timer: a word of our own memory. */
static const uint32_t dead_timer = 0x1234;

static void falsify(void)
{
	if (test_asked("no-pm-timer"))
		test_platform.pm_timer = 0;
	if (test_asked("no-hpet"))
		test_platform.hpet = 0;
	if (test_asked("dead-pm-timer")) {
		test_platform.pm_timer = (uint64_t)&dead_timer;
		test_platform.pm_timer_space = 0;
	}
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, falsify, story);
}
