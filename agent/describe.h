/* SPDX-License-Identifier: MIT */
/* The region's description of the machine and of bareperf's own image. */
#ifndef AGENT_DESCRIBE_H
#define AGENT_DESCRIBE_H

#include "arch/arch.h"
#include "ringbuf/region_writer.h"

/* Fill in the region's first count CPUs from the platform's. The calling CPU is the first. Thread.
 */
void describe_cpus(const struct trace_region *region, const struct arch_platform *platform,
                   uint32_t count);

/* The name of the hypervisor below us that describe_cpus() found; "": none. Any context. */
const char *describe_hypervisor(void);

/* Fill in the first entry of the region's image table with bareperf's image. Thread. */
void describe_image(const struct trace_region *region);

#endif
