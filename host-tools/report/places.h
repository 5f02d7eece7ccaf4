/* SPDX-License-Identifier: MIT */
/*
 * The places where samples were taken, each stored once. A place is an address and the call stack
 * that reached it. The stacks form a tree of functions (nodes); a parent's number is less than its
 * children's numbers. Thread: the thread that created the places.
 */
#ifndef HOST_TOOLS_REPORT_PLACES_H
#define HOST_TOOLS_REPORT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/intern.h"
#include "host-tools/report/symbols/inlines.h"
#include "host-tools/report/symbols/symbols.h"
#include "writer/perfdata/sample.h"

struct places {
	struct symbols *symbols;
	struct inlines *inlines; /* NULL: inlined functions are not shown */
	bool all_frames;         /* keep the frames above main() (frames_ours()) */
	struct intern functions; /* a: file, b: name; const char *, either may be NULL */
	struct intern nodes;     /* a: parent's number + 1, 0: root; b: function's number */
	bool *ours;              /* by node: the node is above main(); used if all_frames */
	uint32_t ours_room;
	struct intern places;    /* a: node's number; b: address from symbols_at() */
	struct intern addresses; /* a: address from symbols_at() that was looked up before */
	struct intern chains;    /* a: number + 1 of the enclosing chain, 0: none; b: function */
	uint32_t *found;         /* by the address's number: its chain of inlined functions */
	uint32_t found_room;
};

/* Return the number of the place where a sample was taken. INTERN_NONE: memory ran out. */
uint32_t places_add(struct places *places, const struct sample *sample);

/* The file and the name of a function. NULL: unknown. */
const char *places_file(const struct places *places, uint32_t function);
const char *places_function(const struct places *places, uint32_t function);

void places_free(struct places *places);

#endif
