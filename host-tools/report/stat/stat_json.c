/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/report/stat/stat.h"
#include "host-tools/report/summary_json.h"

static json_t *event_json(const struct ledger *ledger, uint32_t event)
{
	const struct tr_event *entry = &ledger->events[event].event;
	struct stat_count count = stat_sum(ledger, event, true);

	return json_pack(
	    "{so so so so? so so}", "event", summary_text(entry->name, sizeof(entry->name)), "cpu",
	    summary_number(entry->cpu), "count", summary_number(count.counted), "scaled",
	    count.running ? json_real(count.scaled) : NULL, "time_enabled",
	    summary_number(count.enabled), "time_running", summary_number(count.running));
}

static json_t *region_json(const struct ledger *ledger, const struct stat_region *region)
{
	json_t *counts = json_object();

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct tr_event *event = &ledger->events[i].event;
		char text[80];

		if (event->evsel >= STAT_REGION_EVENTS || !region->counted[event->evsel])
			continue;
		region_printable(text, sizeof(text), event->name, sizeof(event->name));
		json_object_set_new(counts, text, summary_number(region->counts[event->evsel]));
	}
	return json_pack("{so so so so so}", "region",
	                 summary_text(region->name, strlen(region->name)), "cpu",
	                 summary_number(region->cpu), "calls", summary_number(region->calls),
	                 "time", summary_number(region->time), "counts", counts);
}

static json_t *regions_json(const struct ledger *ledger, const struct stat_regions *regions)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < regions->count; i++)
		json_array_append_new(all, region_json(ledger, &regions->all[i]));
	return all;
}

int stat_print_json(const struct ledger *ledger, const struct stat_options *options, FILE *out,
                    struct error *error)
{
	const struct stat_regions *regions = options->regions;
	json_t *events = json_array();

	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		json_array_append_new(events, event_json(ledger, i));
	return summary_print(
	    json_pack("{so? so so* so* so sb}", "command", json_string(options->title), "events",
	              events, "regions", regions ? regions_json(ledger, regions) : NULL,
	              "unmatched_marks", regions ? summary_number(regions->unmatched) : NULL,
	              "elapsed", summary_number(stat_elapsed(ledger)), "conserved",
	              check_conserved(ledger, NULL, NULL)),
	    out, "the counts as JSON", error);
}
