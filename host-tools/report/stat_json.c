/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>

#include "host-tools/ledger/check.h"
#include "host-tools/report/stat.h"

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *event_json(const struct ledger *ledger, uint32_t event)
{
	const struct tr_event *entry = &ledger->events[event].event;
	struct stat_count count = stat_sum(ledger, event, true);
	json_t *json = json_object(), *name;
	char text[80];

	region_printable(text, sizeof(text), entry->name, sizeof(entry->name));
	name = json_string(text);
	json_object_set_new(json, "event", name ? name : json_string("?"));
	json_object_set_new(json, "cpu", number(entry->cpu));
	json_object_set_new(json, "count", number(count.counted));
	json_object_set_new(json, "scaled", count.running ? json_real(count.scaled) : json_null());
	json_object_set_new(json, "time_enabled", number(count.enabled));
	json_object_set_new(json, "time_running", number(count.running));
	return json;
}

static json_t *region_json(const struct ledger *ledger, const struct stat_region *region)
{
	json_t *json = json_object(), *name = json_string(region->name), *counts = json_object();

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct tr_event *event = &ledger->events[i].event;
		char text[80];

		if (event->evsel >= STAT_REGION_EVENTS || !region->counted[event->evsel])
			continue;
		region_printable(text, sizeof(text), event->name, sizeof(event->name));
		json_object_set_new(counts, text, number(region->counts[event->evsel]));
	}
	json_object_set_new(json, "region", name ? name : json_string("?"));
	json_object_set_new(json, "cpu", number(region->cpu));
	json_object_set_new(json, "calls", number(region->calls));
	json_object_set_new(json, "time", number(region->time));
	json_object_set_new(json, "counts", counts);
	return json;
}

static void put_regions(json_t *json, const struct ledger *ledger,
                        const struct stat_regions *regions)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < regions->count; i++)
		json_array_append_new(all, region_json(ledger, &regions->all[i]));
	json_object_set_new(json, "regions", all);
	json_object_set_new(json, "unmatched_marks", number(regions->unmatched));
}

int stat_print_json(const struct ledger *ledger, const struct stat_options *options, FILE *out,
                    struct error *error)
{
	json_t *json = json_object(), *events = json_array(), *title = json_string(options->title);
	int code = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		json_array_append_new(events, event_json(ledger, i));
	json_object_set_new(json, "command", title ? title : json_null());
	json_object_set_new(json, "events", events);
	if (options->regions)
		put_regions(json, ledger, options->regions);
	json_object_set_new(json, "elapsed", number(stat_elapsed(ledger)));
	json_object_set_new(json, "conserved", json_boolean(check_conserved(ledger, NULL, NULL)));
	if (json_dumpf(json, out, JSON_INDENT(2)) || fputc('\n', out) == EOF || fflush(out))
		code = error_set(error, -EIO, "writing the counts as JSON failed");
	json_decref(json);
	return code;
}
