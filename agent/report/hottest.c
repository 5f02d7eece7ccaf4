/* SPDX-License-Identifier: MIT */
#include "agent/report/hottest.h"

#include <errno.h>
#include <stdlib.h>

#include "writer/perfdata/sample.h"

/* A walk through all rings, by which the samples of one event are added up by function. */
struct weighing {
	const struct region *region;
	const struct ledger *ledger;
	struct functions *functions;
	struct ring_reader *reader;
	uint32_t evsel; /* whose samples are weighed */
};

static void hottest_take(const struct weighing *w, const struct perf_event_header *record)
{
	const struct ledger_event *event;
	struct sample sample;
	uint64_t id;

	if (record->type != PERF_RECORD_SAMPLE || !sample_id(record, &id))
		return;
	event = ledger_find(w->ledger, id);
	if (event && event->event.evsel == w->evsel &&
	    sample_parse(record, event->event.attr.sample_type, event->event.attr.read_format,
	                 &sample))
		functions_weigh(w->functions, sample.ip, sample.period);
}

static void hottest_ring(const struct weighing *w, uint32_t ring)
{
	const struct perf_event_header *record;

	if (region_read_ring(w->region, ring, w->reader) != 0)
		return;
	w->reader->still = true;
	while (ring_reader_next(w->reader, &record) > 0)
		hottest_take(w, record);
}

/* The ledger has an entry for each event on each CPU, those of one event (evsel) side by side: each
 * event is tried once, until one has samples. */
const struct ledger_event *hottest_weigh(const struct region *region, const struct ledger *ledger,
                                         struct functions *functions, int *error)
{
	struct weighing w = { region, ledger, functions, malloc(sizeof(*w.reader)), TR_NONE };
	const struct ledger_event *found = NULL;

	*error = w.reader ? 0 : -ENOMEM;
	for (uint32_t i = 0; w.reader && !found && i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		if (event->event.evsel == w.evsel)
			continue;
		w.evsel = event->event.evsel;
		functions_forget(functions);
		for (uint32_t ring = 0; ring < ledger->head.ring_count; ring++)
			hottest_ring(&w, ring);
		found = functions->samples ? event : NULL;
	}
	free(w.reader);
	return found;
}
