/* SPDX-License-Identifier: MIT */
/*
 * The firmware goes on, with boot services, and what runs on them is recorded (docs/uefi.md): in
 * place of memory_prepare() and taking over.
 */
#ifndef LIB_HOSTED_H
#define LIB_HOSTED_H

#include "arch/arch.h"

/* Take a heap, and the machine's timer. 0; -ENOMEM; arch_hosted_begin()'s. *why is a phrase where
 * it is known what the machine lacks, else NULL. What a recording will miss is said on the console.
 * Boot services only, as below. Thread. */
int hosted_begin(const struct arch_platform *platform, const char **why);

/* The firmware has everything back but memory. */
void hosted_end(void);

/* Say what has turned out since to be missed as well. Thread. */
void hosted_tell_more(void);

/* What is not sampled in its time, a phrase, also when it is over; NULL: nothing, or nothing of the
 * firmware's was recorded. */
const char *hosted_misses(void);

#endif
