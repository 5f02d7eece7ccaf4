/* SPDX-License-Identifier: MIT */
/* Regions for fuzz targets to spoil, and all that the host tool reads of one. */
#ifndef TESTS_FUZZ_REGION_READERS_H
#define TESTS_FUZZ_REGION_READERS_H

#include "tests/unit/host-tools/region_fixture.h"

enum region_kind {
	REGION_BACKWARD, /* two rings, one of them overwritable */
	REGION_BTS,      /* both with an AUX area */
	REGION_SPE,
	REGION_SNAPSHOT, /* SPE, overwritten */
	REGION_KINDS
};

/* The memory that readers will map, as the region of this kind is after its run; spoil it. It
 * stays where it is: FIXTURE_SIZE bytes. */
uint8_t *region_renew(enum region_kind kind);

/* Where that region's first ring begins: header and tables lie before. */
size_t region_rings_begin(void);

/* Patch i of a list {u24 place, u8 value}, as inputs are. False behind the last. */
#define REGION_PATCH 4U /* bytes */
bool region_patch(const uint8_t *data, size_t size, size_t i, size_t *place, uint8_t *value);

/* `dump` of it; a session and its file; what `run` asks before and after one. */
void region_dump(void);
void region_record(void);
void region_ask(void);

/* Of the last region_renew(), which must be good: dump and session find all conserved. */
void region_require_conserved(void);

#endif
