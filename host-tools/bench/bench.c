/* SPDX-License-Identifier: MIT */
/* `bareperf bench`: a snippet's counts, on a machine without an operating system. */
#include "host-tools/bench/bench.h"

#include <errno.h>
#include <stdio.h>

#include "host-tools/bench/bench_cycle.h"
#include "host-tools/bench/bench_measure.h"
#include "host-tools/bench/bench_print.h"
#include "host-tools/bench/bench_serve.h"
#include "host-tools/bench/exegesis/exegesis.h"
#include "host-tools/bench/services.h"
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

static int measure_cycles(struct bench_link *link, const struct bench_options *options)
{
	struct bench_cycles cycles;
	struct error error = { "" };
	int code = bench_cycles_measure(&cycles, link, options, &error);

	if (!code)
		bench_cycles_print(&cycles, options, stdout);
	bench_cycles_free(&cycles);
	return status_of(code, link, &error);
}

static int run_exegesis(struct bench_link *link, struct exegesis_file *file,
                        const struct bench_options *options)
{
	struct error error = { "" };
	unsigned failed;
	int code = exegesis_run(file, link, options, &failed, &error);

	if (!code && failed)
		say("%u of %zu benchmarks failed: the key error of each has the reason", failed,
		    file->count);
	return !code && failed ? EXIT_ERROR : status_of(code, link, &error);
}

static int run(struct bench_link *link, struct exegesis_file *file,
               const struct bench_options *options, bool serve)
{
	if (serve)
		return bench_serve(link, options);
	if (options->by_cycle)
		return measure_cycles(link, options);
	return options->exegesis ? run_exegesis(link, file, options) : measure(link, options);
}

int command_bench(int argc, char **argv)
{
	struct machine_options machine;
	static struct bench_link link;
	struct exegesis_file file = { 0 };
	struct bench_options options;
	struct error error = { "" };
	bool serve;
	int code = 0, status;

	if (services_are_meant(argc, argv))
		return command_services(argc, argv);
	serve = bench_options_parse_all(&options, &machine, argc, argv);
	if (options.exegesis && exegesis_file_read(&file, options.exegesis, &error)) {
		error_print(&error);
		exegesis_file_free(&file);
		return RUN_REFUSED;
	}
	code = bench_link_open(&link, &machine, &error);
	status = code ? status_of(code, &link, &error) : run(&link, &file, &options, serve);
	bench_link_close(&link);
	exegesis_file_free(&file);
	return status;
}
