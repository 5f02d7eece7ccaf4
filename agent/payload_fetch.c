/* SPDX-License-Identifier: MIT */
#include "agent/payload_fetch.h"

#include <errno.h>

#include "agent/payload.h"
#include "agent/payload_output.h"
#include "agent/payload_run.h"
#include "agent/reader.h"
#include "channel/wire/wire.h"
#include "lib/console.h"
#include "pmu/clock.h"

#define PIECE (1U << 20) /* bytes between two signs of life */

typedef int (*find_fn)(const char *name, const void **bytes, uint64_t *size);

static find_fn payload_find; /* NULL: nobody has files */

/* A file that is looked for. */
struct finding {
	const char *name;
	const void *bytes;
	uint64_t size;
};

void payload_fetch_offer(find_fn find)
{
	payload_find = find;
}

void payload_fetch_begin(void)
{
	payload_find = NULL;
}

/* The payload's code: it runs as that does. */
static int payload_fetch_find(void *argument)
{
	struct finding *f = argument;

	return payload_find(f->name, &f->bytes, &f->size);
}

static int payload_fetch_run(void *argument)
{
	enum payload_end end;

	return payload_run(payload_fetch_find, argument, &end);
}

static struct tr_file payload_fetch_look(struct finding *f, struct trace_region *region,
                                         struct channel *channel)
{
	struct tr_file file = { .status = -ENOENT };

	if (payload_find) {
		file.status = arch_call_payload(payload_fetch_run, f);
		arch_irq_disable();
	}
	if (!file.status && f->size && !payload_owns(f->bytes, f->size))
		file.status = -EFAULT;
	if (file.status) {
		file.status = file.status < 0 ? file.status : -EIO;
		return file;
	}
	file.size = f->size;
	for (uint64_t at = 0; at < f->size; at += PIECE) {
		uint64_t left = f->size - at;

		file.crc =
		    wire_crc(file.crc, (const uint8_t *)f->bytes + at, left < PIECE ? left : PIECE);
		trace_region_beat(region, clock_steady());
		channel_pump(channel);
	}
	return file;
}

/* false: the reader does not go on. */
static bool payload_fetch_send(const void *bytes, uint64_t size, struct trace_region *region,
                               struct channel *channel)
{
	struct stream *stream = payload_output_files();

	while (size) {
		uint64_t put = stream_put(stream, bytes, size);

		bytes = (const uint8_t *)bytes + put;
		size -= put;
		if (size && !reader_await_room(region, channel, stream)) {
			stream_lose(stream, size);
			return false;
		}
	}
	return true;
}

void payload_fetch(const struct command *command, struct trace_region *region,
                   struct channel *channel)
{
	bool goes_on = reader_is_announced(region);

	payload_allow();
	for (unsigned i = 0; i < command->nr_fetch && goes_on; i++) {
		struct finding f = { .name = command->fetch[i] };
		struct tr_file file = payload_fetch_look(&f, region, channel);

		file.index = i;
		goes_on = payload_fetch_send(&file, sizeof(file), region, channel) &&
		          payload_fetch_send(f.bytes, file.size, region, channel);
	}
	if (command->nr_fetch && !goes_on)
		console_printf("--fetch: nobody takes the files\n");
}
