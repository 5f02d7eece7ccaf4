/* SPDX-License-Identifier: MIT */
/* Prints the summary of `bareperf dump` as JSON. */
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/summary_json.h"

/* A count as JSON; null if it was not counted. */
static json_t *known(uint64_t count)
{
	return count == TR_UNKNOWN ? NULL : summary_number(count);
}

/* The counts of a branch trace. */
static json_t *branches_json(const struct tr_event_ledger *l)
{
	if (!l->branch_records && !l->branch_lost)
		return NULL;
	return json_pack("{so so? so so so}", "recorded", summary_number(l->branch_records), "lost",
	                 known(l->branch_lost), "taken", summary_number(l->count), "returns",
	                 summary_number(l->branch_returns), "interrupts",
	                 summary_number(l->branch_interrupts));
}

static json_t *event_json(const struct ledger *ledger, const struct ledger_event *event)
{
	const struct tr_event_ledger *l = &event->ledger;

	return json_pack(
	    "{so so so so so so so so so so so so so so so so so so* so* so so}", "name",
	    summary_text(event->event.name, sizeof(event->event.name)), "id",
	    summary_number(event->event.id), "cpu", summary_number(event->event.cpu), "generated",
	    summary_number(l->generated), "written", summary_number(l->written), "delivered",
	    summary_number(event->found.delivered), "elsewhere",
	    summary_number(event->found.elsewhere), "overwritten",
	    summary_number(check_overwritten(ledger, event)), "lost", summary_number(l->lost),
	    "throttled", summary_number(l->throttled), "slower", summary_number(l->slower),
	    "samples", summary_number(event->found.samples), "count", summary_number(l->count),
	    "period", summary_number(l->period), "period_delivered",
	    summary_number(event->found.period), "period_lost", summary_number(l->period_lost),
	    "residue", summary_number(l->residue), "branches", branches_json(l), "precise",
	    l->precise ? summary_number(l->precise) : NULL, "time_enabled",
	    summary_number(l->time_enabled), "time_running", summary_number(l->time_running));
}

static json_t *aux_json(const struct ledger_ring *ring)
{
	const struct tr_ring_ledger *l = &ring->ledger;
	const struct ledger_ring_found *found = &ring->found;

	return json_pack(
	    "{so so so so so so so so so}", "cpu", summary_number(ring->ring.cpu), "written",
	    summary_number(l->aux_written), "delivered", summary_number(found->aux_delivered),
	    "unread", summary_number(found->aux_unread), "overwritten",
	    summary_number(l->aux_overwritten), "skipped", summary_number(l->aux_skipped), "lost",
	    summary_number(l->aux_lost), "records", summary_number(found->aux_records), "truncated",
	    summary_number(found->aux_truncated));
}

/* The results of decoding the AUX pieces. */
static json_t *spe_json(const struct dump *dump)
{
	if (!dump->spe.pieces)
		return NULL;
	return json_pack("{so so so?}", "records", summary_number(dump->spe.records), "errors",
	                 summary_number(dump->spe.errors), "error_at",
	                 dump->spe.errors ? summary_number(dump->spe.error_at) : NULL);
}

/* Records of precise samples. */
static json_t *precise_json(const struct tr_precise_ledger *l)
{
	if (!l->records)
		return NULL;
	return json_pack("{so so so so}", "records", summary_number(l->records), "common",
	                 summary_number(l->common), "foreign", summary_number(l->foreign), "full",
	                 summary_number(l->full));
}

/* The operations among which SPE chose; null: not counted. */
static json_t *operations_json(const struct tr_ring_ledger *l)
{
	const struct tr_operation_ledger *o = &l->precise.operations;
	bool filters = o->fed != TR_UNKNOWN && o->kept != TR_UNKNOWN;

	if (!o->population)
		return NULL;
	return json_pack("{so? so? so? so? so? so?}", "population", known(o->population), "sampled",
	                 known(o->fed), "collided", known(o->collided), "kept", known(o->kept),
	                 "filtered", filters ? summary_number(o->fed - o->kept) : NULL, "rest",
	                 o->population == TR_UNKNOWN ? NULL : summary_number(l->operations_rest));
}

static json_t *ring_json(const struct ledger_ring *ring)
{
	return json_pack(
	    "{so so so so so so so* so*}", "cpu", summary_number(ring->ring.cpu), "lost",
	    summary_number(ring->ledger.lost), "reported", summary_number(ring->ledger.reported),
	    "lost_records", summary_number(ring->found.lost_records), "lost_told",
	    summary_number(ring->found.lost), "tail_faults",
	    summary_number(ring->ledger.tail_faults), "precise",
	    precise_json(&ring->ledger.precise), "operations", operations_json(&ring->ledger));
}

static json_t *cpu_json(const struct ledger *ledger, const struct tr_cpu *cpu)
{
	return json_pack(
	    "{so sb sb so so so so so so so so so so so so so so so so so so so?}", "cpu",
	    summary_number(cpu->cpu), "online", cpu->flags & TR_CPU_ONLINE, "traced",
	    cpu->flags & TR_CPU_TRACED, "frequency", summary_number(ledger->head.clock.frequency),
	    "clock_offset", json_integer(cpu->clock_offset), "clock_error",
	    summary_number(cpu->clock_error), "ticks", summary_number(cpu->ticks), "tick_cycles",
	    summary_number(cpu->tick_cycles), "tick_max", summary_number(cpu->tick_max), "spurious",
	    summary_number(cpu->spurious), "stood", summary_number(cpu->stall_ns), "stands",
	    summary_number(cpu->stalls), "given_up", summary_number(cpu->given_up), "frozen",
	    summary_number(cpu->frozen), "counters", summary_number(cpu->counters), "leftovers",
	    summary_number(cpu->leftovers), "foreign", summary_number(cpu->foreign), "cache_line",
	    summary_number(cpu->cache_line), "erroneous", summary_number(cpu->erroneous),
	    "hypervisor", summary_text(cpu->hypervisor, sizeof(cpu->hypervisor)), "uncounted",
	    summary_number(cpu->uncounted), "stolen",
	    cpu->flags & TR_CPU_STEAL ? summary_number(cpu->stolen) : NULL);
}

static json_t *wakeups_json(const struct ledger *ledger)
{
	struct check_wakeups w = check_sum_wakeups(ledger);

	return json_pack("{s{so so so so} so so so so so}", "causes", "threshold",
	                 summary_number(w.causes[TR_WAKEUP_THRESHOLD]), "full",
	                 summary_number(w.causes[TR_WAKEUP_FULL]), "aux",
	                 summary_number(w.causes[TR_WAKEUP_AUX]), "end",
	                 summary_number(w.causes[TR_WAKEUP_END]), "sent", summary_number(w.sent),
	                 "coalesced", summary_number(w.coalesced), "received",
	                 summary_number(w.received), "repeated", summary_number(w.repeated), "rung",
	                 summary_number(w.rung));
}

/* Add one kind of missing records. "of" is null if the number has no total. */
static void add_missing(void *context, const struct missing *missing)
{
	bool is_part = missing->of && missing->count != TR_UNKNOWN;

	json_array_append_new(
	    context, json_pack("{so ss so? so? so}", "event",
	                       summary_text(missing->event, sizeof(missing->event)), "kind",
	                       missing_kind_name(missing->kind), "count", known(missing->count),
	                       "of", is_part ? summary_number(missing->of) : NULL, "cpus",
	                       summary_number(missing->cpus)));
}

/* Add an equation only if it does not hold. These equations explain "conserved": false. */
static void add_broken(void *context, bool holds, const char *line)
{
	if (!holds)
		json_array_append_new(context, summary_text(line, strlen(line)));
}

/* The lists that have one object for each CPU, event or ring. */
struct dump_lists {
	json_t *cpus, *events, *rings, *aux;
};

static struct dump_lists lists_of(const struct ledger *ledger)
{
	struct dump_lists lists = { json_array(), json_array(), json_array(), json_array() };

	for (uint32_t i = 0; i < ledger->head.cpu_count; i++)
		json_array_append_new(lists.cpus, cpu_json(ledger, &ledger->cpus[i]));
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		json_array_append_new(lists.events, event_json(ledger, &ledger->events[i]));
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		json_array_append_new(lists.rings, ring_json(&ledger->rings[i]));
		if (ledger->rings[i].ring.aux_size)
			json_array_append_new(lists.aux, aux_json(&ledger->rings[i]));
	}
	return lists;
}

/* Faults come first, as in the text summary. */
int dump_summary_json(const struct dump *dump, bool *conserved, struct error *error)
{
	const struct ledger *ledger = &dump->ledger;
	struct dump_lists lists = lists_of(ledger);
	json_t *missing = json_array(), *broken = json_array();
	bool is_known = dump->has_ledger || dump->unfinished;
	char advice[128];

	*conserved = !dump->has_ledger || check_conserved(ledger, add_broken, broken);
	missing_list(ledger, add_missing, missing);
	missing_advice(ledger, advice, sizeof(advice));
	return summary_print(
	    json_pack("{so ss so? so? so so so so so so so so so so* so so}", "missing", missing,
	              "advice", advice, "ended",
	              is_known ? json_boolean(!dump_unfinished(dump)) : NULL, "conserved",
	              dump->has_ledger ? json_boolean(*conserved) : NULL, "broken", broken,
	              "records", summary_number(dump->records), "state",
	              summary_number(ledger->head.state), "reader_found",
	              summary_number(ledger->head.reader_found), "line_faults",
	              summary_number(ledger->head.line_faults), "message",
	              summary_text(ledger->head.message, sizeof(ledger->head.message)), "cpus",
	              lists.cpus, "events", lists.events, "aux", lists.aux, "spe", spe_json(dump),
	              "rings", lists.rings, "wakeups", wakeups_json(ledger)),
	    stdout, "the JSON summary", error);
}
