/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_run.h"

#include <errno.h>
#include <setjmp.h>

#include "agent/payload/payload.h"
#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_memory.h"
#include "lib/image.h"
#include "lib/panic.h"
#include "lib/print.h"
#include "lib/syscalls.h"
#include "pmu/mark.h"

/* The code that runs on a CPU. Only that CPU writes it. */
static struct frame {
	jmp_buf back;
	uint64_t sp; /* below payload_run()'s frame, above the frames of its callees */
	bool running;
	int status;
	enum payload_end end;
} frames[ARCH_MAX_CPUS];

static bool ending;
static struct {
	uint32_t claimed;
	bool set;
	int status;
} program_end; /* exit() in another thread than main()'s */
static uint32_t crashed;
static char crash_message[256];
static struct tr_backtrace crash_backtrace;

void payload_begin(void)
{
	ending = false;
	crashed = 0;
	crash_message[0] = 0;
	program_end.claimed = 0;
	program_end.set = false;
}

void payload_allow(void)
{
	__atomic_store_n(&ending, false, __ATOMIC_RELEASE);
}

const char *payload_crash_message(void)
{
	return crashed ? crash_message : NULL;
}

const struct tr_backtrace *payload_crash_backtrace(void)
{
	return &crash_backtrace;
}

static __attribute__((noinline)) int payload_run_call(struct frame *frame,
                                                      int (*entry)(void *argument), void *argument)
{
	frame->sp = (uint64_t)__builtin_frame_address(0) & ~15ULL;
	return entry(argument);
}

int payload_run(int (*entry)(void *argument), void *argument, enum payload_end *end)
{
	struct frame *frame = &frames[arch_cpu()];

	frame->end = PAYLOAD_RETURNED;
	if (setjmp(frame->back) == 0) {
		frame->running = true;
		frame->status = payload_run_call(frame, entry, argument);
	}
	frame->running = false;
	*end = frame->end;
	if (frame->end != PAYLOAD_ENDED || !__atomic_load_n(&program_end.set, __ATOMIC_ACQUIRE))
		return frame->status;
	*end = PAYLOAD_EXITED;
	return program_end.status;
}

_Noreturn void payload_leave(int status, enum payload_end end)
{
	struct frame *frame = &frames[arch_cpu()];

	frame->status = status;
	frame->end = end;
	longjmp(frame->back, 1);
}

_Noreturn void payload_end_program(int status)
{
	if (arch_cpu() == 0)
		payload_leave(status, PAYLOAD_EXITED);
	if (arch_exchange(&program_end.claimed, 1) == 0) {
		program_end.status = status;
		__atomic_store_n(&program_end.set, true, __ATOMIC_RELEASE);
		payload_end_all();
	}
	payload_leave(status, PAYLOAD_ENDED);
}

void payload_end_all(void)
{
	__atomic_store_n(&ending, true, __ATOMIC_RELEASE);
}

bool payload_is_ending(void)
{
	return __atomic_load_n(&ending, __ATOMIC_ACQUIRE);
}

void payload_leave_if_ending(void)
{
	if (payload_is_ending())
		payload_leave(-EINTR, PAYLOAD_ENDED);
}

/* A handler makes the interrupted code continue here: in thread context, at the payload's privilege
 * level, on the payload's stack. */
static void payload_run_land(void *frame)
{
	longjmp(((struct frame *)frame)->back, 1);
}

static void payload_run_redirect(struct frame *frame, const struct arch_regs *regs, int status,
                                 enum payload_end end)
{
	frame->status = status;
	frame->end = end;
	arch_regs_redirect(regs, payload_run_land, frame, frame->sp);
}

/* Whether code that was interrupted at pc may be ended: the payload's own code, or a built-in
 * workload's. Such code holds no lock of bareperf and has no record half written. */
static bool payload_run_may_end(uint64_t pc)
{
	uint64_t offset, workloads = (uint64_t)__workload_start;

	return payload_contains(pc, &offset) ||
	       pc - workloads < (uint64_t)__workload_end - workloads;
}

/* Whether this CPU has begun a mark and not finished it, because a handler of the program itself
 * interrupted it. If the program were ended now, the mark would keep its part of the ring forever.
 */
static bool payload_run_is_marking(void)
{
	const struct ring *ring = payload_hooks->ring();

	return ring && (ring_is_writing(ring) || ring_load(&mark_cpus[arch_cpu()].slow));
}

void payload_interrupted(const struct arch_regs *regs)
{
	struct frame *frame = &frames[arch_cpu()];

	if (frame->running && frame->end == PAYLOAD_RETURNED && payload_is_ending() &&
	    payload_run_may_end(arch_regs_pc(regs)) && !payload_run_is_marking())
		payload_run_redirect(frame, regs, -EINTR, PAYLOAD_ENDED);
}

/* Whether a fault is the payload's: it runs on this CPU, is not already being ended, and the fault
 * is outside our own image. */
static bool payload_is_to_blame(const struct arch_regs *regs)
{
	const struct frame *frame = &frames[arch_cpu()];
	uint64_t image = (uint64_t)__image_start;
	bool is_own = arch_regs_pc(regs) - image < (uint64_t)__image_end - image;

	return frame->running && frame->end == PAYLOAD_RETURNED && !is_own;
}

/* Keep the first crash of a run for the report, and end this thread of the payload and all others.
 */
static void payload_run_crash(const struct arch_regs *regs, const char *message,
                              const struct tr_backtrace *backtrace)
{
	if (arch_exchange(&crashed, 1) == 0) {
		print_text(crash_message, sizeof(crash_message), "%s", message);
		crash_backtrace = *backtrace;
	}
	payload_run_redirect(&frames[arch_cpu()], regs, -EFAULT, PAYLOAD_CRASHED);
	payload_end_all();
}

/* Called by newlib's exit(). */
static void payload_run_leave(int status)
{
	if (frames[arch_cpu()].running)
		payload_leave(status, PAYLOAD_EXITED);
}

void payload_run_init(void)
{
	static const struct panic_payload hooks = {
		.name = "payload.elf",
		.contains = payload_contains,
		.is_to_blame = payload_is_to_blame,
		.crash = payload_run_crash,
	};

	panic_set_payload(&hooks);
	syscalls_set_exit(payload_run_leave);
}
