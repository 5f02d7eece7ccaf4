/* SPDX-License-Identifier: MIT */
/*
 * The plugin's recording: a trace region in memory that the host tool shares, a ring for each vCPU
 * (docs/trace-region.md). A vCPU's functions are called in its own thread.
 */
#ifndef PLUGIN_RECORDING_H
#define PLUGIN_RECORDING_H

#include "abi/outside.h"

struct recording_sample {
	uint32_t cpu;
	uint64_t pc;
	uint64_t time;         /* instructions of all vCPUs until then */
	const uint64_t *chain; /* pc and return addresses */
	unsigned chain_count;  /* 0: without callers */
};

/* Maps the region and lays it out for this number of vCPUs. machine: EM_*. 0 or a negative errno.
 */
int recording_open(const struct outside_config *config, uint32_t cpus, uint16_t machine);

/* Ends a recording that cannot begin: the host tool reads the reason. */
void recording_refuse(int status, const char *reason);

/* Shows the rings to the host tool, with a notice for the user (may be NULL), and waits until it
 * reads them, 10 s at most. */
void recording_begin(const char *notice);

/* Writes a sample. Waits while the ring is full: the guest does not notice that. If the reader
 * takes nothing for 10 s, the sample is lost, and counted. */
void recording_add(const struct recording_sample *sample);

/* Publishes a vCPU's counts. count: its instructions; time: as of a sample. Once the vCPUs have
 * stopped, of each. */
void recording_publish(uint32_t cpu, uint64_t count, uint64_t time);

/* All is written: the state becomes TR_COMPLETE. */
void recording_end(void);

#endif
