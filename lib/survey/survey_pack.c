/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_pack.h"

#include <string.h>

#include "writer/util/crc32.h"

/* The parts that a text may lack. */
enum pack_parts { PACK_SHORT, PACK_CPUS, PACK_ALL };

/* Both directions walk through the fields by the same functions: pack_*() write the value that
 * they get a pointer to, or set it. */
struct pack {
	bool reads;
	char *to;         /* the next byte to write */
	const char *from; /* the next one to read */
	size_t left;      /* bytes */
	bool broken;      /* no room; or no such text */
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* ---- Characters ---- */

static void pack_put(struct pack *p, char c)
{
	p->broken |= !p->left;
	if (p->broken)
		return;
	*p->to++ = c;
	p->left--;
}

/* Returns 0 at the end. */
static char pack_get(struct pack *p)
{
	while (p->left &&
	       (*p->from == ' ' || *p->from == '\n' || *p->from == '\r' || *p->from == '\t')) {
		p->from++;
		p->left--;
	}
	p->broken |= !p->left;
	if (p->broken)
		return 0;
	p->left--;
	return *p->from++;
}

/* ---- Numbers and strings ---- */

static void pack_put_number(struct pack *p, uint64_t value)
{
	for (; value >= 32; value >>= 5)
		pack_put(p, digits[32 + value % 32]);
	pack_put(p, digits[value]);
}

static uint64_t pack_get_number(struct pack *p)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 5) {
		char c = pack_get(p);
		const char *digit = c ? strchr(digits, c) : NULL;
		uint64_t bits = digit ? (uint64_t)(digit - digits) % 32 : 0;

		if (!digit || shift >= 64 || bits << shift >> shift != bits) {
			p->broken = true;
			return 0;
		}
		value |= bits << shift;
		if (digit - digits < 32)
			return value;
	}
}

static void pack_number(struct pack *p, uint64_t *value)
{
	if (p->reads)
		*value = pack_get_number(p);
	else
		pack_put_number(p, *value);
}

/* A number of at most max; a larger one breaks the text. */
static void pack_small(struct pack *p, uint32_t *value, uint32_t max)
{
	uint64_t wide = *value;

	pack_number(p, &wide);
	p->broken |= wide > max;
	if (p->reads)
		*value = p->broken ? 0 : (uint32_t)wide;
}

static void pack_signed(struct pack *p, int64_t *value)
{
	uint64_t zigzag = ((uint64_t)*value << 1) ^ (*value < 0 ? UINT64_MAX : 0);

	pack_number(p, &zigzag);
	if (p->reads)
		*value = (int64_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT64_MAX : 0));
}

static void pack_string(struct pack *p, char *text, uint32_t size)
{
	uint32_t length = p->reads ? 0 : (uint32_t)strlen(text);

	pack_small(p, &length, size - 1);
	for (uint32_t i = 0; i < length && !p->broken; i++) {
		char c = p->reads ? pack_get(p) : text[i];

		if (p->reads)
			text[i] = c == '~' ? ' ' : c;
		else
			pack_put(p, c == ' ' ? '~' : c > ' ' && c < '~' ? c : '?');
		p->broken |= p->reads && (c <= ' ' || c > '~');
	}
	if (p->reads)
		text[p->broken ? 0 : length] = '\0';
}

/* ---- Sixteenths of an octave ---- */

/* 2^(i/16) * 2^15, rounded */
static const uint32_t sixteenths[] = { 32768, 34219, 35734, 37316, 38968, 40693, 42495, 44376,
	                               46341, 48393, 50535, 52773, 55109, 57549, 60097, 62757 };

/* 1 + the logarithm, rounded to the nearest; 0 for 0. At most 1025. */
static uint32_t pack_log(uint64_t value)
{
	unsigned octave = value ? 63U - (unsigned)__builtin_clzll(value) : 0, i = 0;
	uint64_t mantissa = octave > 15 ? value >> (octave - 15) : value << (15 - octave);

	if (!value)
		return 0;
	while (i < 16 && mantissa > (i < 15 ? (sixteenths[i] + sixteenths[i + 1]) / 2
	                                    : (sixteenths[15] + 65536) / 2))
		i++;
	return 1 + octave * 16 + i;
}

static uint64_t pack_power(uint32_t log)
{
	unsigned octave = log ? (log - 1) / 16 : 0;

	if (!log)
		return 0;
	return octave > 15
	           ? (uint64_t)sixteenths[(log - 1) % 16] << (octave - 15)
	           : (sixteenths[(log - 1) % 16] + (1U << (15 - octave) >> 1)) >> (15 - octave);
}

#define LOG_MAX 768 /* number of codes; values are below 2^48: latencies of minutes */

/* A value as the difference to the last one's logarithm. */
static void pack_step(struct pack *p, uint64_t *value, int64_t *last)
{
	int64_t log = p->reads ? 0 : pack_log(*value), difference = log - *last;

	pack_signed(p, &difference);
	p->broken |= difference < -LOG_MAX || difference > LOG_MAX;
	log = p->broken ? 0 : *last + difference;
	p->broken |= log < 0 || log > LOG_MAX;
	if (p->reads)
		*value = p->broken ? 0 : pack_power((uint32_t)log);
	*last = log;
}

/* ---- The fields ---- */

static void pack_machine(struct pack *p, struct survey *s)
{
	pack_string(p, s->producer, sizeof(s->producer));
	pack_string(p, s->architecture, sizeof(s->architecture));
	pack_string(p, s->vendor, sizeof(s->vendor));
	pack_string(p, s->model, sizeof(s->model));
	pack_string(p, s->firmware, sizeof(s->firmware));
	pack_string(p, s->hypervisor, sizeof(s->hypervisor));
	pack_string(p, s->emulator, sizeof(s->emulator));
	pack_number(p, &s->signature);
	pack_number(p, &s->hz);
	pack_small(p, &s->cpus, SURVEY_CPUS);
	pack_small(p, &s->passed, UINT16_MAX);
	pack_small(p, &s->failed, UINT16_MAX);
	pack_small(p, &s->absent, UINT16_MAX);
}

/* The checks' names, not their texts. */
static void pack_failures(struct pack *p, struct survey *s)
{
	pack_small(p, &s->nr_failures, SURVEY_FAILURES);
	for (unsigned i = 0; i < s->nr_failures && !p->broken; i++)
		pack_string(p, s->failures[i].check, sizeof(s->failures[i].check));
}

/* The sizes follow from their number. */
static void pack_ladder(struct pack *p, struct survey *s)
{
	int64_t last = 0;

	pack_small(p, &s->nr_points, SURVEY_SIZES);
	for (unsigned i = 0; i < s->nr_points && !p->broken; i++) {
		if (p->reads)
			s->points[i].bytes = (i % 2 ? 6144ULL : 4096ULL) << i / 2;
		pack_step(p, &s->points[i].ps, &last);
	}
}

static void pack_spread(struct pack *p, struct survey_spread *spread)
{
	pack_number(p, &spread->min);
	pack_number(p, &spread->p10);
	pack_number(p, &spread->median);
	pack_number(p, &spread->p90);
	pack_number(p, &spread->max);
}

static void pack_interrupts(struct pack *p, struct survey *s)
{
	pack_small(p, &s->skid.count, UINT16_MAX);
	if (p->reads)
		s->late.count = s->skid.count;
	if (!s->skid.count || p->broken)
		return;
	pack_spread(p, &s->skid);
	pack_spread(p, &s->late);
	for (unsigned i = 0; i < SURVEY_BUCKETS; i++)
		pack_small(p, &s->histogram[i], UINT16_MAX);
}

/* ns as the difference in us to the last CPU's. */
static void pack_us(struct pack *p, uint64_t *ns, uint64_t last)
{
	int64_t difference = (int64_t)(*ns / 1000) - (int64_t)(last / 1000);
	uint64_t us;

	pack_signed(p, &difference);
	us = last / 1000 + (uint64_t)difference;
	p->broken |= us > UINT64_MAX / 1000;
	if (p->reads)
		*ns = p->broken ? 0 : us * 1000;
}

static void pack_cpu(struct pack *p, struct survey_cpu *cpu, const struct survey_cpu *last,
                     int64_t *last_log)
{
	struct survey_noise *n = &cpu->noise;
	uint64_t mbs = cpu->read_mbs;

	pack_step(p, &mbs, last_log);
	p->broken |= mbs > UINT32_MAX;
	if (p->reads)
		cpu->read_mbs = (uint32_t)mbs;
	pack_signed(p, &cpu->offset);
	pack_number(p, &cpu->error);
	pack_signed(p, &cpu->drift);
	pack_small(p, &n->periods, UINT16_MAX);
	pack_us(p, &n->runtime, last->noise.runtime);
	pack_us(p, &n->noise, last->noise.noise);
	pack_us(p, &n->max_noise, last->noise.max_noise);
	pack_us(p, &n->max_single, last->noise.max_single);
	pack_small(p, &n->hw, UINT32_MAX);
	pack_small(p, &n->nmi, UINT32_MAX);
	pack_small(p, &n->smi, UINT32_MAX);
	pack_us(p, &n->max_smi, last->noise.max_smi);
}

static void pack_cpus(struct pack *p, struct survey *s)
{
	static const struct survey_cpu first;
	uint64_t all = s->all_mbs;
	uint32_t has_smi = s->has_smi;
	int64_t log = 0;

	pack_step(p, &all, &log);
	p->broken |= all > UINT32_MAX;
	if (p->reads)
		s->all_mbs = (uint32_t)all;
	pack_number(p, &s->threshold);
	pack_number(p, &s->period);
	pack_small(p, &has_smi, 1);
	if (p->reads)
		s->has_smi = has_smi;
	for (unsigned i = 0; i < s->cpus && !p->broken; i++)
		pack_cpu(p, &s->cpu[i], i ? &s->cpu[i - 1] : &first, &log);
}

/* Equal neighbours are a 0 and the number of further ones. */
static void pack_map(struct pack *p, struct survey *s)
{
	unsigned count = survey_nr_pairs(s);
	int64_t last = 0, before;

	for (unsigned i = 0; i < count && !p->broken; i++) {
		uint32_t more = 0;

		before = last;
		pack_step(p, &s->pairs[i], &last);
		if (last != before || p->broken)
			continue;
		while (!p->reads && i + more + 1 < count &&
		       pack_log(s->pairs[i + more + 1]) == (uint32_t)last)
			more++;
		pack_small(p, &more, count - i - 1);
		for (; more && !p->broken; more--, i++)
			if (p->reads)
				s->pairs[i + 1] = s->pairs[i];
	}
}

static void pack_fields(struct pack *p, struct survey *s, uint32_t parts)
{
	pack_machine(p, s);
	pack_failures(p, s);
	pack_ladder(p, s);
	pack_interrupts(p, s);
	pack_small(p, &parts, PACK_ALL);
	if (parts >= PACK_CPUS && !p->broken)
		pack_cpus(p, s);
	if (parts >= PACK_ALL && !p->broken)
		pack_map(p, s);
}

/* ---- Whole texts ---- */

#define MARK_LENGTH (sizeof(SURVEY_PACK_MARK) - 1)

static size_t pack_try(const struct survey *s, char *text, size_t size, enum pack_parts parts)
{
	char *fields = text + MARK_LENGTH;
	struct pack p = { .to = fields, .left = size - MARK_LENGTH - 1 };

	memcpy(text, SURVEY_PACK_MARK, MARK_LENGTH);
	/* Writing changes no value. */
	pack_fields(&p, (struct survey *)(uintptr_t)s, parts);
	if (p.broken)
		return 0;
	pack_put(&p, ':');
	pack_put_number(&p, crc32_add(0, fields, (size_t)(p.to - fields) - 1));
	*p.to = '\0';
	return p.broken ? 0 : (size_t)(p.to - text);
}

size_t survey_pack(const struct survey *s, char *text, size_t size)
{
	size_t length = 0;

	for (int parts = PACK_ALL; !length && parts >= PACK_SHORT && size > MARK_LENGTH; parts--)
		length = pack_try(s, text, size, (enum pack_parts)parts);
	return length;
}

/* The CRC of the text from `from` to `to`, without blanks. */
static uint32_t pack_crc(const char *from, const char *to)
{
	struct pack p = { .reads = true, .from = from, .left = (size_t)(to - from) };
	uint32_t crc = 0;
	char c;

	while ((c = pack_get(&p)))
		crc = crc32_add(crc, &c, 1);
	return crc;
}

const char *survey_unpack(struct survey *s, const char *text, size_t length)
{
	struct pack p = { .reads = true, .from = text, .left = length };
	const char *fields, *end;

	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < MARK_LENGTH; i++)
		if (pack_get(&p) != SURVEY_PACK_MARK[i])
			return "it does not begin with " SURVEY_PACK_MARK;
	fields = p.from;
	pack_fields(&p, s, 0);
	end = p.from;
	if (p.broken || pack_get(&p) != ':')
		return "it is cut off or damaged";
	if (pack_get_number(&p) != pack_crc(fields, end) || p.broken)
		return "its checksum is wrong: a character is missing or changed";
	return NULL;
}
