/* SPDX-License-Identifier: MIT */
/* The progress line and the stop key, served by ticks beside the workload. */
#ifndef AGENT_RECORD_RECORD_BESIDE_H
#define AGENT_RECORD_RECORD_BESIDE_H

#include "agent/record/recording.h"

/*
 * The progress line, for a recording that no host reads. It is drawn on the screen's last row once
 * a second. Resident, it is also sent on the firmware's serial line; otherwise it is printed on the
 * console every ten seconds.
 *
 * begin, end: thread. tick: timer tick of one CPU; now is in ns of clock_steady(). A tick draws at
 * most one character.
 */
void recording_progress_begin(struct recording *r);
void recording_progress_tick(struct recording *r, uint64_t now);
void recording_progress_end(struct recording *r);

/*
 * The key that ends a recording (channel/stop_key.h), from a serial line or from a keyboard behind
 * an i8042.
 *
 * begin, end: thread. tick: timer tick of the first traced CPU; it looks for the key. leave: timer
 * tick of any traced CPU, when the key has stopped its events; it makes the workload end. regs: the
 * registers of the interrupted code.
 */
void recording_keys_begin(struct recording *r);
void recording_keys_tick(struct recording *r);
void recording_keys_leave(const struct recording *r, const struct arch_regs *regs);
void recording_keys_end(struct recording *r);

#endif
