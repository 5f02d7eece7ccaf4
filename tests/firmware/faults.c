/* SPDX-License-Identifier: MIT */
/*
 * An image that causes one fault, which the command line names, three calls deep; firmware tests
 * check the report and look for the functions' names in the backtrace.
 */
#include <unistd.h>

#include "lib/image.h"
#include "tests/firmware/image.h"

static volatile uint64_t zero, one = 1;

/* A function that has its own frame in the backtrace: gcc omits frames of functions without calls,
 * except for noipa. */
#define FRAME __attribute__((noinline, noclone, noipa))
static inline __attribute__((always_inline)) void keep_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static FRAME void trap(void)
{
	keep_frame();
	__builtin_trap();
}

/* Read below address 4096 through a pointer whose value the compiler cannot know. */
static FRAME void read_null(void)
{
	keep_frame();
	zero = *(volatile uint64_t *)(zero + 8);
	keep_frame(); /* keeps the load before this point; gcc would move it behind */
}

static FRAME void write_null(void)
{
	keep_frame();
	*(volatile uint64_t *)(zero + 8) = 1;
}

static FRAME void write_text(void)
{
	keep_frame();
	*(volatile uint64_t *)(zero + (uint64_t)__text_start) = 1;
}

static FRAME void write_rodata(void)
{
	keep_frame();
	*(volatile uint64_t *)(zero + (uint64_t)__rodata_start) = 1;
}

static FRAME void write_header(void)
{
	keep_frame();
	*(volatile uint64_t *)(zero + (uint64_t)__image_start) = 1;
}

static FRAME void execute_data(void)
{
	keep_frame();
	((void (*)(void))(zero + (uint64_t)&zero))();
}

static FRAME void execute_heap(void)
{
	void *heap;
	uint64_t size;

	keep_frame();
	memory_heap(&heap, &size);
	((void (*)(void))heap)();
}

static FRAME void divide(void)
{
	keep_frame();
	zero = one / zero;
	keep_frame();
}

/* Neither a tail call nor a loop: each level has its own frame. */
static FRAME uint64_t recurse(uint64_t depth)
{
	volatile uint64_t here[16] = { depth };

	if (depth == UINT64_MAX)
		return 0;
	return recurse(depth + 1) + here[depth % 16];
}

static FRAME void overflow_stack(void)
{
	keep_frame();
	zero = recurse(0);
}

static FRAME void call_panic(void)
{
	keep_frame();
	panic("the %s is %d", "answer", 42);
}

static FRAME void fault_in_hook(const char *message)
{
	keep_frame();
	(void)message;
	write_null();
}

static FRAME void panic_twice(void)
{
	keep_frame();
	panic_set_hook(fault_in_hook);
	panic("first");
}

static void report_from_interrupt(const struct arch_regs *regs)
{
	if (arch_regs_fp(regs) == 0x4141414141414141)
		panic_exception(regs);
	arch_timer_arm(arch_cycles() + test_clock.frequency / 1000);
}

/* The interrupted code's frame pointer is not an address. */
static FRAME void wild_frame(void)
{
	keep_frame();
	arch_timer_init(report_from_interrupt);
	arch_timer_arm(arch_cycles() + test_clock.frequency / 1000);
	arch_irq_enable();
	arch_spin_with_frame_pointer(0x4141414141414141, UINT64_MAX);
}

static FRAME void fault_in_interrupt(const struct arch_regs *regs)
{
	keep_frame();
	(void)regs;
	write_null();
}

static FRAME void in_interrupt(void)
{
	keep_frame();
	arch_timer_init(fault_in_interrupt);
	arch_timer_arm(arch_cycles() + test_clock.frequency / 1000);
	arch_irq_enable();
	for (;;)
		arch_wait();
}

static FRAME void run_trap(void *arg)
{
	keep_frame();
	(void)arg;
	trap();
}

static FRAME void other_cpu(void)
{
	keep_frame();
	arch_cpu_run(1, run_trap, NULL);
	for (;;)
		arch_relax();
}

static FRAME void exit_outside(void)
{
	keep_frame();
	_exit(3);
}

/* Wait for an outside event, an NMI from QEMU's monitor; `info registers' there shows that this
 * loop is reached. */
static void wait_masked(void)
{
	arch_irq_disable();
	for (;;) {
		arch_relax();
		__asm__ volatile("" : : "r"(0x676e6974696177UL)); /* "waiting" */
	}
}

/* Print more lines than the screen has, so that it scrolls. */
static FRAME void fill_screen(void)
{
	keep_frame();
	for (unsigned i = 0; i < 200; i++)
		console_printf("line %u of 200 AAAA BBBB\n", i);
	panic("scrolled");
}

static const struct {
	const char *name;
	void (*run)(void);
} faults[] = {
	{ "trap", trap },
	{ "read-null", read_null },
	{ "write-null", write_null },
	{ "write-text", write_text },
	{ "write-rodata", write_rodata },
	{ "write-header", write_header },
	{ "execute-data", execute_data },
	{ "execute-heap", execute_heap },
	{ "divide", divide },
	{ "overflow-stack", overflow_stack },
	{ "call-panic", call_panic },
	{ "panic-twice", panic_twice },
	{ "wild-frame", wild_frame },
	{ "in-interrupt", in_interrupt },
	{ "other-cpu", other_cpu },
	{ "exit-outside", exit_outside },
	{ "wait-masked", wait_masked },
	{ "fill-screen", fill_screen },
};

static FRAME void fault_inner(void)
{
	keep_frame();
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (test_asked(faults[i].name))
			faults[i].run();
	console_printf("no fault happened\n");
}

static FRAME void fault_middle(void)
{
	keep_frame();
	fault_inner();
	console_printf("fault_inner returned\n");
}

static FRAME int fault_outer(void *arg)
{
	keep_frame();
	(void)arg;
	if (test_start() != 0)
		console_printf("no clock\n");
	fault_middle();
	console_printf("fault_middle returned\n");
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, fault_outer);
}
