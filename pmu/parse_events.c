/* SPDX-License-Identifier: MIT */
#include "pmu/parse_events.h"

#include <errno.h>
#include <string.h>

/* perf's names for PERF_TYPE_HARDWARE; which source serves them is for the machine to say. */
static const struct pmu_event_name generic[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, NULL },
	{ "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES, NULL },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, NULL },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, NULL },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES, NULL },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL },
	{ "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, NULL },
	{ "bus-cycles", PERF_COUNT_HW_BUS_CYCLES, NULL },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, NULL },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, NULL },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, NULL },
	{ NULL, 0, NULL },
};

struct parser {
	const char *at;
	const struct pmu *const *sources;
	struct event_spec *spec;
	struct parse_error *error;
};

static int fail(struct parser *p, const char *what, const char *at)
{
	p->error->what = what;
	p->error->at = at;
	return -EINVAL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static int parse_digits(const char **at, int base, uint64_t *value)
{
	const char *start = *at;

	*value = 0;
	for (; digit(**at) < base; ++*at) {
		if (*value > (UINT64_MAX - (unsigned)digit(**at)) / (unsigned)base)
			return -ERANGE;
		*value = *value * (unsigned)base + (unsigned)digit(**at);
	}
	return *at == start ? -EINVAL : 0;
}

int parse_number(const char **at, uint64_t *value)
{
	if ((*at)[0] == '0' && (*at)[1] == 'x') {
		*at += 2;
		return parse_digits(at, 16, value);
	}
	return parse_digits(at, 10, value);
}

/* Length of the name at text: to the end, or to what may follow a name. */
static size_t name_length(const char *text)
{
	return strcspn(text, ",:/={}");
}

static bool named(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

static const struct pmu_event_name *lookup(const struct pmu_event_name *names, const char *text,
                                           size_t length)
{
	for (; names && names->name; names++) {
		if (named(names->name, text, length))
			return names;
	}
	return NULL;
}

static int set_field(struct parser *p, const struct pmu_format *format, uint64_t value,
                     const char *value_at)
{
	uint64_t *words[] = { &p->spec->attr.config, &p->spec->attr.config1,
		              &p->spec->attr.config2, &p->spec->config3 };
	unsigned width = format->high - format->low + 1U;
	uint64_t mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;

	if (value > mask)
		return fail(p, "value does not fit the term", value_at);
	*words[format->word] &= ~(mask << format->low);
	*words[format->word] |= value << format->low;
	return 0;
}

static int set_term(struct parser *p, const struct pmu *source, const char *term, size_t length,
                    uint64_t value, const char *value_at)
{
	struct perf_event_attr *attr = &p->spec->attr;

	if (named("period", term, length) || named("freq", term, length)) {
		if (!value)
			return fail(p, "must be more than 0", value_at);
		attr->sample_period = value;
		attr->flags &= ~PERF_ATTR_FREQ;
		attr->flags |= named("freq", term, length) ? PERF_ATTR_FREQ : 0;
		return 0;
	}
	for (const struct pmu_format *f = source->formats; f && f->term; f++) {
		if (named(f->term, term, length))
			return set_field(p, f, value, value_at);
	}
	return fail(p, "unknown term of this event source", term);
}

/* SOURCE/TERM[=VALUE],.../ with p->at behind the first slash. */
static int parse_terms(struct parser *p, const struct pmu *source)
{
	while (*p->at != '/') {
		const char *term = p->at;
		size_t length = name_length(term);
		const char *value_at = term;
		uint64_t value = 1;
		int error;

		if (!length)
			return fail(p, "a term or '/' is missing", term);
		p->at += length;
		if (*p->at == '=') {
			value_at = ++p->at;
			if (parse_number(&p->at, &value))
				return fail(p, "not a number of 64 bits", value_at);
		}
		error = set_term(p, source, term, length, value, value_at);
		if (error)
			return error;
		if (*p->at == ',')
			p->at++;
		else if (*p->at != '/')
			return fail(p, "expected ',' or '/'", p->at);
	}
	p->at++;
	return 0;
}

/* Linux numbers units of which there may be several kinds in a machine: arm_spe_0. */
static size_t without_instance(const char *name, size_t length)
{
	size_t end = length;

	while (end && digit(name[end - 1]) < 10)
		end--;
	return end && end < length && name[end - 1] == '_' ? end - 1 : length;
}

static int parse_source(struct parser *p, const char *name, size_t length)
{
	size_t plain = without_instance(name, length);

	for (const struct pmu *const *s = p->sources; *s; s++) {
		if (!named((*s)->name, name, length) && !named((*s)->name, name, plain))
			continue;
		p->spec->attr.type = (*s)->type;
		p->at++;
		return parse_terms(p, *s);
	}
	return fail(p, "unknown event source", name);
}

static int parse_name(struct parser *p)
{
	struct perf_event_attr *attr = &p->spec->attr;
	const char *name = p->at;
	size_t length = name_length(name);
	const struct pmu_event_name *found = lookup(generic, name, length);
	const char *raw = name + 1;

	p->at += length;
	if (*p->at == '/')
		return parse_source(p, name, length);
	if (found) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = found->config;
		return 0;
	}
	for (const struct pmu *const *s = p->sources; *s; s++) {
		found = lookup((*s)->events, name, length);
		if (found) {
			attr->type = (*s)->type;
			attr->config = found->config;
			return 0;
		}
	}
	if (*name == 'r' && !parse_digits(&raw, 16, &attr->config) && raw == p->at) {
		attr->type = PERF_TYPE_RAW;
		return 0;
	}
	return fail(p, length ? "unknown event" : "an event's name is missing", name);
}

/* perf's u, k, h: what is named is counted, the others are excluded. */
static int parse_modifiers(struct parser *p)
{
	const uint64_t all = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
	                     PERF_ATTR_EXCLUDE_HV;
	uint64_t exclude = all;

	if (*p->at == ':')
		p->at++;
	for (; *p->at && *p->at != ','; p->at++) {
		switch (*p->at) {
		case 'u':
			exclude &= ~PERF_ATTR_EXCLUDE_USER;
			break;
		case 'k':
			exclude &= ~PERF_ATTR_EXCLUDE_KERNEL;
			break;
		case 'h':
			exclude &= ~PERF_ATTR_EXCLUDE_HV;
			break;
		default:
			return fail(p, "unknown modifier (u, k, h are known)", p->at);
		}
	}
	if (exclude != all)
		p->spec->attr.flags |= exclude;
	return 0;
}

static int parse_event(struct parser *p)
{
	const char *start = p->at;
	size_t length;
	int error;

	memset(p->spec, 0, sizeof(*p->spec));
	p->spec->attr.size = sizeof(p->spec->attr);
	error = parse_name(p);
	if (!error)
		error = parse_modifiers(p);
	if (error)
		return error;
	length = (size_t)(p->at - start);
	if (length >= sizeof(p->spec->name))
		return fail(p, "an event's text is longer than 63 characters", start);
	memcpy(p->spec->name, start, length);
	return 0;
}

int parse_events(const char *text, const struct pmu *const *sources, struct event_spec *specs,
                 unsigned max, struct parse_error *error)
{
	struct parser p = { .at = text, .sources = sources, .error = error };
	unsigned n = 0;

	for (;;) {
		int failed;

		if (n == max)
			return fail(&p, "too many events", p.at);
		p.spec = &specs[n++];
		failed = parse_event(&p);
		if (failed)
			return failed;
		if (!*p.at)
			return (int)n;
		p.at++; /* the comma */
	}
}
