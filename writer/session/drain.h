/* SPDX-License-Identifier: MIT */
/* Reading one ring into a session. */
#ifndef WRITER_SESSION_DRAIN_H
#define WRITER_SESSION_DRAIN_H

#include "writer/session/session.h"

#define DRAIN_BYTES (1U << 20) /* handed to the file at a time, at most */

/* Begin to read a ring where its last reader left off. -EPROTO: its head and tail make no sense;
 * the message says where and why, as for the others here. */
int drain_begin(struct session *session, uint32_t ring, struct error *error);

/* Read all of a forward ring up to its head as it is now. *got grows by the bytes read. */
int drain_forward(struct session *session, uint32_t ring, uint64_t *got, struct error *error);

/* Read what an overwritable ring holds, at the end of a run, oldest record first. still: the
 * firmware has said that no record is in flight. */
int drain_backward(struct session *session, uint32_t ring, bool still, uint64_t *got,
                   struct error *error);

/* Go on from what was found and read until then: one tail a ring, which is given back once more, as
 * are the AUX areas'. After aux_drain_restore(). */
void drain_restore(struct session *session, const struct session_found *found,
                   const uint64_t *tails);

/* The ledger's events were counted anew: their samples are what was found. */
void drain_recount(struct session *session);

#endif
