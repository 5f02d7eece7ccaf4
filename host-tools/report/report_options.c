/* SPDX-License-Identifier: MIT */
#include "host-tools/report/report_options.h"

#include <argp.h>
#include <limits.h>

#include "host-tools/report/sort_keys.h"
#include "host-tools/report/view.h"
#include "host-tools/util/arguments.h"

enum {
	KEY_STDIO = 256,
	KEY_PERCENT_LIMIT,
	KEY_HTML,
	KEY_ANNOTATE,
	KEY_MODULES,
	KEY_PHASES,
	KEY_CALLS,
	KEY_BOOT,
	KEY_JSON
};

static const struct argp_option argp_options[] = {
	{ "event", 'e', "NAME", 0, "only this event (default: all that have samples)", 0 },
	{ "sort", 's', "KEYS", 0, "keys of a line: comm, dso, symbol, cpu, srcline", 0 },
	{ "show-nr-samples", 'n', NULL, 0, "print the number of samples of each line", 0 },
	{ "percent-limit", KEY_PERCENT_LIMIT, "PERCENT", 0, "omit lines below this share", 0 },
	{ "field-separator", 't', "TEXT", 0, "separate columns by this text, without padding", 0 },
	{ "annotate", KEY_ANNOTATE, NULL, 0, "also print the functions' instructions and source",
	  0 },
	{ "modules", KEY_MODULES, NULL, 0, "seconds by module (UEFI image) and function", 0 },
	{ "phases", KEY_PHASES, NULL, 0, "work and waiting by phase, module and function", 0 },
	{ "calls", KEY_CALLS, NULL, 0, "calls and their instructions, from a branch trace", 0 },
	{ "boot", KEY_BOOT, NULL, 0, "a recorded boot, explained in 30 lines", 0 },
	{ "json", KEY_JSON, NULL, 0, "print JSON; with --calls or --boot", 0 },
	{ "stdio", KEY_STDIO, NULL, 0, "print text: the default", 0 },
	{ "html", KEY_HTML, NULL, 0, "make one page for a browser instead of the table", 0 },
	{ "no-inline", VIEW_KEY_NO_INLINE, NULL, 0, "without inlined functions on the page", 0 },
	{ "output", 'o', "FILE", 0, "the page's file (default: standard output)", 0 },
	PE_SEARCH_OPTION,
	{ 0 },
};

/* The calls are made of a branch trace: report an error for options of samples. */
static void check_calls(const struct report_options *options, struct argp_state *state)
{
	const char *other = options->html       ? "--html"
	                    : options->annotate ? "--annotate"
	                    : options->event    ? "-e"
	                    : options->of_table ? options->of_table
	                                        : options->of_modules;

	if (other)
		argp_error(state, "--calls cannot be combined with %s", other);
	if (options->json && options->table.separator)
		argp_error(state, "--json cannot be combined with -t");
}

/* The boot has a form of its own. */
static void check_boot(const struct report_options *options, struct argp_state *state)
{
	const char *other = options->calls             ? "--calls"
	                    : options->html            ? "--html: the page contains it"
	                    : options->annotate        ? "--annotate"
	                    : options->of_table        ? options->of_table
	                    : options->table.separator ? "-t"
	                    : options->table.limit > 0 ? "--percent-limit"
	                                               : options->of_modules;

	if (other)
		argp_error(state, "--boot cannot be combined with %s", other);
}

/* Report an error for every option that has no effect in this combination. */
static void check_options(const struct report_options *options, struct argp_state *state)
{
	const char *separated = options->table.separator && !options->calls ? "-t" : NULL;
	const char *of_table = options->of_table ? options->of_table : separated;

	if (options->output && !options->html)
		argp_error(state, "-o needs --html");
	if (options->no_inline && !options->html)
		argp_error(state, "--no-inline needs --html");
	if (options->annotate && options->html)
		argp_error(state,
		           "--annotate cannot be combined with --html: the page contains it");
	if (options->of_modules && options->html)
		argp_error(state, "%s cannot be combined with --html", options->of_modules);
	if (options->table.limit > 0 && options->html)
		argp_error(state, "--percent-limit cannot be combined with --html");
	if (options->boot)
		check_boot(options, state);
	if (options->json && !options->calls && !options->boot)
		argp_error(state, "--json needs --calls or --boot");
	if (options->calls)
		check_calls(options, state);
	if (!of_table)
		return;
	if (options->html)
		argp_error(state, "%s cannot be combined with --html", of_table);
	if (options->of_modules)
		argp_error(state, "%s is of the table of samples: without %s", of_table,
		           options->of_modules);
}

/* Options without a value. False: key is none of them. */
static bool parse_flag(int key, struct report_options *options)
{
	switch (key) {
	case 'n':
		options->of_table = "-n";
		options->table.samples = true;
		return true;
	case KEY_ANNOTATE:
		options->annotate = true;
		return true;
	case KEY_STDIO:
		options->html = false;
		return true;
	case KEY_MODULES:
		options->of_modules = "--modules";
		return true;
	case KEY_PHASES:
		options->of_modules = "--phases";
		options->phases = true;
		return true;
	case KEY_CALLS:
		options->calls = true;
		return true;
	case KEY_BOOT:
		options->boot = true;
		return true;
	case KEY_JSON:
		options->json = true;
		return true;
	case KEY_HTML:
		options->html = true;
		return true;
	case VIEW_KEY_NO_INLINE:
		options->no_inline = true;
		return true;
	default:
		return false;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;

	if (parse_flag(key, options))
		return 0;
	switch (key) {
	case 'e':
		options->event = arg;
		return 0;
	case 's':
		options->of_table = "--sort";
		options->table.columns =
		    sort_keys_parse(arg, UINT_MAX, "comm, dso, symbol, cpu and srcline", state);
		return 0;
	case 't':
		options->table.separator = arg;
		return 0;
	case KEY_PERCENT_LIMIT:
		options->table.limit = argument_percent(state, "--percent-limit", arg);
		return 0;
	case 'o':
		options->output = arg;
		return 0;
	case PE_SEARCH_KEY:
		pe_search_add(&options->search, arg);
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return one_file_parse(key, arg, state, "perf.data", &options->input);
	default:
		return one_file_parse(key, arg, state, "perf.data", &options->input);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc =
	    "Print in which functions the events of FILE (default: perf.data) happened, as `perf "
	    "report --stdio --no-children' does; or make a page for any browser, without "
	    "network. Missing records are reported on standard error.\vExit status: 0 done, 1 "
	    "error, 2 wrong usage.",
};

void report_options_parse(struct report_options *options, int argc, char **argv)
{
	*options = (struct report_options){
		.table.columns = REPORT_COMMAND | REPORT_FILE | REPORT_SYMBOL,
	};
	arguments_parse(&argp, argc, argv, "bareperf report", options);
}
