/* SPDX-License-Identifier: MIT */
/* Merges the ledgers of several machines into one. */
#include "host-tools/ledger/ledger_merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t ledger_part_id(const struct ledger_part *part, const struct ledger_event *event)
{
	return part->first_event + (uint64_t)(event - part->ledger->events) + 1;
}

/* Check the ledger's CPU, event and group numbers against their limits; count the evsels. */
static int check_part(const struct ledger_part *part, uint32_t *evsels, struct error *error)
{
	const struct ledger *ledger = part->ledger;
	bool fits = part->cpus <= TR_MAX_CPUS;

	*evsels = 0;
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct tr_event *event = &ledger->events[i].event;

		fits = fits && event->cpu < part->cpus && event->evsel < TR_MAX_EVENTS &&
		       event->group <= TR_MAX_EVENTS;
		if (event->evsel >= *evsels)
			*evsels = event->evsel + 1;
	}
	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		fits = fits && ledger->rings[i].ring.cpu < part->cpus &&
		       ledger->rings[i].ring.owner < ledger->head.event_count;
	return fits ? 0 : error_set(error, -EPROTO, "%s: its ledger makes no sense", part->name);
}

/* Whether another reader took records; that is known only for a joined run. */
static bool is_read_elsewhere(const struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->head.event_count && !ledger->before; i++) {
		if (ledger->events[i].found.elsewhere)
			return true;
	}
	return false;
}

static int place_parts(struct ledger_part *parts, uint32_t count, struct ledger_head *sum,
                       struct error *error)
{
	uint32_t cpus = 0, evsels = 0, of_part;

	for (uint32_t i = 0; i < count; i++) {
		const struct ledger *ledger = parts[i].ledger;
		int code;

		parts[i].cpus = 0;
		for (uint32_t cpu = 0; cpu < ledger->head.cpu_count; cpu++) {
			if (ledger->cpus[cpu].cpu >= parts[i].cpus)
				parts[i].cpus = ledger->cpus[cpu].cpu + 1;
		}
		code = check_part(&parts[i], &of_part, error);
		if (code)
			return code;
		parts[i].first_cpu = cpus;
		parts[i].first_event = sum->event_count;
		parts[i].first_ring = sum->ring_count;
		parts[i].first_evsel = evsels;
		cpus += parts[i].cpus;
		evsels += of_part;
		sum->cpu_count += ledger->head.cpu_count;
		sum->event_count += ledger->head.event_count;
		sum->ring_count += ledger->head.ring_count;
		if (cpus > TR_MAX_CPUS || sum->event_count > TR_MAX_EVENTS ||
		    sum->ring_count > TR_MAX_RINGS)
			return error_set(error, -E2BIG,
			                 "%s: with it there are %u CPUs, %u events on them and %u "
			                 "rings; a file has %u, %u and %u at the most",
			                 parts[i].name, cpus, sum->event_count, sum->ring_count,
			                 TR_MAX_CPUS, TR_MAX_EVENTS, TR_MAX_RINGS);
	}
	return 0;
}

/* Ticks are counted in cycles of each machine's own clock. */
static uint64_t cycles_by(uint64_t cycles, const struct tr_clock *own, const struct tr_clock *to)
{
	if (!own->frequency || own->frequency == to->frequency)
		return cycles;
	return (uint64_t)((double)cycles / (double)own->frequency * (double)to->frequency);
}

static void merge_cpus(struct blob *blob, const struct ledger_part *part, const struct tr_clock *to)
{
	for (uint32_t i = 0; i < part->ledger->head.cpu_count; i++) {
		struct tr_cpu cpu = part->ledger->cpus[i];

		cpu.cpu += part->first_cpu;
		cpu.tick_cycles = cycles_by(cpu.tick_cycles, &part->ledger->head.clock, to);
		cpu.tick_max = cycles_by(cpu.tick_max, &part->ledger->head.clock, to);
		blob_add(blob, &cpu, sizeof(cpu));
	}
}

static void merge_events(struct blob *blob, const struct ledger_part *part)
{
	for (uint32_t i = 0; i < part->ledger->head.event_count; i++) {
		struct ledger_event event = part->ledger->events[i];
		char name[128]; /* cut at the end if it is too long */

		event.event.id = ledger_part_id(part, &part->ledger->events[i]);
		event.event.cpu += part->first_cpu;
		event.event.evsel += part->first_evsel;
		if (event.event.group)
			event.event.group += part->first_evsel;
		if (event.event.ring != TR_NONE)
			event.event.ring += part->first_ring;
		snprintf(name, sizeof(name), "%.60s:%.64s", part->name,
		         part->ledger->events[i].event.name);
		region_printable(event.event.name, sizeof(event.event.name), name, sizeof(name));
		blob_add(blob, &event, sizeof(event));
	}
}

/* Rings of two machines do not share a doorbell: next is the first vector that no earlier machine
 * uses. */
static void merge_rings(struct blob *blob, const struct ledger_part *part, uint32_t *next)
{
	uint32_t first = *next;

	for (uint32_t i = 0; i < part->ledger->head.ring_count; i++) {
		struct ledger_ring ring = part->ledger->rings[i];

		ring.ring.cpu += part->first_cpu;
		ring.ring.owner += part->first_event;
		ring.ring.vector += first;
		if (ring.ring.vector >= *next)
			*next = ring.ring.vector + 1;
		blob_add(blob, &ring, sizeof(ring));
	}
}

static void merge_before(struct blob *blob, const struct ledger *ledger)
{
	static const struct ledger_ring_before none;

	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		blob_add(blob, ledger->before ? &ledger->before[i] : &none, sizeof(none));
}

/* Whether the ledger's end state is reported instead of the earlier one. */
static bool is_worse(const struct ledger *ledger, const struct ledger_head *than, bool than_ended)
{
	if (ledger_ended(ledger) != than_ended)
		return than_ended;
	return ledger->head.state == TR_FAILED && than->state != TR_FAILED && than_ended;
}

static void merge_end(struct ledger_head *head, const struct ledger_part *part, bool *ended)
{
	const struct ledger_head *own = &part->ledger->head;

	if (is_worse(part->ledger, head, *ended)) {
		head->state = own->state;
		head->status = own->status;
		*ended = ledger_ended(part->ledger);
		snprintf(head->message, sizeof(head->message), "%s: %.900s", part->name,
		         *own->message ? own->message : "it does not say why");
	}
	head->interrupted |= own->interrupted;
	head->line_faults += own->line_faults;
	if (own->reader_found > head->reader_found)
		head->reader_found = own->reader_found;
}

static int merge_head(struct ledger_head *head, struct ledger_part *parts, uint32_t count,
                      struct error *error)
{
	bool ended = true, joined = false, elsewhere = false;

	*head = (struct ledger_head){
		.magic = LEDGER_MAGIC,
		.version = LEDGER_VERSION,
		.state = TR_COMPLETE,
		.clock = parts[0].ledger->head.clock,
	};
	for (uint32_t i = 0; i < count; i++) {
		merge_end(head, &parts[i], &ended);
		joined = joined || parts[i].ledger->before;
		elsewhere |= is_read_elsewhere(parts[i].ledger);
	}
	if (joined && elsewhere)
		return error_set(error, -EINVAL,
		                 "the reader of one joined a running recording, and another reader "
		                 "took records of another one: their ledgers cannot be merged");
	if (joined)
		head->version = LEDGER_VERSION_JOINED;
	return place_parts(parts, count, head, error);
}

int ledger_merge(struct ledger *to, struct ledger_part *parts, uint32_t count, struct error *error)
{
	struct ledger_head head;
	struct blob blob = { 0 };
	uint32_t vectors = 0;
	int code = merge_head(&head, parts, count, error);

	if (code)
		return code;
	blob_add(&blob, &head, sizeof(head));
	for (uint32_t i = 0; i < count; i++)
		merge_cpus(&blob, &parts[i], &head.clock);
	for (uint32_t i = 0; i < count; i++)
		merge_events(&blob, &parts[i]);
	for (uint32_t i = 0; i < count; i++)
		merge_rings(&blob, &parts[i], &vectors);
	for (uint32_t i = 0; i < count && head.version == LEDGER_VERSION_JOINED; i++)
		merge_before(&blob, parts[i].ledger);
	code = blob.failed ? error_set(error, -ENOMEM, "no memory for the ledger")
	                   : ledger_parse(to, blob.bytes, blob.size, error);
	blob_free(&blob);
	if (!code)
		ledger_recount(to);
	return code;
}
