/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region/serial/wire_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MAILBOX   4096U
#define DOORBELLS 8192U
#define CONSOLE   12288U
#define CONTROLS  65536U

struct wire_rig rig;

static const char greeting[] = "bareperf 0.1.0\nready\n";

/* ---- A way ---- */

static void push(struct line_way *way, const uint8_t *bytes, size_t size)
{
	assert_true(way->fifo_size + size <= WIRE_RIG_FIFO);
	memcpy(way->fifo + way->fifo_size, bytes, size);
	way->fifo_size += size;
}

static bool happens(unsigned per_thousand)
{
	return (unsigned)rand() % 1000 < per_thousand;
}

/* Replace the body. */
static void change(struct line_way *way)
{
	struct wire_receiver receiver = { 0 };
	int result = 0;
	size_t size;

	for (size_t i = 0; i < way->frame_size && result <= 0; i++)
		result = wire_receive(&receiver, way->frame[i]);
	if (result <= 0)
		return;
	size = (size_t)result;
	way->change(receiver.body, &size);
	way->frame_size = wire_frame(way->frame, receiver.body, size);
}

/* Pass on a whole frame, or text. */
static void pass_frame(struct line_way *way)
{
	if (way->change)
		change(way);
	if (happens(way->faults.flipped))
		way->frame[(unsigned)rand() % way->frame_size] ^= (uint8_t)(1 << rand() % 8);
	if (!way->late_size && happens(way->faults.delayed)) {
		memcpy(way->late, way->frame, way->frame_size);
		way->late_size = way->frame_size;
	} else if (!happens(way->faults.dropped)) {
		push(way, way->frame, way->frame_size);
		if (happens(way->faults.doubled))
			push(way, way->frame, way->frame_size);
		push(way, way->late, way->late_size);
		way->late_size = 0;
	}
	way->frame_size = 0;
}

static void pass_bytes(struct line_way *way, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t byte = bytes[i] & (way->mask ? way->mask : 0xff);
		bool is_text = way->frame_size && way->frame[0] && byte;

		if (way->cut || way->eats[byte])
			continue;
		if (!byte && way->frame_size && way->frame[0])
			pass_frame(way); /* text ends where a frame begins */
		way->frame[way->frame_size++] = byte;
		if ((!byte && way->frame_size > 1) || way->frame_size == sizeof(way->frame) ||
		    (is_text && byte == '\n'))
			pass_frame(way);
	}
}

/* The bytes that reach the other end in this step. */
static size_t shift(struct line_way *way, uint8_t *to)
{
	size_t most = WIRE_RIG_FIFO, size;

	if (way->rate) {
		way->allowance += (uint64_t)way->rate * WIRE_RIG_STEP;
		most = way->allowance / 1000000;
		way->allowance %= 1000000;
	}
	size = way->fifo_size < most ? way->fifo_size : most;
	way->moved += size;
	way->idle += most - size;
	memcpy(to, way->fifo, size);
	way->fifo_size -= size;
	memmove(way->fifo, way->fifo + size, way->fifo_size);
	return size;
}

/* ---- Time ---- */

static void host_gives(void)
{
	const uint8_t *bytes;
	size_t size;

	while ((size = wire_host_give(&rig.host, &bytes, rig.now))) {
		pass_bytes(&rig.to_target, bytes, size);
		wire_host_gave(&rig.host, size, rig.now);
	}
}

/* A UART accepts no more than its rate, so the way behind it is never full. */
static void target_gives(void)
{
	uint8_t bytes[64];
	size_t room = rig.to_host.rate ? rig.to_host.rate / 20000 + 1 : sizeof(bytes);

	while (rig.to_host.fifo_size < 2 * room + 16) {
		unsigned size = line_send(&rig.line, bytes, (unsigned)(room < 64 ? room : 64));

		if (!size)
			return;
		pass_bytes(&rig.to_host, bytes, size);
	}
}

static void step(void)
{
	static uint8_t bytes[WIRE_RIG_FIFO];

	rig.now += WIRE_RIG_STEP;
	wire_host_pass(&rig.host, rig.now);
	host_gives();
	line_pass(&rig.line, WIRE_RIG_STEP * 1000ULL);
	line_receive(&rig.line, bytes, (unsigned)shift(&rig.to_target, bytes));
	target_gives();
	wire_host_take(&rig.host, bytes, shift(&rig.to_host, bytes), rig.now);
}

bool wire_rig_until(bool (*holds)(void), int64_t us)
{
	int64_t end = rig.now + us;

	while (rig.now < end && !holds())
		step();
	return holds();
}

bool wire_rig_is_framed(void)
{
	return rig.host.state == WIRE_HOST_FRAMED;
}

/* ---- The machine ---- */

static unsigned console_text(uint64_t *at, char *to, unsigned size)
{
	unsigned count = 0;

	if (!to) {
		*at = rig.console;
		return 0;
	}
	while (count < size && *at < rig.console)
		to[count++] = greeting[(*at)++ % (sizeof(greeting) - 1)];
	return count;
}

static void take_text(void *of, const char *text, size_t size)
{
	(void)of;
	assert_true(rig.text_size + size < sizeof(rig.text));
	memcpy(rig.text + rig.text_size, text, size);
	rig.text_size += size;
}

void wire_rig_begin(uint32_t rate)
{
	memset(&rig, 0, sizeof(rig));
	rig.memory = calloc(1, WIRE_RIG_SIZE);
	assert_non_null(rig.memory);
	for (size_t i = 2 * (size_t)CONTROLS; i < WIRE_RIG_SIZE; i++)
		rig.memory[i] = (uint8_t)rand();
	rig.region = (struct line_region){
		.memory = rig.memory,
		.size = WIRE_RIG_SIZE,
		.address = 0x40000000,
		.nonce = WIRE_RIG_NONCE,
		.machine = 62,
		.mailbox = MAILBOX,
		.doorbells = DOORBELLS,
		.console = CONSOLE,
		.nr_rings = 2,
		.controls = { CONTROLS, CONTROLS + 4096 },
	};
	line_init(&rig.line, &rig.region, console_text, 0);
	rig.to_target.rate = rig.to_host.rate = rate;
	rig.now = 1000000;
	wire_host_init(&rig.host, 12345, rate * 10);
	rig.host.text = take_text;
	wire_host_begin(&rig.host, rig.now);
}

void wire_rig_end(void)
{
	wire_host_free(&rig.host);
	free(rig.memory);
}
