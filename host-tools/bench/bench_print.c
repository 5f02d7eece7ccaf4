/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_print.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Text ---- */

static void print_value(const struct bench_options *options, int64_t value, FILE *out)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if (options->no_normalization)
		fprintf(out, "%" PRId64, value);
	else
		fprintf(out, "%s%" PRIu64 ".%.2" PRIu64, value < 0 ? "-" : "", size / 100,
		        size % 100);
}

static void print_one(const struct bench_measured *one, const struct bench_options *options,
                      FILE *out)
{
	fprintf(out, "%s: ", one->name);
	print_value(options, one->value, out);
	if (options->range) {
		fputs(" [", out);
		print_value(options, one->least, out);
		fputc(';', out);
		print_value(options, one->most, out);
		fputc(']', out);
	}
	fputc('\n', out);
}

/* The counts of one group's events [first, end). */
static void print_runs(const struct bench_measured *first, const struct bench_measured *end,
                       const struct bench_options *options, bool base, FILE *out)
{
	unsigned copies = base ? options->unroll : 2 * options->unroll;

	if (options->basic)
		copies = base ? 0 : options->unroll;
	fprintf(out, "\nResults (unroll_count=%u, loop_count=%u):\n\n\t%-8s", copies,
	        base && options->basic ? 0 : options->loop, "");
	for (const struct bench_measured *one = first; one < end; one++)
		fprintf(out, "%8sCtr%u", "", one->column);
	fputc('\n', out);
	for (uint32_t i = 0; i < options->measurements; i++) {
		fprintf(out, "\trun %2u: ", i);
		for (const struct bench_measured *one = first; one < end; one++)
			fprintf(out, "%12" PRId64, base ? one->base[i] : one->values[i]);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void print_all_runs(const struct bench_measurement *m, const struct bench_options *options,
                           FILE *out)
{
	for (size_t i = 0, end; i < m->count; i = end) {
		for (end = i; end < m->count && m->list[end].group == m->list[i].group;)
			end++;
		print_runs(&m->list[i], &m->list[end], options, true, out);
		print_runs(&m->list[i], &m->list[end], options, false, out);
	}
}

void bench_print(const struct bench_measurement *m, const struct bench_options *options, FILE *out)
{
	if (options->verbose)
		print_all_runs(m, options, out);
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].value || !options->remove_empty)
			print_one(&m->list[i], options, out);
	}
}

bool bench_print_noise(const struct bench_noise *noise, FILE *out)
{
	bool any = false;

	if (noise->smis && noise->smis != BENCH_UNKNOWN) {
		fprintf(out,
		        "bareperf: %" PRIu64
		        " system management interrupts came during the runs: "
		        "figures of time and cycles are void\n",
		        noise->smis);
		any = true;
	}
	if (noise->stolen && noise->stolen != BENCH_UNKNOWN) {
		fprintf(out,
		        "bareperf: the hypervisor took %" PRIu64
		        " ns from the CPU during the runs: "
		        "figures of time and cycles are void\n",
		        noise->stolen);
		any = true;
	}
	if (noise->interrupts) {
		fprintf(out,
		        "bareperf: %" PRIu64
		        " interrupts came during the runs: all figures are "
		        "void\n",
		        noise->interrupts);
		any = true;
	}
	return any;
}

/* ---- JSON ---- */

static json_t *json_values(const int64_t *values, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer(values[i]));
	return list;
}

static json_t *json_value(const struct bench_options *options, int64_t value)
{
	return options->no_normalization ? json_integer(value) : json_real((double)value / 100);
}

static json_t *json_count(uint64_t count)
{
	return count == BENCH_UNKNOWN ? json_null() : json_integer((json_int_t)count);
}

static json_t *json_one(const struct bench_measured *one, const struct bench_options *options)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "name", one->name, "value",
	                 json_value(options, one->value), "least", json_value(options, one->least),
	                 "most", json_value(options, one->most), "run", (int)one->group, "counter",
	                 (int)one->column, "base", json_values(one->base, options->measurements),
	                 "values", json_values(one->values, options->measurements));
}

static json_t *json_address(uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}

static json_t *json_hardware(const struct bench_hardware *h)
{
	static const char *const vendors[] = { "other", "Intel", "AMD", "Arm" };
	static const char *const x86[] = { "R14", "RDI", "RSI", "RBP", "RSP" };
	static const char *const arm[] = { "X28", "X26", "X27", "X25", "SP" };
	json_t *areas = json_object();

	for (unsigned i = 0; i < BENCH_AREAS; i++)
		json_object_set_new(areas, h->vendor == BENCH_ARM ? arm[i] : x86[i],
		                    json_address(h->areas[i]));
	return json_pack("{s:s, s:i, s:i, s:b, s:o, s:I, s:o, s:i, s:o, s:I}", "vendor",
	                 vendors[h->vendor], "general_counters", (int)h->general, "fixed_counters",
	                 (int)h->fixed, "aperf", (int)h->aperf, "signature",
	                 json_address(h->signature), "clock_hz", (json_int_t)h->frequency,
	                 "addresses", areas, "area_size", (int)BENCH_AREA, "code",
	                 json_address(h->code), "code_size", (json_int_t)h->code_size);
}

json_t *bench_json(const struct bench_measurement *m, const struct bench_options *options)
{
	json_t *results = json_array();

	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].value || !options->remove_empty)
			json_array_append_new(results, json_one(&m->list[i], options));
	}
	return json_pack("{s:o, s:o, s:{s:o, s:o, s:o}}", "results", results, "machine",
	                 json_hardware(&m->hardware), "noise", "smis", json_count(m->noise.smis),
	                 "interrupts", json_count(m->noise.interrupts), "stolen_ns",
	                 json_count(m->noise.stolen));
}
