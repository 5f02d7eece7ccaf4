/* SPDX-License-Identifier: MIT */
/* The host's side of the mailbox (docs/trace-region.md). */
#ifndef HOST_TOOLS_REGION_MAILBOX_H
#define HOST_TOOLS_REGION_MAILBOX_H

#include "writer/region/region.h"

/* Sends a command of at most TR_MAILBOX_TEXT bytes to a live region whose tables are loaded.
 * *request: the command's number. 0, or the error that closed the channel. */
int mailbox_send(const struct region *region, const char *text, uint32_t *request,
                 struct error *error);

/* Reports whether the machine has answered request. If so, *status is 0 or the machine's negative
 * errno; it is 0 if a later request's answer has replaced this one. */
bool mailbox_answered(const struct region *region, uint32_t request, int *status);

#endif
