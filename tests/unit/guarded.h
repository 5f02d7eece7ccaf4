/* SPDX-License-Identifier: MIT */
/* Bytes followed by a page that faults: for libraries without sanitizers. */
#ifndef TESTS_UNIT_GUARDED_H
#define TESTS_UNIT_GUARDED_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GUARDED_PAGE 4096U

static inline size_t guarded_pages(size_t size)
{
	return (size + GUARDED_PAGE - 1) / GUARDED_PAGE * GUARDED_PAGE + GUARDED_PAGE;
}

/* size bytes at a multiple of 8, so up to 7 more bytes can be read. */
static inline uint8_t *guarded_alloc(size_t size)
{
	size_t all = guarded_pages(size);
	uint8_t *pages =
	    mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + all - GUARDED_PAGE, GUARDED_PAGE, PROT_NONE))
		abort();
	return pages + all - GUARDED_PAGE - (size + 7) / 8 * 8;
}

static inline void guarded_free(uint8_t *bytes, size_t size)
{
	size_t all = guarded_pages(size);

	if (bytes && munmap(bytes + (size + 7) / 8 * 8 + GUARDED_PAGE - all, all))
		abort();
}

#endif
