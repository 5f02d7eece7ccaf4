/* SPDX-License-Identifier: MIT */
/* `bareperf export`: writes a recording in the formats of other tools. */
#include "host-tools/report/export/export.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/report/view.h"
#include "host-tools/util/arguments.h"

static const struct format {
	const char *name;
	int (*write)(struct export *export, struct error *error);
	const char *reader;
	bool is_binary, is_folder;
	bool of_traces; /* accepts traces without samples */
} formats[] = {
	{ "csv", export_csv, "a line a sample, for spreadsheets and scripts", false, false, false },
	{ "folded", export_folded, "a line a stack: flamegraph.pl, inferno, speedscope", false,
	  false, false },
	{ "speedscope", export_speedscope, "speedscope.app", false, false, false },
	{ "firefox", export_firefox, "profiler.firefox.com", false, false, true },
	{ "chrome", export_chrome, "slices on a time line: ui.perfetto.dev, chrome://tracing",
	  false, false, true },
	{ "pprof", export_pprof, "go tool pprof", true, false, false },
	{ "callgrind", export_callgrind, "callgrind_annotate, KCachegrind", false, false, true },
	{ "ctf", export_ctf, "a folder with a CTF 1.8 trace: babeltrace2, Trace Compass", false,
	  true, false },
	{ "lcov", export_lcov, "coverage from a trace of all branches: genhtml, lcov", false, false,
	  true },
	{ "bolt", export_bolt, "a branch trace for perf2bolt -pa, llvm-bolt", false, false, true },
	{ "autofdo-text", export_autofdo, "a branch trace for create_gcov --profiler=text", false,
	  false, true },
	{ "llvm-profgen", export_profgen, "a branch trace for llvm-profgen --unsymbolized-profile",
	  false, false, true },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct export_options {
	struct view_options view; /* event NULL: every event */
	const struct format *format;
	bool partial;
};

enum { KEY_PARTIAL = 256 };

static const struct argp_option argp_options[] = {
	{ "format", 'f', "FORMAT", 0, "the output format, see below", 0 },
	VIEW_ARGP_OPTIONS("of this event only"),
	{ "partial", KEY_PARTIAL, NULL, 0, "lcov, callgrind, optimizers: accept a trace with gaps",
	  0 },
	{ 0 },
};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

/* Whether a format is an optimizer's input: the branches of one program. */
static bool is_profile(const struct format *format)
{
	return format->write == export_bolt || format->write == export_autofdo ||
	       format->write == export_profgen;
}

/* Whether a format counts what a trace of branches executed, and says itself that there is none. */
static bool is_counted(const struct format *format)
{
	return format->write == export_lcov || format->write == export_callgrind ||
	       is_profile(format);
}

static void check_options(const struct export_options *options, const struct argp_state *state)
{
	const struct format *format = options->format;

	if (!format)
		argp_error(state, "--format FORMAT: which?");
	else if (format->is_folder && !options->view.output)
		argp_error(state, "%s is a folder: which? (-o)", format->name);
	else if (format->is_binary && !options->view.output && isatty(STDOUT_FILENO))
		argp_error(state, "%s is binary: to which file? (-o)", format->name);
	else if (options->partial && !is_counted(format))
		argp_error(state, "--partial is of lcov and callgrind, and of optimizers' formats");
	else if (options->view.event && (format->write == export_lcov || is_profile(format)))
		argp_error(state, "%s is of all branches: without -e", format->name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export_options *options = state->input;

	switch (key) {
	case 'f':
		options->format = find_format(arg);
		if (!options->format)
			argp_error(state, "--format %s: there is no such format", arg);
		return 0;
	case KEY_PARTIAL:
		options->partial = true;
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return view_parse(key, arg, state, &options->view);
	default:
		return view_parse(key, arg, state, &options->view);
	}
}

/* argp's filter: adds the list of formats to --help. */
static char *list_formats(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *out;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	out = open_memstream(&list, &size);
	if (!out)
		return (char *)(uintptr_t)text;
	fputs("Formats:\n", out);
	for (size_t i = 0; i < FORMATS; i++)
		fprintf(out, "  %-12s %s\n", formats[i].name, formats[i].reader);
	fprintf(out, "\n%s", text);
	fclose(out);
	return list;
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc =
	    "Write the samples of FILE (default: perf.data) for another tool. Missing records "
	    "are reported on standard error.\vExit status: 0 done, 1 error, 2 wrong usage.",
	.help_filter = list_formats,
};

struct exporting {
	struct export export;
	const struct export_options *options;
};

static int write_format(void *context, FILE *out, struct error *error)
{
	struct exporting *exporting = context;

	exporting->export.out = out;
	return exporting->options->format->write(&exporting->export, error);
}

static int show_export(void *context, struct recording_file *file, struct error *error)
{
	struct exporting exporting = { .options = context };
	const struct export_options *options = exporting.options;
	struct export *export = &exporting.export;
	const struct perf_reader_event *any;
	struct inlines inlines = { 0 };
	int code = 0;

	export->file = file;
	export->output = options->view.output;
	export->partial = options->partial;
	export->places.symbols = file->symbols;
	export->places.all_frames = options->view.all_frames;
	export->places.inlines = options->view.no_inline ? NULL : &inlines;
	if (options->view.event)
		code = recording_file_event(file, options->view.event, &export->only, error);
	else if (!options->format->of_traces || !(file->has_trace || is_counted(options->format)))
		code = recording_file_event(file, NULL, &any, error);
	if (!code && options->format->is_folder)
		code = options->format->write(export, error);
	else if (!code)
		code = view_write(file, options->view.output, write_format, &exporting, error);
	places_free(&export->places);
	inlines_free(&inlines);
	tasks_free(&export->tasks);
	return code;
}

int command_export(int argc, char **argv)
{
	struct export_options options = { 0 };

	arguments_parse(&argp, argc, argv, "bareperf export", &options);
	return view_recording(options.view.input, &options.view.search, show_export, &options);
}
