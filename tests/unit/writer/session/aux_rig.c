/* SPDX-License-Identifier: MIT */
#include "tests/unit/writer/session/aux_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/perfdata/perf_reader.h"

struct aux_file aux_file;
struct tr_clock aux_clock;
uint8_t aux_pattern[2 * FIXTURE_AUX];

int aux_rig_setup(void **state)
{
	(void)state;
	aux_clock = (struct tr_clock){
		.frequency = 2000000000, .time_zero = 1, .time_mult = 1 << 8, .time_shift = 9
	};
	for (size_t i = 0; i < sizeof(aux_pattern); i++)
		aux_pattern[i] = (uint8_t)(i * 7 + i / 256 + 1);
	return 0;
}

int aux_rig_teardown(void **state)
{
	(void)state;
	session_rig_end();
	return 0;
}

void aux_rig_begin(uint32_t type, bool overwrite)
{
	fixture_init_aux(&fixture, type, overwrite);
	trace_region_set_clock(&fixture.region, &aux_clock);
	session_rig_begin(NULL);
}

static void note(const struct perf_reader_record *record)
{
	uint32_t type = record->header->type;
	static struct aux_record last;

	if (type == PERF_RECORD_AUX) {
		assert_in_range(record->header->size, 24, sizeof(last));
		memcpy(&last, record->header, record->header->size);
		aux_file.aux_records++;
	} else if (type == PERF_FILE_RECORD_AUXTRACE) {
		assert_in_range(aux_file.count, 0, AUX_RIG_MOST - 1);
		assert_in_range(record->trace_size, 1, sizeof(aux_file.pieces[0].bytes));
		memcpy(&aux_file.pieces[aux_file.count].trace, record->header, 48);
		memcpy(aux_file.pieces[aux_file.count].bytes, record->trace, record->trace_size);
		aux_file.pieces[aux_file.count].reported = last;
		aux_file.pieces[aux_file.count++].at = record->offset;
	} else if (type == PERF_FILE_RECORD_AUXTRACE_INFO) {
		assert_in_range(record->header->size, 16, sizeof(aux_file.info));
		memcpy(aux_file.info, record->header, record->header->size);
	} else if (type == PERF_FILE_RECORD_TIME_CONV) {
		assert_int_equal(aux_file.info[0], 0); /* before the info record */
		memcpy(aux_file.clock, record->header, record->header->size);
	}
}

/* The feature that gives perf the places of the pieces. */
static void check_index(const struct perf_reader *reader)
{
	uint64_t index[1 + 2 * AUX_RIG_MOST];
	size_t size;
	const uint8_t *bytes = perf_reader_feature(reader, PERF_FILE_AUXTRACE, &size);

	if (!aux_file.count) {
		assert_true(!bytes || !size);
		return;
	}
	assert_non_null(bytes);
	assert_int_equal(size, 8 + 16 * aux_file.count);
	memcpy(index, bytes, size);
	assert_int_equal(index[0], aux_file.count);
	for (size_t i = 0; i < aux_file.count; i++) {
		assert_int_equal(index[1 + 2 * i], aux_file.pieces[i].at);
		assert_int_equal(index[2 + 2 * i], 48);
	}
}

void aux_rig_read(void)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;

	memset(&aux_file, 0, sizeof(aux_file));
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while (perf_reader_next(&reader, &offset, &record, &error) > 0)
		note(&record);
	assert_false(reader.cut);
	check_index(&reader);
	perf_reader_close(&reader);
}

void aux_rig_finish(void)
{
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	channel_rig_deliver();
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	aux_rig_read();
	session_rig_recount();
}

void aux_rig_put(unsigned ring, uint64_t from, uint64_t size, uint64_t flags)
{
	assert_true(fixture_piece(&fixture, ring, aux_pattern + from, size, flags));
}

void aux_rig_expect(size_t i, unsigned ring, uint64_t position, const void *bytes, uint64_t size,
                    uint64_t whole)
{
	const struct perf_file_auxtrace *trace = &aux_file.pieces[i].trace;
	const struct aux_record *reported = &aux_file.pieces[i].reported;
	static const uint8_t zeros[64];

	assert_in_range(i, 0, aux_file.count - 1);
	assert_int_equal(trace->header.size, 48);
	assert_int_equal(trace->size, whole);
	assert_int_equal(trace->offset, position);
	assert_int_equal(trace->idx, ring);
	assert_int_equal(trace->cpu, ring);
	assert_int_equal(trace->tid, 1 + ring);
	/* 1 ns at cycle 0, and half a ns per cycle */
	assert_int_equal(trace->reference, (AUX_RIG_TIME - 1) * 2);
	assert_int_equal(reported->offset, position);
	assert_int_equal(reported->size, size);
	assert_int_equal(reported->trailer[3], FIXTURE_ID(ring, 0));
	assert_memory_equal(aux_file.pieces[i].bytes, bytes, size);
	assert_memory_equal(aux_file.pieces[i].bytes + size, zeros, whole - size);
}

struct perf_event_mmap_page *aux_rig_control(void)
{
	return trace_region_at(&fixture.region, fixture.region.rings[0].control);
}

struct aux_record *aux_rig_first_record(void)
{
	return trace_region_at(&fixture.region, fixture.region.rings[0].data_offset);
}
