/* SPDX-License-Identifier: MIT */
/*
 *	host					firmware
 *	text, length				sees request != reply
 *	A: release				B: acquire
 *	request = reply + 1  ────────────────▶	copies, checks, carries out
 *	C: acquire				D: release
 *	reply == request?  ◀──────────────────	status, then reply = request
 */
#include "host-tools/region/mailbox.h"

#include <string.h>

#include "host-tools/region/region_shared.h"

static struct tr_mailbox *mailbox(const struct region *region)
{
	return region_at(region, region->header.mailbox.offset);
}

uint32_t mailbox_send(const struct region *region, const char *text)
{
	struct tr_mailbox *box = mailbox(region);
	size_t length = strnlen(text, TR_MAILBOX_TEXT);
	uint32_t request = __atomic_load_n(&box->reply, __ATOMIC_ACQUIRE) + 1;

	memcpy(box->text, text, length);
	box->length = (uint32_t)length;
	__atomic_store_n(&box->request, request, __ATOMIC_RELEASE); /* A */
	return request;
}

bool mailbox_answered(const struct region *region, uint32_t request, int *status)
{
	struct tr_mailbox *box = mailbox(region);

	if (__atomic_load_n(&box->reply, __ATOMIC_ACQUIRE) != request) /* C */
		return false;
	*status = box->status;
	return true;
}
