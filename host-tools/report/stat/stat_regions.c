/* SPDX-License-Identifier: MIT */
#include "host-tools/report/stat/stat_regions.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/array.h"
#include "ringbuf/reader/ring_reader.h"
#include "writer/perfdata/mark_text.h"

#define REGION    "region "
#define UNMATCHED "unmatched "
#define TEXT_MAX  1024U

/* Parse a number that must end with the character end. */
static bool stat_regions_number(const char **at, char end, uint64_t *value)
{
	char *behind;

	if (!isdigit((unsigned char)**at))
		return false;
	*value = strtoull(*at, &behind, 10);
	*at = behind;
	if (*behind != end)
		return false;
	*at += 1;
	return true;
}

static bool stat_regions_counts(struct stat_region *region, const char **at)
{
	for (unsigned i = 0; i < STAT_REGION_EVENTS; i++) {
		const char *end = *at + strcspn(*at, ", ");
		char ends = *end;

		region->counted[i] = **at != '-';
		if (region->counted[i] && !stat_regions_number(at, ends, &region->counts[i]))
			return false;
		*at = end + (ends != 0);
		if (ends != ',')
			return ends == ' ';
	}
	return false;
}

bool stat_regions_parse(struct stat_region *region, const char *text)
{
	*region = (struct stat_region){ .cpu = 0 };
	if (strncmp(text, REGION, strlen(REGION)) != 0)
		return false;
	text += strlen(REGION);
	if (!stat_regions_number(&text, ' ', &region->calls) ||
	    !stat_regions_number(&text, ' ', &region->time) || !stat_regions_counts(region, &text))
		return false;
	snprintf(region->name, sizeof(region->name), "%s", text);
	return true;
}

static int stat_regions_add(struct stat_regions *regions, const char *text, uint32_t cpu)
{
	struct stat_region one;
	uint64_t unmatched;

	if (!strncmp(text, UNMATCHED, strlen(UNMATCHED))) {
		text += strlen(UNMATCHED);
		regions->unmatched += stat_regions_number(&text, 0, &unmatched) ? unmatched : 0;
		return 0;
	}
	if (!stat_regions_parse(&one, text))
		return 0;
	if (!ARRAY_ROOM(regions->all, regions->count))
		return -ENOMEM;
	one.cpu = cpu;
	regions->all[regions->count++] = one;
	return 0;
}

static int stat_regions_record(struct stat_regions *regions, const struct ledger *ledger,
                               const struct perf_event_header *record)
{
	const struct ledger_event *event;
	struct sample sample;
	char text[TEXT_MAX];
	uint64_t id;

	if (record->type != PERF_RECORD_SAMPLE || !sample_id(record, &id))
		return 0;
	event = ledger_find(ledger, id);
	if (!event || !mark_text_is(&event->event.attr) || event->event.attr.sample_period ||
	    !sample_parse(record, &event->event.attr, &sample) ||
	    !mark_text_get(&sample, text, sizeof(text)))
		return 0;
	return stat_regions_add(regions, text, sample.cpu);
}

int stat_regions_read(struct stat_regions *regions, const struct region *region,
                      const struct ledger *ledger, struct error *error)
{
	*regions = (struct stat_regions){ .count = 0 };
	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		const struct perf_event_header *record;
		struct ring_reader reader;
		int code = region_read_ring(region, i, &reader);

		if (code || reader.backward || ring_reader_refresh(&reader) < 0 ||
		    reader.head > reader.size)
			continue;
		/* Start at the first record again: the ledger's reader already read the records. */
		reader.position = 0;
		while (ring_reader_next(&reader, &record) > 0) {
			if (stat_regions_record(regions, ledger, record))
				return error_set(error, -ENOMEM, "no memory for the regions");
		}
	}
	return 0;
}

static void stat_regions_merge(struct stat_region *to, const struct stat_region *from)
{
	to->calls += from->calls;
	to->time += from->time;
	for (unsigned i = 0; i < STAT_REGION_EVENTS; i++) {
		to->counts[i] += from->counts[i];
		to->counted[i] = to->counted[i] || from->counted[i];
	}
}

void stat_regions_sum(struct stat_regions *regions)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < regions->count; i++) {
		uint32_t j = 0;

		while (j < kept && strcmp(regions->all[j].name, regions->all[i].name) != 0)
			j++;
		if (j < kept)
			stat_regions_merge(&regions->all[j], &regions->all[i]);
		else
			regions->all[kept++] = regions->all[i];
	}
	regions->count = kept;
}

void stat_regions_free(struct stat_regions *regions)
{
	free(regions->all);
	*regions = (struct stat_regions){ .count = 0 };
}
