/* SPDX-License-Identifier: MIT */
/* The host's commands, as foreign bytes; docs/trace-region.md, "Mailbox". */
#ifndef AGENT_INPUT_MAILBOX_H
#define AGENT_INPUT_MAILBOX_H

#include <stdbool.h>

#include "ringbuf/region_writer.h"

/* A private copy of one command. */
struct mailbox_request {
	uint32_t number;
	int code; /* 0, or -EINVAL: no text of printable ASCII that fits; text is then empty */
	char text[TR_MAILBOX_TEXT + 1];
};

/* Is there a command that was not answered yet? Then copy it. Any context. */
bool mailbox_poll(const struct trace_region *region, struct mailbox_request *request);

/* Is there a command behind the one that is being carried out? It stays, to be polled afterwards.
 * Any context, any CPU. */
bool mailbox_is_asked(const struct trace_region *region);

/* Is there one of exactly this text? As above. */
bool mailbox_has(const struct trace_region *region, const char *text);

/* The same of a text that is word and a decimal number of 1 to most, which becomes *value. */
bool mailbox_has_number(const struct trace_region *region, const char *word, uint64_t most,
                        uint64_t *value);

/* The word by which the host tells of a command, and in polled what it says until there is one
 * behind the one that is being carried out. Thread. */
const uint32_t *mailbox_watch(const struct trace_region *region, uint32_t *polled);

/* Answer it: status is 0 or a negative errno, text (NULL: none) a sentence for the user. */
void mailbox_reply(const struct trace_region *region, const struct mailbox_request *request,
                   int status, const char *text);

#endif
