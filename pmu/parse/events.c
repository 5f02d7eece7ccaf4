/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "abi/event_types.h"
#include "pmu/parse/parser.h"

#define MAX_CANDIDATES 8U /* sources with the same name */

const char parse_unknown_event[] =
    "unknown event (a CPU's own names resolve on the host: bareperf list)";

const struct pmu_event_name parse_generic_events[] = {
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

const struct pmu_event_name parse_software_events[] = {
	{ "cpu-clock", PERF_COUNT_SW_CPU_CLOCK, "time on the CPU, by its timer" },
	{ NULL, 0, NULL },
};

static const struct pmu_event_name *events_lookup(const struct pmu_event_name *names,
                                                  const char *text, size_t length)
{
	for (; names && names->name; names++) {
		if (parser_named(names->name, text, length))
			return names;
	}
	return NULL;
}

/* Linux appends a number to units that a machine may have in several kinds: arm_spe_0. Number 0
 * means our source, which every CPU checks for itself. */
static size_t events_without_instance(const char *name, size_t length)
{
	return length > 2 && !memcmp(name + length - 2, "_0", 2) ? length - 2 : length;
}

static bool events_is_meant(const struct pmu_source *source, const char *name, size_t length)
{
	if (!name)
		return source->flags & PMU_RAW;
	return parser_named(source->name, name, length) ||
	       parser_named(source->name, name, events_without_instance(name, length));
}

/* The sources of this name; without a name the sources of raw events, because different vendors'
 * sources have the same name. Returns the sources whose hardware is present, as far as that is
 * known, otherwise the first. */
static unsigned events_find_candidates(const struct parser *p, const char *name, size_t length,
                                       const struct pmu_source *found[MAX_CANDIDATES])
{
	const struct pmu_source *first = NULL;
	unsigned n = 0;

	for (const struct pmu_source *const *s = p->sources->list; *s && n < MAX_CANDIDATES; s++) {
		if (!events_is_meant(*s, name, length))
			continue;
		first = first ? first : *s;
		if (!p->sources->is_here || p->sources->is_here(*s))
			found[n++] = *s;
	}
	if (!n && first)
		found[n++] = first;
	return n;
}

static void events_begin_spec(struct event_spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	spec->attr.size = sizeof(spec->attr);
	spec->members = 1;
}

static void events_offer_sources(struct suggestion *near, const struct pmu_source *const *sources)
{
	for (const struct pmu_source *const *s = sources; *s; s++)
		suggestion_offer(near, (*s)->name);
}

/* Whether an image for some other architecture has a source of this name. */
static bool events_is_elsewhere(const char *name, size_t length)
{
	static const struct event_type_name types[] = { EVENT_TYPE_NAMES };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type != PERF_TYPE_SOFTWARE &&
		    parser_named(types[i].source, name, length))
			return true;
	}
	return false;
}

static int events_unknown_source(struct parser *p, const char *name, size_t length)
{
	struct suggestion near = suggestion_for(name, length);

	if (parser_named("bts", name, length))
		return parser_fail(
		    p, "only x86 has a branch trace store: branch-trace// traces all branches here",
		    name);
	if (events_is_elsewhere(name, length))
		return parser_fail(p,
		                   "another architecture's event source: `list' shows what "
		                   "there is",
		                   name);
	events_offer_sources(&near, p->sources->list);
	return parser_unknown(p, "unknown event source", &near);
}

/* If there are several candidates, the first that accepts the terms is used. If none does, the
 * error of the first one is reported. */
static int parse_source(struct parser *p, const char *name, size_t length)
{
	const struct pmu_source *found[MAX_CANDIDATES];
	unsigned n = events_find_candidates(p, name, length, found);
	const char *terms = p->at + 1;
	struct parse_error first = { 0 };

	for (unsigned i = 0; i < n; i++) {
		events_begin_spec(p->spec);
		p->spec->attr.type = found[i]->type;
		p->spec->attr.config = found[i]->config;
		p->at = terms;
		if (!parser_terms(p, found[i]))
			return 0;
		first = i ? first : *p->error;
	}
	if (!n)
		return events_unknown_source(p, name, length);
	*p->error = first;
	return -EINVAL;
}

/* rHEX, served by the source that counts raw events on this machine. */
static bool events_is_raw(const char *name, size_t length, uint64_t *config)
{
	const char *digits = name + 1;

	return *name == 'r' && !parser_digits(&digits, 16, config) && digits == name + length;
}

static int parse_raw(struct parser *p, const char *name, uint64_t config)
{
	const struct pmu_source *found[MAX_CANDIDATES];
	unsigned n = events_find_candidates(p, NULL, 0, found);
	bool fits = !n;

	for (unsigned i = 0; i < n; i++)
		fits = fits || !(config & ~parser_known_bits(found[i], 0));
	if (!fits)
		return parser_fail(p, "has bits that this CPU's counters reserve", name + 1);
	p->spec->attr.type = PERF_TYPE_RAW;
	p->spec->attr.config = config;
	return 0;
}

static bool events_lookup_all(const struct pmu_source *const *sources, const char *name,
                              size_t length, struct perf_event_attr *attr)
{
	const struct pmu_event_name *found = events_lookup(parse_generic_events, name, length);

	attr->type = PERF_TYPE_HARDWARE;
	if (!found) {
		attr->type = PERF_TYPE_SOFTWARE;
		found = events_lookup(parse_software_events, name, length);
	}
	for (const struct pmu_source *const *s = sources; s && *s && !found; s++) {
		attr->type = (*s)->type;
		found = events_lookup((*s)->events, name, length);
	}
	if (found)
		attr->config = found->config;
	return found;
}

static int events_unknown_event(struct parser *p, const char *name, size_t length)
{
	struct suggestion near = suggestion_for(name, length);
	const struct pmu_source *found[MAX_CANDIDATES];

	if (length && events_find_candidates(p, name, length, found))
		return parser_fail(p, "an event source: slashes are missing, as in bts//", name);
	for (const struct pmu_event_name *e = parse_generic_events; e->name; e++)
		suggestion_offer(&near, e->name);
	for (const struct pmu_source *const *s = p->sources->list; *s; s++) {
		for (const struct pmu_event_name *e = (*s)->events; e && e->name; e++)
			suggestion_offer(&near, e->name);
	}
	return parser_unknown(p, parse_unknown_event, &near);
}

static int parse_name(struct parser *p)
{
	const char *name = p->at;
	size_t length = parser_name_length(name);
	uint64_t config;

	p->at += length;
	if (*p->at == '/')
		return parse_source(p, name, length);
	if (events_lookup_all(p->sources->list, name, length, &p->spec->attr))
		return 0;
	if (events_is_raw(name, length, &config))
		return parse_raw(p, name, config);
	if (!length)
		return parser_fail(p, "an event's name is missing", name);
	return events_unknown_event(p, name, length);
}

bool parse_events_knows(const char *text, const struct pmu_source *const *sources)
{
	struct perf_event_attr attr;
	size_t length = parser_name_length(text);
	uint64_t config;

	return text[length] == '/' || events_lookup_all(sources, text, length, &attr) ||
	       events_is_raw(text, length, &config);
}

int parser_event(struct parser *p)
{
	const char *start = p->at;
	size_t length;
	int code;

	events_begin_spec(p->spec);
	code = parse_name(p);
	if (!code)
		code = parser_modifiers(p, p->spec, 1);
	if (code || *p->spec->name)
		return code;
	length = (size_t)(p->at - start);
	if (length >= sizeof(p->spec->name)) /* many terms: the name is only displayed */
		length = sizeof(p->spec->name) - 1;
	memcpy(p->spec->name, start, length);
	return 0;
}
