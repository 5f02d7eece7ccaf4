/* SPDX-License-Identifier: MIT */
/* A line a stack: frames, the outermost first, with ";" between, a space, its own weight. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/export_format.h"
#include "host-tools/report/frames.h"

static void put_name(const struct export *export, uint32_t function)
{
	char text[256];

	for (const char *name = export_function(export, function, text); *name; name++)
		putc(*name == ';' || (unsigned char)*name <= ' ' ? '_' : *name, export->out);
}

static void put_stack(const struct export *export, uint32_t node, uint64_t weight)
{
	const struct intern_key *nodes = export->places.nodes.keys;
	uint32_t path[FRAMES_MAX], depth = 0;

	for (uint64_t at = node + 1U; at && depth < FRAMES_MAX; at = nodes[at - 1].a)
		path[depth++] = (uint32_t)nodes[at - 1].b;
	while (depth) {
		put_name(export, path[--depth]);
		putc(depth ? ';' : ' ', export->out);
	}
	fprintf(export->out, "%" PRIu64 "\n", weight);
}

int export_folded(struct export *export, struct error *error)
{
	struct export_sums sums;
	uint64_t *weights = NULL;
	uint32_t event;
	int code = 0;

	if (!export->only) /* weights of different events do not add up */
		code = recording_file_event(export->file, NULL, &export->only, error);
	if (code)
		return code;
	event = export_event(export, export->only);
	code = export_sum_up(export, &sums, error);
	if (!code)
		weights = calloc(export->places.nodes.count + 1U, sizeof(*weights));
	if (!code && !weights)
		code = error_set(error, -ENOMEM, "no memory for the stacks");
	for (uint32_t i = 0; !code && i < export->places.places.count; i++)
		weights[export->places.places.keys[i].a] +=
		    sums.sums[(size_t)i * sums.events + event].weight;
	for (uint32_t i = 0; !code && i < export->places.nodes.count; i++) {
		if (weights[i])
			put_stack(export, i, weights[i]);
	}
	free(weights);
	free(sums.sums);
	return code;
}
