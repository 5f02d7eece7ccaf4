/* SPDX-License-Identifier: MIT */
/* `bareperf bench`: a snippet's counts, on a machine without an operating system. */
#include "host-tools/bench/bench.h"

#include <errno.h>
#include <stdio.h>

#include "host-tools/bench/bench_measure.h"
#include "host-tools/bench/bench_print.h"
#include "host-tools/bench/bench_serve.h"
#include "host-tools/util/exit_status.h"

static int status_of(int code, const struct bench_link *link, const struct error *error)
{
	int signal = bench_link_signal(link);

	if (!code)
		return EXIT_OK;
	error_print(error);
	if (signal)
		return RUN_SIGNAL + signal;
	if (code == -ECANCELED)
		return EXIT_ERROR;
	return code == -EINVAL ? RUN_REFUSED : RUN_ERROR;
}

static int print(const struct bench_measurement *m, const struct bench_options *options)
{
	json_t *object;

	bench_print_noise(m, stderr);
	if (!m->count)
		say("nothing was counted: add -fixed_counters or -config FILE");
	if (!options->json) {
		bench_print(m, options, stdout);
		return EXIT_OK;
	}
	object = bench_json(m, options);
	if (!object)
		return RUN_ERROR;
	json_dumpf(object, stdout, JSON_INDENT(2));
	fputc('\n', stdout);
	json_decref(object);
	return EXIT_OK;
}

static int measure(struct bench_link *link, const struct bench_options *options)
{
	struct bench_measurement m = { 0 };
	struct error error = { "" };
	int code = bench_measure(&m, link, options, &error), status;

	status = code ? status_of(code, link, &error) : print(&m, options);
	bench_measure_free(&m);
	return status;
}

int command_bench(int argc, char **argv)
{
	struct machine_options machine;
	static struct bench_link link;
	struct bench_options options;
	struct error error = { "" };
	bool serve;
	int code, status;

	serve = bench_options_parse_all(&options, &machine, argc, argv);
	code = bench_link_open(&link, &machine, &error);
	if (code)
		status = status_of(code, &link, &error);
	else
		status = serve ? bench_serve(&link, &options) : measure(&link, &options);
	bench_link_close(&link);
	return status;
}
