/* SPDX-License-Identifier: MIT */
/*
 * The crash keeper (docs/crash-store.md): what a reset has left of earlier recordings in RAM is
 * found by the next start, and becomes files on the volume. What has it outlive a reset is
 * ringbuf/keep.h. Boot services only. Thread.
 */
#ifndef AGENT_CRASH_STORE_H
#define AGENT_CRASH_STORE_H

/* Look for them; nobody else is given their memory. After memory_init(), before anything is
 * allocated. */
void crash_store_find(void);

/* Have them become files. After crash_store_find(), before agent_open(). */
void crash_store_save(void);

/* The command `recover`: how many there were. 0, or why one could not be written, a negative errno,
 * which is said. */
int crash_store_report(void);

/* Say what is known to have this machine's RAM forget at a reset, if anything is. */
void crash_store_warn(void);

#endif
