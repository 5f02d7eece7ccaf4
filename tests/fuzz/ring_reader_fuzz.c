/* SPDX-License-Identifier: MIT */
/*
 * A ring of any content: the reader takes copies of whole records, or refuses the ring, and never
 * reads outside. Input: flags, then data_tail, data_head, then a second data_head of a writer that
 * continues, and then the data area.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ringbuf/reader/ring_reader.h"
#include "tests/fuzz/seed.h"

#define SIZE TR_PAGE

struct input {
	uint64_t flags;
	uint64_t tail;
	uint64_t head;
	uint64_t next_head;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Take everything up to the head, at most the ring's size. Returns true if there were records and
 * none was refused. */
static bool walk(struct ring_reader *reader)
{
	const struct perf_event_header *record;
	uint64_t total = 0;
	int got;

	while ((got = ring_reader_next(reader, &record)) > 0) {
		const uint8_t *copy = (const uint8_t *)record;

		require(copy + record->size <= reader->data || copy >= reader->data + SIZE);
		require(record->size >= 8 && record->size % 8 == 0 && record->type != 0);
		total += record->size;
		require(total <= SIZE);
	}
	require(got == 0 || (got == -EILSEQ && reader->error.reason));
	require(got == 0 || reader->error.offset < SIZE);
	return !got && total;
}

/* Returns true if everything was read. */
static bool read_ring(const uint8_t *bytes, size_t size)
{
	static struct perf_event_mmap_page control;
	static struct ring_reader reader;
	struct input input;
	bool all = false;
	uint8_t *data;

	if (size < sizeof(input))
		return false;
	memcpy(&input, bytes, sizeof(input));
	bytes += sizeof(input);
	size -= sizeof(input);
	/* exactly this size, so that the sanitizer detects reads beyond the ends */
	data = calloc(1, SIZE);
	require(data);
	memcpy(data, bytes, size < SIZE ? size : SIZE);
	memset(&control, 0, sizeof(control));
	control.data_tail = input.tail;
	control.data_head = input.head;
	if (!ring_reader_init(&reader, &control, data, SIZE, input.flags & TR_RING_BACKWARD)) {
		reader.still = input.flags & 2;
		all = walk(&reader);
		ring_reader_release(&reader);
		control.data_head = input.next_head;
		if (ring_reader_refresh(&reader) >= 0)
			walk(&reader);
	}
	free(data);
	return all;
}

static bool is_good(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	return read_ring(bytes, size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_ring(bytes, size);
	return 0;
}
