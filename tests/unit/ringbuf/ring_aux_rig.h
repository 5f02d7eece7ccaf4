/* SPDX-License-Identifier: MIT */
/* A ring of one page with an AUX area of two beside it, and what is looked at there. */
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
extern uint8_t aux_area[64]; /* only its address is looked at */

/* Another area; ring_aux_init()'s result. */
int aux_give_area(uint64_t pages, uint64_t watermark, bool overwrite);

/* Two pages, with a watermark at each half page. */
int aux_setup(void **state);
int aux_teardown(void **state);

/* Begin a transaction, for any room; a whole one. */
void aux_begin(struct ring_aux_output *out);
void aux_transact(uint64_t size, uint64_t flags);

/* The next record of the data ring must be AUX with these fields. */
void aux_expect(uint64_t offset, uint64_t size, uint64_t flags);

/* Causes for a wakeup by AUX so far. */
uint64_t aux_wakeups(void);

#endif
