/* SPDX-License-Identifier: MIT */
/*
 * Where a payload's thread-local variables lie: System V AMD64 ABI, 3.4.6, and "ELF Handling For
 * Thread-Local Storage", 3.4.6 (variant II). FS's base, the thread pointer, points behind them, at
 * the thread control block:
 *
 *	block				thread pointer
 *	| variables (initialised, zeroed) | itself | … | 28H: the stack protector's canary |
 */
#ifndef ARCH_TLS_H
#define ARCH_TLS_H

#include <stddef.h>
#include <stdint.h>

#define ARCH_TLS_CONTROL 64U /* bytes of the control block */
#define ARCH_TLS_CANARY  0x28U

/* Bytes of a block for size bytes of variables; align is a power of two. */
static inline size_t arch_tls_block(size_t size, size_t align)
{
	return ((size + align - 1) & ~(align - 1)) + ARCH_TLS_CONTROL;
}

/* Fill in the block's thread pointer, and report where the variables begin. The block must be
 * aligned to align, 16 or more. */
static inline void *arch_tls_lay_out(char *block, size_t size, size_t align, uint64_t canary,
                                     char **variables)
{
	char *pointer = block + ((size + align - 1) & ~(align - 1));

	*variables = block;
	*(void **)pointer = pointer;
	*(uint64_t *)(pointer + ARCH_TLS_CANARY) = canary;
	return pointer;
}

/* Make this CPU's code use these variables from now on: IA32_FS_BASE. */
static inline void arch_tls_load(void *pointer)
{
	uint64_t base = (uint64_t)pointer;

	__asm__ volatile("wrmsr"
	                 :
	                 : "c"(0xc0000100), "a"((uint32_t)base), "d"((uint32_t)(base >> 32))
	                 : "memory");
}

#endif
