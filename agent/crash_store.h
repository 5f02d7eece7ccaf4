/* SPDX-License-Identifier: MIT */
/*
 * The crash store (docs/crash-store.md): the next start finds recordings that survived a reset in
 * RAM, and writes them to files on the volume. ringbuf/keep.h makes a recording survive. Boot
 * services only. Thread.
 */
#ifndef AGENT_CRASH_STORE_H
#define AGENT_CRASH_STORE_H

/* Look for surviving recordings, and reserve their memory. After memory_init(), before anything is
 * allocated. */
void crash_store_find(void);

/* Write them to files. After crash_store_find(), before agent_open(). */
void crash_store_save(void);

/* The command `recover`: print the number of recovered recordings. Returns 0, or a negative errno
 * if one could not be written, which is printed as well. */
int crash_store_report(void);

/* Warn if the firmware or the machine is known to lose the contents of RAM at a reset. */
void crash_store_warn(void);

#endif
