/* SPDX-License-Identifier: MIT */
/* The account of each CPU's own records of samples (x86: PEBS; Arm: SPE), for the ledger. */
#ifndef PMU_PRECISE_H
#define PMU_PRECISE_H

#include "abi/trace_region.h"

/* Indexed by CPU, of this run. The CPU itself writes; others may read after its events ended. */
extern struct tr_precise_ledger precise_ledgers[TR_MAX_CPUS];

/* The operations that each CPU's SPE could sample, likewise. */
struct sampled_operations {
	struct tr_operation_ledger ledger;
	uint64_t rest; /* tr_ring_ledger.operations_rest */
};
extern struct sampled_operations sampled_operations[TR_MAX_CPUS];

#endif
