/* SPDX-License-Identifier: MIT */
/* Finds the trace region in a machine's memory through a GDB stub. */
#ifndef HOST_TOOLS_REGION_GDB_GDB_FIND_H
#define HOST_TOOLS_REGION_GDB_GDB_FIND_H

#include "abi/trace_region.h"
#include "host-tools/region/gdb/gdb_remote.h"

#define GDB_RANGES   16U
#define GDB_SCAN_MAX (1ULL << 40) /* limit of the sum of all ranges, bytes */

/* The addresses to search: one address, or each multiple of 2 MiB in some ranges. */
struct gdb_places {
	bool has_address;
	uint64_t address;
	struct {
		uint64_t from, to; /* the range [from, to) */
	} ranges[GDB_RANGES];
	size_t range_count;
	int timeout_ms; /* how long the search may wait for a region to appear */
};

/*
 * Finds the region of a stopped machine and copies its header. If the memory holds several regions,
 * the function lets the machine run for a while and takes the region whose heartbeat advances. The
 * machine is stopped at return, unless an error occurred. ended(context) returns true when the
 * caller no longer needs the result. -ENOENT: no region. -EEXIST: several regions; the error lists
 * them.
 */
int gdb_find(struct gdb_remote *remote, const struct gdb_places *places, bool (*ended)(void *),
             void *context, struct tr_header *header, uint64_t *address, struct error *error);

#endif
