/* SPDX-License-Identifier: MIT */
/* A ring of one page with an AUX area of two pages, and checks of both. */
#ifndef TESTS_UNIT_RINGBUF_RING_AUX_RIG_H
#define TESTS_UNIT_RINGBUF_RING_AUX_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ringbuf/aux.h"
#include "tests/unit/ringbuf/ring_rig.h"

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
};

extern struct rig rig;
extern struct ring_aux aux;
extern uint8_t aux_area[64]; /* only its address is used */

/* Use another area; returns the result of ring_aux_init(). */
int aux_give_area(uint64_t pages, uint64_t watermark, bool overwrite);

/* Two pages, with a watermark of half a page. */
int aux_setup(void **state);
int aux_teardown(void **state);

/* Begin a transaction of any size; begin and end one. */
void aux_begin(struct ring_aux_output *out);
void aux_transact(uint64_t size, uint64_t flags);

/* The next record of the data ring must be AUX with these fields. */
void aux_expect(uint64_t offset, uint64_t size, uint64_t flags);

/* Number of wakeup causes by AUX so far. */
uint64_t aux_wakeups(void);

#endif
