/* SPDX-License-Identifier: MIT */
/*
 * Writes a thread for each event and CPU. Source: Firefox Profiler, "Processed profile format" and
 * "Format changelog", version 54. Each thread has its own tables. Each function is one frame of the
 * format.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host-tools/report/export/export_tracks.h"
#include "host-tools/report/html/html_json.h"
#include "writer/perfdata/perf_file.h"

#define NS_PER_MS 1000000U

enum { LIST_STACKS, LIST_DELTAS, LIST_WEIGHTS };

struct firefox {
	bool any;            /* a thread was written */
	struct intern files; /* a: const char * */
};

/* Write nanoseconds as milliseconds. */
static void put_ms(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
}

/* Write a sample. A sample that interrupted the writing of another sample gets that sample's time,
 * since time must not go backwards. */
static void put_sample(struct export_track *track, const struct export_sample *sample,
                       uint32_t place, const struct places *places)
{
	uint64_t time = sample->sample.time;

	fprintf(track->lists[LIST_STACKS], "%" PRIu64, places->places.keys[place].a);
	put_ms(track->lists[LIST_DELTAS], time > track->time ? time - track->time : 0);
	if (perf_reader_is_clock(sample->event))
		put_ms(track->lists[LIST_WEIGHTS], sample->weight);
	else
		fprintf(track->lists[LIST_WEIGHTS], "%" PRIu64, sample->weight);
}

static void put_stack(struct export_track *track, uint32_t node, uint64_t time, uint64_t length)
{
	fprintf(track->lists[LIST_STACKS], "%" PRIu32, node);
	put_ms(track->lists[LIST_DELTAS], time - track->time);
	put_ms(track->lists[LIST_WEIGHTS], length);
}

/* Write a column of a table: the same value count times. */
static void put_same(FILE *out, const char *name, const char *value, uint32_t count)
{
	fprintf(out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	putc(']', out);
}

/* Write a column with the numbers first, first + 1, ... */
static void put_numbers(FILE *out, const char *name, uint32_t first, uint32_t count)
{
	fprintf(out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", first + i);
	putc(']', out);
}

static void put_frames(FILE *out, uint32_t functions)
{
	static const char *const nothing[] = { "nativeSymbol", "innerWindowID", "line", "column" };

	fprintf(out, ",\"frameTable\":{\"length\":%" PRIu32, functions);
	put_same(out, "address", "-1", functions);
	put_same(out, "inlineDepth", "0", functions);
	put_same(out, "category", "0", functions);
	put_same(out, "subcategory", "0", functions);
	put_numbers(out, "func", 0, functions);
	for (unsigned i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
		put_same(out, nothing[i], "null", functions);
	putc('}', out);
}

/* Get the number of a function's file; -1: unknown. */
static int64_t file_of(struct firefox *firefox, const struct export *export, uint32_t function)
{
	const char *file = places_file(&export->places, function);

	return file ? (int64_t)intern(&firefox->files, (uintptr_t)file, 0) : -1;
}

/* Write the tables of functions and files. In the table of strings, the functions' names come
 * first, the files' names after them. Resource type 1 is a library. */
static int put_functions(struct firefox *firefox, const struct export *export)
{
	uint32_t count = export->places.functions.count, files;
	FILE *out = export->out;

	fprintf(out, ",\"funcTable\":{\"length\":%" PRIu32, count);
	put_numbers(out, "name", 0, count);
	put_same(out, "isJS", "false", count);
	put_same(out, "relevantForJS", "false", count);
	fputs(",\"resource\":[", out);
	for (uint32_t i = 0; i < count; i++) {
		int64_t file = file_of(firefox, export, i);

		if (file == INTERN_NONE)
			return -ENOMEM;
		fprintf(out, "%s%" PRId64, i ? "," : "", file);
	}
	putc(']', out);
	files = firefox->files.count;
	put_same(out, "fileName", "null", count);
	put_same(out, "lineNumber", "null", count);
	put_same(out, "columnNumber", "null", count);
	fprintf(out, "},\"resourceTable\":{\"length\":%" PRIu32, files);
	put_same(out, "lib", "null", files);
	put_numbers(out, "name", count, files);
	put_same(out, "host", "null", files);
	put_same(out, "type", "1", files);
	putc('}', out);
	return 0;
}

static void put_strings(const struct firefox *firefox, const struct export *export)
{
	uint32_t count = export->places.functions.count;
	FILE *out = export->out;
	char text[256];

	fputs(",\"stringArray\":[", out);
	for (uint32_t i = 0; i < count + firefox->files.count; i++) {
		if (i)
			putc(',', out);
		html_json(
		    out,
		    html_text(i < count
		                  ? export_function(export, i, text)
		                  : (const char *)(uintptr_t)firefox->files.keys[i - count].a));
	}
	putc(']', out);
}

static void put_stacks(FILE *out, const struct intern *nodes)
{
	fprintf(out, ",\"stackTable\":{\"length\":%" PRIu32 ",\"prefix\":[", nodes->count);
	for (uint32_t i = 0; i < nodes->count; i++) {
		if (i)
			putc(',', out);
		if (nodes->keys[i].a)
			fprintf(out, "%" PRIu64, nodes->keys[i].a - 1);
		else
			fputs("null", out);
	}
	fputs("],\"frame\":[", out);
	for (uint32_t i = 0; i < nodes->count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", nodes->keys[i].b);
	fputs("]}", out);
}

static int put_samples(struct export_tracks *tracks, struct export_track *track)
{
	static const char *const names[] = { "stack", "timeDeltas", "weight" };
	FILE *out = tracks->export->out;
	int code = 0;

	fprintf(out, ",\"samples\":{\"length\":%" PRIu64 ",\"weightType\":\"%s\"", track->samples,
	        !tracks->event || perf_reader_is_clock(tracks->event) ? "tracing-ms" : "samples");
	for (unsigned i = 0; !code && i < EXPORT_LISTS; i++) {
		fprintf(out, ",\"%s\":[", names[i]);
		code = export_list(tracks, track, i);
		putc(']', out);
	}
	putc('}', out);
	return code;
}

/* Write fields into an open object, without a comma before or after them. */
static int put_fields(FILE *out, json_t *fields)
{
	int code = fields ? 0 : -ENOMEM;

	if (!code && json_dumpf(fields, out, JSON_COMPACT | JSON_EMBED | JSON_ENSURE_ASCII))
		code = ferror(out) ? -EIO : -ENOMEM;
	json_decref(fields);
	return code;
}

static json_t *thread_fields(const struct export_tracks *tracks, const struct export_track *track)
{
	const struct firefox *firefox = tracks->context;

	return json_pack(
	    "{ss ss si sn si sn s[] sb sb ss so s{si s[] s[] s[] s[] s[] s[]}"
	    " s{si s[] s[] s[] s[]}}",
	    "processType", "default", "processName", "machine", "processStartupTime", 0,
	    "processShutdownTime", "registerTime", 0, "unregisterTime", "pausedRanges",
	    "showMarkersInTimeline", false, "isMainThread", !firefox->any, "pid", "1", "tid",
	    json_sprintf("%" PRIu32 ".%" PRIu32,
	                 tracks->event ? export_event(tracks->export, tracks->event)
	                               : tracks->export->file->reader.event_count,
	                 track->cpu),
	    "markers", "length", 0, "category", "data", "endTime", "name", "phase", "startTime",
	    "nativeSymbols", "length", 0, "address", "functionSize", "libIndex", "name");
}

static int put_thread(struct export_tracks *tracks, struct export_track *track)
{
	struct firefox *firefox = tracks->context;
	const struct export *export = tracks->export;
	FILE *out = export->out;
	int code;

	fputs(firefox->any ? ",{" : "{", out);
	code = put_fields(out, thread_fields(tracks, track));
	firefox->any = true;
	fputs(",\"name\":", out);
	export_track_name(tracks, track, out);
	if (!code)
		code = put_samples(tracks, track);
	put_frames(out, export->places.functions.count);
	if (!code)
		code = put_functions(firefox, export);
	put_strings(firefox, export);
	put_stacks(out, &export->places.nodes);
	putc('}', out);
	return code;
}

/* Get the wall time at the clock's 0 in ms since 1970, from the feature CLOCK_DATA (version, clock,
 * wall time, time). 0: unknown. */
static uint64_t start_time(const struct perf_reader *reader)
{
	struct {
		uint32_t version, clock;
		uint64_t wall, time;
	} data;
	size_t size = 0;
	const uint8_t *bytes = perf_reader_feature(reader, PERF_FILE_CLOCK_DATA, &size);

	if (!bytes || size < sizeof(data))
		return 0;
	memcpy(&data, bytes, sizeof(data));
	return data.wall > data.time ? (data.wall - data.time) / NS_PER_MS : 0;
}

static json_t *meta(const struct perf_reader *reader)
{
	return json_pack(
	    "{si si si ss si sI sb sb s[] s[] sb sb s{ss ss ss} s[{ss ss s[s]}] s{si s[] s[] s[]}"
	    " so}",
	    "version", 24, "preprocessedProfileVersion", 54, "processType", 0, "product",
	    "bareperf", "interval", 1, "startTime", (json_int_t)start_time(reader), "debug", false,
	    "symbolicated", true, "pausedRanges", "markerSchema", "usesOnlyOneStackType", true,
	    "sourceCodeIsNotOnSearchfox", true, "sampleUnits", "time", "ms", "eventDelay", "ms",
	    "threadCPUDelta", "ns", "categories", "name", "Other", "color", "grey", "subcategories",
	    "Other", "extensions", "length", 0, "baseURL", "id", "name", "importedFrom",
	    html_text(reader->path));
}

int export_firefox(struct export *export, struct error *error)
{
	struct firefox firefox = { 0 };
	struct export_tracks tracks = {
		.export = export,
		.put = put_sample,
		.put_stack = put_stack,
		.finish = put_thread,
		.context = &firefox,
	};
	int code;

	putc('{', export->out);
	code = put_fields(export->out,
	                  json_pack("{so s[] s[] s[] s[]}", "meta", meta(&export->file->reader),
	                            "libs", "pages", "profilerOverhead", "counters"));
	fputs(",\"threads\":[", export->out);
	code = code ? error_set(error, code, "writing the profile's head failed")
	            : export_tracks(&tracks, error);
	if (!code && export->file->has_trace && !export->only) {
		code = export_tracks_calls(&tracks, error);
		if (code == -ENODATA && firefox.any) /* it is another trace, SPE's */
			code = 0;
	}
	fputs("]}\n", export->out);
	intern_free(&firefox.files);
	return code;
}
