/* SPDX-License-Identifier: MIT */
/* Reading the parts that change while the machine runs: ledgers, positions, message, console. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/region/region_check.h"
#include "writer/region/region_shared.h"
#include "writer/util/printable.h"

/* Bytes of the terminal's control sequence (ECMA-48 5.4) at from, 0 if there is none. */
static size_t region_control_sequence(const char *from, size_t size)
{
	size_t length = 2;

	if (size < 3 || from[0] != 0x1b || from[1] != '[')
		return 0;
	while (length < size && (unsigned char)from[length] >= 0x20 && from[length] < 0x40)
		length++;
	return length < size ? length + 1 : length;
}

void region_printable(char *to, size_t to_size, const char *from, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < size && from[i] && used + 1 < to_size;) {
		size_t sequence = from[i] == '\r' ? 1 : region_control_sequence(from + i, size - i);
		size_t plain = 0;

		while (!sequence && i + plain < size && from[i + plain] &&
		       from[i + plain] != '\r' && from[i + plain] != 0x1b)
			plain++;
		if (!sequence && !plain)
			plain = 1; /* an ESC that begins no sequence */
		used += printable_copy(to + used, to_size - used, from + i, plain, '?', "\n\t");
		i += sequence + plain;
	}
	to[used] = 0;
}

void region_header(const struct region *region, struct tr_header *to)
{
	memcpy(to, region_at(region, 0), sizeof(*to));
}

void region_message(const struct region *region, char text[1024])
{
	struct tr_header header;

	region_header(region, &header);
	region_printable(text, sizeof(header.message), header.message, sizeof(header.message));
}

static const void *region_table_entry(const struct region *region, const struct tr_table *table,
                                      uint32_t i)
{
	return region_at(region, region_entry(table, i));
}

void region_update_cpus(struct region *region)
{
	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		memcpy(&region->cpus[i], region_table_entry(region, &region->header.cpus, i),
		       sizeof(region->cpus[i]));
		region->cpus[i].cpu = i; /* as it was checked */
	}
}

void region_event_ledger(const struct region *region, uint32_t event, struct tr_event_ledger *to)
{
	memcpy(to, region_table_entry(region, &region->header.event_ledger, event), sizeof(*to));
}

void region_ring_ledger(const struct region *region, uint32_t ring, struct tr_ring_ledger *to)
{
	memcpy(to, region_table_entry(region, &region->header.ring_ledger, ring), sizeof(*to));
}

void region_positions(const struct region *region, uint32_t ring, struct region_positions *to)
{
	const struct perf_event_mmap_page *control = region_control(region, ring);

	/* D: the records before the head; pairs with A in ringbuf/ring.h. */
	to->data_head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	/* D: the bytes before it; pairs with A in ringbuf/aux.h. */
	to->aux_head = __atomic_load_n(&control->aux_head, __ATOMIC_ACQUIRE);
	to->data_tail = __atomic_load_n(&control->data_tail, __ATOMIC_RELAXED);
	to->aux_tail = __atomic_load_n(&control->aux_tail, __ATOMIC_RELAXED);
}

int region_read_ring(const struct region *region, uint32_t ring, struct ring_reader *reader)
{
	const struct tr_ring *r = &region->rings[ring];

	/* The reader stores its tail when it releases, and region_release_data() does that instead.
	 */
	return ring_reader_init(
	    reader, (struct perf_event_mmap_page *)(uintptr_t)region_control(region, ring),
	    region_at(region, r->data_offset), r->data_size, r->flags);
}

int region_aux(const struct region *region, uint32_t ring, uint64_t position, uint64_t size,
               struct blob_piece pieces[2])
{
	const struct tr_ring *r = &region->rings[ring];
	uint64_t at = position & (r->aux_size - 1);
	uint64_t first = size < r->aux_size - at ? size : r->aux_size - at;

	pieces[0] = (struct blob_piece){ region_at(region, r->aux_offset + at), first };
	pieces[1] = (struct blob_piece){ region_at(region, r->aux_offset), size - first };
	return pieces[1].size ? 2 : 1;
}

void region_read_aux(const struct region *region, uint32_t ring, uint64_t position, uint64_t size,
                     void *to)
{
	struct blob_piece pieces[2];

	region_aux(region, ring, position, size, pieces);
	memcpy(to, pieces[0].bytes, pieces[0].size);
	memcpy((uint8_t *)to + pieces[0].size, pieces[1].bytes, pieces[1].size);
}

/* The console's head, size and place, checked; false if there is none. */
static bool region_find_console(const struct region *region, uint64_t *head, uint32_t *size,
                                const char **text)
{
	struct tr_header header;
	struct tr_console console;
	struct error ignored = { "" };
	uint64_t at;

	region_header(region, &header);
	header.size = region->size;
	if (!header.console.count ||
	    region_check_table(&header, &header.console, "consoles", sizeof(console), 1, &ignored))
		return false;
	at = header.console.offset;
	*head = __atomic_load_n((const uint64_t *)region_at(region, at), __ATOMIC_ACQUIRE);
	memcpy(&console, region_at(region, at), sizeof(console));
	if (!console.size || console.size & (console.size - 1) ||
	    console.size > region->size - at - sizeof(console))
		return false;
	*size = console.size;
	*text = region_at(region, at + sizeof(console));
	return true;
}

char *region_console(const struct region *region, uint64_t *from)
{
	uint64_t head = 0, first;
	uint32_t size = 0;
	const char *ring = NULL;
	char *raw, *text;
	size_t length;

	if (!region_find_console(region, &head, &size, &ring))
		return calloc(1, 1);
	first = head > size && head - size > *from ? head - size : *from;
	length = first < head ? (size_t)(head - first) : 0;
	raw = malloc(length + 1);
	text = malloc(length + 1);
	if (raw && text) {
		size_t whole;

		for (size_t i = 0; i < length; i++)
			raw[i] = ring[(first + i) & (size - 1)];
		whole = printable_whole(raw, length);
		region_printable(text, length + 1, raw, whole < length ? whole : length);
		*from = first + whole;
	} else {
		free(text);
		text = NULL;
	}
	free(raw);
	return text;
}
