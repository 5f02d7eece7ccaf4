/* SPDX-License-Identifier: MIT */
#include "agent/record/record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "agent/payload/payload.h"
#include "agent/record/lossless/record_lossless.h"
#include "agent/record/reader.h"
#include "agent/record/record_events.h"
#include "agent/record/record_regions.h"
#include "agent/record/record_run.h"
#include "agent/record/recording.h"
#include "agent/serial.h"
#include "lib/console/console.h"
#include "lib/print.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "pmu/throttle.h"
#include "workload/workload.h"

#define DEFAULT_PAGES 128U /* 512 KiB, perf's default */
/* bytes: a sample with a full callchain, a full branch stack and the counts of a full group */
#define MAX_RECORD    3072U

/* ---- Choosing the CPUs ---- */

static bool record_is_chosen(const struct command *command, unsigned cpu)
{
	bool any = false;

	if (command->all_cpus)
		return true;
	for (unsigned i = 0; i < TR_MAX_CPUS / 64; i++)
		any = any || command->cpus[i];
	return any ? command->cpus[cpu / 64] >> cpu % 64 & 1 : cpu == 0;
}

static int record_choose_cpus(struct recording *r)
{
	unsigned online = arch_cpu_count();

	for (unsigned cpu = 0; cpu < TR_MAX_CPUS; cpu++) {
		if (cpu >= online && !r->command->all_cpus && record_is_chosen(r->command, cpu))
			return recording_fail(r, -ENODEV, "no CPU %u: this machine has %u CPUs",
			                      cpu, online);
		r->nr_cpus += cpu < online && record_is_chosen(r->command, cpu);
	}
	r->cpus = calloc(r->nr_cpus, sizeof(*r->cpus));
	if (!r->cpus)
		return recording_fail(r, -ENOMEM, "no memory for %u CPUs", r->nr_cpus);
	for (unsigned cpu = 0, i = 0; cpu < online; cpu++) {
		if (record_is_chosen(r->command, cpu))
			r->cpus[i++] = (struct traced_cpu){ .recording = r, .cpu = cpu };
	}
	return 0;
}

/* ---- Opening ---- */

/* The reason why the event could not be opened: its PMU's reason, or the errno's meaning. */
static const char *record_reason(const struct perf_event *event, int code)
{
	const char *why = NULL;

	if (event->why)
		return event->why;
	if (event->pmu && event->pmu->probe(&why) && why)
		return why;
	return event_error_text(code);
}

static int record_open_event(struct traced_cpu *c, unsigned evsel)
{
	struct recording *r = c->recording;
	struct perf_event *event = &c->events[evsel];
	unsigned index = evsel * r->nr_cpus + c->index;
	struct tr_event *entry = &r->region->events[index];
	int code;

	event->attr = r->specs[evsel].attr;
	event->config3 = r->specs[evsel].config3;
	event->config4 = r->specs[evsel].config4;
	event->name = r->specs[evsel].name;
	event->cpu = c->cpu;
	event->evsel = evsel;
	event->ring = &c->ring;
	event->group_leader = &c->events[r->leaders[evsel]];
	event->nr_members = r->specs[evsel].members;
	event->account.id = index + 1;
	event->account.trailer_size = sample_id_size(event->attr.sample_type);
	event->account.trailer = sample_trailer;
	code = event_init(event);
	if (code)
		return recording_fail(r, code, "event %s: %s", event->name,
		                      record_reason(event, code));
	throttle_set(event, r->command->lossless ? 0 : r->command->max_sample_rate);
	entry->attr = event->attr;
	entry->config3 = event->config3;
	entry->config4 = event->config4;
	entry->id = event->account.id;
	entry->cpu = c->cpu;
	entry->evsel = evsel;
	entry->ring = c->index;
	entry->group = r->specs[r->leaders[evsel]].members > 1 ? r->leaders[evsel] + 1 : 0;
	trace_region_put_text(entry->name, sizeof(entry->name), event->name);
	return recording_fills_aux(&event->attr) ? recording_open_aux(c, event) : 0;
}

/* Give each ring a doorbell vector. If there are more rings than vectors, rings share them. */
static void record_open_doorbell(struct traced_cpu *c)
{
	struct recording *r = c->recording;
	struct channel *channel = r->channel;

	if (!channel->vectors)
		return;
	c->owner.notify = channel->ops->notify;
	c->owner.context = channel;
	c->owner.vector = c->index % channel->vectors;
	c->place.vector = c->owner.vector;
	r->region->doorbells[c->index].vector = c->owner.vector;
}

static int record_open_ring(struct traced_cpu *c)
{
	struct recording *r = c->recording;
	struct trace_region *region = r->region;
	struct tr_ring *place = &c->place;
	uint64_t needed;

	if (trace_region_add_ring(region, c->cpu, r->pages, r->aux_pages, place, &needed))
		return recording_fail(
		    r, -ENOSPC,
		    "the trace region has %lu KiB and needs %lu KiB: use a smaller -m, fewer "
		    "CPUs or more shared memory",
		    region->size >> 10, needed >> 10);
	c->owner = (struct ring_owner){
		.id = c->index + 1, /* the first event of this CPU */
		.doorbell = &region->doorbells[c->index],
		.wakeup_events = r->command->wakeup_events,
		.wakeup_watermark = r->command->wakeup_watermark,
	};
	record_open_doorbell(c);
	if (r->channel->lines)
		lines_add_ring(r->channel->lines, place->control);
	place->owner = c->index;
	place->flags = r->command->overwrite ? TR_RING_BACKWARD : 0;
	place->wakeup_events = c->owner.wakeup_events;
	place->wakeup_watermark = c->owner.wakeup_watermark;
	c->scratch = malloc(RING_LEVELS * MAX_RECORD);
	if (!c->scratch)
		return recording_fail(r, -ENOMEM, "no memory for the ring of CPU %u", c->cpu);
	return ring_init(&c->ring, &(struct ring_config){
	                               .control = trace_region_at(region, place->control),
	                               .data = trace_region_at(region, place->data_offset),
	                               .size = place->data_size,
	                               .flags = place->flags,
	                               .max_record = MAX_RECORD,
	                               .scratch = c->scratch,
	                               .owner = &c->owner,
	                               .clock = &machine_clock,
	                           });
}

/* Prepare ring_keep(): it cleans the ring from the caches to memory, so that it survives a reset.
 */
static void record_open_keep(struct traced_cpu *c)
{
	struct recording *r = c->recording;

	c->keep = (struct ring_keep){
		.ring = &c->ring,
		.aux = c->aux_event ? &c->aux : NULL,
		.area = trace_region_at(r->region, c->place.aux_offset),
		.ledger = &r->region->ring_ledger[c->index],
		.events = &r->region->event_ledger[c->index],
		.nr_events = r->nr_events,
		.stride = r->nr_cpus * sizeof(struct tr_event_ledger),
	};
}

/* Memory for records of precise samples. */
static int record_open_memory(struct traced_cpu *c)
{
	struct recording *r = c->recording;
	uint64_t size = 0;

	for (unsigned i = 0; i < r->nr_events; i++) {
		const struct perf_event *event = &c->events[i];
		uint64_t wanted = event->pmu->memory ? event->pmu->memory(event) : 0;

		size = wanted > size ? wanted : size;
	}
	if (!size)
		return 0;
	c->memory = malloc(size);
	if (!c->memory)
		return recording_fail(r, -ENOMEM, "no memory for precise samples of CPU %u",
		                      c->cpu);
	for (unsigned i = 0; i < r->nr_events; i++) {
		if (c->events[i].pmu->memory && c->events[i].pmu->memory(&c->events[i]))
			c->events[i].memory = c->memory;
	}
	return 0;
}

static int record_open_cpu(struct traced_cpu *c)
{
	struct recording *r = c->recording;
	int code = record_open_ring(c);

	c->events = calloc(r->nr_events, sizeof(*c->events));
	if (!code && !c->events)
		return recording_fail(r, -ENOMEM, "no memory for the events of CPU %u", c->cpu);
	for (unsigned i = 0; i < r->nr_events && !code; i++)
		code = record_open_event(c, i);
	if (!code)
		code = record_open_memory(c);
	if (!code)
		code = lossless_open(c);
	if (!code && regions_open(c))
		return recording_fail(r, -ENOMEM, "no memory for the regions of CPU %u", c->cpu);
	record_open_keep(c);
	r->region->rings[c->index] = c->place;
	return code;
}

static bool record_fits(const struct recording *r, uint64_t pages, uint64_t aux_pages)
{
	uint64_t room = (r->region->size - r->region->tables_end) / TR_PAGE;

	return pages <= TR_RING_SIZE_MAX / TR_PAGE && aux_pages <= TR_RING_SIZE_MAX / TR_PAGE &&
	       r->nr_cpus * (1 + pages + aux_pages) <= room;
}

/* Without a reader the whole recording must stay in the region. Then the rings, or the AUX areas if
 * there are any, get the largest power of two that fits. */
static void record_choose_sizes(struct recording *r)
{
	r->pages = r->command->pages ? r->command->pages : DEFAULT_PAGES;
	if (reader_is_announced(r->region))
		return;
	if (r->aux_pages && !r->command->aux_pages) {
		for (r->aux_pages = 1; record_fits(r, r->pages, 2 * r->aux_pages);)
			r->aux_pages *= 2;
	} else if (!r->command->pages) {
		for (r->pages = 1; record_fits(r, 2 * r->pages, r->aux_pages);)
			r->pages *= 2;
	}
}

static int record_open_all(struct recording *r, const char *text)
{
	int code = record_choose_cpus(r);

	if (!code)
		code = recording_choose_events(r);
	if (code)
		return code;
	record_choose_sizes(r);
	if (r->channel->lines)
		lines_forget_rings(r->channel->lines);
	reader_forget_rings();
	if (trace_region_start_run(r->region, text, r->nr_events * r->nr_cpus, r->nr_cpus))
		return recording_fail(r, -ENOSPC, "too many events: %u on %u CPUs", r->nr_events,
		                      r->nr_cpus);
	for (unsigned i = 0; i < r->nr_cpus && !code; i++) {
		r->cpus[i].index = i;
		code = record_open_cpu(&r->cpus[i]);
	}
	return code;
}

/* Note the rings and AUX areas that a reader must read to the end: those that are not overwritten.
 */
static void record_note_rings(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		const struct traced_cpu *c = &r->cpus[i];
		bool is_read = c->aux_event && c->place.aux_watermark;

		if (!(c->place.flags & TR_RING_BACKWARD))
			reader_note_ring(trace_region_at(r->region, c->place.control),
			                 c->ring.published, is_read ? c->aux.head : 0);
	}
}

static void record_close_all(struct recording *r)
{
	for (unsigned i = 0; r->cpus && i < r->nr_cpus; i++) {
		regions_close(&r->cpus[i]);
		free(r->cpus[i].events);
		free(r->cpus[i].scratch);
		free(r->cpus[i].memory);
	}
	free(r->cpus);
}

static struct recording recorded; /* the current recording, or the last one */

/* Free the run's memory. After a good run (code 0) note its rings first: they stay in the region
 * until the reader has read them. */
static int record_end(int code)
{
	if (!code)
		record_note_rings(&recorded);
	record_close_all(&recorded);
	return code;
}

int record_run(const struct command *command, const char *text, struct trace_region *region,
               struct channel *channel)
{
	const struct workload *workload = workload_of(command->workload);
	const char *missing = workload->missing ? workload->missing() : NULL;
	int code;

	recorded = (struct recording){
		.command = command,
		.region = region,
		.channel = channel,
		.hosted = payload_runs_on_firmware(command),
		.off = command->disabled,
	};
	if (missing)
		return recording_fail(&recorded, -ENOEXEC, "%s: %s", command->workload->name,
		                      missing);
	code = record_open_all(&recorded, text);
	if (!code)
		code = recording_run(&recorded);
	return !code && command->boot ? 0 : record_end(code);
}

static int record_check_event(const struct event_spec *spec)
{
	struct perf_event event = { .attr = spec->attr,
		                    .config3 = spec->config3,
		                    .config4 = spec->config4,
		                    .name = spec->name };
	int code = event_init(&event);

	return code ? recording_fail(&recorded, code, "event %s: %s", event.name,
	                             record_reason(&event, code))
	            : 0;
}

int record_check(const struct command *command, struct trace_region *region,
                 struct channel *channel, uint64_t *seconds)
{
	uint64_t rate;
	int code;

	*seconds = 0;
	recorded = (struct recording){ .command = command,
		                       .region = region,
		                       .channel = channel,
		                       .nr_cpus = 1,
		                       .hosted = true };
	code = recording_choose_events(&recorded);
	for (unsigned i = 0; i < recorded.nr_events && !code; i++)
		code = record_check_event(&recorded.specs[i]);
	if (code)
		return code;
	record_choose_sizes(&recorded);
	if (!record_fits(&recorded, recorded.pages, recorded.aux_pages))
		return recording_fail(&recorded, -ENOSPC,
		                      "the trace region has %lu KiB: use a smaller -m",
		                      region->size >> 10);
	rate = recording_bytes_a_second(&recorded);
	*seconds = rate ? recorded.pages * TR_PAGE / rate : 0;
	return 0;
}

int record_end_boot(const char *why)
{
	return record_end(recording_end_boot(&recorded, why));
}
