/* SPDX-License-Identifier: MIT */
/*
 * Sections in which a thread has a lock that threads of other CPUs spin for. `--lossless` does not
 * stall the CPU in such a section, but at its end:
 *
 *	thread of the payload		handlers on its CPU
 *	lossless_hold()
 *	  the section		◀──	the ring is low: lossless_hold_defers() notes it
 *	lossless_release()
 *	  it was noted: the CPU signals itself, and the signal's handler stalls it
 */
#ifndef AGENT_RECORD_LOSSLESS_LOSSLESS_HOLD_H
#define AGENT_RECORD_LOSSLESS_LOSSLESS_HOLD_H

#include <stdbool.h>

/* Begin and end the calling thread's section. Sections do not nest. A section that is longer than
 * the ring's reserve lasts, or that fills an AUX area, does not keep the CPU from stalling. Thread,
 * also the payload's. */
void lossless_hold(void);
void lossless_release(void);

/* Whether the calling CPU's thread is in a section. If so, the section's end signals the CPU. The
 * CPU's own handler or thread. */
bool lossless_hold_defers(unsigned cpu);

#endif
