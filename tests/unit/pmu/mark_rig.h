/* SPDX-License-Identifier: MIT */
/* A ring of one page, the event whose marks go into it, and a reader. */
#ifndef TESTS_UNIT_PMU_MARK_RIG_H
#define TESTS_UNIT_PMU_MARK_RIG_H

#include "pmu/mark.h"
#include "pmu/software/marks.h"
#include "ringbuf/reader/ring_reader.h"
#include "writer/perfdata/mark_text.h"

#define MARK_RIG_RING   TR_PAGE
#define MARK_RIG_RECORD 1024U /* bytes of the longest record */

struct mark_rig {
	struct ring *ring;
	struct perf_event event;
	struct perf_event_mmap_page control;
	_Alignas(8) uint8_t data[MARK_RIG_RING];
	uint64_t scratch[RING_LEVELS * MARK_RIG_RECORD / 8];
	struct ring_reader reader;
	uint64_t delivered, reported; /* marks that came; lost marks that the ring reported */
	uint64_t damaged;             /* marks that cannot be read, or belong to another event */
	bool broken;                  /* the ring is corrupt */
};

/* All zeros except the event's period, flags, CPU and id; the event counts afterwards. */
static inline void mark_rig_begin(struct mark_rig *rig, struct ring *ring)
{
	struct perf_event *event = &rig->event;

	rig->ring = ring;
	ring_init(ring, &(struct ring_config){ .control = &rig->control,
	                                       .data = rig->data,
	                                       .size = MARK_RIG_RING,
	                                       .max_record = MARK_RIG_RECORD,
	                                       .scratch = rig->scratch });
	ring_reader_init(&rig->reader, &rig->control, rig->data, MARK_RIG_RING, 0);
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	event->pmu = &pmu_marks;
	event->ring = ring;
	rig->broken = pmu_marks.event_init(event) || pmu_marks.add(event);
	event_set_state(event, EVENT_ACTIVE, 0);
	pmu_marks.start(event);
}

/* Pass the text of each new mark to the function. */
static inline void mark_rig_drain(struct mark_rig *rig,
                                  void (*show)(void *context, const char *text), void *context)
{
	const struct perf_event_header *record;
	char text[MARK_TEXT_MAX];
	struct sample sample;
	int code;

	ring_reader_refresh(&rig->reader);
	while ((code = ring_reader_next(&rig->reader, &record)) > 0) {
		struct perf_event_header *mark = (void *)rig->reader.scratch;

		if (record->type == PERF_RECORD_LOST) {
			rig->reported += ((const uint64_t *)(const void *)record)[2];
			continue;
		}
		mark_text_put(mark, &rig->event.attr);
		if (sample_parse(mark, &rig->event.attr, &sample) &&
		    mark_text_get(&sample, text, sizeof(text)) && sample.period == 1 &&
		    sample.id == rig->event.account.id && sample.cpu == rig->event.cpu)
			show(context, text);
		else
			rig->damaged++;
		rig->delivered++;
	}
	rig->broken |= code < 0;
	ring_reader_release(&rig->reader);
}

#endif
