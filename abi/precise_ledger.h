/* SPDX-License-Identifier: MIT */
/* The account of samples that the hardware writes into memory by itself (x86: PEBS; Arm: SPE); part
 * of a ring's ledger. */
#ifndef ABI_PRECISE_LEDGER_H
#define ABI_PRECISE_LEDGER_H

#include <stdint.h>

/* Operations that SPE could sample, as the core PMU counted them (Arm ARM, D13.12, SAMPLE_POP and
 * its like); each is TR_UNKNOWN if no counter was free for it. All are 0 without SPE.
 * population = (fed + collided) * interval + tr_ring_ledger.operations_rest. */
struct tr_operation_ledger {
	uint64_t population; /* executed while SPE sampled */
	uint64_t fed;        /* sampled */
	uint64_t kept;       /* of those, not removed by a filter */
	uint64_t collided;   /* chosen before the last one's record was complete: not sampled */
};
_Static_assert(sizeof(struct tr_operation_ledger) == 32, "tr_operation_ledger");

/* records + common = samples + foreign; samples: the sum of tr_event_ledger.precise on this CPU. */
struct tr_precise_ledger {
	uint64_t records; /* written by the hardware */
	uint64_t common;  /* a record for n counters counts n - 1 here */
	/* records' counters that had no event, or (x86: IBS) records that a filter discarded: no
	 * sample was made */
	uint64_t foreign;
	uint64_t full;    /* times the memory was found full: records after it are missing */
	struct tr_operation_ledger operations;
};
_Static_assert(sizeof(struct tr_precise_ledger) == 64, "tr_precise_ledger");

#endif
