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
	struct modules *modules;
	struct ring_reader *reader;
	struct hottest_count *counts;
	uint32_t evsel; /* the event whose samples are weighed */
};

/* Count a record for its event. LOST records belong to no event's ledger. */
static void hottest_count(const struct weighing *w, const struct ledger_event *event,
                          const struct perf_event_header *record)
{
	struct hottest_count *count = &w->counts[event - w->ledger->events];

	count->samples += record->type == PERF_RECORD_SAMPLE;
	count->records += record->type != PERF_RECORD_LOST;
}

static void hottest_take(const struct weighing *w, const struct perf_event_header *record)
{
	const struct ledger_event *event;
	struct sample sample;
	uint64_t id;

	event = sample_id(record, &id) ? ledger_find(w->ledger, id) : NULL;
	if (!event)
		return;
	hottest_count(w, event, record);
	modules_map_by(w->modules, record);
	if (record->type != PERF_RECORD_SAMPLE || event->event.evsel != w->evsel ||
	    !sample_parse(record, &event->event.attr, &sample))
		return;
	if (!functions_weigh(w->functions, sample.ip, sample.period))
		modules_weigh(w->modules, sample.ip, sample.period);
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

/* Walk through all rings from the beginning, for the samples of another event. */
static void hottest_walk(struct weighing *w, uint32_t evsel)
{
	const struct region *region = w->region;

	w->evsel = evsel;
	functions_forget(w->functions);
	modules_free(w->modules);
	for (uint32_t i = 0; i < region->header.images.count; i++)
		modules_map(w->modules, region->images[i].address, region->images[i].size,
		            region->images[i].name, sizeof(region->images[i].name));
	for (uint32_t i = 0; i < w->ledger->head.event_count; i++)
		w->counts[i] = (struct hottest_count){ 0, 0 };
	for (uint32_t ring = 0; ring < w->ledger->head.ring_count; ring++)
		hottest_ring(w, ring);
}

/* The ledger has an entry for each event on each CPU; entries of one event (evsel) are adjacent.
 * Try each event once, until one has samples. */
int hottest_weigh(struct hottest *hottest, const struct region *region, const struct ledger *ledger,
                  struct functions *functions, struct modules *modules)
{
	struct weighing w = { .region = region,
		              .ledger = ledger,
		              .functions = functions,
		              .modules = modules,
		              .reader = malloc(sizeof(*w.reader)),
		              .counts = calloc(ledger->head.event_count + 1, sizeof(*w.counts)),
		              .evsel = TR_NONE };
	bool ready = w.reader && w.counts;

	*hottest = (struct hottest){ NULL, w.counts };
	for (uint32_t i = 0; ready && !hottest->weighed && i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		if (event->event.evsel == w.evsel)
			continue;
		hottest_walk(&w, event->event.evsel);
		hottest->weighed = functions->samples ? event : NULL;
	}
	free(w.reader);
	return ready ? 0 : -ENOMEM;
}

void hottest_free(struct hottest *hottest)
{
	free(hottest->counts);
	hottest->counts = NULL;
}
