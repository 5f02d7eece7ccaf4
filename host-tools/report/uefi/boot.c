/* SPDX-License-Identifier: MIT */
#include "host-tools/report/uefi/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/uefi/waits.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"
#include "writer/perfdata/sample.h"

uint64_t boot_weight(const struct boot_sum *sum)
{
	return sum->work + sum->waiting;
}

/* ---- Sums ---- */

struct boot_walk {
	struct boot *boot;
	const struct symbols *symbols;
};

/* A sample; name, function and in are texts whose pointers are equal if the texts are. */
static int boot_add(struct boot_sums *sums, const char *name, const char *function, const char *in,
                    const struct boot_sum *sample)
{
	const char *key[] = { name, function, in, NULL };
	uint32_t number = intern_any(&sums->keys, key, sizeof(key));
	struct boot_sum *sum;

	if (number == INTERN_NONE || (number == sums->count && !ARRAY_ROOM(sums->all, sums->count)))
		return -ENOMEM;
	sum = &sums->all[number];
	if (number == sums->count) {
		sums->count++;
		*sum = (struct boot_sum){ name, function, in, .first = UINT64_MAX };
	}
	sum->work += sample->work;
	sum->waiting += sample->waiting;
	sum->samples++;
	sum->first = sample->first < sum->first ? sample->first : sum->first;
	sum->last = sample->last > sum->last ? sample->last : sum->last;
	return 0;
}

static int boot_add_sample(struct boot_walk *walk, const struct sample *sample, uint64_t weight)
{
	struct boot *boot = walk->boot;
	struct wait place;
	bool waits = waits_place(walk->symbols, sample, &place);
	struct boot_sum one = { .work = waits ? 0 : weight,
		                .waiting = waits ? weight : 0,
		                .first = sample->time,
		                .last = sample->time };

	boot->samples++;
	boot->work += one.work;
	boot->waiting += one.waiting;
	boot->first = one.first < boot->first ? one.first : boot->first;
	boot->last = one.last > boot->last ? one.last : boot->last;
	if (boot_add(&boot->by_phase, phases_at(&boot->phases, sample->time), NULL, NULL, &one) ||
	    boot_add(&boot->by_module, place.module, NULL, NULL, &one))
		return -ENOMEM;
	return waits ? boot_add(&boot->waits, place.module, place.function, place.in, &one)
	             : boot_add(&boot->functions, place.module, place.function, NULL, &one);
}

static int boot_visit(void *context, struct perf_reader *reader,
                      const struct perf_event_header *record)
{
	struct boot_walk *walk = context;
	const struct perf_event_attr *attr = &walk->boot->event->attr;
	struct sample sample;

	if (record->type != PERF_RECORD_SAMPLE ||
	    perf_reader_event_of(reader, record) != walk->boot->event ||
	    !sample_parse(record, attr, &sample))
		return 0;
	return boot_add_sample(walk, &sample,
	                       attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period
	                                                              : attr->sample_period);
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_sums(const void *a, const void *b)
{
	const struct boot_sum *left = a, *right = b;
	int order;

	if (boot_weight(left) != boot_weight(right))
		return boot_weight(left) > boot_weight(right) ? -1 : 1;
	order = compare_texts(left->name, right->name);
	order = order ? order : compare_texts(left->function, right->function);
	return order ? order : compare_texts(left->in, right->in);
}

static void sums_sort(struct boot_sums *sums)
{
	if (sums->count)
		qsort(sums->all, sums->count, sizeof(*sums->all), compare_sums);
}

static void sums_free(struct boot_sums *sums)
{
	intern_free(&sums->keys);
	free(sums->all);
}

/* ---- The ledger ---- */

struct boot_missing {
	char text[2048];
	size_t count;
};

/* The first is printed, and the number of others. */
static void add_missing(void *context, const struct missing *missing)
{
	struct boot_missing *all = context;

	if (!all->count++)
		missing_text(missing, all->text, sizeof(all->text));
}

static void boot_judge(struct boot *boot, const struct ledger *ledger)
{
	struct boot_missing missing = { .count = 0 };
	bool conserved = check_conserved(ledger, NULL, NULL);
	uint64_t generated = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		generated += ledger->events[i].ledger.generated;
	missing_list(ledger, add_missing, &missing);
	boot->is_whole = conserved && !missing.count && ledger_ended(ledger);
	if (missing.count > 1)
		snprintf(missing.text + strlen(missing.text),
		         sizeof(missing.text) - strlen(missing.text),
		         ", and %zu more kinds of loss", missing.count - 1);
	if (asprintf(&boot->ledger, "%s%s%s", missing.count ? missing.text : "nothing is missing",
	             conserved ? "" : "; the ledger does NOT balance",
	             ledger_ended(ledger) ? "" : "; the machine did not come to its end") < 0)
		boot->ledger = NULL;
	if (boot->ledger && boot->is_whole) {
		free(boot->ledger);
		if (asprintf(&boot->ledger,
		             "all %" PRIu64 " records that the machine made are in the file",
		             generated) < 0)
			boot->ledger = NULL;
	}
}

static int boot_read_ledger(struct boot *boot, const struct recording_file *file)
{
	struct ledger ledger = { 0 };
	struct error error = { "" };
	int code = recording_file_ledger(file, &ledger, &error);

	if (code == PERF_LEDGER_WHOLE)
		boot_judge(boot, &ledger);
	else
		boot->ledger = strdup(code < 0 ? error.text
		                      : code == PERF_LEDGER_REWRITTEN
		                          ? "lost: another tool has rewritten the file"
		                          : "none in this file: what is missing is unknown");
	ledger_free(&ledger);
	return boot->ledger ? 0 : -ENOMEM;
}

/* ---- All of it ---- */

/* Marks have no time of their own. */
static int boot_find_event(struct boot *boot, const struct recording_file *file, const char *name,
                           struct error *error)
{
	for (uint32_t i = 0; i < file->reader.event_count; i++) {
		const struct perf_reader_event *one = &file->reader.events[i];

		if (name ? !strcmp(name, one->name) : !mark_text_is(&one->attr))
			if (!boot->event || one->samples > boot->event->samples)
				boot->event = one;
	}
	if (boot->event && boot->event->samples)
		return 0;
	return error_set(error, -ENODATA, "%s has no samples%s%s", file->reader.path,
	                 name ? " of event " : " but marks", name ? name : "");
}

int boot_read(struct boot *boot, struct recording_file *file, const char *event,
              struct error *error)
{
	struct boot_walk walk = { boot, file->symbols };
	int code = phases_read(&boot->phases, file, error);

	boot->path = file->reader.path;
	boot->first = UINT64_MAX;
	if (!code)
		code = boot_find_event(boot, file, event, error);
	if (code)
		return code;
	boot->is_clock = perf_reader_is_clock(boot->event);
	code = recording_file_walk(file, boot_visit, &walk, error);
	if (code)
		return code;
	sums_sort(&boot->by_phase);
	sums_sort(&boot->by_module);
	sums_sort(&boot->functions);
	sums_sort(&boot->waits);
	return boot_read_ledger(boot, file) ? error_set(error, -ENOMEM, "no memory for the boot")
	                                    : 0;
}

void boot_free(struct boot *boot)
{
	phases_free(&boot->phases);
	sums_free(&boot->by_phase);
	sums_free(&boot->by_module);
	sums_free(&boot->functions);
	sums_free(&boot->waits);
	free(boot->ledger);
}

/* ---- Questions of both outputs ---- */

/* Whether a device's driver, perhaps with .efi or .dll, is this module. */
static bool is_module(const char *driver, const char *module)
{
	size_t length = strlen(module);

	return strncmp(driver, module, length) == 0 &&
	       (!driver[length] || !strcmp(driver + length, ".efi") ||
	        !strcmp(driver + length, ".dll"));
}

const char *boot_device(const struct boot *boot, const char *module, size_t number)
{
	for (size_t i = 0; i < boot->phases.nr_devices; i++) {
		const struct phase_device *device = &boot->phases.devices[i];

		if (is_module(device->module, module) && number-- == 0)
			return device->path;
	}
	return NULL;
}

bool boot_has_source(const struct boot *boot, enum phase_source source)
{
	for (size_t i = 0; i < boot->phases.nr_notes; i++) {
		if (boot->phases.notes[i].source == source && boot->phases.notes[i].has_time)
			return true;
	}
	return false;
}
