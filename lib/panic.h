/* SPDX-License-Identifier: MIT */
/* The end of a run that went wrong: said on every console, then this CPU stops. */
#ifndef LIB_PANIC_H
#define LIB_PANIC_H

/* Print the message (print.h's formats), the backtrace of the caller, tell the hook, and halt this
 * CPU. Any context, recursion included. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called last, once, with the message in one line: for the trace region's state and ledger. The
 * CPU may be in any context. NULL: nobody. Thread. */
void panic_set_hook(void (*hook)(const char *message));

#endif
