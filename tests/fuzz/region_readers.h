/* SPDX-License-Identifier: MIT */
/* Regions that fuzz targets change, and everything in the host tool that reads a region. */
#ifndef TESTS_FUZZ_REGION_READERS_H
#define TESTS_FUZZ_REGION_READERS_H

#include "tests/unit/host-tools/region_fixture.h"

enum region_kind {
	REGION_BACKWARD, /* two rings, one of them overwritable */
	REGION_BTS,      /* both rings have an AUX area */
	REGION_SPE,
	REGION_SNAPSHOT, /* SPE in snapshot mode */
	REGION_KINDS
};

/* Write a region of this kind, as it is after its run, to the memory that readers map, so that the
 * caller can change it. The memory always has the same address, and FIXTURE_SIZE bytes. */
uint8_t *region_renew(enum region_kind kind);

/* Offset of that region's first ring: header and tables are before it. */
size_t region_rings_begin(void);

/* Get patch i of an input's list {u24 offset, u8 value}. Returns false after the last. */
#define REGION_PATCH 4U /* bytes */
bool region_patch(const uint8_t *data, size_t size, size_t i, size_t *place, uint8_t *value);

/* Run `dump` on it; a session that writes a file; the functions that `run` calls before and after a
 * session. */
void region_dump(void);
void region_record(void);
void region_ask(void);

/* After region_renew() without changes: dump and session must find that all records are conserved.
 * */
void region_require_conserved(void);

#endif
