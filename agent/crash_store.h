/* SPDX-License-Identifier: MIT */
/*
 * The crash store (docs/crash-store.md): the next start finds earlier recordings that a reset left
 * in RAM, and writes them to files on the volume. ringbuf/keep.h makes them survive the reset. Boot
 * services only. Thread.
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
