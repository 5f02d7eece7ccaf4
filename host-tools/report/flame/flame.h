/* SPDX-License-Identifier: MIT */
/* A flame graph: the tree of all call stacks, and the code that draws it. */
#ifndef HOST_TOOLS_REPORT_FLAME_FLAME_H
#define HOST_TOOLS_REPORT_FLAME_FLAME_H

#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/frames.h"

#define FLAME_MAX_DEPTH FRAMES_MAX

struct flame_node {
	const char *name; /* not owned by the node */
	uint64_t weight;  /* weight of all stacks that contain this node */
	struct flame_node *children;
	struct flame_node *next; /* next sibling, sorted by name */
};

struct flame {
	struct flame_node root;
	uint32_t depth; /* of the deepest stack */
	uint64_t samples;
	int failed; /* -ENOMEM: the tree is incomplete */
};

/* Add a call stack with this weight, the outermost frame first. Frames are equal if their names are
 * equal texts. Frames beyond FLAME_MAX_DEPTH are cut off. */
void flame_add(struct flame *flame, const char *const *frames, uint32_t count, uint64_t weight);

void flame_free(struct flame *flame);

/* Draw the flame graph as a self-contained SVG with a script for search and zoom. */
void flame_draw(const struct flame *flame, const char *title, const char *unit, FILE *out);

/* Print one line per stack: the frames with ";" between them, a space, and the stack's own weight.
 */
void flame_fold(const struct flame *flame, FILE *out);

#endif
