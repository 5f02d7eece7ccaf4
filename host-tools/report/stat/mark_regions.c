/* SPDX-License-Identifier: MIT */
#include "host-tools/report/stat/mark_regions.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/texts.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"

static uint32_t mark_regions_number(struct mark_regions *regions, const char *text)
{
	const char *kept = texts_keep(&regions->texts, strdup(text));

	return kept ? intern(&regions->names, (uintptr_t)kept, 0) : INTERN_NONE;
}

const char *mark_regions_name(const struct mark_regions *regions, uint32_t name)
{
	return (const char *)(uintptr_t)regions->names.keys[name].a;
}

static int mark_regions_open(struct mark_regions *regions, const struct mark_region *region)
{
	if (!ARRAY_REACH(regions->open, regions->open_room, regions->open_count))
		return -ENOMEM;
	regions->open[regions->open_count++] = *region;
	return 0;
}

static int mark_regions_show(const struct mark_regions *regions, struct mark_region region,
                             uint64_t until)
{
	region.length = until > region.since ? until - region.since : 0;
	return regions->show(regions->context, &region);
}

/* End the innermost open region with the same name on the same CPU. An end without a begin is shown
 * as a single moment. */
static int mark_regions_close(struct mark_regions *regions, const struct mark_region *end)
{
	for (uint32_t i = regions->open_count; i; i--) {
		const struct mark_region begun = regions->open[i - 1];

		if (begun.event != end->event || begun.cpu != end->cpu || begun.name != end->name)
			continue;
		memmove(&regions->open[i - 1], &regions->open[i],
		        (regions->open_count - i) * sizeof(*regions->open));
		regions->open_count--;
		return mark_regions_show(regions, begun, end->since);
	}
	return mark_regions_show(regions, *end, 0);
}

int mark_regions_add(struct mark_regions *regions, uint32_t event, const struct sample *sample)
{
	struct mark_region region = { event, sample->cpu, 0, sample->time, 0 };
	char text[MARK_TEXT_MAX];
	enum mark_kind kind;
	const char *name;

	if (!mark_text_get(sample, text, sizeof(text)))
		return 0;
	kind = mark_text_kind(text, &name);
	if (kind == MARK_DEVICE) /* it has no time */
		return 0;
	region.name = mark_regions_number(regions, name);
	if (region.name == INTERN_NONE)
		return -ENOMEM;
	if (kind == MARK_BEGIN)
		return mark_regions_open(regions, &region);
	return kind == MARK_END ? mark_regions_close(regions, &region)
	                        : mark_regions_show(regions, region, 0);
}

int mark_regions_end(struct mark_regions *regions, uint64_t last)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < regions->open_count; i++)
		code = mark_regions_show(regions, regions->open[i], last);
	regions->open_count = 0;
	return code;
}

void mark_regions_free(struct mark_regions *regions)
{
	intern_free(&regions->names);
	tdestroy(regions->texts, free);
	free(regions->open);
}
