/* SPDX-License-Identifier: MIT */
/*
 * The request of `bareperf run --outside` to its plugin in QEMU: a file of this one struct, whose
 * descriptor QEMU inherits. Tool and plugin come from one build, so there is one version.
 */
#ifndef ABI_OUTSIDE_H
#define ABI_OUTSIDE_H

#include "abi/trace_region.h"

#define OUTSIDE_MAGIC   0x004544495354554fULL /* the bytes "OUTSIDE" */
#define OUTSIDE_VERSION 2U

/* Privilege levels, one bit each. x86: CPL 3, CPL 0 to 2. Arm: EL0, EL1, EL2, EL3. */
#define OUTSIDE_USER       (1U << 0)
#define OUTSIDE_KERNEL     (1U << 1)
#define OUTSIDE_HYPERVISOR (1U << 2)
#define OUTSIDE_MONITOR    (1U << 3)
#define OUTSIDE_LEVELS     15U

/* How a sample gets its callers. */
#define OUTSIDE_CALLERS_NONE  0U
#define OUTSIDE_CALLERS_FP    1U /* by frame pointers: the plugin reads registers and memory */
#define OUTSIDE_CALLERS_CALLS 2U /* by the calls and returns that the guest executed */
#define OUTSIDE_CALLERS_ANY   3U /* by frame pointers if this QEMU can, else by calls */

struct outside_config {
	uint64_t magic;       /* OUTSIDE_MAGIC */
	uint32_t version;     /* OUTSIDE_VERSION */
	uint32_t size;        /* of this struct */
	uint64_t period;      /* instructions per sample, of each vCPU; 1 at least */
	uint64_t region_size; /* bytes of the trace region's file */
	int32_t region_fd;    /* in QEMU's process */
	uint32_t levels;      /* OUTSIDE_*: the levels whose instructions count */
	uint32_t callers;     /* OUTSIDE_CALLERS_* */
	uint32_t one_thread;  /* 1: QEMU runs all vCPUs on one thread (-icount) */
	uint32_t image_count;
	uint32_t reserved;
	struct tr_image images[TR_MAX_IMAGES];
	char event[64];
	char command[1024];
};

#endif
