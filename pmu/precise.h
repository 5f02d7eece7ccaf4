/* SPDX-License-Identifier: MIT */
/* The account of each CPU's own records of samples (x86: PEBS), for the ledger. */
#ifndef PMU_PRECISE_H
#define PMU_PRECISE_H

#include "abi/trace_region.h"

/* Indexed by CPU, of this run. The CPU itself writes; others may read after its events ended. */
extern struct tr_precise_ledger precise_ledgers[TR_MAX_CPUS];

#endif
