/* SPDX-License-Identifier: MIT */
/* The account of samples that the hardware writes into memory by itself (x86: PEBS); part of a
 * ring's ledger. */
#ifndef ABI_PRECISE_LEDGER_H
#define ABI_PRECISE_LEDGER_H

#include <stdint.h>

/* records + common = samples + foreign; samples: the sum of tr_event_ledger.precise on this CPU. */
struct tr_precise_ledger {
	uint64_t records; /* written by the hardware */
	uint64_t common;  /* a record for n counters counts n - 1 here */
	uint64_t foreign; /* records' counters that had no event: no sample was made */
	uint64_t full;    /* times the memory was found full: records after it are missing */
	uint8_t reserved[32];
};
_Static_assert(sizeof(struct tr_precise_ledger) == 64, "tr_precise_ledger");

#endif
