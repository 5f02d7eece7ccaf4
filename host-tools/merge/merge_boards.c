/* SPDX-License-Identifier: MIT */
#include "host-tools/merge/merge_boards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAILER                                                                  \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER)

/* ---- One recording ---- */

/* Split "NAME=FILE", where NAME contains no slash; without NAME the file's own name is used. */
static int name_board(struct merge_board *board, const char *argument, struct error *error)
{
	size_t length = strcspn(argument, "=/");
	const char *name = argument;

	board->path = argument;
	if (argument[length] == '=') {
		board->path += length + 1;
	} else {
		const char *slash = strrchr(argument, '/');

		name = slash ? slash + 1 : argument;
		length = strlen(name);
		if (length > 5 && !strcmp(name + length - 5, ".data"))
			length -= 5;
	}
	if (!length || length > MERGE_NAME_MAX || memchr(name, ':', length))
		return error_set(error, -EINVAL,
		                 "%s: a board's name has 1 to %u bytes and no colon; say NAME=FILE",
		                 argument, MERGE_NAME_MAX);
	region_printable(board->name, sizeof(board->name), name, length);
	return 0;
}

static int load_ledger(struct merge_board *board, struct error *error)
{
	const uint8_t *bytes;
	size_t size;
	int code = perf_reader_ledger(&board->reader, &bytes, &size, error);

	if (code < 0)
		return code;
	if (code != PERF_LEDGER_WHOLE)
		return error_set(
		    error, -ENODATA,
		    code == PERF_LEDGER_REWRITTEN
		        ? "another tool has rewritten it and left bareperf's ledger out"
		        : "it has no ledger: its writer was ended before it was done (`bareperf "
		          "attach' resumes it if it left a journal), or it is no recording of "
		          "bareperf's");
	return ledger_parse(&board->ledger, bytes, size, error);
}

/* A file can be merged if its records have ids, and if it has no AUX data, because AUX data need
 * one clock. */
static int check_kind(const struct merge_board *board, struct error *error)
{
	const struct ledger *ledger = &board->ledger;

	if (!ledger->head.run)
		return error_set(error, -ENOTSUP,
		                 "it is made of several recordings itself: name those");
	if (!ledger->head.event_count)
		return error_set(error, -ENODATA, "it has no events");
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct perf_event_attr *attr = &ledger->events[i].event.attr;

		if (!(attr->sample_type & PERF_SAMPLE_IDENTIFIER) ||
		    !(attr->flags & PERF_ATTR_SAMPLE_ID_ALL))
			return error_set(error, -EPROTO,
			                 "its records do not say which event they are of");
	}
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		if (ledger->rings[i].ring.aux_size)
			return error_set(error, -ENOTSUP,
			                 "it has a trace (AUX data), and a perf.data has one clock "
			                 "for all of them: look at it by itself");
	}
	return 0;
}

static void load_times(struct merge_board *board)
{
	size_t size = 0;
	const uint8_t *bytes = perf_reader_feature(&board->reader, PERF_FILE_SAMPLE_TIME, &size);

	if (!bytes || size < 16)
		return;
	memcpy(&board->first_time, bytes, 8);
	memcpy(&board->last_time, bytes + 8, 8);
	board->has_time = board->first_time != 0;
}

static int open_board(struct merge_board *board, const char *argument, struct error *error)
{
	int code = name_board(board, argument, error);

	if (!code)
		code = perf_reader_open(&board->reader, board->path, error);
	if (code)
		return code;
	code = load_ledger(board, error);
	if (!code)
		code = check_kind(board, error);
	perf_reader_string(&board->reader, PERF_FILE_ARCH, board->arch, sizeof(board->arch));
	load_times(board);
	board->build_ids =
	    perf_reader_feature(&board->reader, PERF_FILE_BUILD_ID, &board->build_ids_size);
	return code ? error_prefix(error, code, "%s", board->path) : 0;
}

/* ---- All of them ---- */

/* perf reads the trailer of added records by the file's first event. */
static uint64_t first_trailer(const struct merge_board *board)
{
	return board->ledger.events[0].event.attr.sample_type & TRAILER;
}

static int check_beside(const struct merge *merge, uint32_t i, struct error *error)
{
	const struct merge_board *board = &merge->boards[i], *first = merge->boards;

	for (uint32_t j = 0; j < i; j++) {
		if (!strcmp(board->name, merge->boards[j].name))
			return error_set(error, -EINVAL,
			                 "%s and %s would both be called %s: say NAME=FILE",
			                 merge->boards[j].path, board->path, board->name);
	}
	if (strcmp(board->arch, first->arch) != 0)
		return error_set(error, -EINVAL,
		                 "%s is of %s, %s of %s: a perf.data has one architecture",
		                 first->path, first->arch, board->path, board->arch);
	if (first_trailer(board) != first_trailer(first))
		return error_set(error, -EINVAL,
		                 "%s and %s have other fields behind their records: record them "
		                 "with the same version of bareperf",
		                 first->path, board->path);
	return 0;
}

int merge_open(struct merge *merge, char *const *arguments, uint32_t count, struct error *error)
{
	int code = 0;

	*merge = (struct merge){
		.boards = calloc(count, sizeof(*merge->boards)),
		.parts = calloc(count, sizeof(*merge->parts)),
	};
	if (!merge->boards || !merge->parts)
		return error_set(error, -ENOMEM, "no memory for %u recordings", count);
	for (uint32_t i = 0; i < count && !code; i++) {
		struct merge_board *board = &merge->boards[i];

		merge->count++;
		code = open_board(board, arguments[i], error);
		if (!code)
			code = check_beside(merge, i, error);
		if (board->has_time && merge->boards->has_time)
			board->later = merge->boards->first_time - board->first_time;
		merge->parts[i] =
		    (struct ledger_part){ .name = board->name, .ledger = &board->ledger };
	}
	return code ? code : ledger_merge(&merge->ledger, merge->parts, count, error);
}

void merge_close(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->count; i++) {
		perf_reader_close(&merge->boards[i].reader);
		ledger_free(&merge->boards[i].ledger);
	}
	ledger_free(&merge->ledger);
	free(merge->boards);
	free(merge->parts);
	*merge = (struct merge){ 0 };
}

/* ---- Files that were recorded with ---- */

static bool find_build(const struct merge_board *board, const char *path, size_t path_size,
                       struct perf_build_id *found)
{
	size_t at = 0;

	while (board->build_ids &&
	       perf_reader_build_id(board->build_ids, board->build_ids_size, &at, found)) {
		if (strnlen(found->path, found->path_size) == path_size &&
		    !memcmp(found->path, path, path_size))
			return true;
	}
	return false;
}

static bool is_same_build(const struct perf_build_id *a, const struct perf_build_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, a->size);
}

char *merge_path(const struct merge *merge, uint32_t i, const char *path, size_t path_size)
{
	size_t length = strnlen(path, path_size);
	struct perf_build_id own, other;
	bool twice = false;
	char *name;

	if (find_build(&merge->boards[i], path, length, &own)) {
		for (uint32_t j = 0; j < i; j++)
			twice = twice || (find_build(&merge->boards[j], path, length, &other) &&
			                  !is_same_build(&own, &other));
	}
	if (asprintf(&name, "%.*s%s%s", (int)length, path, twice ? "#" : "",
	             twice ? merge->boards[i].name : "") < 0)
		return NULL;
	return name;
}
