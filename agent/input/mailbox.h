/* SPDX-License-Identifier: MIT */
/* Reads the host's commands, which are foreign bytes; docs/trace-region.md, "Mailbox". */
#ifndef AGENT_INPUT_MAILBOX_H
#define AGENT_INPUT_MAILBOX_H

#include <stdbool.h>

#include "ringbuf/region_writer.h"

/* A private copy of one command. */
struct mailbox_request {
	uint32_t number;
	int code; /* 0, or -EINVAL if the text is too long or not printable ASCII; text is then
	             empty */
	char text[TR_MAILBOX_TEXT + 1];
};

/* Copy the command that was not answered yet. Returns whether there is one. Any context. */
bool mailbox_poll(const struct trace_region *region, struct mailbox_request *request);

/* Returns whether the host has posted another command while one is being carried out. That command
 * stays in the mailbox. Any context, any CPU. */
bool mailbox_is_asked(const struct trace_region *region);

/* Returns whether such a command has exactly this text. Any context, any CPU. */
bool mailbox_has(const struct trace_region *region, const char *text);

/* Returns whether such a command is word followed by a decimal number from 1 to most; *value is
 * that number. Any context, any CPU. */
bool mailbox_has_number(const struct trace_region *region, const char *word, uint64_t most,
                        uint64_t *value);

/* Returns the address of the request number in the mailbox. *polled: its value as long as the host
 * has posted no other command than the one that is being carried out. Thread. */
const uint32_t *mailbox_watch(const struct trace_region *region, uint32_t *polled);

/* Answer the command. status: 0 or a negative errno. text: a sentence for the user, or NULL. */
void mailbox_reply(const struct trace_region *region, const struct mailbox_request *request,
                   int status, const char *text);

#endif
