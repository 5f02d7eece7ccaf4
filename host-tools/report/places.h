/* SPDX-License-Identifier: MIT */
/*
 * Where samples were taken, each place once: an address, reached by a stack. Stacks are a tree of
 * functions; a parent's number is less than its children's. Thread: the one that made it.
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
	struct inlines *inlines; /* NULL: a function is a symbol */
	bool all_frames;         /* those above main(), too (frames_ours()) */
	struct intern functions; /* a: file, b: name; const char *, either may be NULL */
	struct intern nodes;     /* a: its parent's number + 1, or 0; b: its function's number */
	bool *ours;              /* by node: above main() in a stack (frames_ours()), all_frames' */
	uint32_t ours_room;
	struct intern places;    /* a: its node's number; b: the address, symbols_at()'s */
	struct intern addresses; /* a: the same, looked up before */
	struct intern chains;    /* a: the number + 1 of what it is inlined in, or 0; b: function */
	uint32_t *found;         /* by address: its chain */
	uint32_t found_room;
};

/* The number of the place where a sample was taken; INTERN_NONE: no memory. */
uint32_t places_add(struct places *places, const struct sample *sample);

/* The function's texts; NULL: nobody knows. */
const char *places_file(const struct places *places, uint32_t function);
const char *places_function(const struct places *places, uint32_t function);

void places_free(struct places *places);

#endif
