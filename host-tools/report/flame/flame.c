/* SPDX-License-Identifier: MIT */
/* The tree of all call stacks. */
#include "host-tools/report/flame/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/put_text.h"

/* Get the child with this name; create it if it is missing. Children are sorted by name, so that
 * the drawing does not depend on the order of the samples. */
static struct flame_node *child(struct flame_node *parent, const char *name)
{
	struct flame_node **link = &parent->children;
	struct flame_node *node;

	for (; *link; link = &(*link)->next) {
		int order = (*link)->name == name ? 0 : strcmp((*link)->name, name);

		if (order == 0)
			return *link;
		if (order > 0)
			break;
	}
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->name = name;
	node->next = *link;
	*link = node;
	return node;
}

void flame_add(struct flame *flame, const char *const *frames, uint32_t count, uint64_t weight)
{
	struct flame_node *node = &flame->root;

	if (count > FLAME_MAX_DEPTH)
		count = FLAME_MAX_DEPTH;
	if (count > flame->depth)
		flame->depth = count;
	flame->samples++;
	node->weight += weight;
	for (uint32_t i = 0; i < count; i++) {
		node = child(node, frames[i]);
		if (!node) {
			flame->failed = -ENOMEM;
			return;
		}
		node->weight += weight;
	}
}

/* Recursive; the depth is at most FLAME_MAX_DEPTH. */
static void free_children(struct flame_node *node)
{
	while (node->children) {
		struct flame_node *first = node->children;

		node->children = first->next;
		free_children(first);
		free(first);
	}
}

void flame_free(struct flame *flame)
{
	free_children(&flame->root);
	*flame = (struct flame){ 0 };
}

static void fold(const struct flame_node *node, const char **path, uint32_t depth, FILE *out)
{
	uint64_t own = node->weight;

	for (const struct flame_node *c = node->children; c; c = c->next) {
		own -= c->weight;
		path[depth] = c->name;
		fold(c, path, depth + 1, out);
	}
	if (!own || !depth)
		return;
	for (uint32_t i = 0; i < depth; i++) {
		put_text(out, path[i], SIZE_MAX, '_', ";");
		putc(i + 1 < depth ? ';' : ' ', out);
	}
	fprintf(out, "%" PRIu64 "\n", own);
}

void flame_fold(const struct flame *flame, FILE *out)
{
	const char *path[FLAME_MAX_DEPTH + 1];

	fold(&flame->root, path, 0, out);
}
