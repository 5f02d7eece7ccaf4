/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top_slow.h"

#include <inttypes.h>
#include <stdio.h>

#include "host-tools/region/mailbox.h"

#define MINOR_SLOWER 6U /* minor version of the region in which firmware first knew `slower' */
/* s between checks: samples from before a change must be gone by the next check */
#define INTERVAL     2.0
#define FULL         0.5 /* a ring's fill level that is above its wakeup watermark */
#define MOST         4096U

uint64_t top_slow_factor(uint64_t generated, uint64_t delivered, uint64_t lost, double fill)
{
	uint64_t factor = 2;

	if ((!lost && fill <= FULL) || !generated)
		return 1;
	while (factor < MOST && factor * delivered < generated)
		factor *= 2;
	return factor;
}

static void sum(const struct ledger *ledger, struct top_slow *now)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		now->generated += event->ledger.generated;
		now->lost += event->ledger.lost;
		now->delivered += event->found.delivered;
	}
}

static void tell(struct top_slow *slow, const struct session *session, uint64_t factor)
{
	struct error ignored = { "" }; /* the next drain reports a lost channel */
	uint32_t request;
	char text[32];

	slow->cannot = (session->region.header.version & 0xffff) < MINOR_SLOWER;
	slow->factor = (slow->factor ? slow->factor : 1) * factor;
	if (slow->factor > MOST)
		slow->factor = MOST;
	snprintf(text, sizeof(text), "slower %" PRIu64, slow->factor);
	if (!slow->cannot)
		mailbox_send(&session->region, text, &request, &ignored);
}

void top_slow_look(struct top_slow *slow, struct session *session, double now, bool stopped)
{
	struct top_slow then = *slow, sums = { 0 };
	uint64_t factor;

	if (now - slow->looked < INTERVAL)
		return;
	ledger_update(&session->ledger, &session->region);
	sum(&session->ledger, &sums);
	slow->generated = sums.generated;
	slow->delivered = sums.delivered;
	slow->lost = sums.lost;
	slow->looked = now;
	slow->fill = 0;
	/* The first check has nothing to compare with. A channel that copies nothing is as fast as
	 * memory: records lost there are lost because of the host. */
	if (!then.looked || !channel_can_be_slow(session->region.channel) || stopped ||
	    slow->cannot || slow->factor == MOST)
		return;
	factor = top_slow_factor(sums.generated - then.generated, sums.delivered - then.delivered,
	                         sums.lost - then.lost, then.fill);
	if (factor > 1)
		tell(slow, session, factor);
}

/* Reports whether all events that can follow the command already sample with this factor. */
static bool is_in_force(const struct top_slow *slow, const struct session *session)
{
	bool any = false;

	for (uint32_t i = 0; i < session->ledger.head.event_count; i++) {
		uint64_t factor = session->ledger.events[i].ledger.slower;

		if (factor && factor != slow->factor)
			return false;
		any |= factor != 0;
	}
	return any;
}

bool top_slow_text(const struct top_slow *slow, const struct session *session, char *text,
                   size_t size)
{
	if (!slow->factor)
		return false;
	if (slow->cannot)
		snprintf(
		    text, size,
		    "the line is too slow for it, and this machine's firmware cannot be told to "
		    "sample less often: record with a lower -F");
	else
		snprintf(text, size,
		         "the line is too slow for it: the machine %s %" PRIu64
		         " times as seldom as it was to; shares stay true",
		         is_in_force(slow, session) ? "samples" : "is being told to sample",
		         slow->factor);
	return true;
}
