/* SPDX-License-Identifier: MIT */
/* `bareperf diff`: prints which functions take more or less time than in other recordings, like
 * `perf diff', and whether the difference is more than chance. */
#include "host-tools/report/diff/diff.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/diff/diff_services.h"
#include "host-tools/report/diff/diff_table.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "writer/perfdata/sample.h"

struct diff_options {
	const char *event;     /* NULL: all events with samples */
	const char *separator; /* NULL: columns are padded */
	enum diff_compute compute;
	double confidence;
	double limit; /* limit of growth, as a share; < 0: none */
	struct pe_search search;
	char **paths; /* files of the baseline, then the new files */
	unsigned counts[2];
};

enum { KEY_CONFIDENCE = 256, KEY_FAIL_ABOVE };

static const struct argp_option argp_options[] = {
	{ "event", 'e', "NAME", 0, "only this event (default: all that have samples)", 0 },
	{ "compute", 'c', "METHOD", 0, "compare shares: delta-abs (default), or counts: count", 0 },
	{ "confidence", KEY_CONFIDENCE, "PERCENT", 0, "confidence of the intervals (default: 95)",
	  0 },
	{ "fail-above", KEY_FAIL_ABOVE, "PERCENT", 0,
	  "exit with 5 if a function grew by more, not by chance", 0 },
	{ "field-separator", 't', "TEXT", 0, "separate columns by this text, without padding", 0 },
	PE_SEARCH_OPTION,
	{ 0 },
};

static void parse_compute(struct diff_options *options, const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "delta-abs"))
		options->compute = DIFF_DELTA_ABS;
	else if (!strcmp(arg, "count"))
		options->compute = DIFF_COUNT;
	else
		argp_error(state, "--compute: %s is neither delta-abs nor count", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff_options *options = state->input;

	switch (key) {
	case 'e':
		options->event = arg;
		return 0;
	case 'c':
		parse_compute(options, arg, state);
		return 0;
	case PE_SEARCH_KEY:
		pe_search_add(&options->search, arg);
		return 0;
	case 't':
		options->separator = arg;
		return 0;
	case KEY_CONFIDENCE:
		options->confidence = argument_percent(state, "--confidence", arg) / 100;
		if (options->confidence <= 0 || options->confidence >= 1)
			argp_error(state, "--confidence: want more than 0 and less than 100");
		return 0;
	case KEY_FAIL_ABOVE:
		options->limit = argument_percent(state, "--fail-above", arg) / 100;
		return 0;
	case ARGP_KEY_ARG:
		options->paths[options->counts[0]++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[OLD [NEW]]\nOLD... -- NEW...",
	.doc =
	    "Compare the functions of NEW (default: perf.data) with those of OLD (default: "
	    "perf.data.old): shares of OLD, changes, and the interval of each change. Several "
	    "recordings per side, with -- between the sides, give intervals by the differences "
	    "among them; one per side by its number of samples; with -icount nothing is "
	    "chance. Two JSON reports of `bench --uefi' compare two firmwares: the medians of "
	    "each service; -e ns or -e instructions chooses the unit.\vExit status: 0 done, 1 error, 2 wrong usage, 5 a function has grown by "
	    "more than --fail-above.",
};

/* Divide the files into baseline and new files: all files behind "--" are new. Without "--", two
 * files are required. */
static void divide(struct diff_options *options, int argc, char **argv)
{
	static char old[] = "perf.data.old", new[] = "perf.data";
	int words = 1;

	while (words < argc && strcmp(argv[words], "--") != 0)
		words++;
	arguments_parse(&argp, words, argv, "bareperf diff", options);
	for (int i = words + 1; i < argc; i++)
		options->paths[options->counts[0] + options->counts[1]++] = argv[i];
	if (words < argc && options->counts[0] && options->counts[1])
		return;
	if (words < argc || options->counts[0] > 2) {
		say("diff: want OLD and NEW, or OLD... -- NEW...; see --help");
		exit(EXIT_USAGE);
	}
	if (options->counts[0] < 2)
		options->paths[1] = options->counts[0] ? options->paths[0] : new;
	if (options->counts[0] < 2)
		options->paths[0] = old;
	options->counts[0] = options->counts[1] = 1;
}

/* Sums up one event's samples of one recording. */
struct summing {
	struct histogram histogram;
	double squares;
	const struct symbols *symbols;
	const struct perf_reader_event *event;
};

static int visit(void *context, struct perf_reader *reader, const struct perf_event_header *record)
{
	struct summing *summing = context;
	const struct perf_event_attr *attr = &summing->event->attr;
	struct histogram_key key = { 0 };
	struct symbol symbol;
	struct sample sample;
	uint64_t weight;

	if (record->type != PERF_RECORD_SAMPLE ||
	    perf_reader_event_of(reader, record) != summing->event ||
	    !sample_parse(record, attr, &sample))
		return 0;
	symbol =
	    symbols_find(summing->symbols, symbols_at(summing->symbols, sample.ip, sample.time));
	key.file = symbol.file ? symbol.file : "[unknown]";
	key.function = symbol.name;
	key.address = symbol.name ? 0 : symbol.offset;
	weight = attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period : attr->sample_period;
	summing->squares += (double)weight * (double)weight;
	return histogram_add(&summing->histogram, &key, weight);
}

static int add_recording(struct diff_table *table, unsigned number, struct recording_file *file,
                         const char *event, struct error *error)
{
	struct summing summing = { .symbols = file->symbols };
	int code = recording_file_event(file, event, &summing.event, error);

	if (!code)
		code = recording_file_walk(file, visit, &summing, error);
	if (!code && diff_table_add(table, number, &summing.histogram, summing.squares))
		code = error_set(error, -ENOMEM, "no memory for the functions");
	histogram_free(&summing.histogram);
	return code;
}

/* Report the functions that grew by more than the limit. Returns their number. */
static unsigned judge(const struct diff_table *table, const char *event, double limit)
{
	unsigned grown = 0;

	for (size_t i = 0; limit >= 0 && i < table->count; i++) {
		const struct diff_row *row = table->rows[i];

		if (row->delta <= limit || row->interval.low <= 0)
			continue;
		grown++;
		say("%s: %s (%s) has grown by %.2f%% [%+.2f%%, %+.2f%%]: more than %g%%", event,
		    row->function, row->file, 100 * row->delta, 100 * row->interval.low,
		    100 * row->interval.high, 100 * limit);
	}
	return grown;
}

/* Whether all recordings were made with -icount. Such runs execute the same instructions every
 * time. */
static bool is_exact(const struct recording_file *files, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (!perf_reader_command_has(&files[i].reader, "-icount"))
			return false;
	}
	return true;
}

static int compare_event(const struct diff_options *options, struct recording_file *files,
                         const char *event, unsigned *grown, struct error *error)
{
	unsigned count = options->counts[0] + options->counts[1];
	struct diff_table table = {
		.counts = { options->counts[0], options->counts[1] },
		.compute = options->compute,
		.confidence = options->confidence,
		.is_exact = is_exact(files, count),
	};
	int code = diff_table_init(&table);

	if (code)
		error_set(error, code, "no memory for the recordings");
	for (unsigned i = 0; !code && i < count; i++)
		code = add_recording(&table, i, &files[i], event, error);
	if (!code) {
		diff_table_compare(&table);
		diff_table_print(&table, event, options->separator, stdout);
		*grown += judge(&table, event, options->limit);
	}
	diff_table_free(&table);
	return code;
}

static int compare(const struct diff_options *options, struct recording_file *files,
                   unsigned *grown, struct error *error)
{
	const struct perf_reader *first = &files->reader;
	unsigned shown = 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < first->event_count; i++) {
		const struct perf_reader_event *event = &first->events[i];

		if (!event->samples || (options->event && strcmp(options->event, event->name) != 0))
			continue;
		shown++;
		code = compare_event(options, files, event->name, grown, error);
	}
	if (!code && !shown)
		code = error_set(error, -ENODATA, "%s has no %s%s", first->path,
		                 options->event ? "samples of event " : "samples",
		                 options->event ? options->event : "");
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the differences");
	return code;
}

/* Report missing records. A damaged recording is compared with its readable records; then the
 * damage is reported. */
static int tell_missing(const struct recording_file *files, unsigned count)
{
	int status = EXIT_OK;

	for (unsigned i = 0; i < count; i++) {
		struct error error = { "" };

		if (!recording_file_missing(&files[i], &error))
			continue;
		error_print(&error);
		status = EXIT_ERROR;
	}
	return status;
}

static int diff(struct diff_options *options, struct recording_file *files)
{
	unsigned count = options->counts[0] + options->counts[1], opened = 0, grown = 0;
	struct error error = { "" };
	int code = 0, status = EXIT_ERROR;

	while (!code && opened < count) {
		code = recording_file_open(&files[opened], options->paths[opened], &options->search,
		                           &error);
		opened++;
	}
	if (!code)
		code = compare(options, files, &grown, &error);
	if (code)
		error_print(&error);
	else
		status = tell_missing(files, count);
	for (unsigned i = 0; i < opened; i++)
		recording_file_close(&files[i]);
	return !status && grown ? EXIT_GROWN : status;
}

/* Compare two reports of `bench --uefi`. */
static int diff_reports(const struct diff_options *options)
{
	const struct diff_services_options services = {
		.unit = options->event,
		.separator = options->separator,
		.confidence = options->confidence,
		.limit = options->limit,
	};
	struct error error = { "" };
	unsigned grown = 0;

	if (diff_services(&services, options->paths, stdout, &grown, &error)) {
		error_print(&error);
		return EXIT_ERROR;
	}
	return grown ? EXIT_GROWN : EXIT_OK;
}

/* If only one is a report, the comparison says so. */
static bool are_reports(const struct diff_options *options)
{
	return options->counts[0] == 1 && options->counts[1] == 1 &&
	       (diff_services_is_report(options->paths[0]) ||
	        diff_services_is_report(options->paths[1]));
}

int command_diff(int argc, char **argv)
{
	struct diff_options options = {
		.confidence = 0.95,
		.limit = -1,
		.paths = calloc((size_t)argc + 2, sizeof(*options.paths)),
	};
	struct recording_file *files = calloc((size_t)argc + 2, sizeof(*files));
	int status = EXIT_ERROR;

	if (options.paths && files) {
		divide(&options, argc, argv);
		status = are_reports(&options) ? diff_reports(&options) : diff(&options, files);
	} else {
		say("no memory for the files' names");
	}
	free(options.paths);
	pe_search_free(&options.search);
	free(files);
	return status;
}
