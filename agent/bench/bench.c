/* SPDX-License-Identifier: MIT */
#include "agent/bench/bench.h"

#include <errno.h>
#include <string.h>

#include "agent/bench/bench_memory.h"
#include "agent/bench/bench_run.h"
#include "agent/payload/payload_output.h"
#include "agent/record/reader.h"
#include "channel/wire/wire.h"
#include "lib/bench/bench_wire.h"
#include "lib/print.h"

/* The pieces that have come. */
static struct {
	unsigned pieces; /* 0: none */
	size_t size;
} bench_request;

static int bench_fail(struct trace_region *region, int code, const char *what)
{
	char text[160];

	bench_request.pieces = 0;
	print_text(text, sizeof(text), "bench: %s", what);
	trace_region_set_message(region, code, text);
	return code;
}

/* Send bytes to the reader. Returns false if it makes no room. */
static bool bench_send(const void *bytes, uint64_t size, struct trace_region *region,
                       struct channel *channel)
{
	struct stream *stream = payload_output_files();
	const uint8_t *at = bytes;

	while (size) {
		uint64_t put = stream_put(stream, at, size);

		if (!put && !reader_await_room(region, channel, stream))
			return false;
		at += put;
		size -= put;
	}
	return true;
}

static int bench_answer(const struct bench_result *result, struct trace_region *region,
                        struct channel *channel)
{
	const struct bench_memory *memory = bench_memory();
	size_t size = bench_put_result(result, memory->result, BENCH_RESULT);
	struct tr_file file = { .size = size, .crc = wire_crc(0, memory->result, size) };

	payload_output_begin(region);
	if (!bench_send(&file, sizeof(file), region, channel) ||
	    !bench_send(memory->result, size, region, channel))
		return bench_fail(region, -ETIMEDOUT, "the reader does not take the result");
	return 0;
}

static int bench_carry_out(struct trace_region *region, struct channel *channel)
{
	static struct bench_request request;
	static struct bench_result result;
	const struct bench_memory *memory = bench_memory();
	const char *wrong;

	memset(&result, 0, sizeof(result));
	result.values = memory->values;
	bench_run_describe(&result.hardware);
	wrong = bench_get_request(&request, memory->request, bench_request.size);
	bench_request.pieces = 0;
	if (wrong) {
		result.status = -EINVAL;
		print_text(result.text, sizeof(result.text), "the request is refused: %s", wrong);
	} else if (!(request.flags & BENCH_ABOUT)) {
		bench_run(&request, &result);
	}
	if (result.status)
		result.counters = result.measurements = 0;
	return bench_answer(&result, region, channel);
}

int bench_command(const struct command *command, struct trace_region *region,
                  struct channel *channel)
{
	const struct bench_memory *memory = bench_memory();
	long size;

	if (!memory)
		return bench_fail(region, -ENODEV,
		                  "there is no memory for it: it needs the exclusive mode");
	if (!reader_is_announced(region))
		return bench_fail(region, -ENODEV, "no host is there to take the result");
	if (command->piece == 1)
		bench_request.pieces = bench_request.size = 0;
	if (command->piece != bench_request.pieces + 1)
		return bench_fail(region, -EINVAL, "a piece of the request is missing");
	size = bench_from_text(memory->request + bench_request.size,
	                       BENCH_REQUEST - bench_request.size, command->argv[0]);
	if (size < 0)
		return bench_fail(region, -EINVAL,
		                  "a piece of the request is no base64, or the request is larger "
		                  "than 256 KiB");
	bench_request.size += (size_t)size;
	bench_request.pieces = command->piece;
	return command->piece < command->pieces ? 0 : bench_carry_out(region, channel);
}
