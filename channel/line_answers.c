/* SPDX-License-Identifier: MIT */
/* The output of a line with frames: shortest answers first, so that no short answer waits for a
 * long one. */
#include "abi/clock.h"
#include "channel/line.h"

/* Loads aligned words whole, so that a head that changes during the copy is never torn. */
static void line_copy_words(uint8_t *to, const uint8_t *from, uint32_t size)
{
	while (size) {
		uint32_t step = size >= 8 && (uintptr_t)from % 8 == 0 ? 8 : 1;
		uint64_t word = step == 8 ? __atomic_load_n((const uint64_t *)(const void *)from,
		                                            __ATOMIC_ACQUIRE)
		                          : __atomic_load_n(from, __ATOMIC_RELAXED);

		for (uint32_t i = 0; i < step; i++)
			*to++ = (uint8_t)(word >> 8 * i);
		from += step;
		size -= step;
	}
}

/* Encodes as many of `left` bytes as one frame carries; raw: their number. The frame ends at a
 * word's end, unless it carries all of the bytes. Returns the content's size. */
static size_t line_fill_data(struct line *line, uint64_t from, uint32_t left, bool encode,
                             size_t *raw, uint8_t *flags)
{
	const uint8_t *memory = line->region->memory + from;
	uint8_t *content = line->body + WIRE_DATA_HEAD;
	size_t size = 0;

	if (encode && line->words)
		size = wire_encode(line->words, content, WIRE_DATA_MAX, memory,
		                   left < LINE_RAW_MAX ? left : LINE_RAW_MAX, raw);
	*flags = size ? WIRE_ENCODED : 0;
	if (size)
		return size;
	size = left;
	if (size > WIRE_DATA_MAX)
		size = WIRE_DATA_MAX - (from + WIRE_DATA_MAX) % 8;
	line_copy_words(content, memory, (uint32_t)size);
	*raw = size;
	return size;
}

static size_t line_answer_get(struct line *line)
{
	struct line_get *get = &line->gets[0];
	struct wire_data data = { .tag = get->get.tag, .at = (uint16_t)get->at };
	uint8_t flags;
	size_t raw, size = line_fill_data(line, get->get.offset + get->at, get->get.size - get->at,
	                                  get->encode, &raw, &flags);

	data.raw = (uint16_t)raw;
	get->at += (uint32_t)raw;
	if (get->at == get->get.size) {
		line->nr_gets--;
		for (uint32_t i = 0; i < line->nr_gets; i++)
			line->gets[i] = line->gets[i + 1];
	}
	return wire_put_data(line->body, &data, flags, size);
}

static size_t line_answer_store(struct line *line)
{
	uint32_t number = line->last_store;

	/* the oldest unanswered number */
	for (uint32_t i = 0; i < WIRE_STORES; i++) {
		uint32_t older = line->last_store - i;

		if (line->unanswered & 1U << older % WIRE_STORES)
			number = older;
	}
	line->unanswered &= ~(1U << number % WIRE_STORES);
	return wire_put_done(line->body, &line->results[number % WIRE_STORES]);
}

static size_t line_answer_hello(struct line *line)
{
	const struct line_region *region = line->region;
	struct wire_welcome welcome = {
		.version = WIRE_VERSION,
		.host_nonce = line->hello.nonce,
		.burst = line->burst,
		.burst_us = line->burst_us,
		.baud = line->baud,
		.baud_max = line->baud_max,
		.machine = region->machine,
		.gets = WIRE_GETS,
		.probes = line->hello.probes,
	};

	if (region->memory) {
		welcome.nonce = region->nonce;
		welcome.region_size = region->size;
		welcome.address = region->address;
	}
	for (uint32_t i = 0; i < line->hello.probes && i < WIRE_PROBE_MAX; i++)
		welcome.probe[i] = line->hello.probe[i];
	line->has_hello = false;
	return wire_put_welcome(line->body, &welcome);
}

static size_t line_answer_baud(struct line *line)
{
	line->has_baud = false;
	line->baud_wanted = line->baud_answer;
	return wire_put_baud(line->body, &(struct wire_baud){ .baud = line->baud_answer });
}

static size_t line_answer_status(struct line *line)
{
	for (uint32_t i = 0; i < WIRE_RINGS_WORDS; i++) {
		line->said.rings[i] = line->rung[i];
		line->reported[i] |= line->rung[i];
		line->rung[i] = 0;
	}
	line->status_due = false;
	line->said_at = line->now;
	line->said.damaged = line->damaged;
	line->said.overruns = line->overruns;
	return wire_put_status(line->body, &line->said);
}

/* Collects doorbells that rang and that STATUS has not reported since they were last cleared. */
static void line_watch_bells(struct line *line)
{
	const struct line_region *region = line->region;
	uint32_t rings = __atomic_load_n(&region->nr_rings, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < rings; i++) {
		const struct tr_doorbell *bell = (const void *)(region->memory + region->doorbells +
		                                                i * sizeof(struct tr_doorbell));
		uint64_t bit = 1ULL << i % 64;

		if ((line->reported[i / 64] | line->rung[i / 64]) & bit ||
		    !__atomic_load_n(&bell->pending, __ATOMIC_ACQUIRE))
			continue;
		line->rung[i / 64] |= bit;
		line->status_due = true;
	}
}

/* These words come from the region, where the host may have written any values. They are only sent
 * to the host; the firmware uses them for nothing else. */
void line_watch(struct line *line)
{
	const struct line_region *region = line->region;
	const struct tr_header *header = (const void *)region->memory;
	const struct tr_mailbox *box;
	const struct tr_console *console;
	uint32_t state, reply;

	if (!region->memory)
		return;
	box = (const void *)(region->memory + region->mailbox);
	console = (const void *)(region->memory + region->console);
	state = __atomic_load_n(&header->state, __ATOMIC_ACQUIRE);
	reply = __atomic_load_n(&box->reply, __ATOMIC_ACQUIRE);
	if (state != line->said.state || reply != line->said.reply ||
	    line->now - line->said_at >= WIRE_STATUS_MS * NSEC_PER_MSEC)
		line->status_due = true;
	line->said.state = state;
	line->said.reply = reply;
	line->said.nonce = region->nonce;
	line->said.run = __atomic_load_n(&header->run, __ATOMIC_RELAXED);
	line->said.heartbeat = __atomic_load_n(&header->heartbeat, __ATOMIC_RELAXED);
	line->said.console_head = __atomic_load_n(&console->head, __ATOMIC_RELAXED);
	line_watch_bells(line);
}

bool line_answer(struct line *line)
{
	size_t size = 0;

	if (line->has_hello)
		size = line_answer_hello(line);
	else if (!line->framed)
		return false;
	else if (line->has_baud)
		size = line_answer_baud(line);
	else if (line->unanswered)
		size = line_answer_store(line);
	else if (line->status_due)
		size = line_answer_status(line);
	else if (line->nr_gets)
		size = line_answer_get(line);
	if (!size)
		return false;
	wire_put_sequence(line->body, line->sequence++);
	line->out_size = (uint16_t)wire_frame(line->out, line->body, size);
	return true;
}
