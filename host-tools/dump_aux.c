/* SPDX-License-Identifier: MIT */
/* What is inside AUX pieces, as text. */
#include <string.h>

#include "host-tools/dump.h"
#include "host-tools/dump_spe.h"
#include "host-tools/perf_file.h"

struct branch {
	uint64_t from, to, flags;
};

/* TIME_CONV: shift, mult, zero; a file may claim anything. */
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

/* A line a branch: FROM function => TO function. The record of zeros is perf's padding. */
static void put_branches(struct dump *dump, const uint8_t *bytes, uint64_t size)
{
	struct format *f = dump->format;
	struct branch branch;

	for (uint64_t i = 0; i + sizeof(branch) <= size && !dump->quiet; i += sizeof(branch)) {
		memcpy(&branch, bytes + i, sizeof(branch));
		if (!branch.from && !branch.to)
			continue;
		format_line(f);
		format_literal(f, ". branch ");
		put_place(f, dump->symbols, branch.from);
		format_literal(f, " => ");
		put_place(f, dump->symbols, branch.to);
		*f->at++ = '\n';
	}
}

static void put_piece(struct dump *dump, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;

	if (record->header->size < sizeof(*trace))
		return;
	if (dump->aux_type == PERF_FILE_AUXTRACE_ARM_SPE)
		dump_spe(dump, record->payload, record->payload_size, trace->offset);
	else if (dump->aux_type == PERF_FILE_AUXTRACE_INTEL_BTS)
		put_branches(dump, record->payload, record->payload_size);
}

void dump_auxtrace(struct dump *dump, const struct perf_reader_record *record)
{
	if (record->header->type == PERF_FILE_RECORD_TIME_CONV)
		learn_clock(dump, record->header);
	else if (record->header->type == PERF_RECORD_MMAP2)
		symbols_add(dump->symbols, record->header);
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE_INFO &&
	         record->header->size >= 16)
		memcpy(&dump->aux_type, record->header + 1, sizeof(dump->aux_type));
	else if (record->header->type == PERF_FILE_RECORD_AUXTRACE)
		put_piece(dump, record);
}
