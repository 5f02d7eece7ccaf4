/* SPDX-License-Identifier: MIT */
/*
 * The system calls of newlib, for the firmware itself and its built-in workloads:
 * single-threaded, thread context, never in handlers.
 */
#ifndef LIB_SYSCALLS_H
#define LIB_SYSCALLS_H

#include "arch/arch.h"

/* The heap (start page-aligned, unused) and the clock that sbrk(), gettimeofday() and times() work
 * with; the same heap again: what it was given stays, and the clock is another. Thread. */
void syscalls_init(void *start, uint64_t size, const struct arch_clock *clock);

/* exit() and abort() call hook; where it returns, as nothing runs that could end, or where there is
 * none (NULL), they panic. Thread. */
void syscalls_set_exit(void (*hook)(int status));

/* Lend what nobody uses of the heap (whole pages) to a payload that has a C library of its own,
 * and take it back, but for so many bytes of its end, which stay as they are until it is lent
 * again; meanwhile there is no more for us. Thread. */
void syscalls_set_heap(void **start, uint64_t *size);
void syscalls_take_heap_back(uint64_t but);

/* Bytes that malloc() has given out and not got back. Thread. */
uint64_t syscalls_heap_used(void);

#endif
