/* SPDX-License-Identifier: MIT */
/*
 * A profile for each event and CPU, samples in their order. Source: speedscope,
 * file-format-schema.json, "SampledProfile". A profile's lists of stacks and of weights stand
 * behind each other, so that they are kept in files of their own meanwhile.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/export_format.h"
#include "host-tools/report/html_json.h"

struct scope_profile {
	FILE *samples, *weights; /* NULL: none yet */
	uint64_t weight;
};

struct scope {
	struct export *export;
	const struct perf_reader_event *event; /* whose turn it is */
	struct intern cpus;
	struct scope_profile *profiles; /* by number of the CPU */
	bool any;                       /* profile is written */
};

static struct scope_profile *find_profile(struct scope *scope, uint32_t cpu)
{
	uint32_t seen = scope->cpus.count, number = intern(&scope->cpus, cpu, 0);
	struct scope_profile *grown;

	if (number == INTERN_NONE)
		return NULL;
	if (number < seen)
		return &scope->profiles[number];
	grown = reallocarray(scope->profiles, seen + 1U, sizeof(*grown));
	if (!grown) {
		scope->cpus.count = seen;
		return NULL;
	}
	scope->profiles = grown;
	grown[number] = (struct scope_profile){ tmpfile(), tmpfile(), 0 };
	return grown[number].samples && grown[number].weights ? &grown[number] : NULL;
}

static void put_stack(const struct places *places, uint32_t place, FILE *out)
{
	uint32_t stack[FRAMES_MAX];
	uint32_t depth = export_stack(places, places->places.keys[place].a, stack);

	for (uint32_t i = 0; i < depth; i++)
		fprintf(out, "%c%" PRIu32, i ? ',' : '[', stack[i]);
	putc(']', out);
}

static int add_sample(void *context, const struct export_sample *sample)
{
	struct scope *scope = context;
	struct scope_profile *profile;
	uint32_t place;

	if (sample->event != scope->event)
		return 0;
	profile = find_profile(scope, sample->sample.cpu);
	place = places_add(&scope->export->places, &sample->sample);
	if (!profile || place == INTERN_NONE)
		return -ENOMEM;
	if (ftell(profile->samples)) {
		putc(',', profile->samples);
		putc(',', profile->weights);
	}
	put_stack(&scope->export->places, place, profile->samples);
	fprintf(profile->weights, "%" PRIu64, sample->weight);
	profile->weight += sample->weight;
	return 0;
}

static int copy_file(FILE *from, FILE *to)
{
	char bytes[65536];
	size_t count;

	rewind(from); /* which writes what is buffered, and forgets an error */
	while ((count = fread(bytes, 1, sizeof(bytes), from)))
		fwrite(bytes, 1, count, to);
	return ferror(from) ? -EIO : 0;
}

static int put_profile(struct scope *scope, uint32_t cpu, const struct scope_profile *profile)
{
	const struct perf_reader_event *event = scope->event;
	FILE *out = scope->export->out;
	int code = fflush(profile->samples) || fflush(profile->weights) ? -EIO : 0;

	fprintf(out, "%s{\"type\":\"sampled\",\"name\":", scope->any ? "," : "");
	scope->any = true;
	html_json(out, json_sprintf("%s, CPU %u", event->name, (unsigned)cpu));
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
	        perf_reader_is_clock(event) ? "nanoseconds" : "none", profile->weight);
	if (!code)
		code = copy_file(profile->samples, out);
	fputs("],\"weights\":[", out);
	if (!code)
		code = copy_file(profile->weights, out);
	fputs("]}", out);
	return code;
}

/* All CPUs of one event. */
static int put_event(struct scope *scope, struct error *error)
{
	int code = export_walk(scope->export, add_sample, scope, error);

	for (uint32_t i = 0; i < scope->cpus.count; i++) {
		struct scope_profile *profile = &scope->profiles[i];

		if (!code) {
			code = put_profile(scope, (uint32_t)scope->cpus.keys[i].a, profile);
			if (code)
				error_set(error, code, "writing a temporary file failed");
		}
		if (profile->samples)
			fclose(profile->samples);
		if (profile->weights)
			fclose(profile->weights);
	}
	free(scope->profiles);
	intern_free(&scope->cpus);
	scope->profiles = NULL;
	scope->cpus = (struct intern){ 0 };
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
	struct scope scope = { .export = export };
	const struct perf_reader *reader = &export->file->reader;
	int code = 0;

	fputs(
	    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	    "\"exporter\":\"bareperf " BAREPERF_VERSION "\",\"name\":",
	    export->out);
	html_json(export->out, html_text(reader->path));
	fputs(",\"profiles\":[", export->out);
	for (uint32_t i = 0; !code && i < reader->event_count; i++) {
		scope.event = &reader->events[i];
		if (scope.event->samples && (!export->only || export->only == scope.event))
			code = put_event(&scope, error);
	}
	put_frames(export);
	return code;
}
