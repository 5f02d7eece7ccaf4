/* SPDX-License-Identifier: MIT */
#include "tests/unit/channel/line_rig.h"

#include <string.h>

struct line rig_line;
struct line_region rig_region;
_Alignas(4096) uint8_t rig_memory[RIG_SIZE];
struct rig_host host;

static struct wire_words target_words, host_words;
static bool is_inside; /* inside a frame that the host receives */
static char printed[RIG_TEXT_MAX];
static uint64_t printed_size;

static unsigned rig_text(uint64_t *at, char *to, unsigned size)
{
	unsigned count = 0;

	if (!size)
		*at = printed_size;
	while (count < size && *at < printed_size)
		to[count++] = printed[(*at)++];
	return count;
}

void rig_print(const char *text)
{
	while (*text)
		printed[printed_size++] = *text++;
}

void rig_start(void)
{
	memset(&host, 0, sizeof(host));
	is_inside = false;
	memset(rig_memory, 0, sizeof(rig_memory));
	printed_size = 0;
	rig_region = (struct line_region){
		.memory = rig_memory,
		.size = RIG_SIZE,
		.address = 0x40000000,
		.nonce = 0x1234567890abcdef,
		.machine = 62,
		.mailbox = RIG_MAILBOX,
		.doorbells = RIG_BELLS,
		.console = RIG_CONSOLE,
		.streams = RIG_STREAMS,
		.nr_rings = RIG_RINGS,
		.controls = { RIG_CONTROL, RIG_CONTROL + 4096 },
	};
	line_init(&rig_line, &rig_region, rig_text, 0);
	rig_line.words = &target_words;
}

static void host_data(const uint8_t *body, unsigned size, uint8_t flags)
{
	struct wire_data data;
	const uint8_t *content = body + WIRE_DATA_HEAD;
	unsigned length = size - WIRE_DATA_HEAD;

	assert_true(wire_get_data(body, size, &data));
	if (data.tag != host.tag)
		return;
	if (flags & WIRE_ENCODED) {
		host.encoded = true;
		assert_true(
		    wire_decode(&host_words, host.got + data.at, data.raw, content, length));
	} else {
		assert_int_equal(length, data.raw);
		memcpy(host.got + data.at, content, length);
	}
	for (unsigned i = 0; i < data.raw; i++) {
		host.left -= !host.have[data.at + i];
		host.have[data.at + i] = 1;
	}
}

static void host_got(const uint8_t *body, unsigned size)
{
	struct wire_head head;

	assert_true(wire_get_head(body, size, &head));
	host.gaps += host.frames && head.sequence != host.expected;
	host.expected = head.sequence + 1;
	host.types[host.frames++ % sizeof(host.types)] = head.type;
	switch (head.type) {
	case WIRE_HELLO:
		host.welcomes++;
		assert_true(wire_get_welcome(body, size, &host.welcome));
		break;
	case WIRE_DATA:
		host.datas++;
		host_data(body, size, head.flags);
		break;
	case WIRE_DONE:
		host.dones++;
		assert_true(wire_get_done(body, size, &host.done));
		break;
	case WIRE_STATUS:
		host.statuses++;
		assert_true(wire_get_status(body, size, &host.status));
		break;
	case WIRE_BAUD:
		assert_true(wire_get_baud(body, size, &host.baud));
		break;
	default:
		fail_msg("a frame of type %u", head.type);
	}
}

void host_take(const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int size;

		if (bytes[i] && !is_inside) {
			host.text[host.text_size++] = (char)bytes[i];
			continue;
		}
		size = wire_receive(&host.receiver, bytes[i]);
		if (!bytes[i])
			is_inside = size == 0;
		if (size > 0)
			host_got(host.receiver.body, (unsigned)size);
		host.broken += size == WIRE_NO_FRAME;
	}
}

unsigned rig_take(unsigned most)
{
	uint8_t bytes[7];
	unsigned all = 0, count;

	do {
		count = line_send(&rig_line, bytes,
		                  most - all < sizeof(bytes) ? most - all : sizeof(bytes));
		host_take(bytes, count);
		all += count;
	} while (count && all < most);
	return all;
}

unsigned host_frame(uint8_t *to, uint8_t *body, size_t size)
{
	wire_put_sequence(body, host.sequence++);
	return (unsigned)wire_frame(to, body, size);
}

void host_send(uint8_t *body, size_t size)
{
	uint8_t bytes[WIRE_FRAME_MAX];

	line_receive(&rig_line, bytes, host_frame(bytes, body, size));
}

void host_hello(uint64_t nonce)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_hello hello = { .version = WIRE_VERSION, .nonce = nonce, .probes = 256 };

	for (unsigned i = 0; i < 256; i++)
		hello.probe[i] = (uint8_t)i;
	host_send(body, wire_put_hello(body, &hello));
}

void host_get(uint64_t offset, uint32_t size, uint8_t flags)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_get get = { .tag = ++host.tag, .size = size, .offset = offset };

	host.left = size;
	host.encoded = false;
	memset(host.have, 0, sizeof(host.have));
	host_send(body, wire_put_get(body, &get, flags));
}

void host_put_number(uint32_t number, uint64_t offset, const void *bytes, uint16_t size)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_put put = { .number = number, .size = size, .offset = offset, .bytes = bytes };

	host_send(body, wire_put_put(body, &put));
}

static int host_status(void)
{
	host.done.number = 0;
	rig_take(UINT32_MAX);
	return host.done.number == host.number ? host.done.status : 1;
}

int host_put(uint64_t offset, const void *bytes, uint16_t size)
{
	host_put_number(++host.number, offset, bytes, size);
	return host_status();
}

int host_clear(const uint64_t *offsets, uint16_t count)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_clear clear = { .number = ++host.number, .count = count };

	memcpy(clear.offsets, offsets, count * sizeof(*offsets));
	host_send(body, wire_put_clear(body, &clear));
	return host_status();
}
