/* SPDX-License-Identifier: MIT */
/* `bareperf annotate`: prints hot functions with source and assembly, like `perf annotate --stdio'.
 */
#include "host-tools/report/annotate/annotate.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/annotate/annotation.h"
#include "host-tools/report/intern.h"
#include "host-tools/report/view.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/sample.h"

struct annotate_options {
	const char *input;
	const char *event;  /* NULL: the event with the most samples */
	const char *symbol; /* NULL: all functions with samples */
	double limit;       /* percent of all; functions below are left out */
	struct pe_search search;
};

enum { KEY_STDIO = 256, KEY_PERCENT_LIMIT };

static const struct argp_option argp_options[] = {
	{ "input", 'i', "FILE", 0, "the recording (default: perf.data)", 0 },
	{ "event", 'e', "NAME", 0, "the event (default: the one with the most samples)", 0 },
	{ "symbol", 's', "SYMBOL", 0, "only this function (default: all, the hottest first)", 0 },
	{ "percent-limit", KEY_PERCENT_LIMIT, "PERCENT", 0, "omit functions below this share", 0 },
	{ "stdio", KEY_STDIO, NULL, 0, "print text: the default", 0 },
	PE_SEARCH_OPTION,
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct annotate_options *options = state->input;
	switch (key) {
	case 'i':
		options->input = arg;
		return 0;
	case 'e':
		options->event = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (options->symbol)
			argp_error(state, "%s: one function, or none; the recording is -i's", arg);
		/* fall through */
	case 's':
		options->symbol = arg;
		return 0;
	case KEY_PERCENT_LIMIT:
		options->limit = argument_percent(state, "--percent-limit", arg);
		return 0;
	case PE_SEARCH_KEY:
		pe_search_add(&options->search, arg);
		return 0;
	case KEY_STDIO:
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[SYMBOL]",
	.doc =
	    "Print the instructions of the functions in which an event happened, each with its "
	    "share of the function's samples, and the source lines, as `perf annotate --stdio' "
	    "does.\vExit status: 0 done, 1 error, 2 wrong usage.",
};

/* The samples, summed by address. */
struct places_sampled {
	const struct perf_reader_event *event;
	const struct symbols *symbols;
	struct intern addresses;
	struct annotation_place *places; /* by the address's number */
	uint32_t room;
	uint64_t weight;
};

static int note(struct places_sampled *sampled, uint64_t address, uint64_t weight)
{
	uint32_t number = intern(&sampled->addresses, address, 0);
	struct annotation_place *place;

	if (number == INTERN_NONE || !ARRAY_REACH(sampled->places, sampled->room, number))
		return -ENOMEM;
	place = &sampled->places[number];
	place->address = address;
	place->weight += weight;
	place->samples++;
	sampled->weight += weight;
	return 0;
}

static int visit(void *context, struct perf_reader *reader, const struct perf_event_header *record)
{
	struct places_sampled *sampled = context;
	const struct perf_event_attr *attr = &sampled->event->attr;
	struct sample sample;

	if (record->type != PERF_RECORD_SAMPLE ||
	    perf_reader_event_of(reader, record) != sampled->event ||
	    !sample_parse(record, attr, &sample))
		return 0;
	return note(sampled, symbols_at(sampled->symbols, sample.ip, sample.time),
	            attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period : attr->sample_period);
}

/* A function and its places, which are consecutive. */
struct hot {
	struct symbol symbol;
	struct symbol_code code;
	const struct annotation_place *places;
	size_t count;
	uint64_t weight;
};

static int compare_hot(const void *a, const void *b)
{
	const struct hot *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight < right->weight ? 1 : -1;
	return (left->places > right->places) - (left->places < right->places);
}

/* Whether code is the same function of the same file, at the same address. */
static bool is_function(const struct hot *hot, const struct symbol_code *code)
{
	return hot->code.path == code->path && hot->code.offset == code->offset &&
	       hot->code.address == code->address;
}

/* Collect the functions with their places. Returns their number. *strangers: the samples that are
 * in no known function. The places' addresses are changed to the machine's addresses. */
static size_t gather(struct places_sampled *sampled, struct hot *hot, uint64_t *strangers)
{
	size_t count = 0;

	for (uint32_t i = 0; i < sampled->addresses.count; i++) {
		struct annotation_place *place = &sampled->places[i];
		struct symbol symbol = symbols_find(sampled->symbols, place->address);
		struct symbol_code code;

		if (!symbols_code(sampled->symbols, place->address, &code)) {
			*strangers += place->samples;
			continue;
		}
		place->address = symbols_real(sampled->symbols, place->address);
		if (!count || !is_function(&hot[count - 1], &code))
			hot[count++] = (struct hot){ symbol, code, .places = place };
		hot[count - 1].count = (size_t)(place - hot[count - 1].places) + 1;
		hot[count - 1].weight += place->weight;
	}
	qsort(hot, count, sizeof(*hot), compare_hot);
	return count;
}

static int print_function(const struct hot *hot, const char *event, struct lines *lines,
                          struct error *error)
{
	struct annotation annotation;
	int code = annotation_make(&annotation, lines, &hot->code, hot->places, hot->count);

	if (!code)
		annotation_print(&annotation, hot->symbol.name, hot->symbol.file, event, stdout);
	annotation_free(&annotation);
	if (code == -ENOEXEC)
		return error_set(error, code,
		                 "%s cannot be read, or is of another architecture than x86_64 and "
		                 "aarch64",
		                 hot->code.path);
	return code ? error_set(error, code, "no memory for the code of %s", hot->symbol.name) : 0;
}

static int print_all(const struct recording_file *file, struct places_sampled *sampled,
                     const char *only, double limit, struct error *error)
{
	struct hot *hot = calloc(sampled->addresses.count + 1UL, sizeof(*hot));
	uint64_t strangers = 0;
	size_t count = hot ? gather(sampled, hot, &strangers) : 0, shown = 0;
	struct lines lines = { 0 };
	int code = hot ? 0 : error_set(error, -ENOMEM, "no memory for the functions");

	for (size_t i = 0; !code && i < count; i++) {
		if (100.0 * (double)hot[i].weight < limit * (double)sampled->weight ||
		    (only && strcmp(only, hot[i].symbol.name) != 0))
			continue;
		code = print_function(&hot[i], sampled->event->name, &lines, error);
		shown++;
	}
	if (!code && only && !shown)
		code = error_set(error, -ENODATA, "%s: event %s has no samples in %s",
		                 file->reader.path, sampled->event->name, only);
	if (!code && strangers && !only)
		say("%" PRIu64 " samples are in no function that is known", strangers);
	free(hot);
	lines_free(&lines);
	return code;
}

int annotate_event(struct recording_file *file, const struct perf_reader_event *event,
                   const char *only, double limit, struct error *error)
{
	struct places_sampled sampled = { .event = event, .symbols = file->symbols };
	int code = recording_file_walk(file, visit, &sampled, error);

	if (!code) {
		annotation_sort(sampled.places, sampled.addresses.count);
		code = print_all(file, &sampled, only, limit, error);
	}
	free(sampled.places);
	intern_free(&sampled.addresses);
	return code;
}

static int show_annotated(void *context, struct recording_file *file, struct error *error)
{
	const struct annotate_options *options = context;
	const struct perf_reader_event *event;
	int code = recording_file_event(file, options->event, &event, error);

	if (!code)
		code = annotate_event(file, event, options->symbol, options->limit, error);
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the annotation");
	return code;
}

int command_annotate(int argc, char **argv)
{
	struct annotate_options options = { .input = "perf.data" };

	arguments_parse(&argp, argc, argv, "bareperf annotate", &options);
	return view_recording(options.input, &options.search, show_annotated, &options);
}
