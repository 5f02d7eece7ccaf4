/* SPDX-License-Identifier: MIT */
/* The host's side of the mailbox (docs/trace-region.md). */
#ifndef HOST_TOOLS_REGION_MAILBOX_H
#define HOST_TOOLS_REGION_MAILBOX_H

#include "writer/region/region.h"

/* Send a command of at most TR_MAILBOX_TEXT bytes to a live region whose tables are loaded.
 * *request: its number. 0, or why the channel is gone. */
int mailbox_send(const struct region *region, const char *text, uint32_t *request,
                 struct error *error);

/* Whether it has been answered; *status is then 0 or the machine's negative errno, or 0 where a
 * later request's answer has taken its place. */
bool mailbox_answered(const struct region *region, uint32_t request, int *status);

#endif
