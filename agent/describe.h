/* SPDX-License-Identifier: MIT */
/* The region's description of the machine and of bareperf's own image. */
#ifndef AGENT_DESCRIBE_H
#define AGENT_DESCRIBE_H

#include "arch/arch.h"
#include "ringbuf/region_writer.h"

/* The region's first count CPUs, as the platform has them; the calling one is the first. Thread. */
void describe_cpus(const struct trace_region *region, const struct arch_platform *platform,
                   uint32_t count);

/* The first entry of its image table. Thread. */
void describe_image(const struct trace_region *region);

#endif
