/* SPDX-License-Identifier: MIT */
/*
 * A recording as a file on the volume that we were booted from (docs/stick.md): the perf.data that
 * the host tool writes of the same region, byte for byte, since it is the same code that does it.
 * Boot services only. Thread.
 */
#ifndef AGENT_VOLUME_VOLUME_H
#define AGENT_VOLUME_VOLUME_H

#include <stdint.h>

#include "host-tools/util/error.h"

/* Before a recording: whether there is a volume that takes the file of a region of so many bytes.
 * name: as record's -o has it; NULL: \bareperf\NNNN.data with the next free number. 0; -ENODEV: no
 * volume; -EROFS; -EEXIST: there is a file of this name; -ENOSPC; -EIO. */
int volume_check(uint64_t region_size, const char *name, struct error *error);

/* Write the region of size bytes, of which none is changed, so that a failure costs nothing but
 * time. What is being written where is said on the console. 0, or as above; -EPROTO: no region, or
 * a ring in it makes no sense. */
int volume_save(const void *region, uint64_t size, const char *name, struct error *error);

#endif
