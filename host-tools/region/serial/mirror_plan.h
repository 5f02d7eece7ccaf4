/* SPDX-License-Identifier: MIT */
/*
 * Plans the next pieces for a mirror (mirror.h) from the region's own layout. Words that another
 * reader must not see half updated are fetched into a second mapping, the stage, at the same
 * offset; the end of the look copies them to the mirror. Records, AUX areas and text are fetched
 * into the mirror at once, to places beyond the shown heads, where no reader looks.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_MIRROR_PLAN_H
#define HOST_TOOLS_REGION_SERIAL_MIRROR_PLAN_H

#include "host-tools/region/serial/mirror.h"
#include "writer/region/region.h"

/* How far a ring's bytes have been fetched: free-running counts, like the ring's heads. */
struct mirror_have {
	uint64_t data, aux;
	bool is_due; /* this look fetches the ring's bytes and shows its heads */
};

struct mirror_extent {
	uint64_t offset, size;
	bool heads; /* the extent is a ring's heads and tail, which are shown words */
};

/* Words that a look shows, in a ring's control page and in the mailbox. */
#define MIRROR_DATA_HEAD offsetof(struct perf_event_mmap_page, data_head)
#define MIRROR_AUX_HEAD  offsetof(struct perf_event_mmap_page, aux_head)
#define MIRROR_REPLY     offsetof(struct tr_mailbox, reply)

struct mirror_plan {
	uint8_t *bytes, *stage;
	uint64_t size; /* size of the mirror and of the stage */
	/* Checked copies of the staged tables; false: the staged tables are invalid. */
	struct region layout;
	bool has_layout;
	struct mirror_have rings[TR_MAX_RINGS];
	uint64_t text;                /* the console's text, fetched up to here */
	uint64_t streams[TR_STREAMS]; /* the same for the program's output streams */

	struct mirror_piece *pieces; /* the pieces of this step */
	uint32_t count, room;
	struct mirror_extent *staged; /* the extents that this look has staged */
	uint32_t staged_count, staged_room;
	bool failed; /* out of memory */
};

/* These functions replace the last step's pieces by those of the next step of a look. All except
 * the first two use the region's layout. */
void mirror_plan_state(struct mirror_plan *plan);
void mirror_plan_header(struct mirror_plan *plan);
/* the tables that the staged header names, if the header is valid */
void mirror_plan_tables(struct mirror_plan *plan);
void mirror_plan_ledgers(struct mirror_plan *plan);
void mirror_plan_heads(struct mirror_plan *plan);
void mirror_plan_aux_heads(struct mirror_plan *plan);
/* overwritable: also fetch the bytes of overwritable rings. */
void mirror_plan_bytes(struct mirror_plan *plan, bool overwritable);

/* Adds a piece of an area at offset, whose size is a power of two: the last `length` bytes before a
 * free-running position, at most the whole area. */
void mirror_plan_want_area(struct mirror_plan *plan, uint64_t offset, uint64_t size, uint64_t to,
                           uint64_t length);

/* The streams, by their staged entries. A new run's streams begin at their tails; then their bytes
 * are fetched; then they are shown (mirror_streams.c). */
void mirror_streams_begin(struct mirror_plan *plan);
void mirror_streams_want(struct mirror_plan *plan);
void mirror_streams_show(struct mirror_plan *plan);

/* Returns the number of bytes of the step's pieces that have not arrived. */
uint64_t mirror_plan_left(const struct mirror_plan *plan);

/* Clears the stage for a new look. */
void mirror_plan_begin(struct mirror_plan *plan);

/* Checks and copies the staged tables. */
void mirror_plan_load(struct mirror_plan *plan);

/* For a new run: sets the rings' positions to their staged tails. */
void mirror_plan_begin_run(struct mirror_plan *plan);

/* Shows the staged words and records how far the mirror is fetched. */
void mirror_plan_show(struct mirror_plan *plan);

/* Only shows the staged words (mirror_show.c); the second shows words that this tool has stored. */
void mirror_show_staged(const struct mirror_plan *plan);
void mirror_show_published(const struct mirror_plan *plan, uint64_t offset, const void *from,
                           size_t size);

/* Returns words on the stage. The reply is 0 if the region has no mailbox. */
const struct tr_header *mirror_plan_staged_header(const struct mirror_plan *plan);
uint32_t mirror_plan_reply(const struct mirror_plan *plan);

int mirror_plan_init(struct mirror_plan *plan, uint64_t size, struct error *error);
void mirror_plan_free(struct mirror_plan *plan);

#endif
