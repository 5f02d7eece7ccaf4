/* SPDX-License-Identifier: MIT */
/*
 * An image that tests the promises to a payload and about a payload, and prints TAP. Words on the
 * command line: below: the payload runs at a lower exception level than bareperf; urgent:
 * interrupts that arch.h masks still let the PMU's through; crash: the payload ends by a fault.
 */
#include "arch/aarch64/pmu/pmuv3.h"
#include "tests/firmware/image.h"

static volatile unsigned ticks;
static volatile unsigned inside, on_stack, with_caller; /* of these */
/* bounds of the code that masks interrupts */
static volatile uint64_t masked_low, masked_high;
static uint64_t period;

static void tick(const struct arch_regs *regs)
{
	uint64_t low, high, fp = arch_regs_fp(regs), pc = arch_regs_pc(regs);

	ticks++;
	arch_timer_arm(arch_cycles() + period);
	inside += pc >= masked_low && pc < masked_high;
	if (!arch_stack_bounds(arch_regs_sp(regs), &low, &high))
		return;
	on_stack++;
	if (fp >= low && fp <= high - sizeof(struct arch_frame) && fp % 8 == 0)
		with_caller += ((const struct arch_frame *)fp)->ret != 0;
}

/* Spin with all interrupts masked for 50 periods. */
static __attribute__((noinline)) int spin_masked(void *arg)
{
	uint64_t end = arch_cycles() + 50 * period;

	masked_low = (uint64_t) && start;
	masked_high = (uint64_t) && stop;
start:
	__asm__ volatile("msr daifset, #15" : : : "memory");
	do {
		for (unsigned i = 0; i < 1000; i++)
			__asm__ volatile("");
	} while (arch_cycles() < end);
stop:
	return *(int *)arg;
}

static void test_masked(void)
{
	bool below = test_asked("below");
	unsigned seen;
	int answer = 42;

	ticks = inside = on_stack = with_caller = 0;
	arch_timer_arm(arch_cycles() + period);
	tap_equal((uint64_t)arch_call_payload(spin_masked, &answer), 42,
	          "a payload's result comes back");
	arch_irq_disable();
	seen = ticks;
	console_printf("# %u ticks, %u inside, %u on a stack of ours, %u with a caller\n", seen,
	               inside, on_stack, with_caller);
	if (below) {
		tap_ok(seen >= 45 && seen <= 50, "a payload that masks everything is interrupted");
		tap_ok(inside + 3 >= seen, "in the code that masks");
		tap_ok(on_stack == seen, "on a stack that we know");
		tap_ok(with_caller == seen, "with a frame that leads to its caller");
	} else {
		tap_ok(seen <= 2, "a payload that masks everything is not interrupted");
	}
	ticks = 0;
	arch_irq_enable();
	for (uint64_t end = arch_cycles() + 20 * period; arch_cycles() < end;)
		arch_relax();
	tap_ok(ticks >= 10, "afterwards interrupts come as before");
	arch_timer_disarm();
}

static int call_nobody(void *arg)
{
	register uint64_t x0 __asm__("x0") = 0x84000000; /* PSCI_VERSION */

	__asm__ volatile("hvc #0" : "+r"(x0) : : "memory");
	*(uint64_t *)arg = x0;
	return 0;
}

static int read_level(void *arg)
{
	__asm__ volatile("mrs %0, CurrentEL" : "=r"(*(uint64_t *)arg));
	return (int)arch_cpu();
}

static volatile unsigned overflows;

static enum arch_pmi overflow(const struct arch_regs *regs)
{
	(void)regs;
	overflows++;
	arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	return ARCH_PMI_MINE;
}

static void spin(unsigned periods)
{
	for (uint64_t end = arch_cycles() + periods * period; arch_cycles() < end;)
		arch_relax();
}

/* The cycle counter overflows while arch.h's function masks interrupts. */
static void test_urgent(void)
{
	bool urgent = test_asked("urgent");
	uint64_t saved;

	tap_equal((uint64_t)arch_pmi_share(overflow), 0, "the PMU has an interrupt");
	arch_reg_write(PMCR_EL0, PMCR_LC);
	arch_reg_write(PMCCFILTR_EL0, PMEVTYPER_NSH);
	arch_reg_write(PMCCNTR_EL0, -(uint64_t)100000);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	arch_reg_write(PMCNTENSET_EL0, 1U << CYCLE_COUNTER);
	arch_reg_write(PMINTENSET_EL1, 1U << CYCLE_COUNTER);
	saved = arch_irq_save();
	arch_reg_write(PMCR_EL0, PMCR_LC | PMCR_E);
	spin(20);
	tap_equal(overflows, urgent,
	          urgent ? "the PMU's interrupt passes masked interrupts"
	                 : "the PMU's interrupt waits for masked interrupts");
	arch_irq_restore(saved);
	spin(5);
	tap_equal(overflows, 1, "and comes exactly once");
	arch_reg_write(PMCR_EL0, 0);
	arch_pmi_leave(overflow);
}

/* ---- The PMU's interrupt, shared ---- */

static volatile unsigned asked[2]; /* how often each of the two handlers was called */
static volatile unsigned owner;    /* index of the handler that uses the cycle counter */

static enum arch_pmi ask(unsigned number)
{
	asked[number]++;
	if (owner != number)
		return ARCH_PMI_NOT_MINE;
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	return ARCH_PMI_MINE;
}

static enum arch_pmi ask_first(const struct arch_regs *regs)
{
	(void)regs;
	return ask(0);
}

static enum arch_pmi ask_second(const struct arch_regs *regs)
{
	(void)regs;
	return ask(1);
}

static void share_second(void *arg)
{
	*(int *)arg = arch_pmi_share(ask_second);
}

/* Let a counter of that handler overflow. Returns 10 * the first handler's calls + the second's. */
static unsigned asked_at_overflow(unsigned whose)
{
	asked[0] = asked[1] = 0;
	owner = whose;
	arch_reg_write(PMCCNTR_EL0, -(uint64_t)1000);
	arch_reg_write(PMCNTENSET_EL0, 1U << CYCLE_COUNTER);
	arch_reg_write(PMINTENSET_EL1, 1U << CYCLE_COUNTER);
	arch_reg_write(PMCR_EL0, PMCR_LC | PMCR_E);
	spin(2);
	arch_reg_write(PMCR_EL0, 0);
	return 10 * asked[0] + asked[1];
}

static void test_shared(void)
{
	uint64_t before = arch_spurious[0];
	int code = -1;

	arch_cpu_run(1, share_second, &code);
	while (!arch_cpu_idle(1))
		arch_relax();
	tap_equal((uint64_t)(code | arch_pmi_share(ask_first)), 0, "each CPU has its sharers");
	tap_equal(asked_at_overflow(0), 10, "a handler on another CPU is not called");
	tap_equal((uint64_t)(arch_pmi_share(ask_second) | arch_pmi_share(ask_first)), 0,
	          "two share the PMU's interrupt");
	tap_equal(asked_at_overflow(0), 11, "and both are asked, once, when it is the first's");
	tap_equal(asked_at_overflow(1), 11, "and when it is the second's");
	arch_pmi_leave(ask_first);
	tap_equal(asked_at_overflow(1), 1, "a handler that has left is not called");
	arch_pmi_leave(ask_second);
	tap_equal(asked_at_overflow(0), 0, "without anybody it does not come");
	arch_pmi_share(ask_first);
	spin(1);
	tap_equal(asked[0], 1, "until somebody takes part again");
	tap_equal(arch_spurious[0], before, "none of these was nobody's");
	arch_pmi_leave(ask_first);
}

static void test_levels(void)
{
	uint64_t level, answer = 0, ours;

	__asm__ volatile("mrs %0, CurrentEL" : "=r"(ours));
	tap_equal(ours >> 2, test_asked("below") ? 2 : 1, "we run where the firmware did");
	tap_equal((uint64_t)arch_call_payload(read_level, &level), 0, "a payload knows its CPU");
	tap_equal(level >> 2, 1, "the payload runs at EL1");
	if (test_asked("below")) {
		arch_call_payload(call_nobody, &answer);
		tap_equal(answer, UINT64_MAX, "a payload's call to a hypervisor is not supported");
	}
	test_urgent();
	test_shared();
}

static int crash(void *arg)
{
	*(volatile uint64_t *)arg = 1;
	return 0;
}

static int story(void *arg)
{
	(void)arg;
	tap_equal((uint64_t)test_start(), 0, "the clock's frequency is found");
	period = test_clock.frequency / 1000;
	arch_timer_init(tick);
	arch_irq_enable();
	if (test_asked("crash"))
		arch_call_payload(crash, (void *)8);
	test_masked();
	test_levels();
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
