/* SPDX-License-Identifier: MIT */
/* A CPU's own event names in a command, turned into what the firmware understands. */
#ifndef HOST_TOOLS_EVENT_NAMES_H
#define HOST_TOOLS_EVENT_NAMES_H

#include "host-tools/blob.h"
#include "host-tools/error.h"
#include "host-tools/event_pmus.h"

/* Whether a list of events, as behind -e, has names that the firmware does not know. */
bool event_names_any(const char *list);

/*
 * Add the list to text with each such name replaced by SOURCE/config=N,name=AS WRITTEN/ and its
 * modifiers. cpu says whose names they are; PMU::NAME says it itself. What the firmware knows, or
 * must complain about, stays. -ENOENT, -EINVAL: the first that cannot be resolved, why, and what to
 * try.
 */
int event_names_resolve(struct blob *text, const char *list, const struct event_cpu *cpu,
                        struct error *error);

#endif
