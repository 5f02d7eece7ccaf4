/* SPDX-License-Identifier: MIT */
/* Prints the contents of AUX pieces as text. */
#include <stdlib.h>
#include <string.h>

#include "abi/event_types.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/dump/dump_spe.h"
#include "writer/perfdata/perf_file.h"

struct branch {
	uint64_t from, to, flags;
};

/* Learn the clock from a TIME_CONV record: shift, mult, zero. The record is from a file and may
 * have any values. */
static void learn_clock(struct dump *dump, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	if (record->size < 32 || words[1] > 63 || words[2] > UINT32_MAX)
		return;
	dump->clock.time_shift = (uint16_t)words[1];
	dump->clock.time_mult = (uint32_t)words[2];
	dump->clock.time_zero = words[3];
}

static void put_place(struct format *f, struct symbols *symbols, uint64_t address)
{
	const char *name = symbols_name(symbols, address);

	format_hex16(f, address);
	*f->at++ = ' ';
	format_text(f, name, strlen(name));
}

/* A branch has the same fields as perf's branch samples: ip is its source, addr its target. */
static bool is_wanted(const struct dump *dump, const struct branch *branch)
{
	struct dump_fields fields = dump->aux;

	if (!dump_filter_is_on(&dump->filter))
		return true;
	dump_field_set(&fields, DUMP_IP, branch->from);
	dump_field_set(&fields, DUMP_ADDR, branch->to);
	return dump_filter_passes(&dump->filter, &fields);
}

/* Print one line per branch: FROM function => TO function. perf pads with records of zeros. */
static void put_branches(struct dump *dump, const uint8_t *bytes, uint64_t size)
{
	struct format *f = dump->format;
	struct branch branch;

	for (uint64_t i = 0; i + sizeof(branch) <= size && !dump->quiet; i += sizeof(branch)) {
		memcpy(&branch, bytes + i, sizeof(branch));
		if ((!branch.from && !branch.to) || !is_wanted(dump, &branch))
			continue;
		format_line(f);
		format_literal(f, ". branch ");
		put_place(f, dump->symbols, branch.from);
		format_literal(f, " => ");
		put_place(f, dump->symbols, branch.to);
		*f->at++ = '\n';
	}
}

static void put_bytes(struct dump *dump, const uint8_t *bytes, uint64_t size, uint64_t position)
{
	if (dump->aux_type == PERF_FILE_AUXTRACE_ARM_SPE)
		dump_spe(dump, bytes, size, position);
	else if (dump->aux_type == PERF_FILE_AUXTRACE_INTEL_BTS)
		put_branches(dump, bytes, size);
}

static void put_piece(struct dump *dump, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;

	if (record->header->size < sizeof(*trace))
		return;
	put_bytes(dump, record->trace, record->trace_size, trace->offset);
}

/* Get the type of an AUX area's bytes, from the event that wrote the AUX record. */
static uint64_t type_in_region(const struct region *region, uint32_t ring)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		if (region->events[i].ring == ring &&
		    region->events[i].attr.type == PERF_TYPE_ARM_SPE)
			return PERF_FILE_AUXTRACE_ARM_SPE;
	}
	return PERF_FILE_AUXTRACE_INTEL_BTS;
}

void dump_aux_area(struct dump *dump, const struct region *region, uint32_t i,
                   const struct perf_event_header *record)
{
	const struct perf_record_aux *aux = (const void *)record;
	const struct tr_ring *ring = &region->rings[i];
	struct region_positions at;
	struct ledger_ring_found *found = &dump->ledger.rings[i].found;
	uint8_t *bytes;
	uint64_t head;

	if (record->type != PERF_RECORD_AUX || record->size < sizeof(*aux))
		return;
	region_positions(region, i, &at);
	if (aux->aux_offset > at.aux_head || aux->aux_size > at.aux_head - aux->aux_offset)
		return;
	*(at.aux_tail > aux->aux_offset ? &found->aux_delivered : &found->aux_unread) +=
	    aux->aux_size;
	if (!aux->aux_size || at.aux_head - aux->aux_offset > ring->aux_size)
		return; /* overwritten since the record was written */
	bytes = malloc(aux->aux_size);
	if (!bytes)
		return;
	region_read_aux(region, i, aux->aux_offset, aux->aux_size, bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* read the positions after the copy */
	head = at.aux_head;
	region_positions(region, i, &at);
	if (at.aux_head != head && at.aux_tail > aux->aux_offset) {
		free(bytes);
		return; /* released, so it may have been overwritten during the copy */
	}
	dump->aux_type = type_in_region(region, i);
	put_bytes(dump, bytes, aux->aux_size, aux->aux_offset);
	free(bytes);
}

void dump_auxtrace(struct dump *dump, const struct perf_reader_record *record)
{
	if (record->header->type == PERF_FILE_RECORD_TIME_CONV)
		learn_clock(dump, record->header);
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE_INFO &&
	         record->header->size >= 16)
		memcpy(&dump->aux_type, record->header + 1, sizeof(dump->aux_type));
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE)
		put_piece(dump, record);
}
