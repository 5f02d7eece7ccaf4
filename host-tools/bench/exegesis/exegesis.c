/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/exegesis/exegesis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/machine.h"
#include "host-tools/bench/bench_measure.h"
#include "host-tools/bench/bench_print.h"
#include "host-tools/bench/exegesis/exegesis_code.h"

#define AMD_CYCLES "76.00 Core cycles\n"

/* SUB RDI, 80000H: a snippet whose RDI is live-in expects the beginning of 1 MiB there. */
static const uint8_t scratch[] = { 0x48, 0x81, 0xef, 0x00, 0x00, 0x08, 0x00 };

/* The code before the snippet. */
static int take_setup(const struct exegesis_point *point, const struct exegesis_pieces *pieces,
                      struct blob *setup)
{
	if (point->machine == EM_X86_64)
		blob_add(setup, scratch, sizeof(scratch));
	blob_add(setup, point->code.bytes + pieces->setup_at, pieces->setup_size);
	return setup->failed ? -ENOMEM : 0;
}

/* The event of latency and inverse throughput; with -config, its first one. */
static const struct bench_measured *cycles_of(const struct bench_measurement *m,
                                              const struct bench_options *options)
{
	for (size_t i = 0; i < m->count; i++) {
		if (options->config || options->config_text ||
		    !strcmp(m->list[i].name, "Core cycles"))
			return &m->list[i];
	}
	return NULL;
}

static int keep_one(struct exegesis_point *point, const struct bench_options *options,
                    const struct bench_measured *one, const char *key)
{
	double copies = (double)options->unroll * (options->loop ? options->loop : 1);
	double snippet = (double)one->value / copies;

	return exegesis_add_value(point, key, snippet / (double)point->instructions, snippet);
}

static int keep(struct exegesis_point *point, const struct bench_options *options,
                const struct bench_measurement *m, struct error *error)
{
	const struct bench_measured *cycles = cycles_of(m, options);
	int code = 0;

	if (point->mode != EXEGESIS_UOPS && !cycles)
		return error_set(error, -EINVAL,
		                 "the CPU has no counter of core cycles: name an event with "
		                 "-config");
	if (point->mode != EXEGESIS_UOPS)
		code =
		    keep_one(point, options, cycles,
		             point->mode == EXEGESIS_THROUGHPUT ? "inverse_throughput" : "latency");
	for (size_t i = 0; point->mode == EXEGESIS_UOPS && i < m->count && !code; i++)
		code = keep_one(point, options, &m->list[i], m->list[i].name);
	if (!code)
		code = exegesis_set_error(point, "");
	return code ? error_set(error, code, "no memory for the results") : 0;
}

/* A failure of this benchmark alone. */
static int note(struct exegesis_point *point, unsigned *failed, struct error *error)
{
	++*failed;
	if (exegesis_set_error(point, error->text))
		return error_set(error, -ENOMEM, "no memory for the results");
	return 0;
}

/* The options of one benchmark; its code is in body and setup. */
static struct bench_options options_of(const struct bench_options *options,
                                       const struct exegesis_point *point,
                                       const struct exegesis_pieces *pieces,
                                       const struct blob *setup, bool is_amd)
{
	struct bench_options own = *options;

	own.raw[BENCH_CODE].bytes = point->code.bytes + pieces->body_at;
	own.raw[BENCH_CODE].size = pieces->body_size;
	own.raw[BENCH_INIT].bytes = setup->bytes;
	own.raw[BENCH_INIT].size = setup->size;
	own.no_normalization = true;
	if (own.config || own.config_text || point->mode == EXEGESIS_UOPS)
		return own;
	own.fixed_counters = !is_amd;
	own.config_text = is_amd ? AMD_CYCLES : NULL;
	return own;
}

static int measure(struct bench_link *link, const struct bench_options *options,
                   struct exegesis_point *point, bool is_amd, unsigned *failed, struct error *error)
{
	struct bench_measurement m = { 0 };
	struct exegesis_pieces pieces;
	struct blob setup = { 0 };
	struct bench_options own;
	int code =
	    exegesis_code_divide(&pieces, &point->code, point->instructions, point->machine, error);

	if (!code)
		code = take_setup(point, &pieces, &setup);
	if (!code) {
		own = options_of(options, point, &pieces, &setup, is_amd);
		code = bench_measure(&m, link, &own, error);
	}
	if (!code) {
		bench_print_noise(&m, stderr);
		code = keep(point, &own, &m, error);
	} else if (code == -EINVAL || code == -ECANCELED || code == -E2BIG || code == -ENOTSUP) {
		code = note(point, failed, error);
	}
	bench_measure_free(&m);
	blob_free(&setup);
	return code;
}

/* Refuse at once a file whose benchmarks do not fit the machine or the options. */
static int check(const struct exegesis_file *file, const struct bench_options *options,
                 uint16_t machine, struct error *error)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct exegesis_point *point = &file->points[i];

		if (point->machine != machine)
			return error_set(error, -EINVAL,
			                 "document %zu is for %s, and the machine is %s: try "
			                 "--arch",
			                 i + 1, point->machine == EM_X86_64 ? "x86_64" : "aarch64",
			                 machine == EM_X86_64 ? "x86_64" : "aarch64");
		if (point->mode == EXEGESIS_UOPS && !options->config && !options->config_text)
			return error_set(error, -EINVAL,
			                 "document %zu has the mode uops: give -config with an "
			                 "event for each key (NumMicroOps, SKLPort0, ...)",
			                 i + 1);
	}
	return 0;
}

static int write_file(struct exegesis_file *file, const char *output, struct error *error)
{
	FILE *out = output ? fopen(output, "we") : stdout;
	int code;

	if (!out)
		return error_errno(error, "%s", output);
	code = exegesis_file_write(file, out, error);
	if (output && fclose(out) && !code)
		code = error_errno(error, "%s", output);
	return code;
}

static int run_all(struct bench_link *link, const struct bench_options *options,
                   struct exegesis_file *file, unsigned *failed, struct error *error)
{
	struct bench_hardware hardware;
	int code = check(file, options, bench_link_machine(link), error);

	if (!code)
		code = bench_describe(&hardware, link, error);
	for (size_t i = 0; i < file->count && !code; i++) {
		code = measure(link, options, &file->points[i], hardware.vendor == BENCH_AMD,
		               failed, error);
		if (code)
			error_prefix(error, code, "document %zu", i + 1);
	}
	return code;
}

int exegesis_run(struct exegesis_file *file, struct bench_link *link,
                 const struct bench_options *options, unsigned *failed, struct error *error)
{
	int code;

	*failed = 0;
	code = run_all(link, options, file, failed, error);
	return code ? code : write_file(file, options->output, error);
}
