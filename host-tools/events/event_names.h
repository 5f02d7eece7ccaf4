/* SPDX-License-Identifier: MIT */
/* A CPU's own event names in a command, turned into the firmware's encodings. */
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

/* Add a suggestion to text, if the list's first event is near to a name of some CPU of this machine
 * type. */
void event_names_suggest(struct blob *text, const char *list, uint16_t machine);

/*
 * Add the list to text with each such name replaced by SOURCE/config=N,name=AS WRITTEN/ and its
 * modifiers. The names are cpu's, or those of PMU in PMU::NAME. Events that the firmware or the
 * sources know, or that the firmware must refuse, stay. -ENOENT, -EINVAL: the first that cannot be
 * resolved, why, and what to try.
 */
int event_names_resolve(struct blob *text, const char *list,
                        const struct pmu_source *const *sources, const struct event_cpu *cpu,
                        struct error *error);

#endif
