/* SPDX-License-Identifier: MIT */
#include "host-tools/report/dump/dump_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_equal(uint64_t a, uint64_t b)
{
	return a == b;
}

static bool is_other(uint64_t a, uint64_t b)
{
	return a != b;
}

static bool is_at_least(uint64_t a, uint64_t b)
{
	return a >= b;
}

static bool is_at_most(uint64_t a, uint64_t b)
{
	return a <= b;
}

static bool is_more(uint64_t a, uint64_t b)
{
	return a > b;
}

static bool is_less(uint64_t a, uint64_t b)
{
	return a < b;
}

static bool has_bits(uint64_t a, uint64_t b)
{
	return a & b;
}

/* Operators of two characters come first, so that ">=" is not parsed as ">". */
static const struct {
	const char *text;
	bool (*holds)(uint64_t value, uint64_t number);
} operators[] = {
	{ "==", is_equal }, { "!=", is_other }, { ">=", is_at_least }, { "<=", is_at_most },
	{ ">", is_more },   { "<", is_less },   { "&", has_bits },
};

static const char *const names[DUMP_FIELDS] = {
	[DUMP_IP] = "ip", [DUMP_ADDR] = "addr", [DUMP_TIME] = "time", [DUMP_PERIOD] = "period",
	[DUMP_ID] = "id", [DUMP_CPU] = "cpu",   [DUMP_PID] = "pid",   [DUMP_TID] = "tid",
};

static const char *past_space(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool take_number(const char **at, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*number = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

static bool take_field(const char **at, enum dump_field *field)
{
	size_t length = strcspn(*at, " \t=!<>&");

	for (unsigned i = 0; i < DUMP_FIELDS; i++) {
		if (strlen(names[i]) != length || strncmp(names[i], *at, length) != 0)
			continue;
		*field = i;
		*at += length;
		return true;
	}
	return false;
}

static bool take_operator(const char **at, unsigned *operator)
{
	for (unsigned i = 0; i < COUNT(operators); i++) {
		size_t length = strlen(operators[i].text);

		if (strncmp(operators[i].text, *at, length) != 0)
			continue;
		*operator= i;
		*at += length;
		return true;
	}
	return false;
}

/* Parse one term at *at. Returns NULL, or a message with the mistake. */
static const char *take_term(const char **at, struct dump_filter_term *term)
{
	*at = past_space(*at);
	if (!take_field(at, &term->field))
		return "want one of ip, addr, time, period, id, cpu, pid and tid";
	*at = past_space(*at);
	if (!take_operator(at, &term->operator))
		return "want one of ==, !=, >, <, >=, <= and & behind a field";
	*at = past_space(*at);
	if (!take_number(at, &term->number))
		return "want a number behind an operator, decimal or with 0x";
	*at = past_space(*at);
	return NULL;
}

const char *dump_filter_parse(struct dump_filter *filter, const char *text)
{
	for (filter->terms = 0; filter->terms < DUMP_FILTER_TERMS;) {
		struct dump_filter_term *term = &filter->term[filter->terms++];
		const char *wrong = take_term(&text, term);

		if (wrong)
			return wrong;
		term->is_last = strncmp(text, "||", 2) != 0;
		if (!*text)
			return NULL;
		if (term->is_last && *text != ',')
			return "want , or || between terms";
		text += term->is_last ? 1 : 2;
	}
	return "too many terms";
}

/* Parse seconds such as "12.000000345" into ns. */
static bool take_seconds(const char **at, uint64_t *ns)
{
	uint64_t seconds, unit = 1000000000;

	if (!isdigit((unsigned char)**at))
		return false;
	for (seconds = 0; isdigit((unsigned char)**at); ++*at) {
		seconds = 10 * seconds + (uint64_t)(**at - '0');
		if (seconds > UINT64_MAX / unit - 1)
			return false;
	}
	*ns = seconds * unit;
	if (**at != '.')
		return true;
	for (++*at; isdigit((unsigned char)**at); ++*at) {
		unit /= 10;
		*ns += unit * (uint64_t)(**at - '0');
	}
	return true;
}

const char *dump_filter_parse_time(struct dump_filter *filter, const char *text)
{
	static const char wrong[] = "want seconds: FROM,TO or FROM, or ,TO";

	filter->from = 0;
	filter->to = UINT64_MAX;
	filter->has_time = true;
	if (*text != ',' && !take_seconds(&text, &filter->from))
		return wrong;
	if (*text++ != ',')
		return wrong;
	if (*text && (!take_seconds(&text, &filter->to) || *text))
		return wrong;
	return filter->from <= filter->to ? NULL : "it ends before it begins";
}

const char *dump_filter_parse_cpus(struct dump_filter *filter, const char *text)
{
	static const char wrong[] = "want CPUs: 0-1,3";

	for (filter->cpu_ranges = 0; filter->cpu_ranges < DUMP_FILTER_CPUS; text++) {
		uint64_t first, last;

		if (!take_number(&text, &first))
			return wrong;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, &last) || last < first)
				return wrong;
		}
		filter->cpus[filter->cpu_ranges].first = first;
		filter->cpus[filter->cpu_ranges++].last = last;
		if (!*text)
			return NULL;
		if (*text != ',')
			return wrong;
	}
	return "too many ranges";
}

bool dump_filter_is_on(const struct dump_filter *filter)
{
	return filter->event || filter->has_time || filter->cpu_ranges || filter->terms;
}

static bool has(const struct dump_fields *fields, enum dump_field field)
{
	return fields->has >> field & 1;
}

static bool is_on_cpu(const struct dump_filter *filter, const struct dump_fields *fields)
{
	for (unsigned i = 0; i < filter->cpu_ranges; i++) {
		if (fields->value[DUMP_CPU] >= filter->cpus[i].first &&
		    fields->value[DUMP_CPU] <= filter->cpus[i].last)
			return has(fields, DUMP_CPU);
	}
	return !filter->cpu_ranges;
}

static bool terms_hold(const struct dump_filter *filter, const struct dump_fields *fields)
{
	bool group = false;

	for (unsigned i = 0; i < filter->terms; i++) {
		const struct dump_filter_term *term = &filter->term[i];

		group = group || (has(fields, term->field) &&
		                  operators[term->operator].holds(fields->value[term->field],
		                                                  term->number));
		if (!term->is_last)
			continue;
		if (!group)
			return false;
		group = false;
	}
	return true;
}

bool dump_filter_passes(const struct dump_filter *filter, const struct dump_fields *fields)
{
	if (filter->event && (!fields->event || strcmp(filter->event, fields->event) != 0))
		return false;
	if (filter->has_time &&
	    (!has(fields, DUMP_TIME) || fields->value[DUMP_TIME] < filter->from ||
	     fields->value[DUMP_TIME] > filter->to))
		return false;
	return is_on_cpu(filter, fields) && terms_hold(filter, fields);
}

/* For each bit of sample_type, set the fields that it brings. */
static void set_fields(struct dump_fields *fields, uint64_t sample_type, const struct sample *s)
{
	const struct {
		uint64_t bit;
		enum dump_field field;
		uint64_t value;
	} all[] = {
		{ PERF_SAMPLE_IP, DUMP_IP, s->ip },
		{ PERF_SAMPLE_ADDR, DUMP_ADDR, s->addr },
		{ PERF_SAMPLE_TIME, DUMP_TIME, s->time },
		{ PERF_SAMPLE_PERIOD, DUMP_PERIOD, s->period },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, DUMP_ID, s->id },
		{ PERF_SAMPLE_CPU, DUMP_CPU, s->cpu },
		{ PERF_SAMPLE_TID, DUMP_PID, s->pid },
		{ PERF_SAMPLE_TID, DUMP_TID, s->tid },
	};

	for (size_t i = 0; i < COUNT(all); i++) {
		if (sample_type & all[i].bit)
			dump_field_set(fields, all[i].field, all[i].value);
	}
}

void dump_fields_of(struct dump_fields *fields, const struct perf_event_header *record,
                    const struct perf_event_attr *attr, const char *event)
{
	const uint64_t in_samples = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	struct sample sample = { 0 };
	uint64_t id;

	*fields = (struct dump_fields){ 0 };
	if (!attr)
		return;
	if (record->type == PERF_RECORD_SAMPLE) {
		if (!sample_parse(record, attr, &sample))
			return;
		set_fields(fields, attr->sample_type, &sample);
	} else {
		if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL) ||
		    record->type >= PERF_FILE_RECORD_FIRST || !sample_id(record, &id) || !id ||
		    !sample_parse_trailer(record, attr->sample_type, &sample))
			return;
		set_fields(fields, attr->sample_type & ~in_samples, &sample);
	}
	fields->event = event;
}

static const struct argp_option argp_options[] = {
	{ NULL, 0, NULL, 0, "Select records to print (the summary covers all):", 1 },
	{ "event", 'e', "NAME", 0, "only this event", 1 },
	{ "cpu", 'C', "CPUS", 0, "only these CPUs: 0-1,3", 1 },
	{ "time", 't', "FROM,TO", 0, "from FROM to TO in seconds; either may be omitted", 1 },
	{ "filter", 'f', "FILTER", 0, "only records for which FILTER holds (see the manual)", 1 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_filter *filter = state->input;
	const char *wrong = NULL;

	switch (key) {
	case 'e':
		filter->event = arg;
		return 0;
	case 'C':
		wrong = dump_filter_parse_cpus(filter, arg);
		break;
	case 't':
		wrong = dump_filter_parse_time(filter, arg);
		break;
	case 'f':
		wrong = dump_filter_parse(filter, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (wrong)
		argp_error(state, "%s: %s",
		           key == 'C'   ? "--cpu"
		           : key == 't' ? "--time"
		                        : "--filter",
		           wrong);
	return 0;
}

const struct argp dump_filter_argp = { .options = argp_options, .parser = parse_option };
