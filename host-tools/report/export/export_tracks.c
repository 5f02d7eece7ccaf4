/* SPDX-License-Identifier: MIT */
#include "host-tools/report/export/export_tracks.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/report/branches/call_times.h"
#include "host-tools/report/html/html_json.h"
#include "host-tools/util/array.h"

static struct export_track *find_track(struct export_tracks *tracks, uint32_t cpu)
{
	uint32_t seen = tracks->cpus.count, number = intern(&tracks->cpus, cpu, 0);

	if (number == INTERN_NONE)
		return NULL;
	if (number < seen)
		return &tracks->tracks[number];
	if (!ARRAY_ROOM(tracks->tracks, seen)) {
		tracks->cpus.count = seen;
		return NULL;
	}
	tracks->tracks[number] = (struct export_track){ .cpu = cpu };
	for (unsigned i = 0; i < EXPORT_LISTS; i++)
		tracks->tracks[number].lists[i] = tmpfile();
	return &tracks->tracks[number];
}

static int add_sample(void *context, const struct export_sample *sample)
{
	struct export_tracks *tracks = context;
	struct export_track *track;
	uint32_t place;

	if (sample->event != tracks->event)
		return 0;
	track = find_track(tracks, sample->sample.cpu);
	place = places_add(&tracks->export->places, &sample->sample);
	if (!track || place == INTERN_NONE)
		return -ENOMEM;
	for (unsigned i = 0; i < EXPORT_LISTS; i++) {
		if (!track->lists[i])
			return -ENOMEM;
		if (track->samples)
			putc(',', track->lists[i]);
	}
	tracks->put(track, sample, place, &tracks->export->places);
	track->samples++;
	track->weight += sample->weight;
	track->time = sample->sample.time;
	return 0;
}

void export_track_name(const struct export_tracks *tracks, const struct export_track *track,
                       FILE *out)
{
	char name[sizeof(tracks->event->name) + 32];

	snprintf(name, sizeof(name), "%s, CPU %u",
	         tracks->event ? tracks->event->name : "calls; " CALL_TIMES_NOTE,
	         (unsigned)track->cpu);
	html_json(out, html_text(name));
}

int export_list(const struct export_tracks *tracks, struct export_track *track, unsigned list)
{
	FILE *from = track->lists[list];
	char bytes[65536];
	size_t count;

	if (fflush(from)) /* before rewind(), which clears the error */
		return -EIO;
	rewind(from);
	while ((count = fread(bytes, 1, sizeof(bytes), from)))
		fwrite(bytes, 1, count, tracks->export->out);
	return ferror(from) ? -EIO : 0;
}

/* Write the tracks of one event, CPU by CPU. */
static int put_event(struct export_tracks *tracks, struct error *error)
{
	int code = export_walk(tracks->export, add_sample, tracks, error);

	for (uint32_t i = 0; i < tracks->cpus.count; i++) {
		struct export_track *track = &tracks->tracks[i];

		if (!code) {
			code = tracks->finish(tracks, track);
			if (code)
				error_set(error, code, "writing a temporary file failed");
		}
		for (unsigned list = 0; list < EXPORT_LISTS; list++) {
			if (track->lists[list])
				fclose(track->lists[list]);
		}
	}
	free(tracks->tracks);
	intern_free(&tracks->cpus);
	tracks->tracks = NULL;
	return code;
}

int export_tracks(struct export_tracks *tracks, struct error *error)
{
	const struct export *export = tracks->export;
	const struct perf_reader *reader = &export->file->reader;
	int code = 0;

	for (uint32_t i = 0; !code && i < reader->event_count; i++) {
		tracks->event = &reader->events[i];
		if (tracks->event->samples && (!export->only || export->only == tracks->event))
			code = put_event(tracks, error);
	}
	return code;
}
