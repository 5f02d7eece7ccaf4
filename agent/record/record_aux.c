/* SPDX-License-Identifier: MIT */
/* The AUX areas of a recording: one for each CPU. Only one event can fill it. */
#include <errno.h>

#include "agent/record/record_events.h"
#include "agent/record/recording.h"
#include "pmu/pmu.h"

#define DEFAULT_PAGES 1024U /* 4 MiB, perf's default */

bool recording_fills_aux(const struct perf_event_attr *attr)
{
	const struct pmu_source *source = pmu_of_type(attr->type);

	return source && source->flags & PMU_AUX;
}

int recording_choose_aux(struct recording *r)
{
	const struct command *command = r->command;
	const struct event_spec *filler = NULL;

	for (unsigned i = 0; i < r->nr_events; i++) {
		if (recording_fills_aux(&r->specs[i].attr))
			filler = &r->specs[i]; /* the command's parser allows only one */
	}
	if (filler && command->snapshot && !pmu_of(pmu_of_type(filler->attr.type))->snapshot)
		return recording_fail(r, -EOPNOTSUPP, "event %s has no snapshot mode",
		                      filler->name);
	if (filler && r->hosted && pmu_of_type(filler->attr.type)->flags & PMU_EVERY)
		return recording_fail(
		    r, -EOPNOTSUPP,
		    "event %s: firmware is sampled, not traced branch by branch; use "
		    "cpu-clock, a counter's event or arm_spe",
		    filler->name);
	r->aux_pages = !filler ? 0 : command->aux_pages ? command->aux_pages : DEFAULT_PAGES;
	return 0;
}

int recording_open_aux(struct traced_cpu *c, struct perf_event *event)
{
	struct recording *r = c->recording;
	struct tr_ring *place = &c->place;
	void *area = trace_region_at(r->region, place->aux_offset);
	int code;

	code = ring_aux_init(&c->aux, &c->ring, &event->account,
	                     &(struct ring_aux_config){
	                         .area = area,
	                         .size = place->aux_size,
	                         .watermark = r->command->aux_watermark,
	                         .overwrite = r->command->snapshot,
	                     });
	event->aux = &c->aux;
	if (!code && event->pmu->setup_aux)
		code = event->pmu->setup_aux(event, area, place->aux_size);
	if (code)
		return recording_fail(r, code, "event %s: an AUX area of %lu KiB: %s", event->name,
		                      place->aux_size >> 10, event_error_text(code));
	place->aux_watermark = c->aux.watermark;
	r->region->doorbells[c->index].snapshot = 0;
	c->aux_event = event;
	return 0;
}

/* It wakes the reader, which waits for the snapshot. The hardware's own writes wake nobody. */
void recording_snapshot(struct traced_cpu *c)
{
	const struct tr_doorbell *doorbell = &c->recording->region->doorbells[c->index];
	uint32_t asked;

	if (!c->aux_event || !c->aux.overwrite)
		return;
	asked = __atomic_load_n(&doorbell->snapshot, __ATOMIC_RELAXED);
	if (asked == c->snapshots)
		return;
	c->snapshots = asked;
	c->aux_event->pmu->snapshot(c->aux_event);
	ring_wake(&c->ring, TR_WAKEUP_AUX);
}
