/* SPDX-License-Identifier: MIT */
/* A session over rings with AUX areas, and the file's content of them. */
#ifndef TESTS_UNIT_AUX_RIG_H
#define TESTS_UNIT_AUX_RIG_H

#include "tests/unit/writer/session/session_rig.h"
#include "writer/perfdata/perf_file.h"

#define AUX_RIG_MOST 16U  /* pieces */
#define AUX_RIG_TIME 5ULL /* time of every AUX record that the fixture writes, ns */

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint64_t trailer[4]; /* TID, TIME, CPU, ID */
};

/* The file's parts of AUX areas, in its order. */
extern struct aux_file {
	size_t count;
	struct {
		struct perf_file_auxtrace trace;
		struct aux_record reported; /* the record before it */
		uint64_t at;                /* in the file */
		uint8_t bytes[FIXTURE_AUX + 64];
	} pieces[AUX_RIG_MOST];
	size_t aux_records;
	uint64_t info[64]; /* of AUXTRACE_INFO, with its header */
	uint64_t clock[7];
} aux_file;

extern struct tr_clock aux_clock;            /* of the machine */
extern uint8_t aux_pattern[2 * FIXTURE_AUX]; /* bytes for the area */

/* Set clock and pattern before each test; end a session. */
int aux_rig_setup(void **state);
int aux_rig_teardown(void **state);

/* A session on areas that a source of this type (perf_event_attr.type) fills. */
void aux_rig_begin(uint32_t type, bool overwrite);

/* Write a piece to the ring's area: so many bytes of the pattern, which must fit. */
void aux_rig_put(unsigned ring, uint64_t from, uint64_t size, uint64_t flags);

/* The run ends, all records are conserved, and the file is read. */
void aux_rig_finish(void);

/* Read the present file into aux_file; its index of pieces is right. */
void aux_rig_read(void);

/* Piece i of the file is this one of the ring: after its AUX record, followed by zeros up to
 * `whole`. */
void aux_rig_expect(size_t i, unsigned ring, uint64_t position, const void *bytes, uint64_t size,
                    uint64_t whole);

/* The first ring's control page, and the first record of its data. */
struct perf_event_mmap_page *aux_rig_control(void);
struct aux_record *aux_rig_first_record(void);

#endif
