/* SPDX-License-Identifier: MIT */
/* The command for the machine as one text, from the words of `bareperf run -- COMMAND`. */
#ifndef HOST_TOOLS_RUN_RUN_COMMAND_H
#define HOST_TOOLS_RUN_RUN_COMMAND_H

#include "host-tools/events/event_pmus.h"
#include "host-tools/region/region.h"
#include "host-tools/run/run_options.h"
#include "host-tools/util/error.h"

/* Whether it has event names that only a CPU's maker gave, so that the CPU must be known first. */
bool run_command_has_names(const struct run_options *options);

/* ELF's e_machine of the machine that is to boot. */
uint16_t run_command_machine(const struct run_options *options);

/* The words as the user gave them, one blank between, malloc()ed; only that such names are masked
 * by raw events of the same length (event_names_mask()). NULL: error says why. */
char *run_command_masked(const struct run_options *options, struct error *error);

/* The text, malloc()ed, with such names resolved for cpu; for no cpu (NULL) it is empty if there
 * are any, and then the machine waits for the mailbox. Without --then the machine is told to power
 * off. NULL: error says why. */
char *run_command_text(const struct run_options *options, const struct event_cpu *cpu,
                       struct error *error);

/* Resolve the names for the boot CPU of a live region and send the command to its mailbox. 0 and
 * the request's number, or a negative errno. */
int run_command_send(const struct run_options *options, struct region *region, uint32_t *request,
                     struct error *error);

#endif
