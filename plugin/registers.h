/* SPDX-License-Identifier: MIT */
/*
 * A guest's registers and memory, as QEMU's plugin interface gives them. In a vCPU's thread: in a
 * callback that asked for registers, or while QEMU translates.
 */
#ifndef PLUGIN_REGISTERS_H
#define PLUGIN_REGISTERS_H

#include "plugin/chain.h"

/* Finds the registers of the ISA; of the first vCPU that calls, for all. */
void registers_find(enum chain_isa isa);

/* The privilege level, an OUTSIDE_* bit. Without registers, by the address of the code: Linux's
 * kernels, and most others, have the upper half of the addresses. */
uint32_t registers_level(enum chain_isa isa, uint64_t pc);

/* False: frames have another form here (x86: code of 32 or 16 bits). */
bool registers_frame(enum chain_isa isa, struct chain_registers *registers);

/* A chain_read(); context is not used. */
bool registers_read_memory(void *context, uint64_t address, void *to, size_t size);

#endif
