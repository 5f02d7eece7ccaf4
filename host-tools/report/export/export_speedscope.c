/* SPDX-License-Identifier: MIT */
/*
 * Writes a profile for each event and CPU, with its samples in order. Source: speedscope,
 * file-format-schema.json, "SampledProfile".
 */
#include <inttypes.h>

#include "host-tools/report/export/export_tracks.h"
#include "host-tools/report/html/html_json.h"

enum { LIST_SAMPLES, LIST_WEIGHTS };

static void put_sample(struct export_track *track, const struct export_sample *sample,
                       uint32_t place, const struct places *places)
{
	uint32_t stack[FRAMES_MAX];
	uint32_t depth = export_stack(places, places->places.keys[place].a, stack);
	FILE *out = track->lists[LIST_SAMPLES];

	for (uint32_t i = 0; i < depth; i++)
		fprintf(out, "%c%" PRIu32, i ? ',' : '[', stack[i]);
	putc(']', out);
	fprintf(track->lists[LIST_WEIGHTS], "%" PRIu64, sample->weight);
}

static int put_profile(struct export_tracks *tracks, struct export_track *track)
{
	FILE *out = tracks->export->out;
	bool *any = tracks->context;
	int code;

	fprintf(out, "%s{\"type\":\"sampled\",\"name\":", *any ? "," : "");
	*any = true;
	export_track_name(tracks, track, out);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
	        perf_reader_is_clock(tracks->event) ? "nanoseconds" : "none", track->weight);
	code = export_list(tracks, track, LIST_SAMPLES);
	fputs("],\"weights\":[", out);
	if (!code)
		code = export_list(tracks, track, LIST_WEIGHTS);
	fputs("]}", out);
	return code;
}

static void put_frames(const struct export *export)
{
	char text[256];

	fputs("],\"shared\":{\"frames\":[", export->out);
	for (uint32_t i = 0; i < export->places.functions.count; i++) {
		const char *file = places_file(&export->places, i);

		fprintf(export->out, "%s{\"name\":", i ? "," : "");
		html_json(export->out, html_text(export_function(export, i, text)));
		if (file) {
			fputs(",\"file\":", export->out);
			html_json(export->out, html_text(file));
		}
		putc('}', export->out);
	}
	fputs("]}}\n", export->out);
}

int export_speedscope(struct export *export, struct error *error)
{
	bool any = false; /* a profile was written */
	struct export_tracks tracks = {
		.export = export,
		.put = put_sample,
		.finish = put_profile,
		.context = &any,
	};
	int code;

	fputs(
	    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	    "\"exporter\":\"bareperf " BAREPERF_VERSION "\",\"name\":",
	    export->out);
	html_json(export->out, html_text(export->file->reader.path));
	fputs(",\"profiles\":[", export->out);
	code = export_tracks(&tracks, error);
	put_frames(export);
	return code;
}
