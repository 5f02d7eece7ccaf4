/* SPDX-License-Identifier: MIT */
/* The periodic tick of a traced CPU. */
#ifndef AGENT_RECORD_RECORD_TICK_H
#define AGENT_RECORD_RECORD_TICK_H

#include "agent/record/recording.h"

/* The tick's work, every TICK_NS. Timer IRQ. */
void recording_tick(struct tick *tick, const struct arch_regs *regs);

/* The parts of the tick that still run while --lossless stalls the CPU. The first traced CPU looks
 * for the stop key; each CPU publishes its ledgers; the first one also updates the progress line
 * and resets the watchdog. Context: a handler that interrupted a thread. */
void recording_tick_look_for_key(struct traced_cpu *c);
void recording_tick_publish(struct traced_cpu *c);

/* The whole tick of a stalled CPU. Context: a handler that interrupted a thread. */
void recording_tick_stalled(struct traced_cpu *c);

/* The attend operation of an event with an AUX area: obey a stop that the host has asked for.
 * Context: as recording_stop_by_nmi(). */
void recording_attend(struct perf_event *event);

#endif
