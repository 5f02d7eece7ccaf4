/* SPDX-License-Identifier: MIT */
#include "host-tools/report/recording_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host-tools/ledger/missing.h"
#include "host-tools/ledger/recount.h"
#include "host-tools/util/terminal.h"
#include "writer/perfdata/sample.h"

int recording_file_event(const struct recording_file *file, const char *name,
                         const struct perf_reader_event **event, struct error *error)
{
	const struct perf_reader *reader = &file->reader;

	*event = NULL;
	for (uint32_t i = 0; i < reader->event_count; i++) {
		const struct perf_reader_event *one = &reader->events[i];

		if ((!name || !strcmp(name, one->name)) &&
		    (!*event || one->samples > (*event)->samples))
			*event = one;
	}
	if (*event && (*event)->samples)
		return 0;
	return name ? error_set(error, -ENODATA, "%s has no event %s with samples", reader->path,
	                        name)
	            : error_set(error, -ENODATA, "%s has no samples", reader->path);
}

int recording_file_records(struct recording_file *file,
                           int (*visit)(void *context, const struct perf_reader_record *record),
                           void *context, struct error *error)
{
	struct perf_reader_record record;
	uint64_t offset = 0;
	int code;

	while ((code = perf_reader_next(&file->reader, &offset, &record, &file->broken)) > 0) {
		code = visit(context, &record);
		if (code)
			return error_set(error, code, "no memory for the samples");
	}
	return code == -EPROTO ? 0 : code;
}

struct record_visitor {
	struct perf_reader *reader;
	int (*visit)(void *context, struct perf_reader *reader,
	             const struct perf_event_header *record);
	void *context;
};

static int visit_header(void *context, const struct perf_reader_record *record)
{
	const struct record_visitor *visitor = context;

	return visitor->visit(visitor->context, visitor->reader, record->header);
}

int recording_file_walk(struct recording_file *file,
                        int (*visit)(void *context, struct perf_reader *reader,
                                     const struct perf_event_header *record),
                        void *context, struct error *error)
{
	struct record_visitor visitor = { &file->reader, visit, context };

	return recording_file_records(file, visit_header, &visitor, error);
}

uint64_t recording_file_time(struct perf_reader *reader, const struct perf_event_header *record)
{
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	struct sample sample;

	return event && event->attr.flags & PERF_ATTR_SAMPLE_ID_ALL &&
	               sample_parse_trailer(record, event->attr.sample_type, &sample)
	           ? sample.time
	           : 0;
}

static int visit_mappings(void *context, struct perf_reader *reader,
                          const struct perf_event_header *record)
{
	struct recording_file *file = context;
	struct perf_reader_event *event;
	struct sample sample;

	if (record->type == PERF_RECORD_MMAP2 || record->type == PERF_RECORD_MMAP)
		symbols_add(file->symbols, record, recording_file_time(reader, record));
	if (record->type == PERF_FILE_RECORD_AUXTRACE)
		file->has_trace = true;
	if (record->type != PERF_RECORD_SAMPLE)
		return 0;
	event = perf_reader_event_of(reader, record);
	if (event && sample_parse(record, &event->attr, &sample))
		event->samples++;
	else
		file->strange++;
	return 0;
}

int recording_file_open(struct recording_file *file, const char *path, struct pe_search *search,
                        struct error *error)
{
	const uint8_t *ids;
	size_t size = 0;
	int code;

	*file = (struct recording_file){ .symbols = symbols_new(search) };
	if (!file->symbols)
		return error_set(error, -ENOMEM, "no memory for the symbols");
	code = perf_reader_open(&file->reader, path, error);
	if (code)
		return code;
	ids = perf_reader_feature(&file->reader, PERF_FILE_BUILD_ID, &size);
	symbols_build_ids(file->symbols, ids, size);
	return recording_file_walk(file, visit_mappings, file, error);
}

void recording_file_close(struct recording_file *file)
{
	perf_reader_close(&file->reader);
	symbols_free(file->symbols);
}

bool recording_file_is(const struct recording_file *file, const char *path)
{
	struct stat a, b;

	return !stat(file->reader.path, &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void print_missing(void *context, const struct missing *missing)
{
	char text[256];

	(void)context;
	missing_text(missing, text, sizeof(text));
	fprintf(stderr, "%sbareperf: LOST %s%s\n", terminal_alarm(stderr), text,
	        terminal_plain(stderr));
}

int recording_file_ledger(const struct recording_file *file, struct ledger *ledger,
                          struct error *error)
{
	const uint8_t *bytes;
	size_t size;
	int code = perf_reader_ledger(&file->reader, &bytes, &size, error), broken = 0;

	if (code == PERF_LEDGER_WHOLE)
		broken = ledger_parse(ledger, bytes, size, error);
	if (code == PERF_LEDGER_WHOLE && !broken)
		broken = recount_file(ledger, file->reader.path, error);
	code = broken ? broken : code;
	return code < 0 ? error_prefix(error, code, "%s", file->reader.path) : code;
}

int recording_file_missing(const struct recording_file *file, struct error *error)
{
	struct ledger ledger = { 0 };
	int code;

	if (*file->broken.text) {
		*error = file->broken;
		return -EPROTO;
	}
	code = recording_file_ledger(file, &ledger, error);
	if (code == PERF_LEDGER_WHOLE)
		missing_list(&ledger, print_missing, NULL);
	ledger_free(&ledger);
	if (code >= 0 && !perf_reader_is_whole(&file->reader))
		code = error_set(error, -EPROTO,
		                 "%s ends too early: it was cut off, or its writer was killed",
		                 file->reader.path);
	if (file->strange)
		say("%" PRIu64
		    " samples of %s are of no event of it, or not as their events say: "
		    "they are left out",
		    file->strange, file->reader.path);
	return code < 0 ? code : 0;
}
