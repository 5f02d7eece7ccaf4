/* SPDX-License-Identifier: MIT */
/* Writes one line per stack: the frames with ";" between them, the outermost first, a space, and
 * the stack's own weight. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/util/put_text.h"

static void put_name(const struct export *export, uint32_t function)
{
	char text[256];

	put_text(export->out, export_function(export, function, text), SIZE_MAX, '_', "; ");
}

static void put_stack(const struct export *export, uint32_t node, uint64_t weight)
{
	uint32_t stack[FRAMES_MAX], depth = export_stack(&export->places, node, stack);

	for (uint32_t i = 0; i < depth; i++) {
		put_name(export, stack[i]);
		putc(i + 1 < depth ? ';' : ' ', export->out);
	}
	fprintf(export->out, "%" PRIu64 "\n", weight);
}

static int put_stacks(const struct export *export, const struct export_sums *sums)
{
	const struct places *places = &export->places;
	uint32_t event = export_event(export, export->only);
	uint64_t *weights = calloc(places->nodes.count + 1U, sizeof(*weights));

	if (!weights)
		return -ENOMEM;
	for (uint32_t i = 0; i < places->places.count; i++)
		weights[places->places.keys[i].a] +=
		    sums->sums[(size_t)i * sums->events + event].weight;
	for (uint32_t i = 0; i < places->nodes.count; i++) {
		if (weights[i])
			put_stack(export, i, weights[i]);
	}
	free(weights);
	return 0;
}

int export_folded(struct export *export, struct error *error)
{
	struct export_sums sums = { 0 };
	int code = 0;

	if (!export->only) /* weights of different events cannot be added */
		code = recording_file_event(export->file, NULL, &export->only, error);
	if (code)
		return code;
	code = export_sum_up(export, &sums, error);
	if (!code && put_stacks(export, &sums))
		code = error_set(error, -ENOMEM, "no memory for the stacks");
	free(sums.sums);
	return code;
}
