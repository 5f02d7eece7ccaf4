/* SPDX-License-Identifier: MIT */
/*
 * The crash keeper (docs/crash-store.md): what a reset has left of earlier recordings in RAM is
 * found by the next start, and becomes files on the volume. What has it outlive a reset is
 * ringbuf/keep.h. Boot services only. Thread.
 */
#ifndef AGENT_KEEPER_H
#define AGENT_KEEPER_H

/* Look for them; nobody else is given their memory. After memory_init(), before anything is
 * allocated. */
void keeper_find(void);

/* Have them become files. After keeper_find(), before agent_open(). */
void keeper_save(void);

/* The command `recover`: how many there were. 0, or why one could not be written, a negative errno,
 * which is said. */
int keeper_answer(void);

/* Say what is known to have this machine's RAM forget at a reset, if anything is. */
void keeper_warn(void);

#endif
