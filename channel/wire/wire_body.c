/* SPDX-License-Identifier: MIT */
/* The contents of frames: each struct's words, in the order of its declaration. */
#include "channel/wire/wire.h"

/* ---- A body that is written ---- */

static uint8_t *wire_put_word(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
	return to + bytes;
}

static uint8_t *wire_put_16(uint8_t *to, uint16_t value)
{
	return wire_put_word(to, value, 2);
}

static uint8_t *wire_put_32(uint8_t *to, uint32_t value)
{
	return wire_put_word(to, value, 4);
}

static uint8_t *wire_put_64(uint8_t *to, uint64_t value)
{
	return wire_put_word(to, value, 8);
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
	wire_put_16(body + 2, sequence);
}

static uint8_t *wire_begin(uint8_t *body, enum wire_type type, uint8_t flags)
{
	const struct wire_head head = { .type = (uint8_t)type, .flags = flags };

	wire_put_head(body, &head);
	return body + WIRE_HEAD;
}

/* ---- A body that is read: words behind its end are 0, and missing is set ---- */

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

/* The next size bytes, or NULL. */
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

static uint16_t wire_take_16(struct wire_reader *reader)
{
	return (uint16_t)wire_take_word(reader, 2);
}

static uint32_t wire_take_32(struct wire_reader *reader)
{
	return (uint32_t)wire_take_word(reader, 4);
}

static uint64_t wire_take_64(struct wire_reader *reader)
{
	return wire_take_word(reader, 8);
}

/* A count and as many bytes, of which `to` holds max. */
static uint16_t wire_take_counted(struct wire_reader *reader, uint8_t *to, uint16_t max)
{
	uint16_t count = wire_take_16(reader);
	const uint8_t *bytes = wire_take(reader, count);

	if (count > max)
		reader->missing = true;
	for (uint16_t i = 0; bytes && i < count && i < max; i++)
		to[i] = bytes[i];
	return count;
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

/* ---- Each type ---- */

size_t wire_put_hello(uint8_t *body, const struct wire_hello *hello)
{
	uint8_t *to = wire_begin(body, WIRE_HELLO, 0);

	to = wire_put_32(to, hello->version);
	to = wire_put_64(to, hello->nonce);
	to = wire_put_16(to, hello->probes);
	to = wire_put_bytes(to, hello->probe, hello->probes);
	return (size_t)(to - body);
}

bool wire_get_hello(const uint8_t *body, size_t size, struct wire_hello *hello)
{
	struct wire_reader from = wire_reader(body, size);

	hello->version = wire_take_32(&from);
	hello->nonce = wire_take_64(&from);
	hello->probes = wire_take_counted(&from, hello->probe, WIRE_PROBE_MAX);
	return !from.missing;
}

size_t wire_put_welcome(uint8_t *body, const struct wire_welcome *welcome)
{
	uint8_t *to = wire_begin(body, WIRE_HELLO, 0);

	to = wire_put_32(to, welcome->version);
	to = wire_put_64(to, welcome->host_nonce);
	to = wire_put_64(to, welcome->nonce);
	to = wire_put_64(to, welcome->region_size);
	to = wire_put_64(to, welcome->address);
	to = wire_put_32(to, welcome->burst);
	to = wire_put_32(to, welcome->burst_us);
	to = wire_put_32(to, welcome->baud);
	to = wire_put_32(to, welcome->baud_max);
	to = wire_put_16(to, welcome->machine);
	to = wire_put_16(to, welcome->gets);
	to = wire_put_16(to, welcome->probes);
	to = wire_put_bytes(to, welcome->probe, welcome->probes);
	return (size_t)(to - body);
}

bool wire_get_welcome(const uint8_t *body, size_t size, struct wire_welcome *welcome)
{
	struct wire_reader from = wire_reader(body, size);

	welcome->version = wire_take_32(&from);
	welcome->host_nonce = wire_take_64(&from);
	welcome->nonce = wire_take_64(&from);
	welcome->region_size = wire_take_64(&from);
	welcome->address = wire_take_64(&from);
	welcome->burst = wire_take_32(&from);
	welcome->burst_us = wire_take_32(&from);
	welcome->baud = wire_take_32(&from);
	welcome->baud_max = wire_take_32(&from);
	welcome->machine = wire_take_16(&from);
	welcome->gets = wire_take_16(&from);
	welcome->probes = wire_take_counted(&from, welcome->probe, WIRE_PROBE_MAX);
	return !from.missing;
}

size_t wire_put_get(uint8_t *body, const struct wire_get *get, uint8_t flags)
{
	uint8_t *to = wire_begin(body, WIRE_GET, flags);

	to = wire_put_16(to, get->tag);
	to = wire_put_32(to, get->size);
	to = wire_put_64(to, get->offset);
	return (size_t)(to - body);
}

bool wire_get_get(const uint8_t *body, size_t size, struct wire_get *get)
{
	struct wire_reader from = wire_reader(body, size);

	get->tag = wire_take_16(&from);
	get->size = wire_take_32(&from);
	get->offset = wire_take_64(&from);
	return !from.missing && get->size && get->size <= WIRE_GET_MAX;
}

size_t wire_put_put(uint8_t *body, const struct wire_put *put)
{
	uint8_t *to = wire_begin(body, WIRE_PUT, 0);

	to = wire_put_32(to, put->number);
	to = wire_put_16(to, put->size);
	to = wire_put_64(to, put->offset);
	to = wire_put_bytes(to, put->bytes, put->size);
	return (size_t)(to - body);
}

bool wire_get_put(const uint8_t *body, size_t size, struct wire_put *put)
{
	struct wire_reader from = wire_reader(body, size);

	put->number = wire_take_32(&from);
	put->size = wire_take_16(&from);
	put->offset = wire_take_64(&from);
	put->bytes = wire_take(&from, put->size);
	return !from.missing && put->size && put->size <= WIRE_PUT_MAX;
}

size_t wire_put_clear(uint8_t *body, const struct wire_clear *clear)
{
	uint8_t *to = wire_begin(body, WIRE_CLEAR, 0);

	to = wire_put_32(to, clear->number);
	to = wire_put_16(to, clear->count);
	for (uint16_t i = 0; i < clear->count; i++)
		to = wire_put_64(to, clear->offsets[i]);
	return (size_t)(to - body);
}

bool wire_get_clear(const uint8_t *body, size_t size, struct wire_clear *clear)
{
	struct wire_reader from = wire_reader(body, size);

	clear->number = wire_take_32(&from);
	clear->count = wire_take_16(&from);
	if (!clear->count || clear->count > WIRE_BELLS_MAX)
		return false;
	for (uint16_t i = 0; i < clear->count; i++)
		clear->offsets[i] = wire_take_64(&from);
	return !from.missing;
}

size_t wire_put_baud(uint8_t *body, const struct wire_baud *baud)
{
	return (size_t)(wire_put_32(wire_begin(body, WIRE_BAUD, 0), baud->baud) - body);
}

bool wire_get_baud(const uint8_t *body, size_t size, struct wire_baud *baud)
{
	struct wire_reader from = wire_reader(body, size);

	baud->baud = wire_take_32(&from);
	return !from.missing;
}

size_t wire_put_bye(uint8_t *body)
{
	return (size_t)(wire_begin(body, WIRE_BYE, 0) - body);
}

size_t wire_put_data(uint8_t *body, const struct wire_data *data, uint8_t flags, size_t content)
{
	uint8_t *to = wire_begin(body, WIRE_DATA, flags);

	to = wire_put_16(to, data->tag);
	to = wire_put_16(to, data->at);
	to = wire_put_16(to, data->raw);
	return (size_t)(to - body) + content;
}

bool wire_get_data(const uint8_t *body, size_t size, struct wire_data *data)
{
	struct wire_reader from = wire_reader(body, size);

	data->tag = wire_take_16(&from);
	data->at = wire_take_16(&from);
	data->raw = wire_take_16(&from);
	return !from.missing && data->raw && data->raw <= WIRE_RAW_MAX;
}

size_t wire_put_done(uint8_t *body, const struct wire_done *done)
{
	uint8_t *to = wire_begin(body, WIRE_DONE, 0);

	to = wire_put_32(to, done->number);
	to = wire_put_32(to, (uint32_t)done->status);
	to = wire_put_64(to, done->set);
	return (size_t)(to - body);
}

bool wire_get_done(const uint8_t *body, size_t size, struct wire_done *done)
{
	struct wire_reader from = wire_reader(body, size);

	done->number = wire_take_32(&from);
	done->status = (int32_t)wire_take_32(&from);
	done->set = wire_take_64(&from);
	return !from.missing;
}

size_t wire_put_status(uint8_t *body, const struct wire_status *status)
{
	uint8_t *to = wire_begin(body, WIRE_STATUS, 0);

	to = wire_put_64(to, status->nonce);
	to = wire_put_64(to, status->heartbeat);
	to = wire_put_64(to, status->run);
	to = wire_put_32(to, status->state);
	to = wire_put_32(to, status->reply);
	to = wire_put_64(to, status->console_head);
	for (unsigned i = 0; i < WIRE_RINGS_WORDS; i++)
		to = wire_put_64(to, status->rings[i]);
	to = wire_put_32(to, status->damaged);
	to = wire_put_32(to, status->overruns);
	return (size_t)(to - body);
}

bool wire_get_status(const uint8_t *body, size_t size, struct wire_status *status)
{
	struct wire_reader from = wire_reader(body, size);

	status->nonce = wire_take_64(&from);
	status->heartbeat = wire_take_64(&from);
	status->run = wire_take_64(&from);
	status->state = wire_take_32(&from);
	status->reply = wire_take_32(&from);
	status->console_head = wire_take_64(&from);
	for (unsigned i = 0; i < WIRE_RINGS_WORDS; i++)
		status->rings[i] = wire_take_64(&from);
	status->damaged = wire_take_32(&from);
	status->overruns = wire_take_32(&from);
	return !from.missing;
}
