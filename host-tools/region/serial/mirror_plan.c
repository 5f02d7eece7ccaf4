/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/mirror_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host-tools/util/array.h"
#include "writer/region/region_check.h"

/* from magic to run: the first step of a look */
#define WORDS        offsetof(struct tr_header, clock)
/* the header up to the reader's own words */
#define READER       offsetof(struct tr_header, reader_wait)
#define READER_SIZE  72U
#define CONTROL_SIZE 128U /* a control page's own words, fetched once per run */

/* ---- Lists ---- */

static void add_piece(struct mirror_plan *plan, uint64_t offset, uint32_t size, bool direct,
                      bool records)
{
	if (!ARRAY_REACH(plan->pieces, plan->room, plan->count)) {
		plan->failed = true;
		return;
	}
	plan->pieces[plan->count++] =
	    (struct mirror_piece){ .offset = offset,
		                   .to = (direct ? plan->bytes : plan->stage) + offset,
		                   .size = size,
		                   .records = records };
}

/* Adds the whole words around these bytes, limited to the region. */
static void want(struct mirror_plan *plan, uint64_t offset, uint64_t size, bool direct,
                 bool records)
{
	uint64_t at = offset & ~7ULL, end = (offset + size + 7) & ~7ULL;

	while (at < end) {
		uint32_t length = end - at < MIRROR_PIECE ? (uint32_t)(end - at) : MIRROR_PIECE;

		add_piece(plan, at, length, direct, records);
		at += length;
	}
}

static void show_later(struct mirror_plan *plan, uint64_t offset, uint64_t size, bool heads)
{
	if (!ARRAY_REACH(plan->staged, plan->staged_room, plan->staged_count)) {
		plan->failed = true;
		return;
	}
	plan->staged[plan->staged_count++] = (struct mirror_extent){ offset, size, heads };
}

static void want_staged(struct mirror_plan *plan, uint64_t offset, uint64_t size, bool records)
{
	want(plan, offset, size, false, records);
	show_later(plan, offset, size, false);
}

/* ---- The header and its tables ---- */

const struct tr_header *mirror_plan_staged_header(const struct mirror_plan *plan)
{
	return (const struct tr_header *)plan->stage;
}

void mirror_plan_state(struct mirror_plan *plan)
{
	plan->count = 0;
	want_staged(plan, 0, WORDS, true);
	want_staged(plan, READER, READER_SIZE, true);
}

uint64_t mirror_plan_left(const struct mirror_plan *plan)
{
	uint64_t left = 0;

	for (size_t i = 0; i < plan->count; i++)
		left += plan->pieces[i].done ? 0 : plan->pieces[i].size;
	return left;
}

void mirror_plan_header(struct mirror_plan *plan)
{
	plan->count = 0;
	want_staged(plan, WORDS, sizeof(struct tr_header) - WORDS, true);
}

/* Adds this much of each entry. Includes the gaps between them if the gaps are not larger than the
 * parts. */
static void want_table(struct mirror_plan *plan, const struct tr_table *table, uint32_t entry)
{
	if (!table->count)
		return;
	if (table->stride <= 2 * entry) {
		want_staged(plan, table->offset, (uint64_t)table->count * table->stride, true);
		return;
	}
	for (uint32_t i = 0; i < table->count; i++)
		want_staged(plan, table->offset + (uint64_t)i * table->stride, entry, true);
}

void mirror_plan_tables(struct mirror_plan *plan)
{
	struct tr_header header = *mirror_plan_staged_header(plan);
	struct error ignored = { "" }; /* opening the region reports it */

	plan->count = 0;
	plan->has_layout = false;
	if (region_check_header(&header, plan->size, &ignored) ||
	    region_check_tables(&header, &ignored))
		return;
	plan->has_layout = true;
	want_table(plan, &header.cpus, sizeof(struct tr_cpu));
	want_table(plan, &header.events, sizeof(struct tr_event));
	want_table(plan, &header.images, sizeof(struct tr_image));
	want_table(plan, &header.rings, sizeof(struct tr_ring));
	want_table(plan, &header.doorbells, sizeof(struct tr_doorbell));
	want_table(plan, &header.mailbox, sizeof(struct tr_mailbox));
	want_table(plan, &header.console, sizeof(struct tr_console));
	want_table(plan, &header.streams, sizeof(struct tr_stream));
}

void mirror_plan_load(struct mirror_plan *plan)
{
	struct error ignored = { "" };
	const struct tr_header *header = mirror_plan_staged_header(plan);

	if (!plan->has_layout)
		return;
	plan->layout.shared = (const struct region_shared *)(const void *)plan->stage;
	plan->layout.nonce = header->nonce;
	plan->layout.size = header->size;
	plan->has_layout = !region_load(&plan->layout, &ignored);
}

/* The control pages' own words are fetched here and do not change. */
void mirror_plan_ledgers(struct mirror_plan *plan)
{
	const struct tr_header *header = &plan->layout.header;

	plan->count = 0;
	if (!plan->has_layout)
		return;
	want_table(plan, &header->event_ledger, sizeof(struct tr_event_ledger));
	want_table(plan, &header->ring_ledger, sizeof(struct tr_ring_ledger));
	for (uint32_t i = 0; i < header->rings.count; i++)
		want_staged(plan, plan->layout.rings[i].control, CONTROL_SIZE, true);
}

/* ---- Heads ---- */

#define PAIR (2 * sizeof(uint64_t)) /* a head and its tail */

static const uint64_t *staged_pair(const struct mirror_plan *plan, uint32_t ring, uint64_t which)
{
	return (const uint64_t *)(const void *)(plan->stage + plan->layout.rings[ring].control +
	                                        which);
}

uint32_t mirror_plan_reply(const struct mirror_plan *plan)
{
	const struct tr_header *header = &plan->layout.header;
	uint32_t reply = 0;

	if (plan->has_layout)
		memcpy(&reply, plan->stage + header->mailbox.offset + MIRROR_REPLY, sizeof(reply));
	return reply;
}

/* The heads of rings are shown only if their bytes are fetched, too: mirror_plan_bytes(). */
void mirror_plan_heads(struct mirror_plan *plan)
{
	const struct tr_header *header = &plan->layout.header;

	plan->count = 0;
	if (!plan->has_layout)
		return;
	want_staged(plan, header->mailbox.offset + MIRROR_REPLY, sizeof(uint64_t), false);
	if (header->console.count)
		want_staged(plan, header->console.offset, sizeof(struct tr_console), false);
	if (header->streams.count)
		want_staged(plan, header->streams.offset,
		            (uint64_t)header->streams.count * header->streams.stride, false);
	for (uint32_t i = 0; i < header->rings.count; i++)
		want(plan, plan->layout.rings[i].control + MIRROR_DATA_HEAD, PAIR, false, false);
}

void mirror_plan_aux_heads(struct mirror_plan *plan)
{
	plan->count = 0;
	for (uint32_t i = 0; plan->has_layout && i < plan->layout.header.rings.count; i++) {
		if (plan->layout.rings[i].aux_size)
			want(plan, plan->layout.rings[i].control + MIRROR_AUX_HEAD, PAIR, false,
			     false);
	}
}

static bool is_backward(const struct mirror_plan *plan, uint32_t ring)
{
	return plan->layout.rings[ring].flags & TR_RING_BACKWARD;
}

void mirror_plan_begin_run(struct mirror_plan *plan)
{
	for (uint32_t i = 0; plan->has_layout && i < plan->layout.header.rings.count; i++)
		plan->rings[i] = (struct mirror_have){
			.data = is_backward(plan, i) ? 0
			                             : staged_pair(plan, i, MIRROR_DATA_HEAD)[1],
			.aux = plan->layout.rings[i].aux_size
			           ? staged_pair(plan, i, MIRROR_AUX_HEAD)[1]
			           : 0,
		};
	mirror_streams_begin(plan);
}

/* ---- Data before the heads ---- */

void mirror_plan_want_area(struct mirror_plan *plan, uint64_t offset, uint64_t size, uint64_t to,
                           uint64_t length)
{
	uint64_t at, first;

	if (length > size)
		length = size;
	at = (to - length) & (size - 1);
	first = length < size - at ? length : size - at;
	want(plan, offset + at, first, true, true);
	want(plan, offset, length - first, true, true);
}

static void want_ring(struct mirror_plan *plan, uint32_t ring)
{
	const struct tr_ring *r = &plan->layout.rings[ring];
	const struct mirror_have *have = &plan->rings[ring];
	uint64_t head = staged_pair(plan, ring, MIRROR_DATA_HEAD)[0], aux;

	/* An overwritable ring's newest record begins at its head, and the older ones follow. */
	if (is_backward(plan, ring)) {
		uint64_t fresh = have->data - head;

		mirror_plan_want_area(plan, r->data_offset, r->data_size,
		                      head + (fresh < r->data_size ? fresh : r->data_size), fresh);
	} else {
		mirror_plan_want_area(plan, r->data_offset, r->data_size, head, head - have->data);
	}
	show_later(plan, r->control + MIRROR_DATA_HEAD, PAIR, true);
	if (!r->aux_size)
		return;
	aux = staged_pair(plan, ring, MIRROR_AUX_HEAD)[0];
	mirror_plan_want_area(plan, r->aux_offset, r->aux_size, aux, aux - have->aux);
	show_later(plan, r->control + MIRROR_AUX_HEAD, PAIR, true);
}

/* Returns the place of the console's text, and its head; false: no valid console. */
static bool find_text(const struct mirror_plan *plan, struct tr_console *console, uint64_t *offset)
{
	const struct tr_table *table = &plan->layout.header.console;

	if (!table->count)
		return false;
	memcpy(console, plan->stage + table->offset, sizeof(*console));
	*offset = table->offset + sizeof(*console);
	return console->size >= 8 && !(console->size & (console->size - 1)) &&
	       console->size <= plan->layout.size - *offset;
}

void mirror_plan_bytes(struct mirror_plan *plan, bool overwritable)
{
	struct tr_console console;
	uint64_t offset;

	plan->count = 0;
	if (!plan->has_layout)
		return;
	if (find_text(plan, &console, &offset))
		mirror_plan_want_area(plan, offset, console.size, console.head,
		                      console.head - plan->text);
	mirror_streams_want(plan);
	for (uint32_t i = 0; i < plan->layout.header.rings.count; i++) {
		plan->rings[i].is_due = overwritable || !is_backward(plan, i);
		if (plan->rings[i].is_due)
			want_ring(plan, i);
	}
}

/* ---- A look ---- */

void mirror_plan_begin(struct mirror_plan *plan)
{
	plan->staged_count = 0;
}

void mirror_plan_show(struct mirror_plan *plan)
{
	struct tr_console console;
	uint64_t offset;

	mirror_show_staged(plan);
	if (!plan->has_layout)
		return;
	if (find_text(plan, &console, &offset))
		plan->text = console.head;
	mirror_streams_show(plan);
	for (uint32_t i = 0; i < plan->layout.header.rings.count; i++) {
		if (!plan->rings[i].is_due)
			continue;
		plan->rings[i].data = staged_pair(plan, i, MIRROR_DATA_HEAD)[0];
		if (plan->layout.rings[i].aux_size)
			plan->rings[i].aux = staged_pair(plan, i, MIRROR_AUX_HEAD)[0];
	}
}

static void *reserve(uint64_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

int mirror_plan_init(struct mirror_plan *plan, uint64_t size, struct error *error)
{
	*plan = (struct mirror_plan){ .size = size };
	if (size < TR_PAGE || size % TR_PAGE || size > MIRROR_SIZE_MAX)
		return error_set(error, -EPROTO,
		                 "a region of 0x%" PRIx64
		                 " bytes cannot be mirrored: it is no "
		                 "number of pages, or too large",
		                 size);
	plan->bytes = reserve(size);
	plan->stage = reserve(size);
	if (plan->bytes && plan->stage)
		return 0;
	mirror_plan_free(plan);
	return error_set(error, -ENOMEM, "no memory for a mirror of 0x%" PRIx64 " bytes", size);
}

void mirror_plan_free(struct mirror_plan *plan)
{
	if (plan->bytes)
		munmap(plan->bytes, plan->size);
	if (plan->stage)
		munmap(plan->stage, plan->size);
	region_close(&plan->layout);
	free(plan->pieces);
	free(plan->staged);
	*plan = (struct mirror_plan){ 0 };
}
