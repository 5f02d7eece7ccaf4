/* SPDX-License-Identifier: MIT */
/* The conservation check. */
#include "host-tools/ledger/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "abi/event_types.h"

#define BRANCH_BYTES 24U /* size of a record of the debug store */

struct checker {
	const struct ledger *ledger;
	check_fn report;
	void *context;
	bool conserved;
};

static void __attribute__((format(printf, 3, 4)))
check_report(struct checker *checker, bool holds, const char *format, ...)
{
	char line[512];
	va_list args;

	checker->conserved &= holds;
	if (!checker->report)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	checker->report(checker->context, holds, line);
}

static bool is_backward(const struct ledger *ledger, const struct ledger_event *event)
{
	return event->event.ring != TR_NONE &&
	       ledger->rings[event->event.ring].ring.flags & TR_RING_BACKWARD;
}

uint64_t check_overwritten(const struct ledger *ledger, const struct ledger_event *event)
{
	uint64_t kept = event->found.delivered + event->found.elsewhere;

	return is_backward(ledger, event) && event->ledger.written > kept
	           ? event->ledger.written - kept
	           : 0;
}

/* After a reset the ledger may count records that had not reached memory, and that are missing
 * here. */
static bool is_cut(const struct ledger *ledger, uint32_t ring)
{
	return ledger->head.interrupted & LEDGER_CUT && ring != TR_NONE &&
	       !(ledger->rings[ring].ring.flags & TR_RING_BACKWARD) &&
	       ledger->rings[ring].found.head < ledger->rings[ring].ledger.data_head;
}

static void check_records(struct checker *checker, const struct ledger_event *event,
                          const char *who)
{
	const struct tr_event_ledger *l = &event->ledger;
	const struct ledger_found *f = &event->found;
	uint64_t flying = l->generated - l->written - l->lost;
	uint64_t overwritten = check_overwritten(checker->ledger, event);
	uint64_t here = f->delivered + f->elsewhere + overwritten;

	check_report(checker,
	             l->written + l->lost <= l->generated &&
	                 (!flying || !ledger_ended(checker->ledger)),
	             "%s: generated %" PRIu64 " = written %" PRIu64 " + lost %" PRIu64
	             " + in flight %" PRId64,
	             who, l->generated, l->written, l->lost, (int64_t)flying);
	if (is_cut(checker->ledger, event->event.ring)) {
		check_report(checker, l->written >= here,
		             "%s: written %" PRIu64 " = delivered %" PRIu64
		             " + read elsewhere %" PRIu64 " + not in memory %" PRId64,
		             who, l->written, f->delivered, f->elsewhere,
		             (int64_t)(l->written - here));
		return;
	}
	check_report(checker, l->written + f->newer == here,
	             "%s: written %" PRIu64 " + newer %" PRIu64 " = delivered %" PRIu64
	             " + read elsewhere %" PRIu64 " + overwritten %" PRIu64,
	             who, l->written, f->newer, f->delivered, f->elsewhere, overwritten);
}

static void check_periods(struct checker *checker, const struct ledger_event *event,
                          const char *who)
{
	const struct tr_event_ledger *l = &event->ledger;
	const struct perf_event_attr *attr = &event->event.attr;
	char elsewhere[24] = "";

	if (checker->ledger->before)
		snprintf(elsewhere, sizeof(elsewhere), "%" PRIu64, event->found.elsewhere_period);
	if (l->count)
		check_report(checker, l->count == l->period + l->residue,
		             "%s: count %" PRIu64 " = period %" PRIu64 " + residue %" PRIu64, who,
		             l->count, l->period, l->residue);
	/* Only if everything was read, or the number of records that other readers took is known,
	 * and if the samples have periods. */
	if ((event->found.elsewhere && !checker->ledger->before) ||
	    is_cut(checker->ledger, event->event.ring) ||
	    check_overwritten(checker->ledger, event) || !(attr->sample_type & PERF_SAMPLE_PERIOD))
		return;
	check_report(checker,
	             l->period + event->found.newer_period ==
	                 event->found.period + event->found.elsewhere_period + l->period_lost,
	             "%s: period %" PRIu64 " + newer %" PRIu64 " = delivered periods %" PRIu64
	             "%s%s + lost %" PRIu64,
	             who, l->period, event->found.newer_period, event->found.period,
	             checker->ledger->before ? " + elsewhere " : "", elsewhere, l->period_lost);
}

/* For a branch trace that has ended: every taken branch is recorded or lost, and every record is in
 * the AUX area. */
static void check_branches(struct checker *checker, const struct ledger_event *event,
                           const char *who)
{
	const struct tr_event_ledger *l = &event->ledger;
	const struct tr_ring_ledger *ring;
	uint64_t bytes;

	if (!ledger_ended(checker->ledger) || event->event.ring == TR_NONE ||
	    (!l->branch_records && !l->branch_lost))
		return;
	ring = &checker->ledger->rings[event->event.ring].ledger;
	bytes = ring->aux_written - ring->aux_skipped;
	check_report(checker,
	             l->branch_records == bytes / BRANCH_BYTES && bytes % BRANCH_BYTES == 0,
	             "%s: recorded %" PRIu64 " branches of %u bytes = AUX written %" PRIu64
	             " - skipped %" PRIu64,
	             who, l->branch_records, BRANCH_BYTES, ring->aux_written, ring->aux_skipped);
	if (l->branch_lost == TR_UNKNOWN)
		check_report(
		    checker, true,
		    "%s: branches lost: unknown, since nothing counted those that were taken", who);
	else
		check_report(checker,
		             l->branch_records + l->branch_lost == l->count + l->branch_interrupts,
		             "%s: recorded %" PRIu64 " + lost %" PRIu64 " = taken %" PRIu64
		             " (returns from handlers %" PRIu64 ") + interrupts %" PRIu64,
		             who, l->branch_records, l->branch_lost, l->count, l->branch_returns,
		             l->branch_interrupts);
}

/* Of an event whose samples the hardware recorded, once it has ended: every one of them is
 * delivered or lost. If it was throttled, lost may also count records about that. */
static void check_precise(struct checker *checker, const struct ledger_event *event,
                          const char *who)
{
	const struct tr_event_ledger *l = &event->ledger;
	uint64_t missing = l->precise - event->found.samples;

	if (!l->precise || !ledger_ended(checker->ledger) || event->found.elsewhere ||
	    is_cut(checker->ledger, event->event.ring) || check_overwritten(checker->ledger, event))
		return;
	check_report(checker, l->throttled ? missing <= l->lost : missing == l->lost,
	             "%s: hardware recorded %" PRIu64 " = samples %" PRIu64 " + lost %" PRId64, who,
	             l->precise, event->found.samples, (int64_t)missing);
}

static void check_event(struct checker *checker, uint32_t i)
{
	const struct ledger_event *event = &checker->ledger->events[i];
	char name[80], who[128];

	region_printable(name, sizeof(name), event->event.name, sizeof(event->event.name));
	snprintf(who, sizeof(who), "event %u %s (CPU %u)", i, name, event->event.cpu);
	check_records(checker, event, who);
	check_periods(checker, event, who);
	check_branches(checker, event, who);
	check_precise(checker, event, who);
}

static void check_lost(struct checker *checker, uint32_t i)
{
	const struct ledger_ring *ring = &checker->ledger->rings[i];
	uint64_t lost = 0, elsewhere = 0, reported, records;

	for (uint32_t e = 0; e < checker->ledger->head.event_count; e++) {
		if (checker->ledger->events[e].event.ring == i) {
			lost += checker->ledger->events[e].ledger.lost;
			elsewhere += checker->ledger->events[e].found.elsewhere;
		}
	}
	check_report(checker, ring->ledger.lost == lost,
	             "ring %u: lost %" PRIu64 " = its events' lost %" PRIu64, i, ring->ledger.lost,
	             lost);
	check_report(checker, ring->ledger.reported <= ring->ledger.lost,
	             "ring %u: lost %" PRIu64 " = reported %" PRIu64 " + not yet %" PRId64, i,
	             ring->ledger.lost, ring->ledger.reported,
	             (int64_t)(ring->ledger.lost - ring->ledger.reported));
	if ((elsewhere && !checker->ledger->before) || ring->ring.flags & TR_RING_BACKWARD ||
	    is_cut(checker->ledger, i))
		return;
	reported = ring->ledger.reported + ring->found.newer_lost;
	records = ring->ledger.lost_records + ring->found.newer_lost_records;
	if (checker->ledger->before) {
		reported -= checker->ledger->before[i].lost;
		records -= checker->ledger->before[i].lost_records;
	}
	check_report(checker, reported == ring->found.lost && records == ring->found.lost_records,
	             "ring %u: reported %" PRIu64 " in %" PRIu64
	             " LOST records = delivered %" PRIu64 " in %" PRIu64,
	             i, reported, records, ring->found.lost, ring->found.lost_records);
}

/* The records of the CPU's hardware became its events' samples. */
static void check_records_of_hardware(struct checker *checker, uint32_t i)
{
	const struct tr_precise_ledger *l = &checker->ledger->rings[i].ledger.precise;
	uint64_t samples = 0;

	for (uint32_t e = 0; e < checker->ledger->head.event_count; e++) {
		if (checker->ledger->events[e].event.ring == i)
			samples += checker->ledger->events[e].ledger.precise;
	}
	if ((!l->records && !samples) || !ledger_ended(checker->ledger))
		return;
	check_report(checker, l->records + l->common == samples + l->foreign,
	             "ring %u: hardware's records %" PRIu64 " + common %" PRIu64
	             " = samples %" PRIu64 " + of no event %" PRIu64,
	             i, l->records, l->common, samples, l->foreign);
}

#define JITTER_TERM (1ULL << 16) /* attr.config of arm_spe: jitter */
#define JITTER      255U         /* operations that it adds to an interval at most */

/* The event whose AUX area the ring has. */
static const struct ledger_event *check_aux_owner(const struct ledger *ledger, uint32_t ring)
{
	for (uint32_t e = 0; e < ledger->head.event_count; e++) {
		const struct tr_event *event = &ledger->events[e].event;

		if (event->ring == ring && event->attr.type == PERF_TYPE_ARM_SPE)
			return &ledger->events[e];
	}
	return NULL;
}

/* The operations among which Arm's SPE chose, once it has ended: each interval had as many as it
 * should. An implementation may leave out of an interval the operation that was chosen. */
static void check_operations(struct checker *checker, uint32_t i)
{
	const struct tr_ring_ledger *ring = &checker->ledger->rings[i].ledger;
	const struct tr_operation_ledger *l = &ring->precise.operations;
	const struct ledger_event *event = check_aux_owner(checker->ledger, i);
	uint64_t chosen = l->fed + l->collided, interval, least, most;
	bool jitter;

	if (!event || !ledger_ended(checker->ledger) || !l->population)
		return;
	if (l->population == TR_UNKNOWN || l->fed == TR_UNKNOWN || l->collided == TR_UNKNOWN) {
		check_report(checker, true,
		             "ring %u: SPE's operations: unknown, since no counter was free", i);
		return;
	}
	interval = event->event.attr.sample_period;
	jitter = event->event.attr.config & JITTER_TERM;
	least = chosen * interval + (jitter ? 0 : ring->operations_rest);
	most = chosen * (interval + 1 + (jitter ? JITTER : 0)) + ring->operations_rest;
	check_report(checker, l->population >= least && l->population <= most,
	             "ring %u: SPE's operations %" PRIu64 " = (sampled %" PRIu64
	             " + collided %" PRIu64 ") * interval %" PRIu64 "%s + rest %" PRIu64,
	             i, l->population, l->fed, l->collided, interval,
	             jitter ? " (to 255 more)" : "", ring->operations_rest);
	if (l->kept != TR_UNKNOWN)
		check_report(checker, l->kept <= l->fed,
		             "ring %u: SPE's sampled %" PRIu64 " = kept %" PRIu64
		             " + filtered %" PRId64,
		             i, l->fed, l->kept, (int64_t)(l->fed - l->kept));
}

static void check_wakeups(struct checker *checker, uint32_t i)
{
	const struct tr_ring_ledger *l = &checker->ledger->rings[i].ledger;
	uint64_t causes = 0;

	for (int c = 0; c < TR_WAKEUP_CAUSES; c++)
		causes += l->causes[c];
	check_report(checker, l->sent == causes - l->coalesced,
	             "ring %u: wakeups sent %" PRIu64 " = causes %" PRIu64 " - coalesced %" PRIu64,
	             i, l->sent, causes, l->coalesced);
}

/* Every store to a doorbell arrived: checked by doorbell, because rings may share one. */
static void check_bell(struct checker *checker, uint32_t first)
{
	const struct ledger *ledger = checker->ledger;
	uint32_t vector = ledger->rings[first].ring.vector;
	uint64_t rung = 0, sent = 0, repeated = 0;

	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		const struct ledger_ring *ring = &ledger->rings[i];

		if (ring->ring.vector != vector)
			continue;
		if (i < first)
			return; /* reported already */
		rung += ring->found.rung;
		sent += ring->ledger.sent;
		repeated += ring->ledger.repeated;
	}
	check_report(checker, rung == sent + repeated,
	             "doorbell %u: heard %" PRIu64 " = sent %" PRIu64 " + repeated %" PRIu64,
	             vector, rung, sent, repeated);
}

static void check_aux(struct checker *checker, uint32_t i)
{
	const struct ledger_ring *ring = &checker->ledger->rings[i];
	const struct tr_ring_ledger *l = &ring->ledger;
	const struct ledger_ring_found *f = &ring->found;

	/* If another reader read the first part, the padding in that part is unknown. */
	if (!ring->ring.aux_size || (checker->ledger->before && checker->ledger->before[i].aux))
		return;
	/* Only at the end has everything that was written been announced. */
	check_report(checker,
	             !ledger_ended(checker->ledger) ||
	                 l->aux_written ==
	                     f->aux_delivered + f->aux_unread + l->aux_overwritten + l->aux_skipped,
	             "ring %u: AUX written %" PRIu64 " = delivered %" PRIu64 " + unread %" PRIu64
	             " + overwritten %" PRIu64 " + skipped %" PRIu64,
	             i, l->aux_written, f->aux_delivered, f->aux_unread, l->aux_overwritten,
	             l->aux_skipped);
}

static void check_ring(struct checker *checker, uint32_t i)
{
	const struct ledger_ring *ring = &checker->ledger->rings[i];

	if (!ledger_ended(checker->ledger) && !is_cut(checker->ledger, i))
		check_report(
		    checker, ring->found.ledger_fits,
		    "ring %u: the machine did not end its run; its ledger is of position 0x%" PRIx64
		    ", the ring's head at 0x%" PRIx64,
		    i, ring->ledger.data_head, ring->found.head);
	check_lost(checker, i);
	check_records_of_hardware(checker, i);
	check_operations(checker, i);
	check_wakeups(checker, i);
	if (ring->found.has_bell && ledger_ended(checker->ledger))
		check_bell(checker, i);
	check_aux(checker, i);
}

bool check_conserved(const struct ledger *ledger, check_fn fn, void *context)
{
	struct checker checker = { ledger, fn, context, true };

	if (ledger->head.interrupted & LEDGER_TORN) {
		check_report(
		    &checker, false,
		    "the machine was reset while it published its ledger: what was lost before is "
		    "not known");
		return false;
	}
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		check_event(&checker, i);
	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		check_ring(&checker, i);
	if (ledger->strangers)
		check_report(&checker, false, "%" PRIu64 " records are of no known event",
		             ledger->strangers);
	return checker.conserved;
}

struct check_wakeups check_sum_wakeups(const struct ledger *ledger)
{
	struct check_wakeups sum = { 0 };

	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		const struct ledger_ring *ring = &ledger->rings[i];

		for (int c = 0; c < TR_WAKEUP_CAUSES; c++)
			sum.causes[c] += ring->ledger.causes[c];
		sum.sent += ring->ledger.sent;
		sum.coalesced += ring->ledger.coalesced;
		sum.repeated += ring->ledger.repeated;
		sum.received += ring->found.wakeups;
		sum.rung += ring->found.rung;
	}
	return sum;
}
