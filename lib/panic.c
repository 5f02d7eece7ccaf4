/* SPDX-License-Identifier: MIT */
#include "lib/panic.h"

#include "arch/frames.h"
#include "lib/console/console.h"
#include "lib/image.h"
#include "lib/print.h"

static void (*panic_hook)(const char *message);
static void (*panic_end)(void);
static void (*panic_show)(void);
static const struct panic_payload *payload;
static char message[512];
static struct tr_backtrace last_backtrace;

/* The first CPU that panics reports it; the others stop. If that CPU enters again, its report has
 * failed, and a third time the short report of that. */
static uint32_t entered;
static unsigned reporter = UINT32_MAX;
static unsigned depth;

void panic_set_hook(void (*hook)(const char *message))
{
	panic_hook = hook;
}

void panic_set_end(void (*end)(void))
{
	panic_end = end;
}

void panic_set_screen(void (*show)(void))
{
	panic_show = show;
}

void panic_set_payload(const struct panic_payload *hooks)
{
	payload = hooks;
}

static bool panic_is_in_payload(uint64_t address, uint64_t *linked)
{
	return payload && payload->contains(address, linked);
}

const struct tr_backtrace *panic_backtrace(void)
{
	return &last_backtrace;
}

static bool panic_is_ours(uint64_t address)
{
	uint64_t image = (uint64_t)__image_start;

	return address - image < (uint64_t)__image_end - image;
}

static void panic_frame(struct tr_backtrace *backtrace, uint64_t address)
{
	uint64_t image = (uint64_t)__image_start, linked;

	backtrace->frames[backtrace->count++] = address;
	if (panic_is_in_payload(address, &linked))
		console_printf("  0x%016lx  %s+0x%lx\n", address, payload->name, linked);
	else if (panic_is_ours(address))
		console_printf("  0x%016lx  bareperf.elf+0x%lx\n", address, address - image);
	else
		console_printf("  0x%016lx\n", address);
}

/* After a call to an address without code there is no frame record of the call: only its return
 * address (from regs) shows the caller. */
static void panic_add_caller(struct tr_backtrace *backtrace, uint64_t address)
{
	uint64_t pc = backtrace->frames[0], linked;

	if (panic_is_ours(pc) || panic_is_in_payload(pc, &linked))
		return;
	if (panic_is_ours(address) || panic_is_in_payload(address, &linked))
		panic_frame(backtrace, address);
}

/* Follow frame records from fp upwards, only inside one of our stacks. regs: an exception's, or
 * NULL. */
static void panic_take_backtrace(struct tr_backtrace *backtrace, uint64_t pc, uint64_t fp,
                                 uint64_t sp, const struct arch_regs *regs)
{
	struct arch_frames frames;
	uint64_t low, high;

	backtrace->cpu = arch_cpu();
	backtrace->count = 0;
	console_printf("backtrace:\n");
	panic_frame(backtrace, pc);
	/* After a stack overflow sp is below its stack, but the frame is still on it. */
	if (!arch_stack_bounds(sp, &low, &high) && !arch_stack_bounds(fp, &low, &high)) {
		console_printf("  (0x%lx is on none of our stacks)\n", sp);
		return;
	}
	if (regs)
		panic_add_caller(backtrace, arch_regs_return(regs, low, high));
	frames = arch_frames(fp, low, high);
	while (backtrace->count < TR_BACKTRACE) {
		pc = arch_frames_next(&frames);
		if (!pc)
			return;
		panic_frame(backtrace, pc);
	}
	console_printf("  ...\n");
}

static _Noreturn void panic_finish(void)
{
	void (*hook)(const char *text) = panic_hook;

	panic_hook = NULL;
	if (hook)
		hook(message);
	console_printf("CPU %u stopped\n", arch_cpu());
	if (panic_end)
		panic_end();
	arch_halt();
}

/* Returns only for the first entry. */
static void panic_enter(uint64_t pc)
{
	arch_irq_save();
	if (arch_exchange(&entered, 1) == 0) {
		reporter = arch_cpu();
		if (panic_show)
			panic_show();
		console_release_all();
		return;
	}
	if (reporter == arch_cpu() && depth++ == 0) {
		console_printf("\npanic while reporting a panic, at 0x%lx\n", pc);
		panic_finish();
	}
	arch_halt();
}

/* A fault of the payload: reported like a panic, but the run continues. */
static void panic_report_payload(const struct arch_regs *regs)
{
	uint64_t pc = arch_regs_pc(regs), linked;
	struct tr_backtrace backtrace; /* on the stack, because other CPUs may crash meanwhile */
	char text[256], place[40];

	if (panic_is_in_payload(pc, &linked))
		print_text(place, sizeof(place), "%s+0x%lx", payload->name, linked);
	else
		print_text(place, sizeof(place), "outside %s", payload->name);
	print_text(text, sizeof(text), "the payload crashed: CPU %u: %s at 0x%lx (%s)", arch_cpu(),
	           arch_regs_cause(regs), pc, place);
	console_printf("\n%s\n", text);
	arch_regs_print(regs, console_printf);
	panic_take_backtrace(&backtrace, pc, arch_regs_fp(regs), arch_regs_sp(regs), regs);
	payload->crash(regs, text, &backtrace);
}

void panic_exception(const struct arch_regs *regs)
{
	if (payload && payload->ends && payload->ends(regs))
		return;
	if (payload && payload->is_to_blame(regs)) {
		panic_report_payload(regs);
		return;
	}
	panic_enter(arch_regs_pc(regs));
	print_text(message, sizeof(message), "CPU %u: %s at 0x%lx (bareperf.elf+0x%lx)", arch_cpu(),
	           arch_regs_cause(regs), arch_regs_pc(regs),
	           arch_regs_pc(regs) - (uint64_t)__image_start);
	console_printf("\npanic: %s\n", message);
	arch_regs_print(regs, console_printf);
	panic_take_backtrace(&last_backtrace, arch_regs_pc(regs), arch_regs_fp(regs),
	                     arch_regs_sp(regs), regs);
	panic_finish();
}

_Noreturn void panic(const char *format, ...)
{
	const struct arch_frame *frame = __builtin_frame_address(0);
	va_list arguments;

	panic_enter(frame->ret);
	va_start(arguments, format);
	print_text_v(message, sizeof(message), format, arguments);
	va_end(arguments);
	console_printf("\npanic: %s\n", message);
	panic_take_backtrace(&last_backtrace, frame->ret, frame->next, (uint64_t)frame, NULL);
	panic_finish();
}
