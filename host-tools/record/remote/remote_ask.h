/* SPDX-License-Identifier: MIT */
/* One command for a machine, sent by its mailbox. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_ASK_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_ASK_H

#include "host-tools/record/remote/remote_link.h"

/* Wait until the machine takes commands. -EBUSY: it records, and the error says what to do;
 * otherwise the errors of remote_link_look(). */
int remote_await_idle(struct remote_link *link, struct error *error);

/* Have the firmware's own parser read the command on this host, if the machine's image is here, and
 * send it. -EINVAL: the parser refused it, and the reason was printed. */
int remote_send(struct remote_link *link, struct remote_options *options, uint32_t *request,
                struct error *error);

/* Whether the machine has answered: its status, and if that is negative its message as error. */
bool remote_is_answered(const struct remote_link *link, uint32_t request, int *status,
                        struct error *error);

#endif
