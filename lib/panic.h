/* SPDX-License-Identifier: MIT */
/* The end of a run after a fatal error: it is reported on every console, then this CPU stops. */
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

#include "abi/trace_region.h"
#include "arch/arch.h"

/* Print the message (print.h's formats) and the caller's backtrace, call the hook, and halt this
 * CPU. Any context, recursion included. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Set a function that is called once, last, with the message in one line; it sets the trace
 * region's state and ledger. The CPU may be in any context. NULL: none. Thread. */
void panic_set_hook(void (*hook)(const char *message));

/* Set the last action of the CPU that reports a panic; the CPU halts if it returns. It is called
 * again if it panics itself. Interrupts masked, any context. NULL: no action. Thread. */
void panic_set_end(void (*end)(void));

/* Set a function that is called once, first. It adds sinks to a console that may have none that
 * users see. NULL: none. Thread. */
void panic_set_screen(void (*show)(void));

/* The backtrace of the panic that is being reported, for the hook. */
const struct tr_backtrace *panic_backtrace(void);

/* The user's program, whose faults are not ours: each is reported like a panic, and the run
 * continues. */
struct panic_payload {
	const char *name; /* its file's name, at most 16 characters */
	/* Whether the address lies in the program; *offset is then the address for which it was
	 * linked. Any context. */
	bool (*contains)(uint64_t address, uint64_t *offset);
	/* Whether this unhandled exception is the program's regular end; then nothing is reported,
	 * and the handler returns where the function has redirected it. NULL: never. Exception. */
	bool (*ends)(const struct arch_regs *regs);
	/* Whether this unhandled exception is the program's own. Exception. */
	bool (*is_to_blame)(const struct arch_regs *regs);
	/* The exception is the program's own and was reported: make the handler return to the code
	 * that started the program. message, one line, and backtrace belong to the caller.
	 * Exception. */
	void (*crash)(const struct arch_regs *regs, const char *message,
	              const struct tr_backtrace *backtrace);
};

/* Set the hooks, which are kept by reference; NULL: no program runs, every fault is ours.
 * Thread. */
void panic_set_payload(const struct panic_payload *hooks);

#endif
