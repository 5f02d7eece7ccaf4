/* SPDX-License-Identifier: MIT */
/*
 * The next pieces for a mirror (mirror.h), by the region's own layout. Words that other readers
 * could see in part go to a second mapping first, the stage, at the same offset, and are copied
 * when the look ends. Records, AUX areas and text go to their place at once, behind the shown
 * heads.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_MIRROR_PLAN_H
#define HOST_TOOLS_REGION_SERIAL_MIRROR_PLAN_H

#include "host-tools/region/serial/mirror.h"
#include "writer/region/region.h"

/* How far a ring has been brought: free-running, as its heads count. */
struct mirror_have {
	uint64_t data, aux;
	bool is_due; /* its bytes come with this look, and its heads are shown */
};

struct mirror_extent {
	uint64_t offset, size;
	bool heads; /* a ring's, with its tail: a shown word */
};

/* Shown words, in a ring's control page and in the mailbox. */
#define MIRROR_DATA_HEAD offsetof(struct perf_event_mmap_page, data_head)
#define MIRROR_AUX_HEAD  offsetof(struct perf_event_mmap_page, aux_head)
#define MIRROR_REPLY     offsetof(struct tr_mailbox, reply)

struct mirror_plan {
	uint8_t *bytes, *stage;
	uint64_t size; /* of both */
	/* Checked copies of the tables on the stage; false: what is there makes no sense. */
	struct region layout;
	bool has_layout;
	struct mirror_have rings[TR_MAX_RINGS];
	uint64_t text;                /* the console's, brought so far */
	uint64_t streams[TR_STREAMS]; /* the same of what the program writes */

	struct mirror_piece *pieces; /* of this step */
	size_t count, room;
	struct mirror_extent *staged; /* of this look */
	size_t staged_count, staged_room;
	bool failed; /* memory is short */
};

/* The pieces of a look's steps, in place of the last step's. All but the first two follow the
 * layout. */
void mirror_plan_state(struct mirror_plan *plan);
void mirror_plan_header(struct mirror_plan *plan);
void mirror_plan_tables(struct mirror_plan *plan); /* of the header on the stage, if it is right */
void mirror_plan_ledgers(struct mirror_plan *plan);
void mirror_plan_heads(struct mirror_plan *plan);
void mirror_plan_aux_heads(struct mirror_plan *plan);
/* overwritable: such rings' bytes, too. */
void mirror_plan_bytes(struct mirror_plan *plan, bool overwritable);

/* Of an area of this size, a power of two, at offset: the last `length` bytes, all of it at the
 * most, up to a free-running position. */
void mirror_plan_want_area(struct mirror_plan *plan, uint64_t offset, uint64_t size, uint64_t to,
                           uint64_t length);

/* The streams' part, as they are on the stage: a new run's begin where nobody has read; their
 * bytes; and they are shown (mirror_streams.c). */
void mirror_streams_begin(struct mirror_plan *plan);
void mirror_streams_want(struct mirror_plan *plan);
void mirror_streams_show(struct mirror_plan *plan);

/* Bytes of the step's pieces that are not there yet. */
uint64_t mirror_plan_left(const struct mirror_plan *plan);

/* Forget the stage: a new look. */
void mirror_plan_begin(struct mirror_plan *plan);

/* Check and copy the tables on the stage. */
void mirror_plan_load(struct mirror_plan *plan);

/* The rings are a new run's: they begin where their tails on the stage are. */
void mirror_plan_begin_run(struct mirror_plan *plan);

/* Show what is staged, and note how far it goes. */
void mirror_plan_show(struct mirror_plan *plan);

/* The showing alone (mirror_show.c); and of what we have stored. */
void mirror_show_staged(const struct mirror_plan *plan);
void mirror_show_published(const struct mirror_plan *plan, uint64_t offset, const void *from,
                           size_t size);

/* Words on the stage. The reply is 0 where there is no mailbox. */
const struct tr_header *mirror_plan_staged_header(const struct mirror_plan *plan);
uint32_t mirror_plan_reply(const struct mirror_plan *plan);

int mirror_plan_init(struct mirror_plan *plan, uint64_t size, struct error *error);
void mirror_plan_free(struct mirror_plan *plan);

#endif
