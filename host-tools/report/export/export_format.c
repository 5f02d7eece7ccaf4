/* SPDX-License-Identifier: MIT */
#include "host-tools/report/export/export_format.h"

#include <errno.h>

#include "host-tools/util/array.h"
#include "host-tools/util/put_text.h"

struct walk {
	struct export *export;
	int (*visit)(void *context, const struct export_sample *sample);
	void *context;
};

static int visit_record(void *context, struct perf_reader *reader,
                        const struct perf_event_header *record)
{
	const struct walk *walk = context;
	struct export *export = walk->export;
	struct export_sample sample = { .event = perf_reader_event_of(reader, record) };
	const struct perf_event_attr *attr = sample.event ? &sample.event->attr : NULL;

	if (record->type != PERF_RECORD_SAMPLE)
		return tasks_add(&export->tasks, record);
	if (!attr || (export->only && export->only != sample.event) ||
	    !sample_parse(record, attr, &sample.sample))
		return 0;
	sample.command = tasks_command(&export->tasks, sample.sample.tid);
	sample.weight = attr->sample_type & PERF_SAMPLE_PERIOD ? sample.sample.period
	                                                       : attr->sample_period;
	return sample.command ? walk->visit(walk->context, &sample) : -ENOMEM;
}

int export_walk(struct export *export,
                int (*visit)(void *context, const struct export_sample *sample), void *context,
                struct error *error)
{
	struct walk walk = { export, visit, context };

	tasks_free(&export->tasks); /* read again, for the commands at each time */
	return recording_file_walk(export->file, visit_record, &walk, error);
}

uint32_t export_event(const struct export *export, const struct perf_reader_event *event)
{
	return (uint32_t)(event - export->file->reader.events);
}

const char *export_function(const struct export *export, uint32_t function, char text[256])
{
	const char *name = places_function(&export->places, function);
	const char *file = places_file(&export->places, function);

	if (name)
		return name;
	snprintf(text, 256, "[%s]", file ? file : "unknown");
	return text;
}

uint32_t export_stack(const struct places *places, uint64_t node, uint32_t stack[FRAMES_MAX])
{
	const struct intern_key *nodes = places->nodes.keys;
	uint32_t depth = 0, at;

	for (uint64_t up = node + 1; up && depth < FRAMES_MAX; up = nodes[up - 1].a)
		depth++;
	at = depth;
	for (uint64_t up = node + 1; at; up = nodes[up - 1].a)
		stack[--at] = (uint32_t)nodes[up - 1].b;
	return depth;
}

struct summing {
	struct export *export;
	struct export_sums *sums;
};

static int sum_sample(void *context, const struct export_sample *sample)
{
	const struct summing *summing = context;
	struct export_sums *sums = summing->sums;
	uint32_t place = places_add(&summing->export->places, &sample->sample);
	struct export_sum *sum;

	if (place == INTERN_NONE ||
	    !array_room_at(&sums->sums, &sums->places, place, sums->events * sizeof(*sum)))
		return -ENOMEM;
	sum = &sums->sums[(size_t)place * sums->events +
	                  export_event(summing->export, sample->event)];
	sum->samples++;
	sum->weight += sample->weight;
	return 0;
}

int export_sum_up(struct export *export, struct export_sums *sums, struct error *error)
{
	struct summing summing = { export, sums };

	sums->events = export->file->reader.event_count;
	return export_walk(export, sum_sample, &summing, error);
}

void export_put_line(FILE *out, const char *text)
{
	put_text(out, text, SIZE_MAX, '?', "");
	putc('\n', out);
}
