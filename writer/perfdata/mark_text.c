/* SPDX-License-Identifier: MIT */
#include "writer/perfdata/mark_text.h"

#include <stdio.h>
#include <string.h>

#include "writer/util/printable.h"

#define VALUES_MAX 4U
#define FLAGS_MAX  3U
#define DIGITS_MAX 3U /* the most digits of a width or a precision */
/* the most bytes that one conversion can give: %f of the largest number */
#define PIECE_MAX  400U
#define LITERAL    "snCS" /* conversions whose data is not in the record */

/* The rest of a format and of its values, and the text so far. */
struct mark_format {
	const char *at, *end;
	const uint8_t *values;
	unsigned left;
	char text[MARK_TEXT_MAX];
	size_t length, room; /* room: for the text without its NUL */
	bool cut;
};

/* A conversion as it is passed to printf(), with `long' as the type of all integers. */
struct conversion {
	char text[16];
	char which, size; /* size: 0, h, H for hh, l for all longer ones */
	unsigned values;
	bool is_literal; /* printed unchanged, not converted; its values are skipped */
};

bool mark_text_is(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       attr->sample_type & PERF_SAMPLE_RAW;
}

static bool mark_text_is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static void mark_text_add(struct mark_format *f, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (f->length == f->room) {
			f->cut = true;
			return;
		}
		f->text[f->length++] = bytes[i];
	}
}

static char mark_text_next(const struct mark_format *f)
{
	return f->at < f->end ? *f->at : 0;
}

/* Copy characters of this set, at most so many, to the conversion. */
static void mark_text_take(struct mark_format *f, struct conversion *c, const char *set,
                           unsigned most)
{
	size_t length = strlen(c->text);

	for (; mark_text_is_one_of(mark_text_next(f), set); f->at++) {
		if (most == 0)
			c->is_literal = true;
		else
			c->text[length++] = *f->at;
		most -= most != 0;
	}
}

/* Parse a width or a precision; `*' takes a value. */
static void mark_text_number(struct mark_format *f, struct conversion *c)
{
	if (mark_text_next(f) == '*') {
		f->at++;
		c->values++;
		c->is_literal = true;
	} else {
		mark_text_take(f, c, "0123456789", DIGITS_MAX);
	}
}

static void mark_text_size(struct mark_format *f, struct conversion *c)
{
	for (; mark_text_is_one_of(mark_text_next(f), "hljztL"); f->at++) {
		c->is_literal |= *f->at == 'L';
		c->size = *f->at != 'h' ? 'l' : c->size == 'h' ? 'H' : 'h';
	}
}

/* Parse a conversion after its %. Returns false if it is none, and has no value. */
static bool mark_text_parse(struct mark_format *f, struct conversion *c)
{
	*c = (struct conversion){ .text = "%" };
	mark_text_take(f, c, "-+ #0", FLAGS_MAX);
	mark_text_number(f, c);
	if (mark_text_next(f) == '.') {
		mark_text_take(f, c, ".", 1);
		mark_text_number(f, c);
	}
	mark_text_size(f, c);
	c->which = mark_text_next(f);
	if (!mark_text_is_one_of(c->which, "diuoxXcpeEfFgGaA" LITERAL))
		return false;
	f->at++;
	c->values++;
	c->is_literal |= mark_text_is_one_of(c->which, LITERAL);
	if (mark_text_is_one_of(c->which, "diuoxX"))
		strcat(c->text, "l");
	strncat(c->text, c->which == 'p' ? "" : &c->which, 1);
	return true;
}

/* The value cut to its type's size, because the machine writes all bits of a register. */
static uint64_t mark_text_narrow(const struct conversion *c, uint64_t value)
{
	bool is_signed = c->which == 'd' || c->which == 'i';

	switch (c->size) {
	case 0:
		return is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	case 'h':
		return is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
	case 'H':
		return is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
	default:
		return value;
	}
}

/* The format was composed above, from a fixed set of conversions. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int mark_text_print(char *to, const struct conversion *c, uint64_t value)
{
	double number;

	if (c->which == 'p')
		return snprintf(to, PIECE_MAX, "0x%lx", value);
	if (c->which == 'c')
		return snprintf(to, PIECE_MAX, c->text, (int)value);
	if (mark_text_is_one_of(c->which, "diuoxX"))
		return snprintf(to, PIECE_MAX, c->text, mark_text_narrow(c, value));
	memcpy(&number, &value, sizeof(number));
	return snprintf(to, PIECE_MAX, c->text, number);
}
#pragma GCC diagnostic pop

/* The next value, or 0 if there are no more. */
static uint64_t mark_text_value(struct mark_format *f)
{
	uint64_t value = 0;

	if (!f->left)
		return 0;
	memcpy(&value, f->values, sizeof(value));
	f->values += sizeof(value);
	f->left--;
	return value;
}

static void mark_text_convert(struct mark_format *f)
{
	const char *start = f->at++;
	struct conversion c;
	char piece[PIECE_MAX];
	uint64_t value = 0;
	int length;

	if (mark_text_next(f) == '%') {
		mark_text_add(f, f->at++, 1);
		return;
	}
	c.is_literal = !mark_text_parse(f, &c) || c.is_literal || !f->left;
	for (unsigned i = 0; i < c.values; i++)
		value = mark_text_value(f);
	if (c.is_literal) { /* the reader of the text sees the conversion itself */
		mark_text_add(f, start, (size_t)(f->at - start));
		return;
	}
	length = mark_text_print(piece, &c, value);
	if (length > 0)
		mark_text_add(f, piece,
		              (size_t)length < PIECE_MAX ? (size_t)length : PIECE_MAX - 1);
}

void mark_text_put(struct perf_event_header *record, const struct perf_event_attr *attr)
{
	struct mark_format f = { .left = 0 };
	struct sample sample;
	uint8_t *raw;

	if (record->type != PERF_RECORD_SAMPLE || !mark_text_is(attr) ||
	    !sample_parse(record, attr, &sample) || !sample.raw_size ||
	    sample.raw_size > MARK_TEXT_MAX)
		return;
	raw = (uint8_t *)record + (sample.raw - (const uint8_t *)record);
	f.left = raw[0];
	if (!f.left || f.left > VALUES_MAX || sample.raw_size < 1 + 8 * f.left)
		return;
	f.values = raw + sample.raw_size - 8 * (size_t)f.left;
	f.at = (const char *)raw + 1;
	f.end = f.at + strnlen(f.at, (size_t)((const char *)f.values - f.at));
	f.room = sample.raw_size - 1;
	while (f.at < f.end) {
		if (*f.at == '%')
			mark_text_convert(&f);
		else
			mark_text_add(&f, f.at++, 1);
	}
	if (f.cut && f.room >= 3)
		memcpy(f.text + f.room - 3, "...", 3);
	f.text[f.length] = 0;
	f.length = printable_copy(f.text, f.length + 1, f.text, f.length, '.', "");
	memcpy(raw, f.text, f.length);
	memset(raw + f.length, 0, sample.raw_size - f.length);
}

bool mark_text_get(const struct sample *sample, char *text, size_t size)
{
	size_t length = sample->raw ? strnlen((const char *)sample->raw, sample->raw_size) : 0;

	if (!length || length == sample->raw_size || (unsigned char)sample->raw[0] < ' ')
		return false;
	printable_copy(text, size, (const char *)sample->raw, length, '.', "");
	return true;
}

enum mark_kind mark_text_kind(const char *text, const char **name)
{
	static const struct {
		const char *prefix;
		enum mark_kind kind;
	} kinds[] = { { "begin ", MARK_BEGIN },           { "end ", MARK_END },
		      { "phase ", MARK_PHASE },           { "boot device ", MARK_DEVICE },
		      { "boot counter ", MARK_FIRMWARE }, { "FPDT ", MARK_FIRMWARE },
		      { "coreboot ", MARK_FIRMWARE },     { "bootstage ", MARK_FIRMWARE } };

	*name = text;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, length) != 0)
			continue;
		if (kinds[i].kind != MARK_FIRMWARE)
			*name = text + length;
		return kinds[i].kind;
	}
	return MARK_MOMENT;
}
