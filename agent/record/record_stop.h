/* SPDX-License-Identifier: MIT */
/* Stop or pause the events of a CPU before the workload ends. */
#ifndef AGENT_RECORD_RECORD_STOP_H
#define AGENT_RECORD_RECORD_STOP_H

#include "agent/record/recording.h"

/* Stop the CPU's events if the host, the stop key or a typed line asks for it. is_asked: the
 * mailbox holds a command. Returns whether the events are stopped. Context: as
 * recording_stop_by_nmi(). */
bool recording_obey_stop(struct traced_cpu *c, bool is_asked);

/* Stop the calling CPU's events if the host asks for it. Context: an NMI, which also reaches a CPU
 * that masks the tick. The NMI must have interrupted a thread: a handler, a start or a stop may be
 * changing the CPU's events and timers. */
void recording_stop_by_nmi(struct traced_cpu *c);

/* Signal each other traced CPU whose events have not stopped. Where the signal is an NMI, it stops
 * them. Any context. */
void recording_signal_others(const struct recording *r);

/* Pause or resume the calling CPU's events if the program has asked for it. Context: as
 * recording_stop_by_nmi(), or an IRQ that interrupted no change of the events. */
void recording_switch_here(struct traced_cpu *c);

/* Returns whether recording_switch_here() would pause or resume the CPU's events. Any context. */
bool recording_switch_is_due(const struct traced_cpu *c);

#endif
