/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "pmu/parse/parser.h"

int parser_fail(struct parser *p, const char *what, const char *at)
{
	*p->error = (struct parse_error){ .what = what, .at = at };
	return -EINVAL;
}

int parser_unknown(struct parser *p, const char *what, const struct suggestion *suggestion)
{
	parser_fail(p, what, suggestion->word);
	p->error->meant = suggestion->meant;
	return -EINVAL;
}

int parser_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

int parser_digits(const char **at, int base, uint64_t *value)
{
	const char *start = *at;

	*value = 0;
	for (; parser_digit(**at) < base; ++*at) {
		if (*value > (UINT64_MAX - (unsigned)parser_digit(**at)) / (unsigned)base)
			return -ERANGE;
		*value = *value * (unsigned)base + (unsigned)parser_digit(**at);
	}
	return *at == start ? -EINVAL : 0;
}

int parse_number(const char **at, uint64_t *value)
{
	if ((*at)[0] == '0' && (*at)[1] == 'x') {
		*at += 2;
		return parser_digits(at, 16, value);
	}
	return parser_digits(at, 10, value);
}

size_t parser_name_length(const char *text)
{
	return strcspn(text, ",:/={}");
}

bool parser_named(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && !memcmp(name, text, length);
}

/* Terms of the event core, in addition to the terms of a source. */
static const struct pmu_format words[] = {
	{ "config", 0, 0, 63 },  { "config1", 1, 0, 63 }, { "config2", 2, 0, 63 },
	{ "config3", 3, 0, 63 }, { "config4", 4, 0, 63 }, { NULL, 0, 0, 0 },
};

static const char *const own_terms[] = { "period", "freq", "name" };

static uint64_t terms_format_mask(const struct pmu_format *format)
{
	unsigned width = format->high - format->low + 1U;

	return (width == 64 ? UINT64_MAX : (1ULL << width) - 1) << format->low;
}

uint64_t parser_known_bits(const struct pmu_source *source, unsigned word)
{
	uint64_t bits = 0;

	for (const struct pmu_format *f = source->formats; f && f->term; f++)
		bits |= f->word == word ? terms_format_mask(f) : 0;
	return bits;
}

static const struct pmu_format *terms_find_format(const struct pmu_format *formats,
                                                  const char *term, size_t length)
{
	for (; formats && formats->term; formats++) {
		if (parser_named(formats->term, term, length))
			return formats;
	}
	return NULL;
}

/* A field of several pieces stores them in order, the lowest bits first. */
static int terms_set_field(struct parser *p, const struct pmu_format *format, uint64_t value,
                           const char *value_at)
{
	uint64_t *config[] = { &p->spec->attr.config, &p->spec->attr.config1,
		               &p->spec->attr.config2, &p->spec->config3, &p->spec->config4 };
	const char *term = format->term;

	for (; format->term && !strcmp(format->term, term); format++) {
		uint64_t mask = terms_format_mask(format), most = mask >> format->low;

		*config[format->word] &= ~mask;
		*config[format->word] |= (value & most) << format->low;
		value = value >> (format->high - format->low) >> 1; /* two shifts: 64 bits may go */
	}
	return value ? parser_fail(p, "value does not fit the term", value_at) : 0;
}

/* config=, config1= to config4=: sets the whole word, but only bits that the source has terms for.
 */
static int terms_set_word(struct parser *p, const struct pmu_source *source,
                          const struct pmu_format *word, uint64_t value, const char *value_at)
{
	if (value & ~parser_known_bits(source, word->word))
		return parser_fail(p, "has bits that this event source reserves", value_at);
	return terms_set_field(p, word, value, value_at);
}

static int terms_unknown_term(struct parser *p, const struct pmu_source *source, const char *term,
                              size_t length)
{
	struct suggestion near = suggestion_for(term, length);

	for (const struct pmu_format *f = source->formats; f && f->term; f++)
		suggestion_offer(&near, f->term);
	for (const struct pmu_format *f = words; f->term; f++)
		suggestion_offer(&near, f->term);
	for (size_t i = 0; i < sizeof(own_terms) / sizeof(own_terms[0]); i++)
		suggestion_offer(&near, own_terms[i]);
	return parser_unknown(p, "unknown term of this event source", &near);
}

/* The source's own name for an event, as in cpu/mem-loads,ldlat=30/. */
static bool terms_set_event(struct parser *p, const struct pmu_source *source, const char *name,
                            size_t length)
{
	for (const struct pmu_event_name *e = source->events; e && e->name; e++) {
		if (!parser_named(e->name, name, length))
			continue;
		p->spec->attr.config |= e->config;
		return true;
	}
	return false;
}

static int terms_set_term(struct parser *p, const struct pmu_source *source, const char *term,
                          size_t length, uint64_t value, const char *value_at)
{
	struct perf_event_attr *attr = &p->spec->attr;
	const struct pmu_format *format = terms_find_format(source->formats, term, length);
	const struct pmu_format *word = terms_find_format(words, term, length);

	if (format)
		return terms_set_field(p, format, value, value_at);
	if (word)
		return terms_set_word(p, source, word, value, value_at);
	if (parser_named("period", term, length) || parser_named("freq", term, length)) {
		if (!value)
			return parser_fail(p, "must be more than 0", value_at);
		if (source->flags & PMU_EVERY)
			return parser_fail(p, "there is no period: every one is recorded", term);
		attr->sample_period = value;
		attr->flags &= ~PERF_ATTR_FREQ;
		attr->flags |= parser_named("freq", term, length) ? PERF_ATTR_FREQ : 0;
		return 0;
	}
	if (term == value_at && terms_set_event(p, source, term, length))
		return 0;
	return terms_unknown_term(p, source, term, length);
}

/* name=TEXT: the event's name in the trace. */
static int terms_set_name(struct parser *p)
{
	size_t length;

	p->at += *p->at == '=';
	length = strcspn(p->at, ",/");
	if (!length)
		return parser_fail(p, "a name is missing", p->at);
	if (length >= sizeof(p->spec->name))
		return parser_fail(p, "a name is longer than 63 characters", p->at);
	memcpy(p->spec->name, p->at, length);
	p->spec->name[length] = '\0';
	p->at += length;
	return 0;
}

static int parse_term(struct parser *p, const struct pmu_source *source)
{
	const char *term = p->at, *value_at = term;
	size_t length = parser_name_length(term);
	uint64_t value = 1;

	if (!length)
		return parser_fail(p, "a term or '/' is missing", term);
	p->at += length;
	if (parser_named("name", term, length))
		return terms_set_name(p);
	if (*p->at == '=') {
		value_at = ++p->at;
		if (parse_number(&p->at, &value))
			return parser_fail(p, "not a number of 64 bits", value_at);
	}
	return terms_set_term(p, source, term, length, value, value_at);
}

int parser_terms(struct parser *p, const struct pmu_source *source)
{
	/* SOURCE//TERM=VALUE/ is accepted as well. */
	if (*p->at == '/' &&
	    terms_find_format(source->formats, p->at + 1, parser_name_length(p->at + 1)))
		p->at++;
	while (*p->at != '/') {
		int code = parse_term(p, source);

		if (code)
			return code;
		if (*p->at == ',')
			p->at++;
		else if (*p->at != '/')
			return parser_fail(p, "expected ',' or '/'", p->at);
	}
	p->at++;
	return 0;
}
