/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/perf_data_phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/uefi/boot.h"
#include "writer/perfdata/sample.h"

#define MARK_WORDS 16U

struct sums {
	const struct phases *phases;
	struct histogram histogram;
};

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

void perf_data_have_marks(struct fixture *fixture)
{
	for (unsigned i = 1; i < FIXTURE_RINGS * FIXTURE_EVENTS; i += FIXTURE_EVENTS) {
		struct perf_event_attr *attr = &fixture->region.events[i].attr;

		attr->config = PERF_COUNT_SW_BPF_OUTPUT;
		attr->sample_period = 1;
		attr->sample_type = (FIXTURE_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_CALLCHAIN) |
		                    PERF_SAMPLE_RAW;
	}
}

void perf_data_put_mark(struct fixture *fixture, const char *text)
{
	struct ring_account *account = &fixture->accounts[1];
	struct ring_output out;
	uint64_t *word = ring_reserve_sample(&out, &fixture->rings[0], account, 8 * MARK_WORDS, 1);
	uint32_t raw = 8 * (MARK_WORDS - 7) - 4;

	must(word && strlen(text) < raw);
	memset(word, 0, 8 * MARK_WORDS);
	*(struct perf_event_header *)(void *)word =
	    (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 * MARK_WORDS };
	word[1] = account->id;
	word[3] = 1 | 1ULL << 32;
	word[4] = fixture->time += 1000;
	word[6] = 1;
	memcpy(&word[7], &raw, sizeof(raw));
	strcpy((char *)&word[7] + sizeof(raw), text);
	ring_commit(&out);
}

static int visit(void *context, struct perf_reader *reader, const struct perf_event_header *record)
{
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	struct sums *sums = context;
	struct sample sample;
	struct histogram_key key = { .file = "module" };

	if (record->type != PERF_RECORD_SAMPLE || !event ||
	    !sample_parse(record, &event->attr, &sample))
		return 0;
	key.command = phases_at(sums->phases, sample.time);
	key.line = sample.ip & 1 ? "in a wait" : NULL;
	return histogram_add(&sums->histogram, &key, 1);
}

/* The number of samples in the last row. */
static uint64_t reported_all(const char *text)
{
	const char *all = strstr(text, "%"), *next = all;

	for (; next; next = strstr(next + 1, "%"))
		all = next;
	must(!!all);
	return strtoull(all + 1, NULL, 10);
}

static void print(struct sums *sums)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(!!out);
	histogram_sort(&sums->histogram);
	must(!phases_print(sums->phases, &sums->histogram, "event", sums->histogram.count & 1, 1,
	                   out));
	must(!fclose(out));
	must(reported_all(text) == sums->histogram.samples);
	for (size_t i = 0; i < size; i++)
		must(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	free(text);
	out = open_memstream(&text, &size);
	must(!!out);
	phases_print_firmware(sums->phases, out);
	must(!fclose(out));
	for (size_t i = 0; i < size; i++)
		must(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	free(text);
}

size_t perf_data_sum_phases(const char *path)
{
	struct recording_file file;
	struct phases phases = { 0 };
	struct sums sums = { .phases = &phases };
	struct error error = { "" };
	size_t count;

	if (!recording_file_open(&file, path, NULL, &error) &&
	    !phases_read(&phases, &file, &error) &&
	    !recording_file_walk(&file, visit, &sums, &error))
		print(&sums);
	count = phases.nr_all;
	histogram_free(&sums.histogram);
	phases_free(&phases);
	recording_file_close(&file);
	return count;
}

/* Print the report: it has at most as many lines as documented, and none is too wide; the JSON has
 * all samples. */
static void print_boot(const struct boot *boot)
{
	char *text = NULL, *line;
	unsigned lines = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *json = boot_json(boot);

	must(out && json);
	boot_print(boot, out);
	must(!fclose(out));
	for (line = text; *line; lines++) {
		size_t width = strcspn(line, "\n");

		must(line[width] && width <= BOOT_WIDTH);
		for (size_t i = 0; i < width; i++)
			must((unsigned char)line[i] >= ' ');
		line += width + 1;
	}
	must(lines > 5 && lines <= BOOT_LINES);
	must(json_integer_value(json_object_get(json, "samples")) == (json_int_t)boot->samples);
	json_decref(json);
	free(text);
}

void perf_data_explain_boot(const char *path)
{
	struct recording_file file;
	struct boot boot = { 0 };
	struct error error = { "" };

	if (!recording_file_open(&file, path, NULL, &error) &&
	    !boot_read(&boot, &file, NULL, &error))
		print_boot(&boot);
	boot_free(&boot);
	recording_file_close(&file);
}
