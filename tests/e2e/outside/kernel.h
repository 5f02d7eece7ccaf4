/* SPDX-License-Identifier: MIT */
/* A small kernel that has no line of bareperf: the guest of outside_test.py. Its functions spend
 * stated numbers of instructions, some of them in user mode. */
#ifndef TESTS_E2E_OUTSIDE_KERNEL_H
#define TESTS_E2E_OUTSIDE_KERNEL_H

#include <stdint.h>

/* Of spin(), which <ISA>.h has: 2 instructions each */
#define LIGHT_LOOPS  200000U
#define HEAVY_LOOPS  600000U
#define USER_LOOPS   400000U
#define SECOND_LOOPS 300000U

/* Calls function at the user's level, and returns when it has made its system call. */
void enter_user(void (*function)(void));

/* The system call, at the user's level. Does not return. */
void leave_user(void);

void put_text(const char *text);
void power_off(void) __attribute__((noreturn));

/* The story, on the boot CPU and on a second one. */
void kernel_main(void);
void kernel_second(void);
void second_is_done(void);

#endif
