/* SPDX-License-Identifier: MIT */
/*
 *	host					firmware
 *	text, length				sees request != answered
 *	A: release				D: acquire
 *	request + 1  ────────────────────────▶	copies, checks, carries out
 *	B: acquire				C: release
 *	reply == request?  ◀──────────────────	status, then reply = request
 *
 * The new number follows the last request's number. The machine may still be carrying that request
 * out: a `stop` is sent once the state shows that the machine has copied the command before.
 * tests/model/mailbox.pml.
 */
#include "host-tools/region/mailbox.h"

#include <string.h>

#include "writer/region/region_shared.h"

static const struct tr_mailbox *mailbox(const struct region *region)
{
	return region_at(region, region->header.mailbox.offset);
}

/* Each word after the words published before it: A, in channel_store(). */
static int publish(const struct region *region, size_t offset, const void *from, size_t size,
                   struct error *error)
{
	return channel_publish(region->channel, region->header.mailbox.offset + offset, from, size,
	                       error);
}

/* A mirror holds the host's words as this tool wrote them; the machine may since have answered
 * another host's request. */
static uint32_t newest(const struct tr_mailbox *box)
{
	uint32_t reply = __atomic_load_n(&box->reply, __ATOMIC_ACQUIRE);
	uint32_t request = __atomic_load_n(&box->request, __ATOMIC_RELAXED);

	return (int32_t)(reply - request) > 0 ? reply : request;
}

int mailbox_send(const struct region *region, const char *text, uint32_t *request,
                 struct error *error)
{
	uint32_t length = (uint32_t)strnlen(text, TR_MAILBOX_TEXT);
	int code = publish(region, offsetof(struct tr_mailbox, text), text, length, error);

	*request = newest(mailbox(region)) + 1;
	if (!code)
		code = publish(region, offsetof(struct tr_mailbox, length), &length, sizeof(length),
		               error);
	if (!code)
		code = publish(region, offsetof(struct tr_mailbox, request), request,
		               sizeof(*request), error);
	return code;
}

bool mailbox_answered(const struct region *region, uint32_t request, int *status)
{
	const struct tr_mailbox *box = mailbox(region);

	/* B: the status of this reply; pairs with C in agent/input/mailbox.c. */
	uint32_t reply = __atomic_load_n(&box->reply, __ATOMIC_ACQUIRE);

	if ((int32_t)(reply - request) < 0)
		return false;
	*status = reply == request ? box->status : 0;
	return true;
}
