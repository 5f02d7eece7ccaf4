/* SPDX-License-Identifier: MIT */
/* One CPU's ledgers in the region. */
#ifndef AGENT_RECORD_RECORD_LEDGER_H
#define AGENT_RECORD_RECORD_LEDGER_H

#include "agent/record/recording.h"

/* Write the CPU's counts and losses to the region, for the host. now: clock_now(). Context: the CPU
 * itself with interrupts masked, or its IRQ. A panic also publishes other CPUs, with the counts
 * that they had last read. */
void recording_publish(struct traced_cpu *c, uint64_t now);

/* Clean the ledgers, and at most so many bytes of records and AUX data, from the caches to memory,
 * so that they survive a reset. Does nothing unless the region is kept in RAM. Call it after
 * recording_publish(), in the same context. */
void recording_keep(struct traced_cpu *c, uint64_t most);

#endif
