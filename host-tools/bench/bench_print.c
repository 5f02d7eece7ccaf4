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

/* ---- Noise ---- */

static uint64_t noise_count(const struct bench_noise *noise, unsigned reason)
{
	const uint64_t counts[BENCH_VOIDS] = { noise->smis,      noise->interrupts,
		                               noise->stolen,    noise->machine_checks,
		                               noise->throttled, 0 };

	return counts[reason];
}

/* The end of the line: the figures that are void for this reason. */
static void print_void_names(const struct bench_measurement *m, unsigned reason, FILE *out)
{
	const char *separator = ": void: ";

	for (size_t i = 0; i < m->count; i++) {
		if (!(m->list[i].voids & 1U << reason))
			continue;
		fprintf(out, "%s%s", separator, m->list[i].name);
		separator = ", ";
	}
	fputc('\n', out);
}

bool bench_print_noise(const struct bench_measurement *m, FILE *out)
{
	/* around the number; without a second half there is none */
	static const struct {
		const char *before, *behind;
	} texts[BENCH_VOIDS] = {
		{ "", " system management interrupts came during the measurements" },
		{ "", " interrupts without a cause came during the measurements" },
		{ "the hypervisor took ", " ns from the CPU during the measurements" },
		{ "", " banks of machine checks changed during the measurements" },
		{ "the CPU was throttled during the measurements", NULL },
		{ "the CPU's frequency changed between the runs", NULL },
	};
	unsigned all = 0;

	for (size_t i = 0; i < m->count; i++)
		all |= m->list[i].voids;
	for (unsigned reason = 0; reason < BENCH_VOIDS; reason++) {
		if (!(all & 1U << reason))
			continue;
		fprintf(out, "bareperf: %s", texts[reason].before);
		if (texts[reason].behind)
			fprintf(out, "%" PRIu64 "%s", noise_count(&m->noise, reason),
			        texts[reason].behind);
		print_void_names(m, reason, out);
	}
	return all;
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

static json_t *json_voids(unsigned voids)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < BENCH_VOIDS; i++) {
		if (voids >> i & 1)
			json_array_append_new(list, json_string(bench_void_name(i)));
	}
	return list;
}

static json_t *json_ratio(const struct bench_noise *noise)
{
	return noise->ratio[0] && noise->ratio[1]
	           ? json_pack("[f, f]", (double)noise->ratio[0] / BENCH_RATIO,
	                       (double)noise->ratio[1] / BENCH_RATIO)
	           : json_null();
}

static json_t *json_noise(const struct bench_noise *noise)
{
	return json_pack(
	    "{s:o, s:o, s:I, s:o, s:o, s:o, s:b, s:o}", "smis", json_count(noise->smis),
	    "interrupts", json_count(noise->interrupts), "hit_measurements", (json_int_t)noise->hit,
	    "stolen_ns", json_count(noise->stolen), "machine_checks",
	    json_count(noise->machine_checks), "throttled", json_count(noise->throttled),
	    "frozen_in_smm", (int)noise->frozen, "aperf_per_mperf", json_ratio(noise));
}

static json_t *json_one(const struct bench_measured *one, const struct bench_options *options)
{
	return json_pack(
	    "{s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "name", one->name, "value",
	    json_value(options, one->value), "least", json_value(options, one->least), "most",
	    json_value(options, one->most), "run", (int)one->group, "counter", (int)one->column,
	    "base", json_values(one->base, options->measurements), "values",
	    json_values(one->values, options->measurements), "void", json_voids(one->voids));
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
	return json_pack("{s:o, s:o, s:o}", "results", results, "machine",
	                 json_hardware(&m->hardware), "noise", json_noise(&m->noise));
}
