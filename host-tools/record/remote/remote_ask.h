/* SPDX-License-Identifier: MIT */
/* One command for a machine, by its mailbox. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_ASK_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_ASK_H

#include "host-tools/record/remote/remote_link.h"

/* Wait until the machine takes commands. -EBUSY: it records, and the error says what to do; else
 * remote_link_look()'s. */
int remote_await_idle(struct remote_link *link, struct error *error);

/* Have the firmware's own parser read the command here, where the machine's image is, and send it;
 * -EINVAL: it is refused, and that was printed. */
int remote_send(struct remote_link *link, struct remote_options *options, uint32_t *request,
                struct error *error);

/* The status that the machine has answered with, and its message as error if that is negative;
 * false: not yet. */
bool remote_is_answered(const struct remote_link *link, uint32_t request, int *status,
                        struct error *error);

#endif
