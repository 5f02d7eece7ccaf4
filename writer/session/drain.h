/* SPDX-License-Identifier: MIT */
/* Reading one ring into a session. */
#ifndef WRITER_SESSION_DRAIN_H
#define WRITER_SESSION_DRAIN_H

#include "writer/session/session.h"

#define DRAIN_BYTES (1U << 20) /* written to the file at a time, at most */

/* Begin to read a ring at its tail. -EPROTO: its head and tail are damaged; the message has the
 * position and the reason, as for the other functions here. */
int drain_begin(struct session *session, uint32_t ring, struct error *error);

/* Read all of a forward ring up to its head as it is now. *got grows by the bytes read. */
int drain_forward(struct session *session, uint32_t ring, uint64_t *got, struct error *error);

/* Read an overwritable ring at the end of a run, oldest record first. still: the firmware has
 * reported that no record is in flight. */
int drain_backward(struct session *session, uint32_t ring, bool still, uint64_t *got,
                   struct error *error);

/* Continue from these counts and tails, one a ring; the tails are published again, as are those of
 * the AUX areas. Call aux_drain_restore() first. */
void drain_restore(struct session *session, const struct session_found *found,
                   const uint64_t *tails);

/* The ledger's events were counted again: take the number of samples from them. */
void drain_recount(struct session *session);

#endif
