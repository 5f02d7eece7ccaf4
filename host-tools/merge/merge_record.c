/* SPDX-License-Identifier: MIT */
/* A board's record in the merged file. */
#include "host-tools/merge/merge_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/sample.h"

/* A record on its way from a board's file to the merged one; wrong: the reason if it is refused, or
 * NULL. */
struct move {
	const struct merge *merge;
	const struct merge_board *board;
	const struct ledger_part *part;
	uint32_t index;
	const char *wrong;
};

static void complain(struct move *move, const char *why)
{
	if (!move->wrong)
		move->wrong = why;
}

static void move_id(struct move *move, uint64_t *id)
{
	const struct ledger_event *event = ledger_find(&move->board->ledger, *id);

	if (event)
		*id = ledger_part_id(move->part, event);
	else if (*id)
		complain(move, "its id is no event's");
}

static void move_time(const struct move *move, uint64_t *time)
{
	if (*time)
		*time += move->board->later;
}

/* {pid, tid}: a process has its first thread's number; both numbers are 1 + a CPU. */
static void move_task(struct move *move, uint64_t *word)
{
	uint32_t pid = (uint32_t)*word, tid = (uint32_t)(*word >> 32), cpus = move->part->cpus;

	if (!pid || !tid || pid > cpus || tid > cpus)
		complain(move, "its thread is none of the machine's");
	pid += move->part->first_cpu;
	tid += move->part->first_cpu;
	*word = (uint64_t)tid << 32 | pid;
}

/* {cpu, reserved} */
static void move_cpu(struct move *move, uint64_t *word)
{
	if ((uint32_t)*word >= move->part->cpus)
		complain(move, "its CPU is none of the machine's");
	*word = (*word & ~0xffffffffULL) | ((uint32_t)*word + move->part->first_cpu);
}

/* A READ block: each value is followed by an id. */
static void move_read(struct move *move, uint64_t *words, size_t count, uint64_t format)
{
	size_t at = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	            !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t each = 2 + !!(format & PERF_FORMAT_LOST);

	if (!(format & PERF_FORMAT_ID))
		return;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (at + 1 < count)
			move_id(move, &words[at + 1]);
		return;
	}
	for (at++; at + 1 < count; at += each)
		move_id(move, &words[at + 1]);
}

/* The fields from TID to CPU, which have the same order in samples and trailers; returns the next
 * word. */
static size_t move_common(struct move *move, uint64_t *words, size_t at, uint64_t type)
{
	if (type & PERF_SAMPLE_TID)
		move_task(move, &words[at++]);
	if (type & PERF_SAMPLE_TIME)
		move_time(move, &words[at++]);
	at += !!(type & PERF_SAMPLE_ADDR);
	if (type & PERF_SAMPLE_ID)
		move_id(move, &words[at++]);
	if (type & PERF_SAMPLE_STREAM_ID)
		move_id(move, &words[at++]);
	if (type & PERF_SAMPLE_CPU)
		move_cpu(move, &words[at++]);
	return at;
}

/* A sample's fields up to its PERIOD; later fields do not change, except in READ. */
static void move_sample(struct move *move, uint64_t *words, const struct perf_event_attr *attr)
{
	uint64_t type = attr->sample_type;
	struct sample sample;
	size_t at = 1;

	if (!sample_parse((const void *)words, attr, &sample)) {
		complain(move, "its sample ends too early");
		return;
	}
	move_id(move, &words[at++]);
	at += !!(type & PERF_SAMPLE_IP);
	move_common(move, words, at, type);
	if (sample.read)
		move_read(move, words + (sample.read - words), sample.read_words,
		          attr->read_format);
}

/* The trailer of any other record, from word `at` on: it contains no ADDR. */
static void move_trailer(struct move *move, uint64_t *words, size_t at, uint64_t type)
{
	at = move_common(move, words, at, type & ~PERF_SAMPLE_ADDR);
	move_id(move, &words[at]);
}

static size_t trailer_words(uint64_t type)
{
	return (size_t)__builtin_popcountll(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	                                            PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
	                                            PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
}

/* The least number of words of the record's own fields; SIZE_MAX: no recording contains this type.
 * */
static size_t body_words(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SWITCH:
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		return 1;
	case PERF_RECORD_COMM:
	case PERF_RECORD_LOST:
		return 2;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return 3;
	case PERF_RECORD_MMAP:
		return 5;
	case PERF_RECORD_MMAP2:
		return 9;
	default:
		return SIZE_MAX;
	}
}

/* FORK and EXIT have {pid, ppid}, {tid, ptid} where others have {pid, tid}. */
static void move_fork(struct move *move, uint64_t *words)
{
	uint64_t own = (words[1] & 0xffffffff) | words[2] << 32;
	uint64_t parent = words[1] >> 32 | (words[2] & ~0xffffffffULL);

	move_task(move, &own);
	move_task(move, &parent);
	words[1] = (own & 0xffffffff) | parent << 32;
	words[2] = own >> 32 | (parent & ~0xffffffffULL);
	move_time(move, &words[3]);
}

static void move_body(struct move *move, uint64_t *words, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_LOST:
		move_id(move, &words[1]);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		move_fork(move, words);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		move_time(move, &words[1]);
		move_id(move, &words[2]);
		move_id(move, &words[3]);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP2:
		move_task(move, &words[1]);
		break;
	default:
		break;
	}
}

/* Replace the text from word `at` to the trailer. */
static void replace_text(struct move *move, struct blob *to, size_t at, size_t trailer,
                         const char *text)
{
	struct perf_event_header header;
	uint64_t behind[8] = { 0 };
	size_t padded = (strlen(text) + 8) / 8 * 8;

	memcpy(&header, to->bytes, sizeof(header));
	memcpy(behind, to->bytes + to->size - 8 * trailer, 8 * trailer);
	if (8 * (at + trailer) + padded > UINT16_MAX) {
		complain(move, "its text is too long");
		return;
	}
	to->size = 8 * at;
	blob_padded(to, text, padded);
	blob_add(to, behind, 8 * trailer);
	header.size = (uint16_t)to->size;
	if (!to->failed)
		memcpy(to->bytes, &header, sizeof(header));
}

/* COMM: put the board's name first. MMAP2: rename the file if another board has another build of
 * it. */
static void rename_record(struct move *move, struct blob *to, uint32_t type, size_t trailer)
{
	size_t at = type == PERF_RECORD_COMM ? 2 : 9, end = to->size - 8 * trailer;
	const char *text = (const char *)to->bytes + 8 * at;
	size_t length = strnlen(text, end - 8 * at);
	char *name = NULL;

	if (type == PERF_RECORD_MMAP2)
		name = merge_path(move->merge, move->index, text, length);
	else if (asprintf(&name, "%s:%.*s", move->board->name, (int)length, text) < 0)
		name = NULL;
	if (name)
		replace_text(move, to, at, trailer, name);
	else
		to->failed = true;
	free(name);
}

static void move_record(struct move *move, struct blob *to, const struct perf_event_attr *attr)
{
	uint64_t *words = (uint64_t *)(void *)to->bytes;
	struct perf_event_header header;
	size_t trailer = trailer_words(attr->sample_type), body;

	memcpy(&header, words, sizeof(header));
	if (header.type == PERF_RECORD_SAMPLE) {
		move_sample(move, words, attr);
		return;
	}
	body = body_words(header.type);
	if (body == SIZE_MAX) {
		complain(move, "it is of a type that cannot be merged");
		return;
	}
	if (1 + body + trailer > header.size / 8U) {
		complain(move, "it ends too early");
		return;
	}
	move_body(move, words, header.type);
	move_trailer(move, words, header.size / 8U - trailer, attr->sample_type);
	if (header.type == PERF_RECORD_COMM || header.type == PERF_RECORD_MMAP2)
		rename_record(move, to, header.type, trailer);
}

/* Every board has the mapping of the kernel without code (perf_synth.c): one is enough. */
static bool is_known(const struct move *move, const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_MMAP && move->index;
}

int merge_record(const struct merge *merge, uint32_t i, const struct perf_event_header *record,
                 struct blob *to, struct error *error)
{
	struct move move = {
		.merge = merge,
		.board = &merge->boards[i],
		.part = &merge->parts[i],
		.index = i,
	};
	const struct ledger_event *event = move.board->ledger.events;
	uint64_t id = 0;

	if (is_known(&move, record))
		return 0;
	/* Records that a tool added have id 0 and count as the first event's. */
	if (!sample_id(record, &id) || record->size % 8)
		complain(&move, "it is too short for an id");
	else if (id || record->type == PERF_RECORD_SAMPLE)
		event = ledger_find(&move.board->ledger, id);
	to->size = 0;
	blob_add(to, record, record->size);
	if (!event)
		complain(&move, "its id is no event's");
	else if (!move.wrong && !to->failed)
		move_record(&move, to, &event->event.attr);
	if (to->failed)
		return error_set(error, -ENOMEM, "no memory for a record");
	if (move.wrong)
		return error_set(error, -EPROTO, "%s", move.wrong);
	return 1;
}
