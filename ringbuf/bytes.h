/* SPDX-License-Identifier: MIT */
/*
 * Copies for code that runs in handlers: whole 64-bit words in general registers, without calls
 * into libc. Sizes are multiples of 8 and pointers are aligned to 8, like all data in a ring. Any
 * context.
 */
#ifndef RINGBUF_BYTES_H
#define RINGBUF_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* A 64-bit word that may overlay any type. */
typedef uint64_t __attribute__((may_alias)) ring_word;

/* The empty asm prevents the compiler from replacing the loop by memcpy or memset. */
#define RING_OPAQUE(index) __asm__("" : "+r"(index))

static inline void ring_copy(void *to, const void *from, size_t size)
{
	ring_word *t = to;
	const ring_word *f = from;

	for (size_t i = 0; i < size / 8; i++) {
		RING_OPAQUE(i);
		t[i] = f[i];
	}
}

static inline void ring_zero(void *to, size_t size)
{
	ring_word *t = to, *end = t + size / 8;

	for (; end - t >= 8; t += 8) {
		RING_OPAQUE(t);
		t[0] = t[1] = t[2] = t[3] = 0;
		t[4] = t[5] = t[6] = t[7] = 0;
	}
	for (; t < end; t++) {
		RING_OPAQUE(t);
		*t = 0;
	}
}

#endif
