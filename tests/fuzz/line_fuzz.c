/* SPDX-License-Identifier: MIT */
/*
 * Any host at the target's end of a line: noise, bodies with a right CRC and wrong words, and valid
 * frames in between. Only the HOST words change, each step of the line takes a bounded time, and
 * the next valid host gets answers to its requests.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/channel/line_rig.h"

#define MSEC 1000000U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The words that may change: those of the host in docs/trace-region.md. */
static bool is_hosts(uint32_t at)
{
	uint32_t bell = (at - RIG_BELLS) % 64, ring = at - RIG_CONTROL;

	if (at >= 320 && at < 340)
		return true;
	if (at >= RIG_MAILBOX && at < RIG_MAILBOX + 2048)
		return true;
	if (at >= RIG_BELLS && at < RIG_BELLS + 2 * 64)
		return bell < 4 || (bell >= 8 && bell < 12);
	return ring < 2 * 4096 && ((ring % 4096 >= 1032 && ring % 4096 < 1040) ||
	                           (ring % 4096 >= 1064 && ring % 4096 < 1072));
}

static void take_all(void)
{
	uint8_t bytes[64];

	for (unsigned i = 0; i < 40000; i++) { /* 9 GETs of 64 KiB, raw */
		if (!line_send(&rig_line, bytes, sizeof(bytes)))
			return;
	}
	abort();
}

static void be_any_host(const uint8_t *data, size_t size)
{
	uint8_t bytes[WIRE_FRAME_MAX], body[WIRE_BODY_MAX];

	while (size >= 2) {
		size_t length = data[1] < size - 2 ? data[1] : size - 2;

		memcpy(body, data + 2, length);
		if (data[0] & 1) /* a frame with any content */
			line_receive(&rig_line, bytes, (unsigned)wire_frame(bytes, body, length));
		else
			line_receive(&rig_line, body, (unsigned)length);
		if (data[0] & 2)
			line_send(&rig_line, bytes, data[0]);
		line_pass(&rig_line, data[0] & 4 ? 2 * MSEC : 1000);
		data += 2 + length;
		size -= 2 + length;
	}
}

static void be_honest(void)
{
	const uint32_t word = 0x600df00d;

	host_hello(0x900d);
	take_all();
	memset(&host, 0, sizeof(host));
	host_put_number(1, RIG_MAILBOX + 8, &word, 4);
	host_get(RIG_CONSOLE, 4096, 0);
	if (rig_take(UINT32_MAX), host.left || host.done.status ||
	                              memcmp(host.got, rig_memory + RIG_CONSOLE, 4096) ||
	                              memcmp(rig_memory + RIG_MAILBOX + 8, &word, 4))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t before[RIG_SIZE];
	char command[LINE_COMMAND_MAX + 1];

	rig_start();
	for (uint32_t i = 0; i < RIG_SIZE; i += 8)
		memcpy(rig_memory + i, &(uint64_t){ i * 0x9e3779b97f4a7c15ULL >> 32 }, 8);
	memcpy(before, rig_memory, RIG_SIZE);
	be_any_host(data, size);
	take_all();
	if (line_take_typed(&rig_line, command) && strlen(command) > LINE_COMMAND_MAX)
		abort();
	for (uint32_t i = 0; i < RIG_SIZE; i++) {
		if (rig_memory[i] != before[i] && !is_hosts(i))
			abort();
	}
	be_honest();
	return 0;
}
