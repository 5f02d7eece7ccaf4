/* SPDX-License-Identifier: MIT */
/* In place of arch/x86_64/cpu.h: CR0 is the test's. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H

#include <stdint.h>

uint64_t x86_read_cr0(void);
void x86_write_cr0(uint64_t value);

#endif
