/* SPDX-License-Identifier: MIT */
/*
 * The firmware goes on, with boot services, and what runs on them is recorded (docs/uefi.md): in
 * place of memory_prepare() and taking over.
 */
#ifndef LIB_HOSTED_H
#define LIB_HOSTED_H

#include "arch/arch.h"

/* Take a heap, and the machine's timer. 0; -ENOMEM; arch_hosted_begin()'s. *why is a phrase if
 * the machine's lack is known, else NULL. The console gets the parts that a recording will miss.
 * Boot services only, as below. Thread. */
int hosted_begin(const struct arch_platform *platform, const char **why);

/* The firmware has everything back but memory. */
void hosted_end(void);

/* Say what has turned out since to be missed as well. Thread. */
void hosted_tell_more(void);

/* The code that is not sampled in time, as a phrase, also after the recording; NULL: none, or no
 * firmware was recorded. */
const char *hosted_misses(void);

#endif
