/* SPDX-License-Identifier: MIT */
/* The command for the machine as one text, from the words of `bareperf run -- COMMAND`. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_TEXT_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_TEXT_H

#include "host-tools/events/event_pmus.h"
#include "host-tools/record/command/guest.h"
#include "writer/region/region.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Whether it has event names that only a CPU's maker defined: the CPU must then be known first. */
bool guest_has_names(const struct guest *guest);

/* Whether it records the firmware's boot (record --boot). */
bool guest_boots(const struct guest *guest);

/* Word i as the machine's parser reads it: quoted if it is empty or has a blank, a quote or a
 * backslash; an argument of a UEFI application by the rules of UEFI's shell. */
void guest_quote(struct blob *text, const struct guest *guest, int i);

/* The words as the user gave them, quoted if necessary, one blank between, malloc()ed. Makers'
 * event names are masked by raw events of the same length (event_names_mask()). NULL: error has the
 * reason. */
char *guest_masked(const struct guest *guest, struct error *error);

/* The text, malloc()ed, with makers' event names resolved for cpu. Without a cpu (NULL) the text is
 * empty if there are such names, and the machine then waits for its mailbox. NULL: error has the
 * reason. */
char *guest_text(const struct guest *guest, const struct event_cpu *cpu, struct error *error);

/* Resolve the names for the boot CPU of a live region and send the command to its mailbox. 0 and
 * the request's number, or a negative errno. */
int guest_send(const struct guest *guest, struct region *region, uint32_t *request,
               struct error *error);

#endif
