/* SPDX-License-Identifier: MIT */
/* Carries out a host's requests on a line with frames. Every byte of a request may be wrong. */
#include <errno.h>

#include "channel/line.h"
#include "ringbuf/reader/ring_reader.h"

#define READER    offsetof(struct tr_header, reader)
#define TAIL      offsetof(struct perf_event_mmap_page, data_tail)
#define AUX_TAIL  offsetof(struct perf_event_mmap_page, aux_tail)
#define BOX_TEXT  offsetof(struct tr_mailbox, text)
#define BOX_REPLY offsetof(struct tr_mailbox, reply)

/* In struct tr_reader, the words that the host writes come first. */
#define READER_WORDS offsetof(struct tr_reader, reserved)

static bool line_is_within(uint64_t offset, uint64_t size, uint64_t start, uint64_t length)
{
	return offset >= start && offset - start < length && size <= length - (offset - start);
}

static bool line_is_tail(const struct line_region *region, uint64_t offset)
{
	uint32_t rings = __atomic_load_n(&region->nr_rings, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < rings; i++) {
		if (offset == region->controls[i] + TAIL ||
		    offset == region->controls[i] + AUX_TAIL)
			return true;
	}
	return false;
}

static bool line_is_stream_tail(const struct line_region *region, uint64_t offset)
{
	uint64_t in = offset - region->streams;

	return region->streams && offset >= region->streams &&
	       in / sizeof(struct tr_stream) < TR_STREAMS &&
	       in % sizeof(struct tr_stream) == offsetof(struct tr_stream, tail);
}

static bool line_is_snapshot(const struct line_region *region, uint64_t offset)
{
	uint64_t in = offset - region->doorbells;

	return offset >= region->doorbells &&
	       in / sizeof(struct tr_doorbell) <
	           __atomic_load_n(&region->nr_rings, __ATOMIC_ACQUIRE) &&
	       in % sizeof(struct tr_doorbell) == offsetof(struct tr_doorbell, snapshot);
}

/* Reports whether the host may store this word; such a word is stored whole. */
static bool line_is_word(const struct line_region *region, uint64_t offset, uint32_t size)
{
	if ((size != 4 && size != 8) || offset % size)
		return false;
	if (line_is_within(offset, size, READER, READER_WORDS) ||
	    line_is_within(offset, size, region->mailbox, BOX_TEXT))
		return true;
	if (size == 8)
		return line_is_tail(region, offset) || line_is_stream_tail(region, offset);
	return line_is_snapshot(region, offset);
}

static uint64_t line_little_endian(const uint8_t *bytes, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static int line_store(const struct line_region *region, const struct wire_put *put)
{
	if (!region->memory)
		return -EINVAL;
	if (line_is_word(region, put->offset, put->size)) {
		void *at = region->memory + put->offset;
		uint64_t value = line_little_endian(put->bytes, put->size);

		/* release: a reader that sees a request sees its text */
		if (put->size == 8)
			__atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
		else
			__atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_RELEASE);
		return 0;
	}
	if (!line_is_within(put->offset, put->size, region->mailbox + BOX_TEXT,
	                    BOX_REPLY - BOX_TEXT))
		return -EINVAL;
	for (uint32_t i = 0; i < put->size; i++)
		__atomic_store_n(region->memory + put->offset + i, put->bytes[i], __ATOMIC_RELAXED);
	return 0;
}

int line_ring_of(const struct line_region *region, uint64_t pending)
{
	uint64_t in = pending - region->doorbells;

	if (!region->memory || pending < region->doorbells ||
	    in % sizeof(struct tr_doorbell) != offsetof(struct tr_doorbell, pending) ||
	    in / sizeof(struct tr_doorbell) >= __atomic_load_n(&region->nr_rings, __ATOMIC_ACQUIRE))
		return -1;
	return (int)(in / sizeof(struct tr_doorbell));
}

/* Clears the doorbells only if all offsets are doorbells. Heads that are sent later were read after
 * the last fence of ring_reader_clear(). */
static int line_clear_bells(struct line *line, const struct wire_clear *clear, uint64_t *set)
{
	for (uint32_t i = 0; i < clear->count; i++) {
		if (line_ring_of(line->region, clear->offsets[i]) < 0)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < clear->count; i++) {
		uint32_t ring = (uint32_t)line_ring_of(line->region, clear->offsets[i]);

		if (ring_reader_clear((uint32_t *)(line->region->memory + clear->offsets[i])))
			*set |= 1ULL << i;
		line->reported[ring / 64] &= ~(1ULL << ring % 64);
		line->rung[ring / 64] &= ~(1ULL << ring % 64);
	}
	return 0;
}

/* Checks whether this number is next. A number that was already carried out is answered again with
 * its old result. */
static bool line_takes_turn(struct line *line, uint32_t number)
{
	uint32_t behind = line->last_store - number; /* modulo 2^32 */

	if (number && behind < WIRE_STORES && behind < line->last_store) {
		line->unanswered |= 1U << number % WIRE_STORES;
		return false;
	}
	return number == line->last_store + 1 && !(line->unanswered & 1U << number % WIRE_STORES);
}

static void line_did(struct line *line, uint32_t number, int status, uint64_t set)
{
	line->last_store = number;
	line->results[number % WIRE_STORES] =
	    (struct wire_done){ .number = number, .status = status, .set = set };
	line->unanswered |= 1U << number % WIRE_STORES;
	line->faults += status != 0;
}

static bool line_put(struct line *line, const uint8_t *body, unsigned size)
{
	struct wire_put put;

	if (!wire_get_put(body, size, &put))
		return false;
	if (line_takes_turn(line, put.number))
		line_did(line, put.number, line_store(line->region, &put), 0);
	return true;
}

static bool line_clear(struct line *line, const uint8_t *body, unsigned size)
{
	struct wire_clear clear;
	uint64_t set = 0;
	int status;

	if (!wire_get_clear(body, size, &clear))
		return false;
	if (!line_takes_turn(line, clear.number))
		return true;
	status = line_clear_bells(line, &clear, &set);
	line_did(line, clear.number, status, set);
	return true;
}

static bool line_get(struct line *line, const uint8_t *body, unsigned size, uint8_t flags)
{
	struct wire_get get;
	uint32_t i = 0;

	if (!wire_get_get(body, size, &get) || !get.size || get.size > WIRE_GET_MAX ||
	    !line->region->memory || !line_is_within(get.offset, get.size, 0, line->region->size))
		return false;
	while (i < line->nr_gets && line->gets[i].get.tag != get.tag)
		i++;
	if (i == WIRE_GETS)
		return true; /* the host knows the limit, and asks again */
	line->gets[i] = (struct line_get){ .get = get, .encode = flags & WIRE_ENCODED };
	line->nr_gets += i == line->nr_gets;
	return true;
}

/* If the host continues its session, its numbers continue, too. */
static bool line_hello(struct line *line, const uint8_t *body, unsigned size)
{
	struct wire_hello hello; /* a copy, because the last HELLO's answer may still be unsent */

	if (!wire_get_hello(body, size, &hello))
		return false;
	line->hello = hello;
	line->has_hello = true;
	if (WIRE_MAJOR(line->hello.version) != WIRE_MAJOR(WIRE_VERSION))
		return true;
	if (line->hello.nonce != line->host_nonce) {
		line->host_nonce = line->hello.nonce;
		line->last_store = line->unanswered = 0;
		line->nr_gets = 0;
	}
	line->framed = true;
	line->host = line->now;
	for (uint32_t i = 0; i < TR_MAX_RINGS / 64; i++)
		line->reported[i] = line->rung[i] = 0;
	return true;
}

static bool line_baud(struct line *line, const uint8_t *body, unsigned size)
{
	struct wire_baud baud;

	if (!wire_get_baud(body, size, &baud))
		return false;
	line->baud_answer = line->uart && uart_divisor(line->uart, baud.baud) ? baud.baud : 0;
	line->has_baud = true;
	return true;
}

static bool line_carry_out(struct line *line, const struct wire_head *head, const uint8_t *body,
                           unsigned size)
{
	switch (head->type) {
	case WIRE_GET:
		return line_get(line, body, size, head->flags);
	case WIRE_PUT:
		return line_put(line, body, size);
	case WIRE_CLEAR:
		return line_clear(line, body, size);
	case WIRE_BAUD:
		return line_baud(line, body, size);
	default:
		return true; /* BYE; also types that a newer minor version may add */
	}
}

void line_request(struct line *line, const uint8_t *body, unsigned size)
{
	struct wire_head head;

	if (!wire_get_head(body, size, &head))
		return;
	if (head.type == WIRE_HELLO) {
		line->faults += !line_hello(line, body, size);
		return;
	}
	if (!line->framed)
		return; /* from a host that was silent for too long or never sent HELLO */
	line->host = line->now;
	line->faults += !line_carry_out(line, &head, body, size);
}
