/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/payload/payload_memory.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/record/reader.h"
#include "agent/volume/volume.h"
#include "channel/wire/wire.h"
#include "lib/console/console.h"
#include "lib/resident.h"
#include "pmu/clock/clock.h"

#define PIECE (1U << 20) /* bytes between two heartbeats */

typedef int (*find_fn)(const char *name, const void **bytes, uint64_t *size);

static find_fn payload_find; /* the program's function that finds a file, or NULL */

/* A file that --fetch names. */
struct finding {
	const char *name;
	const void *bytes;
	uint64_t size;
};

/* A file that is kept until it is written to the volume. */
struct kept_file {
	struct tr_file file;
	const uint8_t *bytes;
};

static struct kept_file kept_files[COMMAND_MAX_FILES];
static unsigned nr_kept_files;

void payload_fetch_offer(find_fn find)
{
	payload_find = find;
}

void payload_fetch_begin(void)
{
	payload_find = NULL;
}

/* Calls the payload's code, in the payload's context. */
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

/* Send bytes to the reader. Returns false if the reader stops reading. */
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

static void payload_fetch_to_reader(const struct command *command, struct trace_region *region,
                                    struct channel *channel)
{
	bool continues = reader_is_announced(region);

	for (unsigned i = 0; i < command->nr_fetch && continues; i++) {
		struct finding f = { .name = command->fetch[i] };
		struct tr_file file = payload_fetch_look(&f, region, channel);

		file.index = i;
		continues = payload_fetch_send(&file, sizeof(file), region, channel) &&
		            payload_fetch_send(f.bytes, file.size, region, channel);
	}
	if (!continues)
		console_printf("--fetch: no reader takes the files\n");
}

/* ---- Beside the recording ---- */

static int payload_fetch_kept_file_is_before(const void *one, const void *other)
{
	const uint8_t *a = kept_files[*(const uint8_t *)one].bytes;
	const uint8_t *b = kept_files[*(const uint8_t *)other].bytes;

	return (a < b) - (a > b);
}

/* Sort the kept files that are in the heap by address, the highest first. */
static unsigned payload_fetch_sort(uint8_t order[COMMAND_MAX_FILES], const uint8_t *heap,
                                   uint64_t heap_size)
{
	unsigned count = 0;

	for (unsigned i = 0; i < nr_kept_files; i++) {
		if ((uint64_t)kept_files[i].bytes - (uint64_t)heap < heap_size)
			order[count++] = (uint8_t)i;
	}
	qsort(order, count, 1, payload_fetch_kept_file_is_before);
	return count;
}

/* The program has ended, and bareperf reuses its heap. Move the kept files to the heap's end, in an
 * order in which no file overwrites one that is still to be moved. Returns the bytes that they
 * take. */
static uint64_t payload_fetch_gather(void)
{
	uint8_t order[COMMAND_MAX_FILES] = { 0 };
	uint64_t heap_size;
	uint8_t *heap = payload_heap(&heap_size), *to = heap + heap_size;
	unsigned count = payload_fetch_sort(order, heap, heap_size);
	const uint8_t *last = NULL;

	for (unsigned i = 0; i < count; i++) {
		struct kept_file *kept = &kept_files[order[i]];
		const uint8_t *from = kept->bytes;

		if (from == last) { /* one file under two names */
			kept->bytes = to;
			continue;
		}
		last = from;
		if (kept->file.size > (uint64_t)(to - heap)) {
			kept->file.status = -EFAULT; /* they overlap */
			continue;
		}
		to -= kept->file.size;
		kept->bytes = memmove(to, from, kept->file.size);
	}
	return (uint64_t)(heap + heap_size - to);
}

static uint64_t payload_fetch_keep(const struct command *command, struct trace_region *region,
                                   struct channel *channel)
{
	for (unsigned i = 0; i < command->nr_fetch; i++) {
		struct finding f = { .name = command->fetch[i] };

		kept_files[i].file = payload_fetch_look(&f, region, channel);
		kept_files[i].bytes = f.bytes;
	}
	nr_kept_files = command->nr_fetch;
	return payload_fetch_gather();
}

static const char *payload_fetch_reason(const struct kept_file *kept)
{
	switch (kept->file.status) {
	case 0:
		return wire_crc(0, kept->bytes, kept->file.size) == kept->file.crc
		           ? NULL
		           : "it was damaged in RAM";
	case -ENOENT:
		return "the program has written no file of this name";
	case -EFAULT:
		return "the program gave an invalid address or size for this file";
	default:
		return strerror(-kept->file.status);
	}
}

static int payload_fetch_save_one(struct kept_file *kept, const char *name, const char *path)
{
	const char *reason = payload_fetch_reason(kept);
	char written[VOLUME_PATH_MAX];
	struct error error = { "" };
	int code = kept->file.status;

	if (reason) {
		console_printf("bareperf: --fetch: %s: %s\n", name, reason);
		return code ? code : -EIO;
	}
	code = volume_write_beside(path, name, kept->bytes, kept->file.size, written, &error);
	if (code)
		console_printf("bareperf: --fetch: %s\n", error.text);
	else
		console_printf("written: %s\n", written);
	return code;
}

int payload_fetch_save(const struct command *command, const char *path)
{
	int first = 0;

	for (unsigned i = 0; i < nr_kept_files; i++) {
		int code = payload_fetch_save_one(&kept_files[i], command->fetch[i], path);

		first = first ? first : code;
	}
	nr_kept_files = 0;
	return first;
}

/* ---- */

uint64_t payload_fetch(const struct command *command, struct trace_region *region,
                       struct channel *channel)
{
	payload_allow();
	nr_kept_files = 0;
	if (!command->nr_fetch)
		return 0;
	if (!reader_is_announced(region) && resident_has_taken_over())
		return payload_fetch_keep(command, region, channel);
	payload_fetch_to_reader(command, region, channel);
	return 0;
}
