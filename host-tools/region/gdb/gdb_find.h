/* SPDX-License-Identifier: MIT */
/* Where in a machine's memory the trace region lies, through a GDB stub. */
#ifndef HOST_TOOLS_REGION_GDB_GDB_FIND_H
#define HOST_TOOLS_REGION_GDB_GDB_FIND_H

#include "abi/trace_region.h"
#include "host-tools/region/gdb/gdb_remote.h"

#define GDB_RANGES   16U
#define GDB_SCAN_MAX (1ULL << 40) /* bytes of all ranges */

/* Where to look: at one address, or at each multiple of 2 MiB in some ranges. */
struct gdb_places {
	bool has_address;
	uint64_t address;
	struct {
		uint64_t from, to; /* the end is not looked at */
	} ranges[GDB_RANGES];
	size_t range_count;
	int timeout_ms; /* for a region to be there */
};

/*
 * Find the region of a machine that stands, and copy its header. Of several the one whose heartbeat
 * goes on: for that the machine runs a while. Stands afterwards, unless something failed.
 * ended(context): nobody wants to know any more. -ENOENT: none; -EEXIST: several, which the error
 * lists.
 */
int gdb_find(struct gdb_remote *remote, const struct gdb_places *places, bool (*ended)(void *),
             void *context, struct tr_header *header, uint64_t *address, struct error *error);

#endif
