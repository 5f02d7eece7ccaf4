/* SPDX-License-Identifier: MIT */
/*
 * Writes the page: html/page.html up to its marker, the data, and the rest of the file. The data
 * are base64 and JSON without "<", in script elements of types that no browser runs. So a browser
 * never parses data of a recording as HTML.
 */
#include "host-tools/report/html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/branches/call_times.h"
#include "host-tools/report/html/html_code.h"
#include "host-tools/report/html/html_facts.h"
#include "host-tools/report/html/html_json.h"
#include "host-tools/report/html/html_page.h"
#include "host-tools/report/html/html_records.h"
#include "host-tools/report/html/html_sources.h"
#include "host-tools/report/uefi/boot.h"
#include "host-tools/report/uefi/waits.h"

/* Write a block with the nodes and the places. Numbers are encoded as in series.h. Nodes: their
 * number, then three columns: the distance back to the parent (0: no parent), the function, and
 * whether the node is bareperf's own, above main(). Places: their number, a column of nodes and a
 * column of addresses (each as the signed difference from the one before), then the source lines as
 * in html_sources.h. */
static int put_places(const struct places *places, struct html_sources *sources, FILE *out)
{
	const struct intern *nodes = &places->nodes, *all = &places->places;
	struct blob blob = { 0 };
	uint64_t before = 0;
	int code;

	series_number(&blob, nodes->count);
	for (uint32_t i = 0; i < nodes->count; i++)
		series_number(&blob, nodes->keys[i].a ? i + 1 - nodes->keys[i].a : 0);
	for (uint32_t i = 0; i < nodes->count; i++)
		series_number(&blob, nodes->keys[i].b);
	for (uint32_t i = 0; i < nodes->count; i++)
		series_number(&blob, places->ours[i]);
	series_number(&blob, all->count);
	for (uint32_t i = 0; i < all->count; i++)
		series_number(&blob, all->keys[i].a);
	for (uint32_t i = 0; i < all->count; i++) {
		uint64_t address = symbols_real(places->symbols, all->keys[i].b);

		series_signed(&blob, address - before);
		before = address;
	}
	code = html_sources_of(sources, places, &blob);
	fputs("<script type=\"application/octet-stream\" id=\"places\">", out);
	if (!code)
		code = series_block(out, &blob);
	fputs("</script>\n", out);
	blob_free(&blob);
	return code;
}

/* Write the code as JSON in a compressed block, since the text is long and repetitive. */
static int put_code(struct places *places, FILE *out)
{
	struct blob blob = { 0 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int code = to ? html_json(to, html_code(places)) : -ENOMEM;

	if (to && fclose(to))
		code = -ENOMEM;
	if (!code)
		blob_add(&blob, text, size);
	fputs("<script type=\"application/octet-stream\" id=\"code\">", out);
	if (!code)
		code = series_block(out, &blob);
	fputs("</script>\n", out);
	blob_free(&blob);
	free(text);
	return code;
}

/* Get [[name or null, file or null, whether CPUs are idle in it]], indexed by the function's
 * number. */
static json_t *functions_of(const struct places *places)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < places->functions.count; i++)
		json_array_append_new(list,
		                      json_pack("[oob]", html_text(places_function(places, i)),
		                                html_text(places_file(places, i)),
		                                waits_is_idle(places_function(places, i))));
	return list;
}

/* Get [[kind, event, CPU, samples, first, last, weight, [bins]]], in the order of the chunks in the
 * page. */
static json_t *chunks_of(const struct series_set *set)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < set->chunk_count; i++) {
		const struct series_chunk *c = &set->chunks[i];
		json_t *bins = json_array();

		for (uint32_t b = 0; b < SERIES_BINS; b++)
			json_array_append_new(bins, html_number(c->bins[b]));
		json_array_append_new(list,
		                      json_pack("[ooooooo]", html_number(c->key.kind),
		                                html_number(c->key.event), html_number(c->key.cpu),
		                                html_exact(c->first), html_exact(c->last),
		                                html_number(c->weight), bins));
	}
	return list;
}

/* Get the names of marks, indexed by number. */
static json_t *marks_of(const struct mark_regions *marks)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < marks->names.count; i++)
		json_array_append_new(list, html_text(mark_regions_name(marks, i)));
	return list;
}

static json_t *events_of(const struct perf_reader *reader, const struct html_records *records)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < reader->event_count; i++) {
		const struct perf_reader_event *event = &reader->events[i];

		json_array_append_new(list, json_pack("{so sb so}", "name", html_text(event->name),
		                                      "clock", perf_reader_is_clock(event),
		                                      "samples", html_number(event->samples)));
	}
	if (records->calls)
		json_array_append_new(list, json_pack("{ss sb so ss}", "name", "calls", "clock", 1,
		                                      "samples", html_number(records->calls),
		                                      "calls", CALL_TIMES_NOTE));
	return list;
}

/* Get the boot that was recorded, if one was: such a recording has the CPU's counter. */
static json_t *boot_of(struct recording_file *file)
{
	struct boot boot = { 0 };
	struct error error = { "" };
	int code = boot_read(&boot, file, NULL, &error);
	json_t *json = code || !boot.phases.has_counter ? json_null() : boot_json(&boot);

	boot_free(&boot);
	return json;
}

static int put_facts(struct recording_file *file, const struct html_records *records,
                     const struct html_sources *sources, FILE *out)
{
	json_t *facts = html_facts(file);
	bool any = records->first <= records->last;

	json_object_update_new(
	    facts,
	    json_pack("{so so so so so so so so so so}", "file", html_text(file->reader.path),
	              "boot", boot_of(file), "start", html_exact(any ? records->first : 0), "end",
	              html_exact(any ? records->last : 0), "trace_bytes",
	              html_number(records->trace_bytes), "events",
	              events_of(&file->reader, records), "marks", marks_of(&records->marks),
	              "functions", functions_of(&records->places), "sources",
	              html_sources_json(sources), "chunks", chunks_of(&records->series)));
	return html_json(out, facts);
}

static int put_data(struct recording_file *file, struct html_records *records, FILE *out,
                    struct error *error)
{
	struct html_sources sources = { 0 };
	int code = recording_file_walk(file, html_records_add, records, error);

	if (!code && !records->only)
		code = html_records_add_calls(records, file);
	if (!code)
		code = html_records_end(records);
	if (!code)
		code = put_places(&records->places, &sources, out);
	if (!code)
		code = put_code(&records->places, out);
	fputs("<script type=\"application/json\" id=\"facts\">", out);
	if (!code)
		code = put_facts(file, records, &sources, out);
	html_sources_free(&sources);
	fputs("</script>\n", out);
	if (code == -EIO)
		return error_set(error, code, "writing the page failed");
	return code ? error_set(error, code, "no memory for the page") : 0;
}

static const struct perf_reader_event *find_event(const struct perf_reader *reader,
                                                  const char *name)
{
	for (uint32_t i = 0; i < reader->event_count; i++) {
		if (!strcmp(reader->events[i].name, name))
			return &reader->events[i];
	}
	return NULL;
}

int html_write(struct recording_file *file, const char *event, bool no_inline, FILE *out,
               struct error *error)
{
	struct inlines inlines = { 0 };
	struct html_records records = {
		.places.symbols = file->symbols,
		.places.all_frames = true, /* the page has a switch to hide them */
		.places.inlines = no_inline ? NULL : &inlines,
		.series.out = out,
		.marks.show = html_records_mark,
		.marks.context = &records,
		.first = UINT64_MAX,
	};
	const char *rest = strstr(html_page, HTML_PAGE_DATA);
	int code;

	if (event)
		records.only = find_event(&file->reader, event);
	if (event && !records.only)
		return error_set(error, -ENODATA, "%s has no event %s", file->reader.path, event);
	fwrite(html_page, 1, (size_t)(rest - html_page), out);
	code = put_data(file, &records, out, error);
	fputs(rest + strlen(HTML_PAGE_DATA), out);
	html_records_free(&records);
	inlines_free(&inlines);
	return code;
}
