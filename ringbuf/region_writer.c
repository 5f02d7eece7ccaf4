/* SPDX-License-Identifier: MIT */
#include "ringbuf/region_writer.h"

#include <errno.h>
#include <stdbool.h>

#include "abi/seal.h"
#include "arch/arch.h"
#include "ringbuf/bytes.h"

#define FIRST_WORDS 64U /* bytes of the header's start: magic, state, run and others */

/* No libc, because this also runs in a panic. Copies words, because the compiler may not call
 * memset here. */
static void region_writer_clear(void *memory, uint64_t bytes)
{
	volatile uint64_t *word = memory;

	for (uint64_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = 0;
}

/* A reader may be announced already. Clears only the reader's words about another boot's run. */
static void region_clear_all_but_reader(struct tr_header *header, uint64_t bytes)
{
	uint64_t after = offsetof(struct tr_header, reader) + sizeof(header->reader);

	region_writer_clear(header, offsetof(struct tr_header, reader));
	region_writer_clear((char *)header + after, bytes - after);
	__atomic_store_n(&header->reader.ready, 0, __ATOMIC_RELAXED);
}

static bool region_in_range(uint32_t value, uint32_t most)
{
	return value >= 1 && value <= most;
}

static int region_check_limits(const struct region_limits *l)
{
	if (!region_in_range(l->cpus, TR_MAX_CPUS) || !region_in_range(l->images, TR_MAX_IMAGES) ||
	    !region_in_range(l->events, TR_MAX_EVENTS) || !region_in_range(l->rings, TR_MAX_RINGS))
		return -EINVAL;
	if (!l->console_size || l->console_size & (l->console_size - 1) ||
	    l->stream_size & (l->stream_size - 1) || l->stream_size % sizeof(uint64_t))
		return -EINVAL;
	return 0;
}

/* Assigns the next part of the region to a table. */
static void *region_writer_place(struct trace_region *region, struct tr_table *table,
                                 uint32_t count, uint32_t stride)
{
	void *at = trace_region_at(region, region->tables_end);

	if (table)
		*table = (struct tr_table){ region->tables_end, count, stride };
	region->tables_end += (uint64_t)count * stride;
	return at;
}

static uint64_t region_whole_pages(uint64_t bytes)
{
	return (bytes + TR_PAGE - 1) / TR_PAGE * TR_PAGE;
}

static uint64_t region_tables_size(const struct region_limits *l)
{
	return sizeof(struct tr_header) + sizeof(struct tr_mailbox) +
	       l->rings * (sizeof(struct tr_doorbell) + sizeof(struct tr_ring) +
	                   sizeof(struct tr_ring_ledger)) +
	       l->cpus * sizeof(struct tr_cpu) + l->images * sizeof(struct tr_image) +
	       l->events * (sizeof(struct tr_event) + sizeof(struct tr_event_ledger)) +
	       sizeof(struct tr_console) + l->console_size +
	       (l->stream_size ? TR_STREAMS * (sizeof(struct tr_stream) + l->stream_size) : 0);
}

/* If a reset is possible, all data written so far reaches memory before the word that announces it.
 */
static void region_writer_keep(const struct trace_region *region, uint64_t bytes)
{
	if (region->is_kept)
		arch_memory_clean(region->header, bytes);
}

static void region_set_counts(struct tr_header *header, uint32_t events, uint32_t rings)
{
	header->events.count = header->event_ledger.count = events;
	header->rings.count = header->ring_ledger.count = header->doorbells.count = rings;
}

int trace_region_init(struct trace_region *region, void *memory, uint64_t size,
                      const struct region_limits *l)
{
	struct tr_header *header = memory;
	uint32_t console = (uint32_t)sizeof(struct tr_console) + l->console_size;

	if (region_check_limits(l))
		return -EINVAL;
	if (region_whole_pages(region_tables_size(l)) > size)
		return -ENOSPC;
	region_clear_all_but_reader(header, region_whole_pages(region_tables_size(l)));
	*region = (struct trace_region){ .header = header, .size = size, .limits = *l };
	region->tables_end = sizeof(*header);
	region->mailbox =
	    region_writer_place(region, &header->mailbox, 1, sizeof(struct tr_mailbox));
	region->doorbells =
	    region_writer_place(region, &header->doorbells, l->rings, sizeof(struct tr_doorbell));
	region->cpus = region_writer_place(region, &header->cpus, l->cpus, sizeof(struct tr_cpu));
	region->images =
	    region_writer_place(region, &header->images, l->images, sizeof(struct tr_image));
	region->events =
	    region_writer_place(region, &header->events, l->events, sizeof(struct tr_event));
	region->event_ledger = region_writer_place(region, &header->event_ledger, l->events,
	                                           sizeof(struct tr_event_ledger));
	region->rings =
	    region_writer_place(region, &header->rings, l->rings, sizeof(struct tr_ring));
	region->ring_ledger = region_writer_place(region, &header->ring_ledger, l->rings,
	                                          sizeof(struct tr_ring_ledger));
	region->console = region_writer_place(region, &header->console, 1, console);
	region->console->size = l->console_size;
	if (l->stream_size) {
		region->streams = region_writer_place(region, &header->streams, TR_STREAMS,
		                                      sizeof(struct tr_stream));
		region->stream_bytes =
		    region_writer_place(region, NULL, TR_STREAMS, l->stream_size);
	}
	region->tables_end = region_whole_pages(region->tables_end);
	region->used = region->tables_end;
	header->images.count = 0;
	region_set_counts(header, 0, 0);
	return 0;
}

void trace_region_open(struct trace_region *region, const struct region_identity *identity)
{
	struct tr_header *header = region->header;

	header->version = TR_VERSION;
	header->header_size = sizeof(*header);
	header->address = identity->address;
	header->nonce = identity->nonce;
	header->size = region->size;
	header->page_size = TR_PAGE;
	header->machine = identity->machine;
	trace_region_put_text(header->producer, sizeof(header->producer), identity->producer);
	header->seal = tr_header_seal(header);
	region_writer_keep(region, region->tables_end);
	__atomic_store_n(&header->magic, TR_MAGIC, __ATOMIC_RELEASE);
	region_writer_keep(region, FIRST_WORDS);
}

void trace_region_close(struct trace_region *region)
{
	region->header->magic = 0;
	region_writer_keep(region, FIRST_WORDS);
}

void trace_region_set_clock(struct trace_region *region, const struct tr_clock *clock)
{
	region->header->clock = *clock;
}

int trace_region_start_run(struct trace_region *region, const char *command, uint32_t events,
                           uint32_t rings)
{
	struct tr_header *header = region->header;

	if (events > region->limits.events || rings > region->limits.rings)
		return -ENOSPC;
	trace_region_set_state(region, TR_BOOTING);
	trace_region_set_message(region, 0, NULL);
	header->exit_status = 0;
	header->backtrace.count = 0;
	trace_region_put_text(header->command, sizeof(header->command), command);
	region_writer_clear(region->events, events * sizeof(struct tr_event));
	region_writer_clear(region->event_ledger, events * sizeof(struct tr_event_ledger));
	region_writer_clear(region->rings, rings * sizeof(struct tr_ring));
	region_writer_clear(region->ring_ledger, rings * sizeof(struct tr_ring_ledger));
	region_writer_clear(region->doorbells, rings * sizeof(struct tr_doorbell));
	region_set_counts(header, 0, 0);
	region->run_events = events;
	region->run_rings = rings;
	region->used = region->tables_end;
	header->reader_wait = 0;
	header->reader_found = TR_READER_NONE;
	header->run = ++region->run;
	return 0;
}

void trace_region_set_recording(struct trace_region *region)
{
	region_set_counts(region->header, region->run_events, region->run_rings);
	trace_region_set_state(region, TR_RECORDING);
}

int trace_region_add_ring(struct trace_region *region, uint32_t cpu, uint64_t data_pages,
                          uint64_t aux_pages, struct tr_ring *ring, uint64_t *needed)
{
	uint64_t control = region->used;
	uint64_t data_size = data_pages * TR_PAGE;
	uint64_t aux_size = aux_pages * TR_PAGE;

	*needed = control + TR_PAGE + data_size + aux_size;
	if (*needed > region->size)
		return -ENOSPC;
	region->used = *needed;
	*ring = (struct tr_ring){
		.cpu = cpu,
		.owner = TR_NONE,
		.control = control,
		.data_offset = control + TR_PAGE,
		.data_size = data_size,
		.aux_offset = aux_size ? control + TR_PAGE + data_size : 0,
		.aux_size = aux_size,
	};
	return 0;
}

void trace_region_set_state(struct trace_region *region, enum tr_state state)
{
	region_writer_keep(region, region->tables_end);
	__atomic_store_n(&region->header->state, (uint32_t)state, __ATOMIC_RELEASE);
	region_writer_keep(region, FIRST_WORDS);
}

void trace_region_set_message(struct trace_region *region, int status, const char *message)
{
	struct tr_header *header = region->header;

	header->status = status;
	trace_region_put_text(header->message, sizeof(header->message), message ? message : "");
}

void trace_region_set_backtrace(struct trace_region *region, const struct tr_backtrace *backtrace)
{
	ring_copy(&region->header->backtrace, backtrace, sizeof(*backtrace));
}

void trace_region_put_text(char *field, uint64_t size, const char *text)
{
	volatile char *at = field; /* or the compiler replaces the loop by a libc call */
	uint64_t i = 0;

	for (; i + 1 < size && text[i]; i++)
		at[i] = text[i];
	for (; i < size; i++)
		at[i] = '\0';
}
