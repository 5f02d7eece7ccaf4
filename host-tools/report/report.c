/* SPDX-License-Identifier: MIT */
/* `bareperf report`: where the events happened, as `perf report --stdio` prints it. */
#include "host-tools/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/annotate/annotate.h"
#include "host-tools/report/branches/calls.h"
#include "host-tools/report/histogram.h"
#include "host-tools/report/html/html.h"
#include "host-tools/report/report_options.h"
#include "host-tools/report/report_table.h"
#include "host-tools/report/selftest/selftest.h"
#include "host-tools/report/summary_json.h"
#include "host-tools/report/symbols/srclines.h"
#include "host-tools/report/tasks.h"
#include "host-tools/report/uefi/boot.h"
#include "host-tools/report/uefi/modules.h"
#include "host-tools/report/uefi/phases.h"
#include "host-tools/report/uefi/waits.h"
#include "host-tools/report/view.h"
#include "writer/perfdata/mark_text.h"
#include "writer/perfdata/sample.h"

/* The sorted samples of one event. */
struct sorting {
	struct histogram histogram;
	struct tasks tasks;
	struct symbols *symbols;
	struct srclines srclines;
	const struct perf_reader_event *event;
	unsigned columns;
	bool modules;
	const struct phases *phases; /* NULL: not grouped by phases */
};

static int key_of(struct sorting *sorting, const struct perf_event_header *record,
                  const struct sample *sample, struct histogram_key *key)
{
	uint64_t ip = symbols_at(sorting->symbols, sample->ip, sample->time);
	struct symbol symbol = symbols_find(sorting->symbols, ip);

	*key = (struct histogram_key){ 0 };
	if (sorting->modules) {
		struct wait place;

		waits_place(sorting->symbols, sample, &place);
		key->command = sorting->phases ? phases_at(sorting->phases, sample->time) : NULL;
		key->file = place.module;
		key->function = place.function;
		key->line = place.in;
		return 0;
	}
	if (sorting->columns & REPORT_COMMAND) {
		key->command = tasks_command(&sorting->tasks, sample->tid);
		if (!key->command)
			return -ENOMEM;
	}
	if (sorting->columns & REPORT_FILE)
		key->file = symbol.file ? symbol.file : "[unknown]";
	if (sorting->columns & REPORT_SYMBOL) {
		key->function = symbol.module ? symbols_name(sorting->symbols, ip) : symbol.name;
		key->address = key->function ? 0 : symbol.offset;
		key->level = report_table_level(record);
	}
	if (sorting->columns & REPORT_LINE) {
		key->line = srclines_find(&sorting->srclines, ip);
		if (!key->line)
			return -ENOMEM;
	}
	if (sorting->columns & REPORT_CPU)
		key->cpu = sample->cpu;
	return 0;
}

/* The total weight of functions in which CPUs are idle. */
static uint64_t idle_of(const struct histogram *histogram)
{
	uint64_t idle = 0;

	for (size_t i = 0; i < histogram->count; i++)
		if (waits_is_idle(histogram->entries[i].key.function))
			idle += histogram->entries[i].weight;
	return idle;
}

static int visit(void *context, struct perf_reader *reader, const struct perf_event_header *record)
{
	struct sorting *sorting = context;
	const struct perf_event_attr *attr = &sorting->event->attr;
	struct histogram_key key;
	struct sample sample;
	uint64_t weight;

	if (record->type != PERF_RECORD_SAMPLE)
		return tasks_add(&sorting->tasks, record);
	if (perf_reader_event_of(reader, record) != sorting->event ||
	    !sample_parse(record, attr, &sample))
		return 0;
	if (key_of(sorting, record, &sample, &key))
		return -ENOMEM;
	weight = attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period : attr->sample_period;
	return histogram_add(&sorting->histogram, &key, weight);
}

static int print_event(const struct sorting *sorting, const struct report_table *options)
{
	const struct perf_reader_event *event = sorting->event;
	struct report_table with_idle = *options, *table = &with_idle;
	bool is_clock = perf_reader_is_clock(event);

	if (sorting->phases)
		return phases_print(sorting->phases, &sorting->histogram, event->name, is_clock,
		                    table->limit, stdout);
	if (sorting->modules)
		return modules_print(&sorting->histogram, event->name, is_clock, table->limit,
		                     stdout);
	table->idle = idle_of(&sorting->histogram);
	report_table_print(table, event->name, &sorting->histogram, stdout);
	return 0;
}

static int report_event(struct recording_file *file, const struct perf_reader_event *event,
                        const struct report_options *options, const struct phases *phases,
                        struct error *error)
{
	const struct report_table *table = &options->table;
	struct sorting sorting = { .symbols = file->symbols,
		                   .srclines.symbols = file->symbols,
		                   .event = event,
		                   .columns = table->columns,
		                   .modules = options->of_modules,
		                   .phases = phases };
	int code = recording_file_walk(file, visit, &sorting, error);

	if (!code) {
		histogram_sort(&sorting.histogram);
		if (print_event(&sorting, table))
			code = error_set(error, -ENOMEM, "no memory for the modules");
	}
	histogram_free(&sorting.histogram);
	srclines_free(&sorting.srclines);
	tasks_free(&sorting.tasks);
	return code;
}

/* Marks are not shown in modules: a mark describes other samples and has no time of its own. */
static bool is_wanted(const struct perf_reader_event *event, const struct report_options *options)
{
	if (!event->samples)
		return false;
	if (options->event)
		return !strcmp(options->event, event->name);
	return !options->of_modules || !mark_text_is(&event->attr);
}

static int report_events(struct recording_file *file, const struct report_options *options,
                         const struct phases *phases, struct error *error)
{
	unsigned shown = 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < file->reader.event_count; i++) {
		const struct perf_reader_event *event = &file->reader.events[i];

		if (!is_wanted(event, options))
			continue;
		shown++;
		code = report_event(file, event, options, phases, error);
		if (!code && options->annotate)
			code = annotate_event(file, event, NULL, options->table.limit, error);
	}
	if (!code && phases)
		phases_print_firmware(phases, stdout);
	if (!code && !shown)
		code = error_set(error, -ENODATA, "%s has no %s%s", options->input,
		                 options->event ? "samples of event " : "samples",
		                 options->event ? options->event : "");
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the report");
	return code;
}

static int report_text(struct recording_file *file, const struct report_options *options,
                       struct error *error)
{
	struct phases phases = { 0 };
	int code = options->phases ? phases_read(&phases, file, error) : 0;

	if (!code)
		code = report_events(file, options, options->phases ? &phases : NULL, error);
	phases_free(&phases);
	return code;
}

struct page {
	struct recording_file *file;
	const char *event;
	bool no_inline;
};

static int write_page(void *context, FILE *out, struct error *error)
{
	const struct page *page = context;

	return html_write(page->file, page->event, page->no_inline, out, error);
}

static int report_calls(struct recording_file *file, const struct report_options *options,
                        struct error *error)
{
	const struct calls_options calls = { options->table.limit, options->table.separator,
		                             options->json };
	int code = calls_print(file, &calls, stdout, error);

	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the calls");
	return code;
}

static int report_boot(struct recording_file *file, const struct report_options *options,
                       struct error *error)
{
	struct boot boot = { 0 };
	int code = boot_read(&boot, file, options->event, error);

	if (!code && options->json)
		code = summary_print(boot_json(&boot), stdout, "the boot as JSON", error);
	else if (!code)
		boot_print(&boot, stdout);
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the boot");
	boot_free(&boot);
	return code;
}

static int show_report(void *context, struct recording_file *file, struct error *error)
{
	const struct report_options *options = context;
	struct page page = { file, options->event, options->no_inline };

	const struct perf_reader_event *any;

	if (options->calls)
		return report_calls(file, options, error);
	if (options->boot)
		return report_boot(file, options, error);
	if (!options->html)
		return report_text(file, options, error);
	/* Fail rather than write an empty page. A page without samples still shows the size of a
	 * trace. */
	if (!file->has_trace && recording_file_event(file, options->event, &any, error))
		return -ENODATA;
	return view_write(file, options->output, write_page, &page, error);
}

int command_report(int argc, char **argv)
{
	struct report_options options;

	report_options_parse(&options, argc, argv);
	if (options.html && selftest_file_is(options.input))
		return selftest_report(options.input, options.output);
	return view_recording(options.input, &options.search, show_report, &options);
}
