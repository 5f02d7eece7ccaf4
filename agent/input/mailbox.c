/* SPDX-License-Identifier: MIT */
#include "agent/input/mailbox.h"

#include <errno.h>

/* The last number that was answered, kept here because the host can overwrite the region's copy. */
static uint32_t answered, last_polled;

static bool mailbox_copy_text(char *to, const volatile char *from, uint32_t length)
{
	uint32_t i;

	for (i = 0; i < length; i++) {
		to[i] = from[i];
		if (to[i] < ' ' || to[i] > '~')
			return false;
	}
	to[i] = '\0';
	return true;
}

bool mailbox_poll(const struct trace_region *region, struct mailbox_request *request)
{
	struct tr_mailbox *box = region->mailbox;
	uint32_t length;

	/* D: makes the text of this number visible; pairs with A in writer/region/channel_word.h.
	 */
	request->number = __atomic_load_n(&box->request, __ATOMIC_ACQUIRE);
	if (request->number == answered)
		return false;
	length = __atomic_load_n(&box->length, __ATOMIC_RELAXED);
	request->code = 0;
	last_polled = request->number;
	if (length > TR_MAILBOX_TEXT || !mailbox_copy_text(request->text, box->text, length)) {
		request->code = -EINVAL;
		request->text[0] = '\0';
	}
	return true;
}

bool mailbox_is_asked(const struct trace_region *region)
{
	/* D as well; pairs with A in writer/region/channel_word.h */
	uint32_t number = __atomic_load_n(&region->mailbox->request, __ATOMIC_ACQUIRE);

	return number != answered && number != last_polled;
}

/* Returns text's length if the next command begins with it, or 0. */
static uint32_t mailbox_next_begins(const struct trace_region *region, const char *text)
{
	const struct tr_mailbox *box = region->mailbox;
	uint32_t i = 0;

	if (!mailbox_is_asked(region))
		return 0;
	while (text[i] && __atomic_load_n(&box->text[i], __ATOMIC_RELAXED) == text[i])
		i++;
	return text[i] ? 0 : i;
}

bool mailbox_has(const struct trace_region *region, const char *text)
{
	const struct tr_mailbox *box = region->mailbox;
	uint32_t length = mailbox_next_begins(region, text);

	return length && __atomic_load_n(&box->length, __ATOMIC_RELAXED) == length;
}

#define MOST_DIGITS 18U /* digits that always fit in 64 bits */

bool mailbox_has_number(const struct trace_region *region, const char *word, uint64_t most,
                        uint64_t *value)
{
	const struct tr_mailbox *box = region->mailbox;
	uint32_t i = mailbox_next_begins(region, word);
	uint32_t length = __atomic_load_n(&box->length, __ATOMIC_RELAXED);

	if (!i || length <= i || length - i > MOST_DIGITS)
		return false;
	for (*value = 0; i < length; i++) {
		char c = __atomic_load_n(&box->text[i], __ATOMIC_RELAXED);

		if (c < '0' || c > '9')
			return false;
		*value = *value * 10 + (uint64_t)(c - '0');
	}
	return *value && *value <= most;
}

const uint32_t *mailbox_watch(const struct trace_region *region, uint32_t *polled)
{
	*polled = last_polled;
	return &region->mailbox->request;
}

void mailbox_reply(const struct trace_region *region, const struct mailbox_request *request,
                   int status, const char *text)
{
	struct tr_mailbox *box = region->mailbox;

	answered = request->number;
	box->status = status;
	trace_region_put_text(box->reply_text, sizeof(box->reply_text), text ? text : "");
	/* C: the status is written, and the text was read; pairs with B in
	 * host-tools/region/mailbox.c. */
	__atomic_store_n(&box->reply, answered, __ATOMIC_RELEASE);
}
