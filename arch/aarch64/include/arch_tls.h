/* SPDX-License-Identifier: MIT */
/*
 * Where a payload's thread-local variables lie: "ELF for the Arm 64-bit Architecture", Addenda, and
 * "ELF Handling For Thread-Local Storage", 3 (variant I). TPIDR_EL0, the thread pointer, points to
 * two words for the thread library, and the variables follow:
 *
 *	block = thread pointer
 *	| two words | padding | variables (initialised, zeroed) |
 *
 * The stack protector's canary is a variable of the C library.
 */
#ifndef ARCH_TLS_H
#define ARCH_TLS_H

#include <stddef.h>
#include <stdint.h>

#define ARCH_TLS_CONTROL 16U /* bytes of the two words */

static inline size_t arch_tls_offset(size_t align)
{
	return (ARCH_TLS_CONTROL + align - 1) & ~(align - 1);
}

/* Bytes of a block for size bytes of variables; align is a power of two. */
static inline size_t arch_tls_block(size_t size, size_t align)
{
	return arch_tls_offset(align) + size;
}

/* Fill in the block's thread pointer, and report where the variables begin. The block must be
 * aligned to align, 16 or more. */
static inline void *arch_tls_lay_out(char *block, size_t size, size_t align, uint64_t canary,
                                     char **variables)
{
	(void)size;
	(void)canary;
	*variables = block + arch_tls_offset(align);
	return block;
}

/* Make this CPU's code use these variables from now on. */
static inline void arch_tls_load(void *pointer)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer) : "memory");
}

#endif
