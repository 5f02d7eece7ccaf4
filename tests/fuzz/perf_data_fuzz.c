/* SPDX-License-Identifier: MIT */
/*
 * A perf.data file of any content: `bareperf dump` survives it, and so does `bareperf report
 * --html`, whose page contains only base64 and JSON between its begin and its end. An input that
 * begins with the magic is the file itself; any other input selects a valid file, followed by
 * patches {u16 offset, u8 value}.
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/event_types.h"
#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/branches/calls.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/export/export_format.h"
#include "host-tools/report/html/html.h"
#include "host-tools/report/html/html_page.h"
#include "host-tools/session/session_host.h"
#include "tests/fuzz/perf_data_phases.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/perfdata/perf_footer.h"
#include "writer/session/session.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum kind {
	WHOLE, /* no record is missing */
	LOSSY, /* with LOST records */
	TRACE, /* pieces of a branch trace, one of them cut, one empty */
	SPE,
	MARKS, /* marks that begin phases, and other marks */
	KINDS
};

/* A file of each kind, in today's format. */
static struct {
	uint8_t *bytes;
	size_t size;
} good[KINDS];
static char path[64];
static int fd;
static struct dump dump;

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

static void begin_region(struct fixture *fixture, enum kind kind)
{
	if (kind == TRACE)
		fixture_init_aux(fixture, PERF_TYPE_INTEL_BTS, false);
	else if (kind == SPE)
		fixture_init_aux(fixture, PERF_TYPE_ARM_SPE, false);
	else
		fixture_init(fixture, 0);
	if (kind == MARKS)
		perf_data_have_marks(fixture);
}

static void fill_region(struct fixture *fixture, enum kind kind)
{
	/* A branch record; an SPE record: PC, END, padding. */
	static const uint64_t branch[3] = { 0x1000, 0x2000, 0 };
	static const uint8_t packets[24] = { 0xb0, 1, 2, 3, 4, 5, 6, 7, 0xa0, 0x01 };

	for (unsigned i = 0; kind == MARKS && i < 13; i++) {
		static const char *const texts[] = {
			"phase one",
			"error two",
			"phase three",
			"begin four",
			"FPDT 3.000000001 s: OS loader: StartImage() starts",
			"FPDT counter 2.999999999 s: x",
			"phase one starts",
			"phase one",
			"boot counter 2.999999999 s: x",
			"coreboot 1.000000000 s: y",
			"bootstage 1.500000000 s: z (in all)",
			"error FPDT: a reason",
			"boot device Fat.efi: Pci(1,0)",
		};

		perf_data_put_mark(fixture, texts[i]);
		fixture_sample(fixture, 0, 0, 0x1000 + i, 1000, 0);
	}
	for (uint64_t i = 0; i < (kind == WHOLE || kind == LOSSY ? 200 : 20); i++)
		fixture_sample(fixture, 0, i & 1, 0x1000 + i, 1000, kind == LOSSY ? 30 : i % 7);
	for (uint64_t i = 0; i < 10 && (kind == TRACE || kind == SPE); i++)
		must(fixture_piece(fixture, i & 1, kind == TRACE ? (const void *)branch : packets,
		                   i == 7 ? 0 : 24, i == 8 ? PERF_AUX_FLAG_TRUNCATED : 0));
}

/* Write a session's file into anonymous memory. */
static void record(enum kind kind)
{
	static const char *const command[] = { "fuzz" };
	const struct session_options options = {
		.host = &session_host, .output = path, .command = command, .command_words = 1
	};
	struct fixture fixture;
	struct channel channel;
	struct region region;
	struct session session;
	struct error error = { "" };

	begin_region(&fixture, kind);
	fill_region(&fixture, kind);
	must(!channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, NULL, &error));
	must(!region_open(&region, &channel, &error));
	must(!session_begin(&session, &region, &options, &error));
	/* when there is room again, the next record is preceded by a LOST record */
	if (kind == LOSSY) {
		uint64_t got;

		must(!session_drain(&session, &got, &error));
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 3);
	}
	fixture_complete(&fixture);
	must(!session_finish(&session, false, &error));
	session_end(&session);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
}

static void make(enum kind kind)
{
	must(!ftruncate(fd, 0));
	record(kind);
	good[kind].size = (size_t)lseek(fd, 0, SEEK_END);
	good[kind].bytes = malloc(good[kind].size);
	must(good[kind].bytes &&
	     pread(fd, good[kind].bytes, good[kind].size, 0) == (ssize_t)good[kind].size);
}

static void prepare(void)
{
	fd = memfd_create("perf.data", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int kind = 0; kind < KINDS; kind++)
		make(kind);
	dump.format = malloc(sizeof(*dump.format));
	dump.symbols = symbols_new(NULL);
	must(dump.format && dump.symbols);
	format_init(dump.format, open("/dev/null", O_WRONLY));
	dump.path = path;
}

static void write_input(const uint8_t *data, size_t size)
{
	const uint8_t *file = data;
	size_t file_size = size;

	if (size < 8 || memcmp(data, "PERFILE2", 8) != 0) {
		file = good[*data % KINDS].bytes;
		file_size = good[*data % KINDS].size;
	}
	must(!ftruncate(fd, 0) && pwrite(fd, file, file_size, 0) == (ssize_t)file_size);
	for (size_t i = 1; file != data && i + 3 <= size; i += 3) {
		off_t place = (off_t)data[i] | (off_t)data[i + 1] << 8;

		if (place < (off_t)file_size)
			must(pwrite(fd, data + i + 2, 1, place) == 1);
	}
}

/* Correct the footer's CRC, if there is a footer: otherwise no patch to the ledger would be read.
 * */
static void sign(void)
{
	struct perf_file_header header;
	struct perf_footer footer;
	uint8_t *ledger;
	uint64_t at;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return;
	at = header.event_types.offset;
	if (at > INT64_MAX || pread(fd, &footer, sizeof(footer), (off_t)at) != sizeof(footer) ||
	    footer.offset > at || footer.size > at - footer.offset)
		return;
	ledger = malloc(footer.size + 1);
	must(ledger &&
	     pread(fd, ledger, footer.size, (off_t)footer.offset) == (ssize_t)footer.size);
	footer.crc = perf_footer_crc(&footer, ledger);
	free(ledger);
	must(pwrite(fd, &footer, sizeof(footer), (off_t)at) == sizeof(footer));
}

static void put_missing(void *context, const struct missing *missing)
{
	char text[256];

	(void)context;
	missing_text(missing, text, sizeof(text));
}

/* Compute the values that a summary derives from a ledger. */
static void tell(const struct ledger *ledger)
{
	char advice[128];

	check_conserved(ledger, NULL, NULL);
	missing_list(ledger, put_missing, NULL);
	missing_advice(ledger, advice, sizeof(advice));
}

/* Discard the output of the last dump. */
static void begin_anew(void)
{
	format_flush(dump.format);
	ledger_free(&dump.ledger);
	dump = (struct dump){ .format = dump.format, .symbols = dump.symbols, .path = path };
}

/* Skip a literal that must be here. */
static const char *past(const char *at, const char *literal)
{
	must(!strncmp(at, literal, strlen(literal)));
	return at + strlen(literal);
}

/* Skip an element of blocks: base64, with a "." between two blocks. */
static const char *past_blocks(const char *at)
{
	at = past(at, "<script type=\"application/octet-stream\"");
	if (*at == ' ')
		at = past(at, strncmp(at, " id=\"code", 9) ? " id=\"places\"" : " id=\"code\"");
	at = past(at, ">");
	at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=.");
	return past(at, "</script>\n");
}

/* A recording's text is in no other place of the page, and is neither HTML nor a script there. */
static void require_sound(const char *page)
{
	static const char facts[] = "<script type=\"application/json\" id=\"facts\">";
	const char *rest = strstr(html_page, HTML_PAGE_DATA);
	json_t *json;
	size_t size;

	must(!strncmp(page, html_page, (size_t)(rest - html_page)));
	page += rest - html_page;
	while (strncmp(page, facts, strlen(facts)) != 0)
		page = past_blocks(page);
	page = past(page, facts);
	size = strcspn(page, "<>&");
	json = json_loadb(page, size, 0, NULL);
	must(json_is_object(json));
	json_decref(json);
	page = past(page + size, "</script>\n");
	must(!strcmp(page, rest + strlen(HTML_PAGE_DATA)));
}

static void write_page(void)
{
	struct recording_file file;
	struct error error = { "" };
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	bool whole;

	must(!!out);
	whole = !recording_file_open(&file, path, NULL, &error) &&
	        !html_write(&file, NULL, false, out, &error);
	must(!fclose(out));
	if (whole)
		require_sound(page);
	recording_file_close(&file);
	free(page);
}

static int write_calls(struct export *export, struct error *error)
{
	return calls_print(export->file, &(struct calls_options){ .is_json = true }, export->out,
	                   error);
}

/* One of the formats of `bareperf export`; a JSON format stays valid JSON, whatever names the file
 * has. */
static void write_export(uint8_t which)
{
	static const struct {
		int (*write)(struct export *export, struct error *error);
		bool is_json;
	} formats[] = {
		{ export_csv, false },       { export_folded, false },    { export_pprof, false },
		{ export_callgrind, false }, { export_speedscope, true }, { export_firefox, true },
		{ export_chrome, true },     { export_lcov, false },      { write_calls, true },
		{ export_bolt, false },      { export_autofdo, false },
	};
	const size_t number = which % (sizeof(formats) / sizeof(formats[0]));
	struct recording_file file;
	struct export export = { .file = &file, .partial = which & 1 };
	struct error error = { "" };
	char *text = NULL;
	size_t size;
	bool whole;

	export.out = open_memstream(&text, &size);
	must(!!export.out);
	whole = !recording_file_open(&file, path, NULL, &error);
	export.places.symbols = file.symbols;
	whole = whole && !formats[number].write(&export, &error);
	must(!fclose(export.out));
	if (whole && formats[number].is_json) {
		json_t *json = json_loadb(text, size, 0, NULL);

		must(json_is_object(json));
		json_decref(json);
	}
	free(text);
	places_free(&export.places);
	tasks_free(&export.tasks);
	recording_file_close(&file);
}

/* Print only a part of the file. */
static void filter(void)
{
	must(!dump_filter_parse(&dump.filter, "ip > 0x1010 || addr & 1, cpu == 0") &&
	     !dump_filter_parse_time(&dump.filter, "0.000000100,"));
}

/* Read one of the values that a comparison of files needs. */
static void ask_command(void)
{
	struct perf_reader reader;
	struct error error = { "" };

	if (perf_reader_open(&reader, path, &error))
		return;
	perf_reader_command_has(&reader, "-icount");
	perf_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };

	if (!size)
		return 0;
	write_input(data, size);
	sign();
	write_page();
	ask_command();
	perf_data_sum_phases(path);
	perf_data_explain_boot(path);
	write_export(data[size - 1]);
	if (data[size - 1] & 1)
		filter();
	dump_perf_data(&dump, &error);
	if (dump.has_ledger)
		tell(&dump.ledger);
	begin_anew();
	return 0;
}

/* The file causes no message, and has the content of its kind. */
static void require_good(enum kind kind)
{
	const struct ledger_ring_found *found;
	struct error error = { "" };

	write_input(good[kind].bytes, good[kind].size);
	must(!dump_perf_data(&dump, &error) && dump.has_ledger &&
	     check_conserved(&dump.ledger, NULL, NULL));
	found = &dump.ledger.rings[0].found;
	must((kind == LOSSY) == (found->lost_records != 0));
	must((kind == TRACE || kind == SPE) == (found->aux_delivered != 0));
	must((kind == SPE) == (dump.spe.records != 0) && !dump.spe.errors);
	must(perf_data_sum_phases(path) == (kind == MARKS ? 4 : 0));
	begin_anew();
}

/* Linux's own perf wrote this file. */
static bool is_good(const char *name, const uint8_t *bytes, size_t size)
{
	struct error error = { "" };
	bool good_to_the_end;

	(void)name;
	write_input(bytes, size);
	good_to_the_end = !dump_perf_data(&dump, &error) && dump.records;
	begin_anew();
	return good_to_the_end;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const names[KINDS] = { "recording", "lossy", "trace", "spe", "marks" };

	prepare();
	for (int kind = 0; kind < KINDS; kind++) {
		require_good(kind);
		fuzz_seed(*argc, *argv, names[kind], good[kind].bytes, good[kind].size);
	}
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}
