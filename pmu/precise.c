/* SPDX-License-Identifier: MIT */
#include "pmu/precise.h"

struct tr_precise_ledger precise_ledgers[TR_MAX_CPUS];
struct sampled_operations sampled_operations[TR_MAX_CPUS];
