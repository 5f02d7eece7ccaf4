/* SPDX-License-Identifier: MIT */
/* A flame graph: the tree of all call stacks, and its drawing. */
#ifndef HOST_TOOLS_REPORT_FLAME_FLAME_H
#define HOST_TOOLS_REPORT_FLAME_FLAME_H

#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/frames.h"

#define FLAME_MAX_DEPTH FRAMES_MAX

struct flame_node {
	const char *name; /* not ours */
	uint64_t weight;  /* of all stacks that go through here */
	struct flame_node *children;
	struct flame_node *next; /* of its parent's children, by name */
};

struct flame {
	struct flame_node root;
	uint32_t depth; /* of the deepest stack */
	uint64_t samples;
	int failed; /* -ENOMEM: the tree is incomplete */
};

/* Add a stack, outermost frame first, of this weight. Equal names must have equal text; they
 * are compared as text. Frames beyond FLAME_MAX_DEPTH are cut off. */
void flame_add(struct flame *flame, const char *const *frames, uint32_t count, uint64_t weight);

void flame_free(struct flame *flame);

/* Draw it as a self-contained SVG with a script that searches and zooms. */
void flame_draw(const struct flame *flame, const char *title, const char *unit, FILE *out);

/* One line a stack: frames with ";" between, a space, its own weight. */
void flame_fold(const struct flame *flame, FILE *out);

#endif
