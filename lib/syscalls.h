/* SPDX-License-Identifier: MIT */
/*
 * The system calls of newlib, for the firmware itself and its built-in workloads:
 * single-threaded, thread context, never in handlers.
 */
#ifndef LIB_SYSCALLS_H
#define LIB_SYSCALLS_H

#include "arch/arch.h"

/* Set the heap (start page-aligned, unused) and the clock for sbrk(), gettimeofday() and times(). A
 * second call with the same heap keeps its allocations and only changes the clock. Thread. */
void syscalls_init(void *start, uint64_t size, const struct arch_clock *clock);

/* exit() and abort() call hook. If it returns, because no program runs, or if it is NULL, they
 * panic. Thread. */
void syscalls_set_exit(void (*hook)(int status));

/* Hand the unused rest of the heap (whole pages) over to a payload that has its own C library, and
 * take it back. reserve bytes at its end keep their content until the next hand-over. Meanwhile our
 * own heap cannot grow. Thread. */
void syscalls_set_heap(void **start, uint64_t *size);
void syscalls_take_heap_back(uint64_t but);

/* Bytes that are allocated by malloc(). Thread. */
uint64_t syscalls_heap_used(void);

#endif
