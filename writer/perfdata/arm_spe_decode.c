/* SPDX-License-Identifier: MIT */
#include "writer/perfdata/arm_spe_decode.h"

#include <errno.h>
#include <string.h>

/* D18.1: masks of the first byte, and of the second byte of an extended header, which has a longer
 * index. */
#define HEADER_PADDING   0x00U
#define HEADER_END       0x01U
#define HEADER_TIMESTAMP 0x71U
#define EXTENDED         0x20U /* its four bits extend the next header's index */
#define EXTENDED_MASK    0xf0U
#define EXTENDED_INDEX   0x03U
#define SIZE_SHIFT       4     /* log2 of the value's bytes */
#define INSTRUCTION_NS   0x80U /* in the last byte */

struct form {
	uint8_t mask, value;
	uint8_t index_mask; /* bits of the header that are the index */
	uint8_t sizes;      /* valid values: a bit for each log2 */
	enum spe_packet_type type;
};

static const struct form forms[] = {
	{ 0xff, HEADER_TIMESTAMP, 0, 1 << 3, SPE_TIMESTAMP },
	{ 0xcf, 0x42, 0, 0xf, SPE_EVENTS },
	{ 0xcf, 0x43, 0, 0xf, SPE_DATA_SOURCE },
	{ 0xfc, 0x64, 3, 1 << 2, SPE_CONTEXT },
	{ 0xfc, 0x48, 3, 1 << 0, SPE_OPERATION },
	{ 0xf8, 0xb0, 7, 1 << 3, SPE_ADDRESS },
	{ 0xf8, 0x98, 7, 1 << 1, SPE_COUNTER },
};

static const struct form *spe_find_form(uint8_t header)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if ((header & forms[i].mask) == forms[i].value &&
		    forms[i].sizes >> (header >> SIZE_SHIFT & 3) & 1)
			return &forms[i];
	}
	return NULL;
}

static uint64_t spe_little_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

/* Read padding up to the next multiple of a power of two (D18.2.3); a packet that is cut off there
 * is incomplete. */
static void spe_read_alignment(size_t left, uint64_t position, unsigned log2,
                               struct spe_packet *packet)
{
	uint64_t alignment = 1ULL << (log2 + 1);
	uint64_t size = alignment - (position & (alignment - 1));

	packet->type = SPE_PADDING;
	packet->size = size < left ? size : left;
}

static const char *spe_read_value(const uint8_t *bytes, size_t left, size_t header_size,
                                  unsigned high_index, struct spe_packet *packet)
{
	uint8_t header = bytes[header_size - 1];
	const struct form *form = spe_find_form(header);
	size_t size = (size_t)1 << (header >> SIZE_SHIFT & 3);

	if (!form || (high_index && form->index_mask != 7))
		return "no packet begins so";
	if (left < header_size + size)
		return "a packet is cut off";
	packet->type = form->type;
	packet->index = high_index << 3 | (header & form->index_mask);
	packet->value_at = header_size;
	packet->value_size = size;
	packet->value = spe_little_endian(bytes + header_size, size);
	packet->size = header_size + size;
	return NULL;
}

const char *spe_packet_read(const uint8_t *bytes, size_t size, size_t at, uint64_t position,
                            struct spe_packet *packet)
{
	const uint8_t *from = bytes + at;
	size_t left = size - at;
	const char *error;

	*packet = (struct spe_packet){ .size = 1 };
	if (*from == HEADER_PADDING) {
		packet->type = SPE_PADDING;
		return NULL;
	}
	if (*from == HEADER_END) {
		packet->type = SPE_END;
		return NULL;
	}
	if ((*from & EXTENDED_MASK) != EXTENDED) {
		error = spe_read_value(from, left, 1, 0, packet);
	} else if (left < 2) {
		error = "a packet is cut off";
	} else if (from[1] == HEADER_PADDING) {
		spe_read_alignment(left, position + at, *from & 0xf, packet);
		return NULL;
	} else if (*from & ~(EXTENDED | EXTENDED_INDEX)) {
		error = "no packet begins so";
	} else {
		error = spe_read_value(from, left, 2, *from & EXTENDED_INDEX, packet);
	}
	packet->value_at += at;
	return error;
}

/* Put the packet's data into the record; true if it ends the record. Unknown kinds are dropped. */
static bool spe_note(struct spe_record *r, const struct spe_packet *packet)
{
	r->has |= SPE_HAS(packet->type);
	switch (packet->type) {
	case SPE_TIMESTAMP:
		r->timestamp = packet->value;
		return true;
	case SPE_END:
		return true;
	case SPE_EVENTS:
		r->events = packet->value;
		break;
	case SPE_DATA_SOURCE:
		r->source = packet->value;
		break;
	case SPE_CONTEXT:
		r->context = (uint32_t)packet->value;
		break;
	case SPE_OPERATION:
		r->class = packet->index;
		r->operation = (uint8_t)packet->value;
		break;
	case SPE_ADDRESS:
		if (packet->index <= SPE_PREVIOUS_TARGET) {
			r->address[packet->index] = packet->value;
			r->has |= SPE_HAS_ADDRESS(packet->index);
		}
		break;
	case SPE_COUNTER:
		if (packet->index < SPE_COUNTERS) {
			r->counter[packet->index] = (uint16_t)packet->value;
			r->has |= SPE_HAS_COUNTER(packet->index);
		}
		break;
	case SPE_PADDING:
		break;
	}
	return false;
}

/* Skip bytes that are not a packet, up to the first byte that may begin a record. */
static int spe_skip_garbage(struct spe_decoder *d, const char *error)
{
	struct spe_packet packet;

	d->error = error;
	d->error_at = d->at++;
	while (d->at < d->size &&
	       (spe_packet_read(d->bytes, d->size, d->at, d->position, &packet) ||
	        packet.type != SPE_ADDRESS || packet.index != SPE_PC))
		d->at++;
	return -EPROTO;
}

static int spe_cut_off(struct spe_decoder *d, const struct spe_record *record)
{
	d->error = "the last record is cut off";
	d->error_at = record->at;
	return -EPROTO;
}

int spe_decode(struct spe_decoder *d, struct spe_record *record)
{
	*record = (struct spe_record){ 0 };
	while (d->at < d->size) {
		struct spe_packet packet;
		const char *error = spe_packet_read(d->bytes, d->size, d->at, d->position, &packet);

		if (error)
			return spe_skip_garbage(d, error);
		if (packet.type != SPE_PADDING && !record->has)
			record->at = d->at;
		d->at += packet.size;
		if (packet.type != SPE_PADDING && spe_note(record, &packet)) {
			record->size = d->at - record->at;
			return 1;
		}
	}
	return record->has ? spe_cut_off(d, record) : 0;
}

/* D18.2.6, "Events packet" */
const char *spe_event_name(unsigned bit)
{
	static const char *const names[] = {
		[0] = "EXCEPTION-GEN",
		[1] = "RETIRED",
		[2] = "L1D-ACCESS",
		[3] = "L1D-REFILL",
		[4] = "TLB-ACCESS",
		[5] = "TLB-REFILL",
		[6] = "NOT-TAKEN",
		[7] = "MISPRED",
		[8] = "LLC-ACCESS",
		[9] = "LLC-REFILL",
		[10] = "REMOTE-ACCESS",
		[11] = "ALIGNMENT",
		[16] = "TXN",
		[17] = "SVE-PARTIAL-PRED",
		[18] = "SVE-EMPTY-PRED",
		[19] = "L2D-ACCESS",
		[20] = "L2D-MISS",
		[21] = "CACHE-DATA-MODIFIED",
		[22] = "RECENTLY-FETCHED",
		[23] = "DATA-SNOOPED",
	};

	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

static bool spe_is_instruction(const struct spe_packet *packet)
{
	return packet->type == SPE_ADDRESS &&
	       (packet->index == SPE_PC || packet->index == SPE_TARGET ||
	        packet->index == SPE_PREVIOUS_TARGET);
}

static void spe_pad_rest(uint8_t *bytes, size_t size, uint64_t position)
{
	struct spe_decoder decoder = { .bytes = bytes, .size = size, .position = position };
	struct spe_record record;
	size_t whole = 0;

	while (spe_decode(&decoder, &record) > 0)
		whole = decoder.at;
	memset(bytes + whole, 0, size - whole);
}

void spe_adapt(uint8_t *bytes, size_t size, uint64_t position, bool partial)
{
	struct spe_packet packet;

	for (size_t at = 0; at < size; at += packet.size) {
		if (spe_packet_read(bytes, size, at, position, &packet))
			break;
		if (spe_is_instruction(&packet))
			bytes[packet.value_at + packet.value_size - 1] &= (uint8_t)~INSTRUCTION_NS;
	}
	if (partial)
		spe_pad_rest(bytes, size, position);
}
