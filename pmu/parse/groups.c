/* SPDX-License-Identifier: MIT */
/* Lists of events, {groups} of them, and :modifiers of either. */
#include <errno.h>
#include <string.h>

#include "pmu/parse/parser.h"

#define MOST_PRECISE 3U

/* u, k, h: named levels are counted, the others are excluded. The levels of a group's modifiers are
 * counted beside those of an event's own, as in perf. */
static void groups_apply(struct event_spec *spec, uint64_t exclude)
{
	const uint64_t all = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
	                     PERF_ATTR_EXCLUDE_HV;

	if (exclude == all)
		return; /* no level was named */
	if (spec->attr.flags & all)
		spec->attr.flags &= ~(all & ~exclude);
	else
		spec->attr.flags |= exclude;
}

/* A group's modifiers raise the levels of its events. */
static void groups_set_precise(struct perf_event_attr *attr, uint64_t level)
{
	if (level > (attr->flags >> PERF_ATTR_PRECISE_IP & MOST_PRECISE))
		attr->flags = (attr->flags & ~((uint64_t)MOST_PRECISE << PERF_ATTR_PRECISE_IP)) |
		              level << PERF_ATTR_PRECISE_IP;
}

int parser_modifiers(struct parser *p, struct event_spec *specs, unsigned count)
{
	uint64_t exclude = PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
	uint64_t precise = 0;
	bool read = false;

	if (*p->at == ':')
		p->at++;
	for (; *p->at && !strchr(",}", *p->at); p->at++) {
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
		case 'S':
			read = true;
			break;
		case 'p':
			if (++precise > MOST_PRECISE)
				return parser_fail(p, "more than three p: the most is :ppp", p->at);
			break;
		default:
			return parser_fail(p, "unknown modifier (u, k, h, p, S are known)", p->at);
		}
	}
	for (unsigned i = 0; i < count; i++) {
		groups_apply(&specs[i], exclude);
		groups_set_precise(&specs[i].attr, precise);
		specs[i].sample_read = specs[i].sample_read || read;
	}
	return 0;
}

/* The place for the list's next event. */
static int groups_next_spec(struct parser *p, struct event_spec *specs, unsigned max, unsigned *n)
{
	if (*n == max)
		return parser_fail(p, "too many events", p->at);
	p->spec = &specs[(*n)++];
	return parser_event(p);
}

/* {EVENT,...}:MODIFIERS with p->at at the brace. */
static int parse_group(struct parser *p, struct event_spec *specs, unsigned max, unsigned *n)
{
	const char *brace = p->at++;
	unsigned first = *n;

	do {
		int code = groups_next_spec(p, specs, max, n);

		if (code)
			return code;
		specs[*n - 1].members = 0;
		if (!*p->at)
			return parser_fail(p, "this group's '}' is missing", brace);
	} while (*p->at++ == ',');
	specs[first].members = *n - first;
	if (*p->at && !strchr(",:", *p->at))
		return parser_fail(p, "expected ',' or ':' behind a group", p->at);
	return parser_modifiers(p, &specs[first], *n - first);
}

int parse_events(const char *text, const struct event_sources *sources, struct event_spec *specs,
                 unsigned max, struct parse_error *error)
{
	struct parser p = { .at = text, .sources = sources, .error = error };
	unsigned n = 0;

	for (;;) {
		int failed = *p.at == '{' ? parse_group(&p, specs, max, &n)
		                          : groups_next_spec(&p, specs, max, &n);

		if (failed)
			return failed;
		if (!*p.at)
			return (int)n;
		if (*p.at != ',')
			return parser_fail(&p, "a '}' without its '{'", p.at);
		p.at++;
	}
}
