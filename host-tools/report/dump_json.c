/* SPDX-License-Identifier: MIT */
/* How `bareperf dump` ends: for machines. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/dump.h"

/* JSON's integers are signed here; counts stay below 2^63. */
static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Text that may not be UTF-8. */
static json_t *text(const char *from, size_t size)
{
	char clean[1100];
	json_t *value;

	region_printable(clean, sizeof(clean), from, size);
	value = json_string(clean);
	for (char *c = clean; !value && *c; c++)
		*c &= 0x7f;
	return value ? value : json_string(clean);
}

/* Of a branch trace; lost is null where nobody counted what was taken. */
static json_t *branches_json(const struct ledger_event *event)
{
	const struct tr_event_ledger *l = &event->ledger;
	json_t *json = json_object();

	json_object_set_new(json, "recorded", number(l->branch_records));
	json_object_set_new(json, "lost",
	                    l->branch_lost == TR_UNKNOWN ? json_null() : number(l->branch_lost));
	json_object_set_new(json, "taken", number(l->count));
	json_object_set_new(json, "returns", number(l->branch_returns));
	json_object_set_new(json, "interrupts", number(l->branch_interrupts));
	return json;
}

static json_t *event_json(const struct ledger *ledger, const struct ledger_event *event)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", text(event->event.name, sizeof(event->event.name)));
	json_object_set_new(json, "id", number(event->event.id));
	json_object_set_new(json, "cpu", number(event->event.cpu));
	json_object_set_new(json, "generated", number(event->ledger.generated));
	json_object_set_new(json, "written", number(event->ledger.written));
	json_object_set_new(json, "delivered", number(event->found.delivered));
	json_object_set_new(json, "elsewhere", number(event->found.elsewhere));
	json_object_set_new(json, "overwritten", number(check_overwritten(ledger, event)));
	json_object_set_new(json, "lost", number(event->ledger.lost));
	json_object_set_new(json, "throttled", number(event->ledger.throttled));
	json_object_set_new(json, "samples", number(event->found.samples));
	json_object_set_new(json, "count", number(event->ledger.count));
	json_object_set_new(json, "period", number(event->ledger.period));
	json_object_set_new(json, "period_delivered", number(event->found.period));
	json_object_set_new(json, "period_lost", number(event->ledger.period_lost));
	json_object_set_new(json, "residue", number(event->ledger.residue));
	if (event->ledger.branch_records || event->ledger.branch_lost)
		json_object_set_new(json, "branches", branches_json(event));
	json_object_set_new(json, "time_enabled", number(event->ledger.time_enabled));
	json_object_set_new(json, "time_running", number(event->ledger.time_running));
	return json;
}

static json_t *aux_json(const struct ledger_ring *ring)
{
	json_t *json = json_object();

	json_object_set_new(json, "cpu", number(ring->ring.cpu));
	json_object_set_new(json, "written", number(ring->ledger.aux_written));
	json_object_set_new(json, "delivered", number(ring->found.aux_delivered));
	json_object_set_new(json, "unread", number(ring->found.aux_unread));
	json_object_set_new(json, "overwritten", number(ring->ledger.aux_overwritten));
	json_object_set_new(json, "skipped", number(ring->ledger.aux_skipped));
	json_object_set_new(json, "lost", number(ring->ledger.aux_lost));
	json_object_set_new(json, "records", number(ring->found.aux_records));
	json_object_set_new(json, "truncated", number(ring->found.aux_truncated));
	return json;
}

/* What the decoder found in the AUX pieces. */
static json_t *spe_json(const struct dump *dump)
{
	json_t *json = json_object();

	json_object_set_new(json, "records", number(dump->spe.records));
	json_object_set_new(json, "errors", number(dump->spe.errors));
	json_object_set_new(json, "error_at",
	                    dump->spe.errors ? number(dump->spe.error_at) : json_null());
	return json;
}

static json_t *ring_json(const struct ledger_ring *ring)
{
	json_t *json = json_object();

	json_object_set_new(json, "cpu", number(ring->ring.cpu));
	json_object_set_new(json, "lost", number(ring->ledger.lost));
	json_object_set_new(json, "reported", number(ring->ledger.reported));
	json_object_set_new(json, "lost_records", number(ring->found.lost_records));
	json_object_set_new(json, "lost_told", number(ring->found.lost));
	json_object_set_new(json, "tail_faults", number(ring->ledger.tail_faults));
	return json;
}

static json_t *cpu_json(const struct ledger *ledger, const struct tr_cpu *cpu)
{
	json_t *json = json_object();

	json_object_set_new(json, "cpu", number(cpu->cpu));
	json_object_set_new(json, "online", json_boolean(cpu->flags & TR_CPU_ONLINE));
	json_object_set_new(json, "traced", json_boolean(cpu->flags & TR_CPU_TRACED));
	json_object_set_new(json, "frequency", number(ledger->head.clock.frequency));
	json_object_set_new(json, "clock_offset", json_integer(cpu->clock_offset));
	json_object_set_new(json, "clock_error", number(cpu->clock_error));
	json_object_set_new(json, "ticks", number(cpu->ticks));
	json_object_set_new(json, "tick_cycles", number(cpu->tick_cycles));
	json_object_set_new(json, "tick_max", number(cpu->tick_max));
	json_object_set_new(json, "spurious", number(cpu->spurious));
	json_object_set_new(json, "counters", number(cpu->counters));
	json_object_set_new(json, "leftovers", number(cpu->leftovers));
	json_object_set_new(json, "foreign", number(cpu->foreign));
	return json;
}

static json_t *wakeups_json(const struct ledger *ledger)
{
	struct check_wakeups w = check_sum_wakeups(ledger);
	json_t *json = json_object(), *causes = json_object();

	json_object_set_new(causes, "threshold", number(w.causes[TR_WAKEUP_THRESHOLD]));
	json_object_set_new(causes, "full", number(w.causes[TR_WAKEUP_FULL]));
	json_object_set_new(causes, "aux", number(w.causes[TR_WAKEUP_AUX]));
	json_object_set_new(causes, "end", number(w.causes[TR_WAKEUP_END]));
	json_object_set_new(json, "causes", causes);
	json_object_set_new(json, "sent", number(w.sent));
	json_object_set_new(json, "coalesced", number(w.coalesced));
	json_object_set_new(json, "received", number(w.received));
	json_object_set_new(json, "repeated", number(w.repeated));
	json_object_set_new(json, "rung", number(w.rung));
	return json;
}

/* One thing that is missing; count is null where nobody counted it, of where it is no part. */
static void add_missing(void *context, const struct missing *missing)
{
	json_t *json = json_object();

	json_object_set_new(json, "event", text(missing->event, sizeof(missing->event)));
	json_object_set_new(json, "kind", json_string(missing_kind_name(missing->kind)));
	json_object_set_new(json, "count",
	                    missing->count == TR_UNKNOWN ? json_null() : number(missing->count));
	json_object_set_new(json, "of",
	                    missing->of && missing->count != TR_UNKNOWN ? number(missing->of)
	                                                                : json_null());
	json_object_set_new(json, "cpus", number(missing->cpus));
	json_array_append_new(context, json);
}

/* Only the equations that do not hold: they explain "conserved": false. */
static void add_broken(void *context, bool holds, const char *line)
{
	if (!holds)
		json_array_append_new(context, text(line, strlen(line)));
}

/* First what is not as it should be, as in the text. */
int dump_summary_json(const struct dump *dump, bool *conserved, struct error *error)
{
	const struct ledger *ledger = &dump->ledger;
	json_t *json = json_object(), *events = json_array(), *aux = json_array();
	json_t *rings = json_array(), *cpus = json_array(), *broken = json_array();
	json_t *missing = json_array();
	char advice[128];
	int code = 0;

	for (uint32_t i = 0; i < ledger->head.cpu_count; i++)
		json_array_append_new(cpus, cpu_json(ledger, &ledger->cpus[i]));
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		json_array_append_new(events, event_json(ledger, &ledger->events[i]));
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		json_array_append_new(rings, ring_json(&ledger->rings[i]));
		if (ledger->rings[i].ring.aux_size)
			json_array_append_new(aux, aux_json(&ledger->rings[i]));
	}
	*conserved = !dump->has_ledger || check_conserved(ledger, add_broken, broken);
	missing_list(ledger, add_missing, missing);
	missing_advice(ledger, advice, sizeof(advice));
	json_object_set_new(json, "missing", missing);
	json_object_set_new(json, "advice", json_string(advice));
	json_object_set_new(json, "ended",
	                    dump->has_ledger || dump->unfinished
	                        ? json_boolean(!dump_unfinished(dump))
	                        : json_null());
	json_object_set_new(json, "conserved",
	                    dump->has_ledger ? json_boolean(*conserved) : json_null());
	json_object_set_new(json, "broken", broken);
	json_object_set_new(json, "records", number(dump->records));
	json_object_set_new(json, "state", number(ledger->head.state));
	json_object_set_new(json, "reader_found", number(ledger->head.reader_found));
	json_object_set_new(json, "line_faults", number(ledger->head.line_faults));
	json_object_set_new(json, "message",
	                    text(ledger->head.message, sizeof(ledger->head.message)));
	json_object_set_new(json, "cpus", cpus);
	json_object_set_new(json, "events", events);
	json_object_set_new(json, "aux", aux);
	if (dump->spe.pieces)
		json_object_set_new(json, "spe", spe_json(dump));
	json_object_set_new(json, "rings", rings);
	json_object_set_new(json, "wakeups", wakeups_json(ledger));
	if (json_dumpf(json, stdout, JSON_INDENT(2)) || putchar('\n') == EOF)
		code = error_set(error, -EIO, "writing the JSON summary failed");
	json_decref(json);
	return code;
}
