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

static void put(json_t *json, const char *name, uint64_t value)
{
	json_object_set_new(json, name, number(value));
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

	put(json, "recorded", l->branch_records);
	json_object_set_new(json, "lost",
	                    l->branch_lost == TR_UNKNOWN ? json_null() : number(l->branch_lost));
	put(json, "taken", l->count);
	put(json, "returns", l->branch_returns);
	put(json, "interrupts", l->branch_interrupts);
	return json;
}

static json_t *event_json(const struct ledger *ledger, const struct ledger_event *event)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", text(event->event.name, sizeof(event->event.name)));
	put(json, "id", event->event.id);
	put(json, "cpu", event->event.cpu);
	put(json, "generated", event->ledger.generated);
	put(json, "written", event->ledger.written);
	put(json, "delivered", event->found.delivered);
	put(json, "elsewhere", event->found.elsewhere);
	put(json, "overwritten", check_overwritten(ledger, event));
	put(json, "lost", event->ledger.lost);
	put(json, "throttled", event->ledger.throttled);
	put(json, "slower", event->ledger.slower);
	put(json, "samples", event->found.samples);
	put(json, "count", event->ledger.count);
	put(json, "period", event->ledger.period);
	put(json, "period_delivered", event->found.period);
	put(json, "period_lost", event->ledger.period_lost);
	put(json, "residue", event->ledger.residue);
	if (event->ledger.branch_records || event->ledger.branch_lost)
		json_object_set_new(json, "branches", branches_json(event));
	put(json, "time_enabled", event->ledger.time_enabled);
	put(json, "time_running", event->ledger.time_running);
	return json;
}

static json_t *aux_json(const struct ledger_ring *ring)
{
	json_t *json = json_object();

	put(json, "cpu", ring->ring.cpu);
	put(json, "written", ring->ledger.aux_written);
	put(json, "delivered", ring->found.aux_delivered);
	put(json, "unread", ring->found.aux_unread);
	put(json, "overwritten", ring->ledger.aux_overwritten);
	put(json, "skipped", ring->ledger.aux_skipped);
	put(json, "lost", ring->ledger.aux_lost);
	put(json, "records", ring->found.aux_records);
	put(json, "truncated", ring->found.aux_truncated);
	return json;
}

/* What the decoder found in the AUX pieces. */
static json_t *spe_json(const struct dump *dump)
{
	json_t *json = json_object();

	put(json, "records", dump->spe.records);
	put(json, "errors", dump->spe.errors);
	json_object_set_new(json, "error_at",
	                    dump->spe.errors ? number(dump->spe.error_at) : json_null());
	return json;
}

static json_t *ring_json(const struct ledger_ring *ring)
{
	json_t *json = json_object();

	put(json, "cpu", ring->ring.cpu);
	put(json, "lost", ring->ledger.lost);
	put(json, "reported", ring->ledger.reported);
	put(json, "lost_records", ring->found.lost_records);
	put(json, "lost_told", ring->found.lost);
	put(json, "tail_faults", ring->ledger.tail_faults);
	return json;
}

static json_t *cpu_json(const struct ledger *ledger, const struct tr_cpu *cpu)
{
	json_t *json = json_object();

	put(json, "cpu", cpu->cpu);
	json_object_set_new(json, "online", json_boolean(cpu->flags & TR_CPU_ONLINE));
	json_object_set_new(json, "traced", json_boolean(cpu->flags & TR_CPU_TRACED));
	put(json, "frequency", ledger->head.clock.frequency);
	json_object_set_new(json, "clock_offset", json_integer(cpu->clock_offset));
	put(json, "clock_error", cpu->clock_error);
	put(json, "ticks", cpu->ticks);
	put(json, "tick_cycles", cpu->tick_cycles);
	put(json, "tick_max", cpu->tick_max);
	put(json, "spurious", cpu->spurious);
	put(json, "stood", cpu->stood);
	put(json, "stands", cpu->stands);
	put(json, "given_up", cpu->given_up);
	put(json, "frozen", cpu->frozen);
	put(json, "counters", cpu->counters);
	put(json, "leftovers", cpu->leftovers);
	put(json, "foreign", cpu->foreign);
	return json;
}

static json_t *wakeups_json(const struct ledger *ledger)
{
	struct check_wakeups w = check_sum_wakeups(ledger);
	json_t *json = json_object(), *causes = json_object();

	put(causes, "threshold", w.causes[TR_WAKEUP_THRESHOLD]);
	put(causes, "full", w.causes[TR_WAKEUP_FULL]);
	put(causes, "aux", w.causes[TR_WAKEUP_AUX]);
	put(causes, "end", w.causes[TR_WAKEUP_END]);
	json_object_set_new(json, "causes", causes);
	put(json, "sent", w.sent);
	put(json, "coalesced", w.coalesced);
	put(json, "received", w.received);
	put(json, "repeated", w.repeated);
	put(json, "rung", w.rung);
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
	put(json, "cpus", missing->cpus);
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
	put(json, "records", dump->records);
	put(json, "state", ledger->head.state);
	put(json, "reader_found", ledger->head.reader_found);
	put(json, "line_faults", ledger->head.line_faults);
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
