/* SPDX-License-Identifier: MIT */
/* `bareperf dump`: prints records as text, a summary, and the conservation check. */
#include "host-tools/report/dump/dump.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/region/channel_file_argp.h"
#include "host-tools/report/dump/dump_text.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "writer/perfdata/perf_file.h"

struct dump_options {
	const char *path;
	struct channel_file_options pick;
	struct dump_filter filter;
	bool json;
	bool summary;
	bool hex;
	struct pe_search search;
};

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "only the summary, as JSON", 0 },
	{ "summary", 's', NULL, 0, "only the summary", 0 },
	{ "hex", 'x', NULL, 0, "also print each record's bytes", 0 },
	PE_SEARCH_OPTION,
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_options *options = state->input;

	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case 's':
		options->summary = true;
		return 0;
	case 'x':
		options->hex = true;
		return 0;
	case PE_SEARCH_KEY:
		pe_search_add(&options->search, arg);
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->filter;
		state->child_inputs[1] = &options->pick;
		return 0;
	default:
		return one_file_parse(key, arg, state, "perf.data", &options->path);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.children = (const struct argp_child[]){ { &dump_filter_argp, 0, NULL, 0 },
	                                         { &channel_file_argp, 0, NULL, 0 },
	                                         { 0 } },
	.args_doc = "[FILE]",
	.doc =
	    "Print the records of FILE (default: perf.data) and check that none is unaccounted "
	    "for. FILE is a perf.data file, a trace region, or a memory dump (raw, ELF core or "
	    "kdump) that contains a trace region.\vExit status: 0 done, 1 error, 2 wrong usage, "
	    "3 records or bytes are unaccounted for, 4 the machine did not complete its run, or "
	    "the writer the file.",
};

/* Set the fields of a piece of an AUX area. The piece has the fields of the AUX record before it,
 * except those that its own record has. */
static void set_piece(struct dump_fields *fields, const struct perf_event_header *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record;

	if (record->size < sizeof(*trace))
		return;
	dump_field_set(fields, DUMP_CPU, trace->cpu);
	dump_field_set(fields, DUMP_TID, trace->tid);
}

static bool is_wanted(struct dump *dump, const struct perf_event_header *record,
                      const struct perf_event_attr *attr, const char *event)
{
	struct dump_fields fields;

	if (!dump_filter_is_on(&dump->filter))
		return true;
	dump_fields_of(&fields, record, attr, event);
	if (record->type == PERF_RECORD_AUX)
		dump->aux = fields;
	if (record->type == PERF_FILE_RECORD_AUXTRACE) {
		set_piece(&dump->aux, record);
		fields = dump->aux;
	}
	return dump_filter_passes(&dump->filter, &fields);
}

void dump_one(struct dump *dump, const struct perf_event_header *record, uint64_t offset,
              const struct perf_event_attr *attr, const char *event)
{
	const struct dump_context context = {
		.offset = offset,
		.attr = attr,
		.event = event,
		.hex = dump->hex,
		.symbols = dump->symbols,
	};

	dump->records++;
	dump->bytes += record->size;
	dump->types[record->type < DUMP_TYPES ? record->type : 0]++;
	if (!dump->quiet && is_wanted(dump, record, attr, event))
		dump_record(dump->format, record, &context);
}

/* Whether a file is a perf.data file, by its magic; any other file is searched for a region. */
static int is_perf_data(const char *path, struct error *error)
{
	uint64_t magic = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int code = 0;

	if (fd < 0)
		return error_errno(error, "opening %s", path);
	if (read(fd, &magic, sizeof(magic)) < 0)
		code = error_errno(error, "reading %s", path);
	close(fd);
	return code ? code : perf_reader_knows_magic(magic);
}

static int print_records(struct dump *dump, const struct dump_options *options, struct error *error)
{
	int kind = is_perf_data(options->path, error);
	int code;

	if (kind < 0)
		return kind;
	code = kind ? dump_perf_data(dump, error) : dump_region(dump, &options->pick, error);
	format_flush(dump->format);
	if (!code && dump->format->failed) {
		errno = -dump->format->failed;
		code = error_errno(error, "writing the records");
	}
	return code;
}

static int print_summary(struct dump *dump, const struct dump_options *options, bool *conserved,
                         struct error *error)
{
	int code = 0;

	if (options->json)
		code = dump_summary_json(dump, conserved, error);
	else
		*conserved = dump_summary_text(dump);
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = error_errno(error, "writing the summary");
	return code;
}

int command_dump(int argc, char **argv)
{
	struct dump_options options = { .pick = CHANNEL_ANY_FILE };
	struct dump dump = { 0 };
	struct error error = { "" }, later = { "" };
	bool conserved = true, unfinished;
	int code;

	arguments_parse(&argp, argc, argv, "bareperf dump", &options);
	dump.path = options.path;
	dump.quiet = options.json || options.summary;
	dump.hex = options.hex;
	dump.filter = options.filter;
	dump.format = malloc(sizeof(*dump.format));
	dump.symbols = symbols_new(&options.search);
	if (dump.format)
		format_init(dump.format, STDOUT_FILENO);
	code = dump.format && dump.symbols ? print_records(&dump, &options, &error)
	                                   : error_set(&error, -ENOMEM, "no memory");
	if (code)
		error_print(&error);
	/* If the records end too early, the summary still counts the records before the end. */
	if ((!code || dump.records) && print_summary(&dump, &options, &conserved, &later)) {
		error_print(&later);
		code = -EIO;
	}
	unfinished = dump_unfinished(&dump);
	ledger_free(&dump.ledger);
	symbols_free(dump.symbols);
	pe_search_free(&options.search);
	free(dump.format);
	if (code)
		return EXIT_ERROR;
	if (!conserved)
		return EXIT_NOT_CONSERVED;
	return unfinished ? EXIT_UNFINISHED : EXIT_OK;
}
