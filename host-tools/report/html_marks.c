/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html_marks.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/perfdata/mark_text.h"
#include "host-tools/report/texts.h"

static uint32_t html_marks_name(struct html_marks *marks, const char *text)
{
	const char *kept = texts_keep(&marks->texts, strdup(text));

	return kept ? intern(&marks->names, (uintptr_t)kept, 0) : INTERN_NONE;
}

static int html_marks_put(struct series_set *series, const struct html_mark *mark, uint64_t length)
{
	const struct series_key key = { SERIES_MARKS, mark->event, mark->cpu };
	const struct series_sample sample = { mark->since, length, mark->name };

	return series_add(series, &key, &sample);
}

static int html_marks_open(struct html_marks *marks, const struct html_mark *mark)
{
	if (marks->open_count == marks->open_room) {
		uint32_t room = 2 * marks->open_room + 16;
		struct html_mark *grown = reallocarray(marks->open, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		marks->open = grown;
		marks->open_room = room;
	}
	marks->open[marks->open_count++] = *mark;
	return 0;
}

/* The innermost of that name on that CPU; an end without a beginning is a moment. */
static int html_marks_close(struct html_marks *marks, struct series_set *series,
                            const struct html_mark *mark)
{
	for (uint32_t i = marks->open_count; i; i--) {
		struct html_mark begun = marks->open[i - 1];

		if (begun.event != mark->event || begun.cpu != mark->cpu ||
		    begun.name != mark->name)
			continue;
		memmove(&marks->open[i - 1], &marks->open[i],
		        (marks->open_count - i) * sizeof(*marks->open));
		marks->open_count--;
		return html_marks_put(series, &begun,
		                      mark->since > begun.since ? mark->since - begun.since : 0);
	}
	return html_marks_put(series, mark, 0);
}

int html_marks_add(struct html_marks *marks, struct series_set *series, uint32_t event,
                   const struct sample *sample)
{
	struct html_mark mark = { event, sample->cpu, 0, sample->time };
	char text[MARK_TEXT_MAX];
	enum mark_kind kind;
	const char *name;

	if (!mark_text_get(sample, text, sizeof(text)))
		return 0;
	kind = mark_text_kind(text, &name);
	mark.name = html_marks_name(marks, name);
	if (mark.name == INTERN_NONE)
		return -ENOMEM;
	if (kind == MARK_BEGIN)
		return html_marks_open(marks, &mark);
	return kind == MARK_END ? html_marks_close(marks, series, &mark)
	                        : html_marks_put(series, &mark, 0);
}

int html_marks_end(struct html_marks *marks, struct series_set *series, uint64_t last)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < marks->open_count; i++) {
		const struct html_mark *mark = &marks->open[i];

		code = html_marks_put(series, mark, last > mark->since ? last - mark->since : 0);
	}
	marks->open_count = 0;
	return code;
}

void html_marks_free(struct html_marks *marks)
{
	intern_free(&marks->names);
	tdestroy(marks->texts, free);
	free(marks->open);
}
