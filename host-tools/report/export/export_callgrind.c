/* SPDX-License-Identifier: MIT */
/*
 * Writes Callgrind's format: each function's own cost, and the cost of its calls to other
 * functions. Source: Valgrind manual, "Callgrind Format Specification". Samples do not show how
 * often a function was called, so every count is 1, the least that readers accept for a call. A
 * recording without samples uses the trace of all branches. "???" is Valgrind's name for an unknown
 * source file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/util/put_text.h"

struct callgrind {
	struct export *export;
	struct export_sums sums;
	uint64_t *weights;   /* weight of each node with all nodes below it, by event */
	struct intern calls; /* a: the caller's function, b: the called one's */
	uint64_t *costs;     /* of each call, by event */
};

static uint64_t *weights_of(const struct callgrind *c, uint64_t node)
{
	return &c->weights[node * c->sums.events];
}

static void add(uint64_t *to, const uint64_t *from, uint32_t events)
{
	for (uint32_t i = 0; i < events; i++)
		to[i] += from[i];
}

/* Sum the costs of each pair of caller and called function, which may occur at many nodes of the
 * tree. */
static int sum_calls(struct callgrind *c)
{
	const struct places *places = &c->export->places;
	uint32_t events = c->sums.events, room = places->nodes.count + 1U;

	c->weights = calloc((size_t)room * events, sizeof(*c->weights));
	c->costs = calloc((size_t)room * events, sizeof(*c->costs));
	if (!c->weights || !c->costs)
		return -ENOMEM;
	for (uint32_t i = 0; i < places->places.count; i++) {
		for (uint32_t e = 0; e < events; e++)
			weights_of(c, places->places.keys[i].a)[e] +=
			    c->sums.sums[(size_t)i * events + e].weight;
	}
	for (uint32_t i = places->nodes.count; i--;) { /* children come first */
		const struct intern_key *node = &places->nodes.keys[i];
		uint32_t call;

		if (!node->a)
			continue;
		add(weights_of(c, node->a - 1), weights_of(c, i), events);
		call = intern(&c->calls, places->nodes.keys[node->a - 1].b, node->b);
		if (call == INTERN_NONE)
			return -ENOMEM;
		add(&c->costs[(size_t)call * events], weights_of(c, i), events);
	}
	return 0;
}

static bool is_wanted(const struct export *export, uint32_t event)
{
	const struct perf_reader_event *one = &export->file->reader.events[event];

	return one->samples && (!export->only || export->only == one);
}

static bool has_samples(const struct export *export)
{
	for (uint32_t e = 0; e < export->file->reader.event_count; e++) {
		if (is_wanted(export, e))
			return true;
	}
	return false;
}

static void put_costs(const struct callgrind *c, const uint64_t *costs)
{
	putc('0', c->export->out); /* the source line: unknown */
	for (uint32_t e = 0; e < c->sums.events; e++) {
		if (is_wanted(c->export, e))
			fprintf(c->export->out, " %" PRIu64, costs[e]);
	}
	putc('\n', c->export->out);
}

/* Write a name as the last field of a line. */
static void put_name(const struct callgrind *c, const char *prefix, const char *key,
                     const char *text)
{
	fprintf(c->export->out, "%s%s=", prefix, key);
	export_put_line(c->export->out, text);
}

/* Write the lines that name a function. prefix: "", or "c" for a called function. */
static void put_function(const struct callgrind *c, const char *prefix, uint32_t function)
{
	const char *file = places_file(&c->export->places, function);
	char text[256];

	put_name(c, prefix, "ob", file ? file : "[unknown]");
	put_name(c, prefix, "fl", "???");
	put_name(c, prefix, "fn", export_function(c->export, function, text));
}

static void put_events(const struct export *export)
{
	fputs("# callgrind format\nversion: 1\ncreator: bareperf " BAREPERF_VERSION
	      "\npositions: line\nevents:",
	      export->out);
	for (uint32_t e = 0; e < export->file->reader.event_count; e++) {
		if (!is_wanted(export, e))
			continue;
		putc(' ', export->out);
		put_text(export->out, export->file->reader.events[e].name, SIZE_MAX, '_', " ");
	}
	fputs("\n\n", export->out);
}

/* Write each function's own cost, from the sums of its places. */
static int put_selves(const struct callgrind *c)
{
	const struct places *places = &c->export->places;
	uint32_t events = c->sums.events;
	uint64_t *selves = calloc((size_t)(places->functions.count + 1) * events, sizeof(*selves));

	if (!selves)
		return -ENOMEM;
	for (uint32_t i = 0; i < places->places.count; i++) {
		uint64_t function = places->nodes.keys[places->places.keys[i].a].b;

		for (uint32_t e = 0; e < events; e++)
			selves[function * events + e] +=
			    c->sums.sums[(size_t)i * events + e].weight;
	}
	for (uint32_t i = 0; i < places->functions.count; i++) {
		put_function(c, "", i);
		put_costs(c, &selves[(size_t)i * events]);
	}
	free(selves);
	return 0;
}

static void put_calls(const struct callgrind *c)
{
	for (uint32_t i = 0; i < c->calls.count; i++) {
		put_function(c, "", (uint32_t)c->calls.keys[i].a);
		put_function(c, "c", (uint32_t)c->calls.keys[i].b);
		fputs("calls=1 0\n", c->export->out);
		put_costs(c, &c->costs[(size_t)i * c->sums.events]);
	}
}

int export_callgrind(struct export *export, struct error *error)
{
	struct callgrind c = { .export = export };
	int code = export_sum_up(export, &c.sums, error);

	if (!code && !has_samples(export)) {
		code = export_callgrind_trace(export, error);
	} else if (!code) {
		put_events(export);
		code = put_selves(&c);
		if (!code)
			code = sum_calls(&c);
		if (code)
			error_set(error, code, "no memory for the functions");
		else
			put_calls(&c);
	}
	intern_free(&c.calls);
	free(c.costs);
	free(c.weights);
	free(c.sums.sums);
	return code;
}
