/* SPDX-License-Identifier: MIT */
/* The contents of frames: each struct's words, in the order of its declaration. */
#include <stddef.h>

#include "channel/wire/wire.h"

/* ---- Writing a body ---- */

static uint8_t *wire_put_word(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
	return to + bytes;
}

static uint8_t *wire_put_bytes(uint8_t *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = bytes[i];
	return to + size;
}

void wire_put_head(uint8_t *body, const struct wire_head *head)
{
	body[0] = head->type;
	body[1] = head->flags;
	wire_put_sequence(body, head->sequence);
}

void wire_put_sequence(uint8_t *body, uint16_t sequence)
{
	wire_put_word(body + 2, sequence, 2);
}

static uint8_t *wire_begin(uint8_t *body, enum wire_type type, uint8_t flags)
{
	const struct wire_head head = { .type = (uint8_t)type, .flags = flags };

	wire_put_head(body, &head);
	return body + WIRE_HEAD;
}

/* ---- Reading a body: words beyond its end are 0, and missing is set ---- */

struct wire_reader {
	const uint8_t *at;
	size_t left;
	bool missing;
};

static struct wire_reader wire_reader(const uint8_t *body, size_t size)
{
	struct wire_reader reader = { body, size, size < WIRE_HEAD };

	if (!reader.missing) {
		reader.at += WIRE_HEAD;
		reader.left -= WIRE_HEAD;
	}
	return reader;
}

/* Returns the next size bytes, or NULL. */
static const uint8_t *wire_take(struct wire_reader *reader, size_t size)
{
	const uint8_t *bytes = reader->at;

	if (reader->missing || reader->left < size) {
		reader->missing = true;
		return NULL;
	}
	reader->at += size;
	reader->left -= size;
	return bytes;
}

static uint64_t wire_take_word(struct wire_reader *reader, unsigned size)
{
	const uint8_t *bytes = wire_take(reader, size);
	uint64_t value = 0;

	for (unsigned i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

bool wire_get_head(const uint8_t *body, size_t size, struct wire_head *head)
{
	if (size < WIRE_HEAD)
		return false;
	head->type = body[0];
	head->flags = body[1];
	head->sequence = (uint16_t)(body[2] | body[3] << 8);
	return true;
}

/* ---- The fields of each type, in the order of the wire: docs/wire-format.md ---- */

struct wire_field {
	uint16_t offset; /* offset in the message's struct */
	uint8_t bytes;   /* size of a word, bytes */
	uint8_t words;   /* number of words in an array */
};

#define WIRE_FIELD(type, name)                                                   \
	{                                                                        \
		offsetof(struct type, name), sizeof(((struct type *)0)->name), 1 \
	}
/* An array of words of 64 bits */
#define WIRE_WORDS(type, name, words)                                \
	{                                                            \
		offsetof(struct type, name), sizeof(uint64_t), words \
	}
#define WIRE_PUT_FIELDS(to, fields, message) \
	wire_put_fields(to, fields, sizeof(fields) / sizeof(fields[0]), message)
#define WIRE_TAKE_FIELDS(from, fields, message) \
	wire_take_fields(from, fields, sizeof(fields) / sizeof(fields[0]), message)

static const struct wire_field hello_fields[] = {
	WIRE_FIELD(wire_hello, version),
	WIRE_FIELD(wire_hello, nonce),
	WIRE_FIELD(wire_hello, probes),
};

static const struct wire_field welcome_fields[] = {
	WIRE_FIELD(wire_welcome, version),  WIRE_FIELD(wire_welcome, host_nonce),
	WIRE_FIELD(wire_welcome, nonce),    WIRE_FIELD(wire_welcome, region_size),
	WIRE_FIELD(wire_welcome, address),  WIRE_FIELD(wire_welcome, burst),
	WIRE_FIELD(wire_welcome, burst_us), WIRE_FIELD(wire_welcome, baud),
	WIRE_FIELD(wire_welcome, baud_max), WIRE_FIELD(wire_welcome, machine),
	WIRE_FIELD(wire_welcome, gets),     WIRE_FIELD(wire_welcome, probes),
};

static const struct wire_field get_fields[] = {
	WIRE_FIELD(wire_get, tag),
	WIRE_FIELD(wire_get, size),
	WIRE_FIELD(wire_get, offset),
};

static const struct wire_field put_fields[] = {
	WIRE_FIELD(wire_put, number),
	WIRE_FIELD(wire_put, size),
	WIRE_FIELD(wire_put, offset),
};

static const struct wire_field clear_fields[] = {
	WIRE_FIELD(wire_clear, number),
	WIRE_FIELD(wire_clear, count),
};

static const struct wire_field baud_fields[] = { WIRE_FIELD(wire_baud, baud) };

static const struct wire_field data_fields[] = {
	WIRE_FIELD(wire_data, tag),
	WIRE_FIELD(wire_data, at),
	WIRE_FIELD(wire_data, raw),
};

static const struct wire_field done_fields[] = {
	WIRE_FIELD(wire_done, number),
	WIRE_FIELD(wire_done, status),
	WIRE_FIELD(wire_done, set),
};

static const struct wire_field status_fields[] = {
	WIRE_FIELD(wire_status, nonce),
	WIRE_FIELD(wire_status, heartbeat),
	WIRE_FIELD(wire_status, run),
	WIRE_FIELD(wire_status, state),
	WIRE_FIELD(wire_status, reply),
	WIRE_FIELD(wire_status, console_head),
	WIRE_WORDS(wire_status, rings, WIRE_RINGS_WORDS),
	WIRE_FIELD(wire_status, damaged),
	WIRE_FIELD(wire_status, overruns),
};

static uint64_t wire_field_value(const uint8_t *at, unsigned bytes)
{
	switch (bytes) {
	case 2:
		return *(const uint16_t *)(const void *)at;
	case 4:
		return *(const uint32_t *)(const void *)at;
	default:
		return *(const uint64_t *)(const void *)at;
	}
}

static void wire_field_set(uint8_t *at, unsigned bytes, uint64_t value)
{
	switch (bytes) {
	case 2:
		*(uint16_t *)(void *)at = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)(void *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)(void *)at = value;
	}
}

static uint8_t *wire_put_fields(uint8_t *to, const struct wire_field *field, size_t count,
                                const void *message)
{
	for (const struct wire_field *end = field + count; field < end; field++) {
		const uint8_t *at = (const uint8_t *)message + field->offset;

		for (unsigned i = 0; i < field->words; i++, at += field->bytes)
			to = wire_put_word(to, wire_field_value(at, field->bytes), field->bytes);
	}
	return to;
}

static void wire_take_fields(struct wire_reader *from, const struct wire_field *field, size_t count,
                             void *message)
{
	for (const struct wire_field *end = field + count; field < end; field++) {
		uint8_t *at = (uint8_t *)message + field->offset;

		for (unsigned i = 0; i < field->words; i++, at += field->bytes)
			wire_field_set(at, field->bytes, wire_take_word(from, field->bytes));
	}
}

/* Reads a count and that many bytes; `to` has room for max. */
static void wire_take_counted(struct wire_reader *reader, uint16_t count, uint8_t *to, uint16_t max)
{
	const uint8_t *bytes = wire_take(reader, count);

	if (count > max)
		reader->missing = true;
	for (uint16_t i = 0; bytes && i < count && i < max; i++)
		to[i] = bytes[i];
}

/* ---- Each type ---- */

size_t wire_put_hello(uint8_t *body, const struct wire_hello *hello)
{
	uint8_t *to = wire_begin(body, WIRE_HELLO, 0);

	to = WIRE_PUT_FIELDS(to, hello_fields, hello);
	to = wire_put_bytes(to, hello->probe, hello->probes);
	return (size_t)(to - body);
}

bool wire_get_hello(const uint8_t *body, size_t size, struct wire_hello *hello)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, hello_fields, hello);
	wire_take_counted(&from, hello->probes, hello->probe, WIRE_PROBE_MAX);
	return !from.missing;
}

size_t wire_put_welcome(uint8_t *body, const struct wire_welcome *welcome)
{
	uint8_t *to = wire_begin(body, WIRE_HELLO, 0);

	to = WIRE_PUT_FIELDS(to, welcome_fields, welcome);
	to = wire_put_bytes(to, welcome->probe, welcome->probes);
	return (size_t)(to - body);
}

bool wire_get_welcome(const uint8_t *body, size_t size, struct wire_welcome *welcome)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, welcome_fields, welcome);
	wire_take_counted(&from, welcome->probes, welcome->probe, WIRE_PROBE_MAX);
	return !from.missing;
}

size_t wire_put_get(uint8_t *body, const struct wire_get *get, uint8_t flags)
{
	return (size_t)(WIRE_PUT_FIELDS(wire_begin(body, WIRE_GET, flags), get_fields, get) - body);
}

bool wire_get_get(const uint8_t *body, size_t size, struct wire_get *get)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, get_fields, get);
	return !from.missing && get->size && get->size <= WIRE_GET_MAX;
}

size_t wire_put_put(uint8_t *body, const struct wire_put *put)
{
	uint8_t *to = wire_begin(body, WIRE_PUT, 0);

	to = WIRE_PUT_FIELDS(to, put_fields, put);
	to = wire_put_bytes(to, put->bytes, put->size);
	return (size_t)(to - body);
}

bool wire_get_put(const uint8_t *body, size_t size, struct wire_put *put)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, put_fields, put);
	put->bytes = wire_take(&from, put->size);
	return !from.missing && put->size && put->size <= WIRE_PUT_MAX;
}

size_t wire_put_clear(uint8_t *body, const struct wire_clear *clear)
{
	uint8_t *to = wire_begin(body, WIRE_CLEAR, 0);

	to = WIRE_PUT_FIELDS(to, clear_fields, clear);
	for (uint16_t i = 0; i < clear->count; i++)
		to = wire_put_word(to, clear->offsets[i], 8);
	return (size_t)(to - body);
}

bool wire_get_clear(const uint8_t *body, size_t size, struct wire_clear *clear)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, clear_fields, clear);
	if (!clear->count || clear->count > WIRE_BELLS_MAX)
		return false;
	for (uint16_t i = 0; i < clear->count; i++)
		clear->offsets[i] = wire_take_word(&from, 8);
	return !from.missing;
}

size_t wire_put_baud(uint8_t *body, const struct wire_baud *baud)
{
	return (size_t)(WIRE_PUT_FIELDS(wire_begin(body, WIRE_BAUD, 0), baud_fields, baud) - body);
}

bool wire_get_baud(const uint8_t *body, size_t size, struct wire_baud *baud)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, baud_fields, baud);
	return !from.missing;
}

size_t wire_put_bye(uint8_t *body)
{
	return (size_t)(wire_begin(body, WIRE_BYE, 0) - body);
}

size_t wire_put_data(uint8_t *body, const struct wire_data *data, uint8_t flags, size_t content)
{
	uint8_t *to = wire_begin(body, WIRE_DATA, flags);

	return (size_t)(WIRE_PUT_FIELDS(to, data_fields, data) - body) + content;
}

bool wire_get_data(const uint8_t *body, size_t size, struct wire_data *data)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, data_fields, data);
	return !from.missing && data->raw && data->raw <= WIRE_RAW_MAX;
}

size_t wire_put_done(uint8_t *body, const struct wire_done *done)
{
	return (size_t)(WIRE_PUT_FIELDS(wire_begin(body, WIRE_DONE, 0), done_fields, done) - body);
}

bool wire_get_done(const uint8_t *body, size_t size, struct wire_done *done)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, done_fields, done);
	return !from.missing;
}

size_t wire_put_status(uint8_t *body, const struct wire_status *status)
{
	uint8_t *to = wire_begin(body, WIRE_STATUS, 0);

	return (size_t)(WIRE_PUT_FIELDS(to, status_fields, status) - body);
}

bool wire_get_status(const uint8_t *body, size_t size, struct wire_status *status)
{
	struct wire_reader from = wire_reader(body, size);

	WIRE_TAKE_FIELDS(&from, status_fields, status);
	return !from.missing;
}
