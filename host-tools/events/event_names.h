/* SPDX-License-Identifier: MIT */
/* A CPU's own event names in a command, turned into the firmware's encodings. */
#ifndef HOST_TOOLS_EVENTS_EVENT_NAMES_H
#define HOST_TOOLS_EVENTS_EVENT_NAMES_H

#include "abi/source.h"
#include "host-tools/events/event_pmus.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Returns whether a list of events, the argument of -e, contains names that neither the firmware's
 * parser nor these sources of the machine know. sources, here and below: NULL if unknown. */
bool event_names_any(const char *list, const struct pmu_source *const *sources);

/* Append the list to text. Each such name is replaced by a raw event of the same length, if some
 * CPU of this machine type (ELF's e_machine) has an event of that name. Then the firmware's parser
 * can check the rest. */
void event_names_mask(struct blob *text, const char *list, const struct pmu_source *const *sources,
                      uint16_t machine);

/* Append a suggestion to text, if the list's first event resembles the name of an event of some CPU
 * of this machine type. */
void event_names_suggest(struct blob *text, const char *list, uint16_t machine);

/*
 * Append the list to text. Each such name is replaced by SOURCE/config=N,name=AS WRITTEN/ and its
 * modifiers. The names are cpu's, or in PMU::NAME those of PMU. Unchanged: events that the firmware
 * or the sources know, and events that the firmware must refuse. -ENOENT, -EINVAL: the error names
 * the first one that cannot be resolved, the reason, and a remedy.
 */
int event_names_resolve(struct blob *text, const char *list,
                        const struct pmu_source *const *sources, const struct event_cpu *cpu,
                        struct error *error);

#endif
