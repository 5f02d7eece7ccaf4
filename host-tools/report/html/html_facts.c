/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_facts.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/html/html_json.h"

static void say_in(json_t *list, json_t *text)
{
	json_array_append_new(list, text);
}

/* ---- The accounts ---- */

static void add_missing(void *context, const struct missing *missing)
{
	char text[256];

	missing_text(missing, text, sizeof(text));
	say_in(context, html_text(text));
}

static void add_check(void *context, bool holds, const char *line)
{
	json_array_append_new(context, json_pack("[bo]", holds, html_text(line)));
}

static const char *name_of(const struct ledger_event *event, char name[80])
{
	region_printable(name, 80, event->event.name, sizeof(event->event.name));
	return name;
}

/* Get a sentence about the losses of an event on a CPU. */
static json_t *account_of(const struct ledger_event *event)
{
	const struct tr_event_ledger *l = &event->ledger;
	char name[80], text[400];

	snprintf(text, sizeof(text),
	         "%s on CPU %u: of %" PRIu64 " records that the machine made, %" PRIu64
	         " were written and %" PRIu64 " found no room; %" PRIu64 " are in this file.",
	         name_of(event, name), event->event.cpu, l->generated, l->written, l->lost,
	         event->found.delivered);
	return html_text(text);
}

static json_t *count_of(const struct ledger_event *event)
{
	const struct tr_event_ledger *l = &event->ledger;
	const struct perf_event_attr *attr = &event->event.attr;
	bool clock = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK;
	char name[80];

	return json_pack("{so so sb so so so so so so}", "event", html_text(name_of(event, name)),
	                 "cpu", html_number(event->event.cpu), "clock", clock, "count",
	                 html_number(l->count), "enabled", html_number(l->time_enabled), "running",
	                 html_number(l->time_running), "samples", html_number(event->found.samples),
	                 "lost", html_number(l->lost), "throttled", html_number(l->throttled));
}

static void add_end(json_t *missing, const struct ledger *ledger)
{
	const char *late = ledger_late_reader(ledger);

	if (!ledger_ended(ledger))
		say_in(missing,
		       json_sprintf("The machine did not come to its end: its state is %s (%u).",
		                    region_state_name(ledger->head.state), ledger->head.state));
	if (ledger->head.interrupted & LEDGER_CUT)
		say_in(missing,
		       json_string("Recovered after a reset: what had reached memory until "
		                   "the last tick."));
	if (late)
		say_in(missing, html_text(late));
}

/* Get the lists of a file that has a ledger. */
static json_t *accounts_of(const struct ledger *ledger, json_t *missing)
{
	json_t *accounts = json_array(), *checks = json_array(), *counts = json_array();
	json_t *cpus = json_array();
	char advice[128];
	bool conserved = check_conserved(ledger, add_check, checks);

	add_end(missing, ledger);
	missing_list(ledger, add_missing, missing);
	missing_advice(ledger, advice, sizeof(advice));
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		say_in(accounts, account_of(&ledger->events[i]));
		json_array_append_new(counts, count_of(&ledger->events[i]));
	}
	for (uint32_t i = 0; i < ledger->head.cpu_count; i++) {
		if (ledger->cpus[i].flags & TR_CPU_TRACED)
			json_array_append_new(cpus, html_number(ledger->cpus[i].cpu));
	}
	return json_pack("{so so sb so so so so}", "missing", missing, "advice", html_text(advice),
	                 "conserved", conserved, "accounts", accounts, "checks", checks, "counts",
	                 counts, "cpus", cpus);
}

static const char *without_ledger(int code)
{
	return code == PERF_LEDGER_REWRITTEN
	           ? "Another tool has rewritten this file and left the ledger out: what is missing "
	             "is unknown."
	           : "There is no ledger in this file: what is missing is unknown.";
}

static json_t *accounts_without(const struct recording_file *file, json_t *missing, int code,
                                const struct error *error)
{
	if (code < 0 && strcmp(error->text, file->broken.text) != 0)
		say_in(missing, html_text(error->text));
	else if (code >= 0)
		say_in(missing, json_string(without_ledger(code)));
	return json_pack("{so ss sn s[] s[] s[] s[]}", "missing", missing, "advice", "",
	                 "conserved", "accounts", "checks", "counts", "cpus");
}

/* ---- The machine ---- */

static void add_fact(json_t *list, const char *what, const char *text)
{
	if (*text)
		json_array_append_new(list, json_pack("[so]", what, html_text(text)));
}

static void add_string(json_t *list, const struct recording_file *file, const char *what,
                       unsigned bit)
{
	char text[256];

	perf_reader_string(&file->reader, bit, text, sizeof(text));
	add_fact(list, what, text);
}

/* NRCPUS has the numbers of available and of online CPUs; TOTAL_MEM is in KiB. */
static void add_numbers(json_t *list, const struct recording_file *file)
{
	size_t size;
	const uint8_t *bytes = perf_reader_feature(&file->reader, PERF_FILE_NRCPUS, &size);
	uint32_t cpus[2];
	uint64_t memory;
	char text[64];

	if (bytes && size >= sizeof(cpus)) {
		memcpy(cpus, bytes, sizeof(cpus));
		snprintf(text, sizeof(text), "%u, %u of them online", cpus[0], cpus[1]);
		add_fact(list, "CPUs", text);
	}
	bytes = perf_reader_feature(&file->reader, PERF_FILE_TOTAL_MEM, &size);
	if (bytes && size >= sizeof(memory)) {
		memcpy(&memory, bytes, sizeof(memory));
		snprintf(text, sizeof(text), "%" PRIu64 " MiB", memory / 1024);
		add_fact(list, "Memory", text);
	}
}

/* CMDLINE has the number of words as u32; each word is a u32 length and text. */
static void add_command(json_t *list, const struct recording_file *file)
{
	size_t size;
	const uint8_t *bytes = perf_reader_feature(&file->reader, PERF_FILE_CMDLINE, &size);
	uint32_t words = 0, length;
	char text[4096] = "";
	size_t used = 0;

	if (bytes && size >= sizeof(words))
		memcpy(&words, bytes, sizeof(words));
	for (size_t at = sizeof(words); words-- && at + sizeof(length) <= size; at += length) {
		memcpy(&length, bytes + at, sizeof(length));
		at += sizeof(length);
		if (length > size - at || length > sizeof(text) || used >= sizeof(text))
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s",
		                         used ? " " : "", (int)length, (const char *)bytes + at);
	}
	add_fact(list, "Command", text);
}

static void add_clock(json_t *list, const struct tr_clock *clock)
{
	time_t epoch = (time_t)clock->entry_epoch;
	char text[64];
	struct tm date;

	if (clock->frequency) {
		snprintf(text, sizeof(text), "%.3f MHz", (double)clock->frequency / 1e6);
		add_fact(list, "Clock", text);
	}
	if (epoch && gmtime_r(&epoch, &date) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &date))
		add_fact(list, "Entered", text);
}

static json_t *machine_of(const struct recording_file *file, const struct ledger *ledger)
{
	json_t *list = json_array();

	add_command(list, file);
	add_string(list, file, "Processor", PERF_FILE_CPUDESC);
	add_string(list, file, "CPU id", PERF_FILE_CPUID);
	add_string(list, file, "Architecture", PERF_FILE_ARCH);
	add_numbers(list, file);
	add_clock(list, &ledger->head.clock);
	add_string(list, file, "Host name", PERF_FILE_HOSTNAME);
	add_string(list, file, "System", PERF_FILE_OSRELEASE);
	add_string(list, file, "Recorded by", PERF_FILE_VERSION);
	return list;
}

json_t *html_facts(const struct recording_file *file)
{
	struct ledger ledger = { 0 };
	struct error error = { "" };
	json_t *missing = json_array(), *facts;
	int code = recording_file_ledger(file, &ledger, &error);

	if (*file->broken.text)
		say_in(missing, html_text(file->broken.text));
	if (code != PERF_LEDGER_WHOLE)
		ledger_free(&ledger); /* frees the part that was read before the damage */
	facts = code == PERF_LEDGER_WHOLE ? accounts_of(&ledger, missing)
	                                  : accounts_without(file, missing, code, &error);
	json_object_set_new(facts, "machine", machine_of(file, &ledger));
	ledger_free(&ledger);
	return facts;
}
