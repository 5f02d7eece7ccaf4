/* SPDX-License-Identifier: MIT */
#include "lib/bench/bench_wire.h"

#include <string.h>

#define REQUEST_MARK 0x72U /* the first byte, which also names the format's version */
#define RESULT_MARK  0x73U

/* Numbers have 7 bits in each byte, the lowest first; bit 7 is set if more follow (LEB128). */
struct bench_cursor {
	uint8_t *to;
	const uint8_t *from;
	size_t at, size;
	bool failed; /* no room, or no more bytes */
};

/* ---- Writing ---- */

static void bench_put_bytes(struct bench_cursor *c, const void *bytes, size_t size)
{
	if (size > c->size - c->at) {
		c->failed = true;
		return;
	}
	if (size)
		memcpy(c->to + c->at, bytes, size);
	c->at += size;
}

static void bench_put(struct bench_cursor *c, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	do {
		bytes[size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	bench_put_bytes(c, bytes, size);
}

/* A sign goes into bit 0, so that small negative numbers are short. */
static void bench_put_signed(struct bench_cursor *c, int64_t value)
{
	bench_put(c, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

size_t bench_put_request(const struct bench_request *r, uint8_t *to, size_t room)
{
	struct bench_cursor c = { .to = to, .size = room };
	const uint32_t words[] = { r->flags,           r->cpu,    r->measurements, r->warm_up,
		                   r->initial_warm_up, r->unroll, r->loop,         r->alignment,
		                   r->bound_ms,        r->offset, r->cycle };

	bench_put(&c, REQUEST_MARK);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		bench_put(&c, words[i]);
	bench_put(&c, r->nr_counters);
	for (unsigned i = 0; i < r->nr_counters; i++) {
		bench_put(&c, r->counters[i].kind);
		bench_put(&c, r->counters[i].index);
		bench_put(&c, r->counters[i].config);
	}
	bench_put(&c, r->nr_writes);
	for (unsigned i = 0; i < r->nr_writes; i++) {
		bench_put(&c, r->writes[i].reg);
		bench_put(&c, r->writes[i].value);
	}
	for (unsigned i = 0; i < BENCH_PARTS; i++) {
		bench_put(&c, r->parts[i].size);
		bench_put_bytes(&c, r->parts[i].bytes, r->parts[i].size);
	}
	return c.failed ? 0 : c.at;
}

static void bench_put_hardware(struct bench_cursor *c, const struct bench_hardware *h)
{
	bench_put(c, h->vendor);
	bench_put(c, h->general);
	bench_put(c, h->fixed);
	bench_put(c, h->aperf);
	bench_put(c, h->signature);
	bench_put(c, h->frequency);
	for (unsigned i = 0; i < BENCH_AREAS; i++)
		bench_put(c, h->areas[i]);
	bench_put(c, h->code);
	bench_put(c, h->code_size);
}

static void bench_put_noise(struct bench_cursor *c, const struct bench_noise *n)
{
	const uint64_t words[] = { n->smis,   n->interrupts,     n->hit,
		                   n->stolen, n->machine_checks, n->throttled,
		                   n->frozen, n->ratio[0],       n->ratio[1] };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		bench_put(c, words[i]);
}

size_t bench_put_result(const struct bench_result *r, uint8_t *to, size_t room)
{
	struct bench_cursor c = { .to = to, .size = room };
	size_t length = strnlen(r->text, sizeof(r->text) - 1);
	int64_t last = 0;

	bench_put(&c, RESULT_MARK);
	bench_put_signed(&c, r->status);
	bench_put(&c, length);
	bench_put_bytes(&c, r->text, length);
	bench_put_hardware(&c, &r->hardware);
	bench_put_noise(&c, &r->noise);
	bench_put(&c, r->counters);
	bench_put(&c, r->measurements);
	for (size_t i = 0; i < (size_t)2 * r->counters * r->measurements; i++) {
		bench_put_signed(&c, (int64_t)((uint64_t)r->values[i] - (uint64_t)last));
		last = r->values[i];
	}
	return c.failed ? 0 : c.at;
}

/* ---- Reading ---- */

static uint64_t bench_get(struct bench_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (c->at == c->size)
			break;
		byte = c->from[c->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->failed = true;
	return 0;
}

static uint32_t bench_get_word(struct bench_cursor *c)
{
	uint64_t value = bench_get(c);

	c->failed = c->failed || value > UINT32_MAX;
	return (uint32_t)value;
}

static int64_t bench_get_signed(struct bench_cursor *c)
{
	uint64_t value = bench_get(c);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static const uint8_t *bench_get_bytes(struct bench_cursor *c, size_t size)
{
	const uint8_t *bytes = c->from + c->at;

	if (size > c->size - c->at) {
		c->failed = true;
		return NULL;
	}
	c->at += size;
	return bytes;
}

static void bench_get_lists(struct bench_cursor *c, struct bench_request *r)
{
	uint32_t count = bench_get_word(c);

	c->failed = c->failed || count > BENCH_COUNTERS;
	for (r->nr_counters = 0; r->nr_counters < count && !c->failed; r->nr_counters++) {
		struct bench_counter *counter = &r->counters[r->nr_counters];

		counter->kind = bench_get_word(c);
		counter->index = bench_get_word(c);
		counter->config = bench_get(c);
	}
	count = bench_get_word(c);
	c->failed = c->failed || count > BENCH_WRITES;
	for (r->nr_writes = 0; r->nr_writes < count && !c->failed; r->nr_writes++) {
		r->writes[r->nr_writes].reg = bench_get_word(c);
		r->writes[r->nr_writes].value = bench_get(c);
	}
	for (unsigned i = 0; i < BENCH_PARTS; i++) {
		r->parts[i].size = bench_get_word(c);
		r->parts[i].bytes = bench_get_bytes(c, r->parts[i].size);
	}
}

/* Why a whole request is refused; NULL: it is not. */
static const char *bench_judge(const struct bench_request *r)
{
	uint64_t runs = (uint64_t)r->measurements + r->warm_up;

	if (r->flags & ~BENCH_FLAGS)
		return "an unknown flag";
	if (r->flags & BENCH_ABOUT)
		return NULL;
	if (!r->measurements || runs > BENCH_MEASUREMENTS ||
	    r->initial_warm_up > BENCH_MEASUREMENTS)
		return "measurements and warm-up runs must be 1 to 100000";
	if (2ULL * r->measurements * r->nr_counters > BENCH_VALUES)
		return "too many measurements for one result";
	if (!r->unroll)
		return "the unroll count is 0";
	if (r->loop > INT32_MAX)
		return "the loop count does not fit into 31 bits";
	for (unsigned i = 0; i < r->nr_counters; i++) {
		if (r->counters[i].kind >= BENCH_KINDS)
			return "an unknown kind of counter";
	}
	return NULL;
}

const char *bench_get_request(struct bench_request *r, const uint8_t *bytes, size_t size)
{
	struct bench_cursor c = { .from = bytes, .size = size };
	uint32_t *const words[] = {
		&r->flags,           &r->cpu,    &r->measurements, &r->warm_up,
		&r->initial_warm_up, &r->unroll, &r->loop,         &r->alignment,
		&r->bound_ms,        &r->offset, &r->cycle
	};

	memset(r, 0, sizeof(*r));
	if (bench_get(&c) != REQUEST_MARK)
		return "it is of another version of bareperf";
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*words[i] = bench_get_word(&c);
	bench_get_lists(&c, r);
	if (c.failed || c.at != size)
		return "it is damaged";
	return bench_judge(r);
}

static void bench_get_hardware(struct bench_cursor *c, struct bench_hardware *h)
{
	h->vendor = bench_get_word(c);
	c->failed = c->failed || h->vendor >= BENCH_VENDORS;
	h->general = bench_get_word(c);
	h->fixed = bench_get_word(c);
	h->aperf = bench_get_word(c);
	h->signature = bench_get_word(c);
	h->frequency = bench_get(c);
	for (unsigned i = 0; i < BENCH_AREAS; i++)
		h->areas[i] = bench_get(c);
	h->code = bench_get(c);
	h->code_size = bench_get(c);
}

static void bench_get_noise(struct bench_cursor *c, struct bench_noise *n)
{
	uint64_t *const words[] = { &n->smis,   &n->interrupts,     &n->hit,
		                    &n->stolen, &n->machine_checks, &n->throttled,
		                    &n->frozen, &n->ratio[0],       &n->ratio[1] };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		*words[i] = bench_get(c);
}

static void bench_get_values(struct bench_cursor *c, struct bench_result *r)
{
	uint64_t count = 2ULL * r->counters * r->measurements;
	int64_t last = 0;

	c->failed = c->failed || r->counters > BENCH_COUNTERS ||
	            r->measurements > BENCH_MEASUREMENTS || count > BENCH_VALUES;
	for (uint64_t i = 0; i < count && !c->failed; i++) {
		last = (int64_t)((uint64_t)last + (uint64_t)bench_get_signed(c));
		r->values[i] = last;
	}
}

const char *bench_get_result(struct bench_result *r, const uint8_t *bytes, size_t size)
{
	struct bench_cursor c = { .from = bytes, .size = size };
	const uint8_t *text;
	size_t length;

	if (bench_get(&c) != RESULT_MARK)
		return "it is of another version of bareperf";
	r->status = (int32_t)bench_get_signed(&c);
	length = bench_get_word(&c);
	text = length < sizeof(r->text) ? bench_get_bytes(&c, length) : NULL;
	if (!text)
		return "it is damaged";
	memcpy(r->text, text, length);
	r->text[length] = 0;
	bench_get_hardware(&c, &r->hardware);
	bench_get_noise(&c, &r->noise);
	r->counters = bench_get_word(&c);
	r->measurements = bench_get_word(&c);
	bench_get_values(&c, r);
	return c.failed || c.at != size ? "it is damaged" : NULL;
}

/* ---- Text ---- */

static const char bench_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void bench_to_text(char *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		group |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
		group |= i + 2 < size ? bytes[i + 2] : 0;
		*to++ = bench_digits[group >> 18];
		*to++ = bench_digits[group >> 12 & 63];
		*to++ = i + 1 < size ? bench_digits[group >> 6 & 63] : '=';
		*to++ = i + 2 < size ? bench_digits[group & 63] : '=';
	}
	*to = 0;
}

/* The value of a digit; -1: it is none. */
static int bench_digit(char c)
{
	const char *found = c ? strchr(bench_digits, c) : NULL;

	return found ? (int)(found - bench_digits) : -1;
}

long bench_from_text(uint8_t *to, size_t room, const char *text)
{
	size_t length = strlen(text), size = 0, pads = 0;

	while (pads < 2 && pads < length && text[length - 1 - pads] == '=')
		pads++;
	if (length % 4 || length / 4 * 3 - pads > room)
		return -1;
	for (size_t i = 0; i < length; i += 4) {
		uint32_t group = 0;

		for (size_t j = 0; j < 4; j++) {
			int digit = i + j < length - pads ? bench_digit(text[i + j]) : 0;

			if (digit < 0)
				return -1;
			group = group << 6 | (uint32_t)digit;
		}
		for (size_t j = 0; j < 3 && size < length / 4 * 3 - pads; j++)
			to[size++] = (uint8_t)(group >> (16 - 8 * j));
	}
	return (long)size;
}
