/* SPDX-License-Identifier: MIT */
#include "host-tools/report/selftest/selftest_json.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* The first wrong field ends the reading: later fields are not read. */
struct reading {
	struct error *error;
	int code;
};

static void refuse(struct reading *r, const char *field, const char *what)
{
	if (!r->code)
		r->code =
		    error_set(r->error, -EINVAL, "a self-test's JSON: \"%s\" %s", field, what);
}

static const json_t *field_of(struct reading *r, const json_t *of, const char *name)
{
	const json_t *field = json_object_get(of, name);

	if (!field)
		refuse(r, name, "is missing");
	return field;
}

static uint64_t whole(struct reading *r, const json_t *number, const char *name, uint64_t max)
{
	json_int_t value = json_integer_value(number);

	if (!json_is_integer(number) || value < 0 || (uint64_t)value > max)
		refuse(r, name, "is no whole number, or too large");
	return r->code ? 0 : (uint64_t)value;
}

static uint64_t number_of(struct reading *r, const json_t *of, const char *name, uint64_t max)
{
	const json_t *field = field_of(r, of, name);

	return field ? whole(r, field, name, max) : 0;
}

static int64_t signed_of(struct reading *r, const json_t *of, const char *name)
{
	const json_t *field = field_of(r, of, name);

	if (field && !json_is_integer(field))
		refuse(r, name, "is no whole number");
	return json_integer_value(field);
}

/* An array of at most, or exactly, so many elements. */
static size_t array_of(struct reading *r, const json_t *array, const char *name, size_t max,
                       bool exactly)
{
	size_t size = json_array_size(array);

	if (array && (!json_is_array(array) || size > max || (exactly && size != max)))
		refuse(r, name, "has another number of elements");
	return r->code ? 0 : size;
}

/* Printable ASCII; other characters become '?'. A longer text is cut. */
static void text_of(struct reading *r, const json_t *of, const char *name, char *to, size_t size)
{
	const char *text = json_string_value(field_of(r, of, name));
	size_t i = 0;

	if (!text)
		refuse(r, name, "is no text");
	for (; text && text[i] && i + 1 < size; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[i] = '\0';
}

/* ---- Parts ---- */

static void read_machine(struct reading *r, const json_t *of, struct survey *s)
{
	text_of(r, of, "vendor", s->vendor, sizeof(s->vendor));
	text_of(r, of, "model", s->model, sizeof(s->model));
	text_of(r, of, "firmware", s->firmware, sizeof(s->firmware));
	if (json_object_get(of, "hypervisor"))
		text_of(r, of, "hypervisor", s->hypervisor, sizeof(s->hypervisor));
	if (json_object_get(of, "emulator"))
		text_of(r, of, "emulator", s->emulator, sizeof(s->emulator));
	s->signature = number_of(r, of, "signature", INT64_MAX);
	s->hz = number_of(r, of, "hz", INT64_MAX);
	s->cpus = (unsigned)number_of(r, of, "cpus", SURVEY_CPUS);
}

static void read_map(struct reading *r, const json_t *of, struct survey *s)
{
	static const char name[] = "core_to_core_ps";
	const json_t *rows = field_of(r, of, name);

	array_of(r, rows, name, s->cpus ? s->cpus - 1 : 0, true);
	for (unsigned a = 1; a < s->cpus && !r->code; a++) {
		const json_t *row = json_array_get(rows, a - 1);

		array_of(r, row, name, a, true);
		for (unsigned b = 0; b < a && !r->code; b++)
			s->pairs[survey_pair(a, b)] =
			    whole(r, json_array_get(row, b), name, INT64_MAX);
	}
}

static void read_memory(struct reading *r, const json_t *of, struct survey *s)
{
	const json_t *ladder = field_of(r, of, "ladder"), *reads = field_of(r, of, "read_mbs");

	s->nr_points = (unsigned)array_of(r, ladder, "ladder", SURVEY_SIZES, false);
	for (unsigned i = 0; i < s->nr_points && !r->code; i++) {
		const json_t *point = json_array_get(ladder, i);

		s->points[i].bytes = number_of(r, point, "bytes", INT64_MAX);
		if (s->points[i].bytes <= (i ? s->points[i - 1].bytes : 0))
			refuse(r, "ladder", "has sizes that do not ascend");
		s->points[i].ps = number_of(r, point, "ps", INT64_MAX);
	}
	array_of(r, reads, "read_mbs", s->cpus, true);
	for (unsigned i = 0; i < s->cpus && !r->code; i++)
		s->cpu[i].read_mbs =
		    (uint32_t)whole(r, json_array_get(reads, i), "read_mbs", UINT32_MAX);
	s->all_mbs = (uint32_t)number_of(r, of, "all_read_mbs", UINT32_MAX);
}

static void read_clocks(struct reading *r, const json_t *of, struct survey *s)
{
	const json_t *clocks = field_of(r, of, "clocks");

	array_of(r, clocks, "clocks", s->cpus, true);
	for (unsigned i = 0; i < s->cpus && !r->code; i++) {
		const json_t *clock = json_array_get(clocks, i);

		s->cpu[i].offset = signed_of(r, clock, "offset_ns");
		s->cpu[i].error = number_of(r, clock, "error_ns", INT64_MAX);
		s->cpu[i].drift = signed_of(r, clock, "drift_ppb");
	}
}

static void read_spread(struct reading *r, const json_t *of, const char *name, unsigned count,
                        struct survey_spread *spread)
{
	const json_t *from = field_of(r, of, name);

	*spread = (struct survey_spread){ count,
		                          number_of(r, from, "min", INT64_MAX),
		                          number_of(r, from, "p10", INT64_MAX),
		                          number_of(r, from, "median", INT64_MAX),
		                          number_of(r, from, "p90", INT64_MAX),
		                          number_of(r, from, "max", INT64_MAX) };
}

static void read_interrupts(struct reading *r, const json_t *of, struct survey *s)
{
	const json_t *from = field_of(r, of, "interrupts");
	const json_t *buckets = field_of(r, from, "histogram");
	unsigned count = (unsigned)number_of(r, from, "count", UINT32_MAX);

	read_spread(r, from, "skid_events", count, &s->skid);
	read_spread(r, from, "late_ns", count, &s->late);
	array_of(r, buckets, "histogram", SURVEY_BUCKETS, true);
	for (unsigned i = 0; i < SURVEY_BUCKETS && !r->code; i++)
		s->histogram[i] =
		    (uint32_t)whole(r, json_array_get(buckets, i), "histogram", UINT32_MAX);
}

static void read_noise_of(struct reading *r, const json_t *from, struct survey_noise *n)
{
	n->periods = (uint32_t)number_of(r, from, "periods", UINT32_MAX);
	n->runtime = number_of(r, from, "runtime_ns", INT64_MAX);
	n->noise = number_of(r, from, "noise_ns", INT64_MAX);
	n->max_noise = number_of(r, from, "max_noise_ns", INT64_MAX);
	n->max_single = number_of(r, from, "max_single_ns", INT64_MAX);
	n->hw = (uint32_t)number_of(r, from, "hw", UINT32_MAX);
	n->nmi = (uint32_t)number_of(r, from, "nmi", UINT32_MAX);
	n->smi = (uint32_t)number_of(r, from, "smi", UINT32_MAX);
	n->max_smi = number_of(r, from, "max_smi_ns", INT64_MAX);
}

static void read_noise(struct reading *r, const json_t *of, struct survey *s)
{
	const json_t *noise = field_of(r, of, "noise"), *cpus = field_of(r, noise, "cpus");

	s->threshold = number_of(r, noise, "threshold_ns", INT64_MAX);
	s->period = number_of(r, noise, "period_ns", INT64_MAX);
	s->has_smi = json_is_true(field_of(r, noise, "has_smi"));
	array_of(r, cpus, "cpus", s->cpus, true);
	for (unsigned i = 0; i < s->cpus && !r->code; i++)
		read_noise_of(r, json_array_get(cpus, i), &s->cpu[i].noise);
}

/* Read the failed checks among all checks. */
static void read_checks(struct reading *r, const json_t *root, struct survey *s)
{
	const json_t *check;
	size_t i;

	s->passed = (unsigned)number_of(r, root, "pass", UINT16_MAX);
	s->failed = (unsigned)number_of(r, root, "fail", UINT16_MAX);
	s->absent = (unsigned)number_of(r, root, "absent", UINT16_MAX);
	json_array_foreach(json_object_get(root, "checks"), i, check)
	{
		struct survey_failure *to = &s->failures[s->nr_failures];
		const char *verdict = json_string_value(json_object_get(check, "verdict"));

		if (!verdict || strcmp(verdict, "FAIL") != 0 || s->nr_failures == SURVEY_FAILURES)
			continue;
		text_of(r, check, "check", to->check, sizeof(to->check));
		text_of(r, check, "text", to->text, sizeof(to->text));
		s->nr_failures++;
	}
}

static void read_root(struct reading *r, const json_t *root, struct survey *s)
{
	const json_t *survey = json_object_get(root, "survey");

	if (!json_is_object(survey)) {
		refuse(r, "survey", "is missing: an older bareperf wrote it");
		return;
	}
	text_of(r, root, "bareperf", s->producer, sizeof(s->producer));
	text_of(r, root, "architecture", s->architecture, sizeof(s->architecture));
	read_checks(r, root, s);
	read_machine(r, survey, s);
	read_map(r, survey, s);
	read_memory(r, survey, s);
	read_clocks(r, survey, s);
	read_interrupts(r, survey, s);
	read_noise(r, survey, s);
}

int selftest_json_read(const char *text, struct survey *s, struct error *error)
{
	struct reading r = { .error = error };
	json_error_t why;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);

	memset(s, 0, sizeof(*s));
	if (!root)
		return error_set(error, -EINVAL, "no JSON: line %d, column %d: %s", why.line,
		                 why.column, why.text);
	read_root(&r, root, s);
	json_decref(root);
	return r.code;
}
