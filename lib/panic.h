/* SPDX-License-Identifier: MIT */
/* The end of a run that went wrong: said on every console, then this CPU stops. */
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

#include "abi/trace_region.h"
#include "arch/arch.h"

/* Print the message (print.h's formats), the backtrace of the caller, tell the hook, and halt this
 * CPU. Any context, recursion included. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called last, once, with the message in one line: for the trace region's state and ledger. The
 * CPU may be in any context. NULL: nobody. Thread. */
void panic_set_hook(void (*hook)(const char *message));

/* Set the last action of the CPU that reports a panic; the CPU halts if it returns. It is called
 * again if it panics itself. Interrupts masked, any context. NULL: no action. Thread. */
void panic_set_end(void (*end)(void));

/* Called first, once, where the console may have no sinks that people see: it gives it some. NULL:
 * nobody is called. Thread. */
void panic_set_screen(void (*show)(void));

/* Where the panic is that is reported: for the hook. */
const struct tr_backtrace *panic_backtrace(void);

/* The user's program, whose faults are not ours: each is told like a panic, and we go on. */
struct panic_payload {
	const char *name; /* of its file, at most 16 characters */
	/* Whether the address lies in it; then *offset is the address that it was linked at. Any
	 * context. */
	bool (*contains)(uint64_t address, uint64_t *offset);
	/* Whether this exception, which nobody handles, is its own. Exception. */
	bool (*is_to_blame)(const struct arch_regs *regs);
	/* It is, and is reported: have the handler return to who ran the program. message, one
	 * line, and the backtrace are the caller's own. Exception. */
	void (*crash)(const struct arch_regs *regs, const char *message,
	              const struct tr_backtrace *backtrace);
};

/* Kept by reference; NULL: there is none, every fault is ours. Thread. */
void panic_set_payload(const struct panic_payload *hooks);

#endif
