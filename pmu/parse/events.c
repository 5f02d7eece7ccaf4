/* SPDX-License-Identifier: MIT */
#include "pmu/parse/parser.h"

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

static const struct pmu_event_name *lookup(const struct pmu_event_name *names, const char *text,
                                           size_t length)
{
	for (; names && names->name; names++) {
		if (parser_named(names->name, text, length))
			return names;
	}
	return NULL;
}

/* Linux numbers units of which there may be several kinds in a machine: arm_spe_0. The first is
 * ours, which is asked on every CPU. */
static size_t without_instance(const char *name, size_t length)
{
	return length > 2 && !memcmp(name + length - 2, "_0", 2) ? length - 2 : length;
}

static bool is_meant(const struct pmu *source, const char *name, size_t length)
{
	if (!name)
		return source->flags & PMU_RAW;
	return parser_named(source->name, name, length) ||
	       parser_named(source->name, name, without_instance(name, length));
}

/* The source of this name, or for none of raw events. Several vendors' are called alike: the one
 * that is here. */
static const struct pmu *pick_source(const struct parser *p, const char *name, size_t length)
{
	const struct pmu *first = NULL;
	bool several = false;
	const char *why;

	for (const struct pmu *const *s = p->sources; *s; s++) {
		if (!is_meant(*s, name, length))
			continue;
		several = first;
		first = first ? first : *s;
	}
	for (const struct pmu *const *s = p->sources; *s && several; s++) {
		if (is_meant(*s, name, length) && !(*s)->probe(&why))
			return *s;
	}
	return first;
}

static int parse_source(struct parser *p, const char *name, size_t length)
{
	const struct pmu *source = pick_source(p, name, length);

	if (!source)
		return parser_fail(p, "unknown event source", name);
	p->spec->attr.type = source->type;
	p->spec->attr.config = source->config;
	p->at++;
	return parser_terms(p, source);
}

/* rHEX, of whichever source counts raw events here. */
static bool is_raw(const char *name, size_t length, uint64_t *config)
{
	const char *digits = name + 1;

	return *name == 'r' && !parser_digits(&digits, 16, config) && digits == name + length;
}

static int parse_raw(struct parser *p, const char *name, uint64_t config)
{
	const struct pmu *source = pick_source(p, NULL, 0);

	if (source && config & ~parser_known_bits(source, 0))
		return parser_fail(p, "has bits that this CPU's counters reserve", name + 1);
	p->spec->attr.type = PERF_TYPE_RAW;
	p->spec->attr.config = config;
	return 0;
}

static bool lookup_all(const struct pmu *const *sources, const char *name, size_t length,
                       struct perf_event_attr *attr)
{
	const struct pmu_event_name *found = lookup(generic, name, length);

	attr->type = PERF_TYPE_HARDWARE;
	for (const struct pmu *const *s = sources; *s && !found; s++) {
		attr->type = (*s)->type;
		found = lookup((*s)->events, name, length);
	}
	if (found)
		attr->config = found->config;
	return found;
}

static int parse_name(struct parser *p)
{
	const char *name = p->at;
	size_t length = parser_name_length(name);
	uint64_t config;

	p->at += length;
	if (*p->at == '/')
		return parse_source(p, name, length);
	if (lookup_all(p->sources, name, length, &p->spec->attr))
		return 0;
	if (is_raw(name, length, &config))
		return parse_raw(p, name, config);
	if (!length)
		return parser_fail(p, "an event's name is missing", name);
	return parser_fail(
	    p, "unknown event (a CPU's own names resolve on the host: bareperf list)", name);
}

bool parse_events_knows(const char *text, const struct pmu *const *sources)
{
	struct perf_event_attr attr;
	size_t length = parser_name_length(text);
	uint64_t config;

	return text[length] == '/' || lookup_all(sources, text, length, &attr) ||
	       is_raw(text, length, &config);
}

int parser_event(struct parser *p)
{
	const char *start = p->at;
	size_t length;
	int error;

	memset(p->spec, 0, sizeof(*p->spec));
	p->spec->attr.size = sizeof(p->spec->attr);
	p->spec->members = 1;
	error = parse_name(p);
	if (!error)
		error = parser_modifiers(p, p->spec, 1);
	if (error || *p->spec->name)
		return error;
	length = (size_t)(p->at - start);
	if (length >= sizeof(p->spec->name)) /* of many terms; the name is for people */
		length = sizeof(p->spec->name) - 1;
	memcpy(p->spec->name, start, length);
	return 0;
}
