/* SPDX-License-Identifier: MIT */
#include "host-tools/report/selftest/selftest.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "host-tools/report/selftest/selftest_html.h"
#include "host-tools/report/view.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "lib/survey/survey_json.h"
#include "lib/survey/survey_text.h"

enum { KEY_READ = 256, KEY_JSON };

struct selftest_options {
	const char *from;
	bool json;
};

static const struct argp_option argp_options[] = {
	{ "read", KEY_READ, "TEXT|FILE", 0, "a QR code's text, or a file with it or JSON; -: stdin",
	  0 },
	{ "json", KEY_JSON, NULL, 0, "print JSON instead of text", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct selftest_options *options = state->input;

	switch (key) {
	case KEY_READ:
		options->from = arg;
		return 0;
	case KEY_JSON:
		options->json = true;
		return 0;
	case ARGP_KEY_END:
		if (!options->from)
			argp_error(state,
			           "--read TEXT|FILE is missing; to test a machine: "
			           "`bareperf run -- selftest'");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "--read TEXT|FILE",
	.doc =
	    "Show the result of a machine's self-test again: from the text that a phone reads in "
	    "the QR code on the machine's screen, or from the JSON file. `bareperf report "
	    "--html' draws it.\vExit status: 0 done, 1 error, 2 wrong usage.",
};

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

/* As the machine prints it; the checks that were good are not known. */
static void print_json(const struct survey *s)
{
	print("{\"selftest\":1,\"bareperf\":");
	survey_json_string(s->producer, print);
	print(",\"architecture\":");
	survey_json_string(s->architecture, print);
	print(",\"pass\":%u,\"fail\":%u,\"absent\":%u,\"checks\":[", s->passed, s->failed,
	      s->absent);
	for (unsigned i = 0; i < s->nr_failures; i++) {
		print("%s{\"check\":", i ? "," : "");
		survey_json_string(s->failures[i].check, print);
		print(",\"verdict\":\"FAIL\",\"text\":");
		survey_json_string(s->failures[i].text, print);
		print(",\"figures\":{}}");
	}
	print("],\"survey\":");
	survey_json(s, print);
	print("}\n");
}

int command_selftest(int argc, char **argv)
{
	static struct survey survey;
	struct selftest_options options = { 0 };
	struct error error = { "" };

	arguments_parse(&argp, argc, argv, "bareperf selftest", &options);
	if (selftest_file_read(options.from, &survey, &error)) {
		error_print(&error);
		return EXIT_ERROR;
	}
	if (options.json)
		print_json(&survey);
	else
		survey_text(&survey, print);
	return EXIT_OK;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static int put_page(void *survey, FILE *out, struct error *error)
{
	(void)error; /* view_write() finds errors of the file */
	selftest_html(survey, out);
	return 0;
}

int selftest_report(const char *input, const char *output)
{
	static struct survey survey;
	struct error error = { "" };
	int code = selftest_file_read(input, &survey, &error);

	if (!code && output && is_same_file(input, output))
		code = error_set(&error, -EINVAL,
		                 "%s is the self-test itself: name another file with -o", output);
	if (!code)
		code = view_write(NULL, output, put_page, &survey, &error);
	if (code)
		error_print(&error);
	return code ? EXIT_ERROR : EXIT_OK;
}
