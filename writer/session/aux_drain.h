/* SPDX-License-Identifier: MIT */
/*
 * The AUX area's way into perf.data: each piece that a PERF_RECORD_AUX announces becomes an
 * AUXTRACE record, with the records that perf's decoders need around it.
 */
#ifndef WRITER_SESSION_AUX_DRAIN_H
#define WRITER_SESSION_AUX_DRAIN_H

#include "writer/session/session.h"

/* Allocate the state of each ring. 0 or -ENOMEM. aux_drain_end() frees it, and may be called
 * without aux_drain_begin(). */
int aux_drain_begin(struct session *session);
void aux_drain_end(struct session *session);

/* Read the ring's area from tail on. */
void aux_drain_begin_ring(struct session *session, uint32_t ring, uint64_t tail);

/* Continue after index_size bytes of index with this crc32_add(), and from one tail per ring. */
void aux_drain_restore(struct session *session, uint64_t index_size, uint32_t index_sum,
                       const uint64_t *tails);

/* Append the record that perf needs before the first AUXTRACE: the format and the clock. Appends
 * nothing if no event of the region fills an AUX area. */
void aux_drain_info(struct blob *blob, const struct region *region);

/* Copy the piece that this AUX record of the ring announces into the file. -EPROTO: the
 * range is impossible. */
int aux_drain_piece(struct session *session, uint32_t ring, const struct perf_event_header *record,
                    struct error *error);

/* Release the room of the copied bytes: the hardware may write there again. After session_save().
 */
int aux_drain_release(struct session *session, uint32_t ring, struct error *error);

/* The AUXTRACE feature: the pieces' offsets in the file. Empty if there are none. */
void aux_drain_index(const struct session *session, struct blob *blob);

#endif
