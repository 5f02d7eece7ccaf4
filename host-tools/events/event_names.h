/* SPDX-License-Identifier: MIT */
/* A CPU's own event names in a command, turned into what the firmware understands. */
#ifndef HOST_TOOLS_EVENTS_EVENT_NAMES_H
#define HOST_TOOLS_EVENTS_EVENT_NAMES_H

#include "abi/source.h"
#include "host-tools/events/event_pmus.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Whether a list of events, as behind -e, has names that the firmware, with these sources, does not
 * know. sources, here and below: NULL where they are not known. */
bool event_names_any(const char *list, const struct pmu_source *const *sources);

/* Add the list to text with each such name, if some CPU of this machine type (ELF's e_machine) has
 * an event of that name, replaced by a raw event of the same length: for the firmware's parser to
 * check the rest. */
void event_names_mask(struct blob *text, const char *list, const struct pmu_source *const *sources,
                      uint16_t machine);

/* What the first event of the list may have meant, if it is near to a name that some CPU of this
 * machine type has, added to text; else nothing. */
void event_names_suggest(struct blob *text, const char *list, uint16_t machine);

/*
 * Add the list to text with each such name replaced by SOURCE/config=N,name=AS WRITTEN/ and its
 * modifiers. cpu says whose names they are; PMU::NAME says it itself. What the firmware knows, or
 * must complain about, stays; so does what sources know. -ENOENT, -EINVAL: the first that cannot be
 * resolved, why, and what to try.
 */
int event_names_resolve(struct blob *text, const char *list,
                        const struct pmu_source *const *sources, const struct event_cpu *cpu,
                        struct error *error);

#endif
