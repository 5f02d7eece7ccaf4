/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host-tools/report/summary_json.h"
#include "host-tools/report/uefi/boot.h"

static json_t *text_json(const char *text)
{
	return text ? summary_text(text, strlen(text)) : json_null();
}

static json_t *moments_json(const struct boot *boot, enum phase_source source)
{
	json_t *list = json_array();

	for (size_t i = 0; i < boot->phases.nr_notes; i++) {
		const struct phase_note *note = &boot->phases.notes[i];
		int64_t at;

		if (note->source != source || !note->has_time)
			continue;
		json_array_append_new(list, json_pack("{so so so}", "ns", json_integer(note->ns),
		                                      "what", text_json(note->what), "at",
		                                      phases_place(&boot->phases, note, &at)
		                                          ? json_integer(at)
		                                          : json_null()));
	}
	return list;
}

static json_t *before_json(const struct boot *boot)
{
	const struct phases *phases = &boot->phases;
	json_t *sources = json_array();

	for (enum phase_source i = 0; i < PHASE_SOURCES; i++)
		json_array_append_new(sources,
		                      json_pack("{ss so so}", "source", phases_source_name(i),
		                                "error", text_json(phases->wrong[i]), "times",
		                                moments_json(boot, i)));
	return json_pack("{so so}", "counter_ns",
	                 phases->has_counter ? json_integer(phases->counter) : json_null(),
	                 "sources", sources);
}

static json_t *devices_json(const struct boot *boot, const char *module)
{
	json_t *list = json_array();
	const char *path;

	for (size_t i = 0; (path = boot_device(boot, module, i)); i++)
		json_array_append_new(list, text_json(path));
	return list;
}

/* Members of all rows. */
static json_t *sum_json(const struct boot_sum *sum)
{
	return json_pack("{so so so so so}", "work", summary_number(sum->work), "waiting",
	                 summary_number(sum->waiting), "samples", summary_number(sum->samples),
	                 "first_ns", summary_number(sum->first), "last_ns",
	                 summary_number(sum->last));
}

static json_t *named_json(const struct boot_sums *sums, const char *name, size_t most)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sums->count && i < most; i++) {
		json_t *row = sum_json(&sums->all[i]);

		json_object_set_new(row, name, text_json(sums->all[i].name));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *rows_json(const struct boot *boot, const struct boot_sums *sums, bool waits)
{
	json_t *list = named_json(sums, "module", BOOT_TOP);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct boot_sum *sum = &sums->all[i];
		json_t *row = json_array_get(list, i);

		json_object_set_new(row, "function", text_json(sum->function));
		if (!waits)
			continue;
		json_object_set_new(row, "in", text_json(sum->in));
		json_object_set_new(row, "devices", devices_json(boot, sum->name));
	}
	return list;
}

json_t *boot_json(const struct boot *boot)
{
	return json_pack("{so so ss so so so so so so so so so so s{so sb}}", "file",
	                 text_json(boot->path), "event", text_json(boot->event->name), "unit",
	                 boot->is_clock ? "ns" : "count", "samples", summary_number(boot->samples),
	                 "first_ns", summary_number(boot->first), "last_ns",
	                 summary_number(boot->last), "work", summary_number(boot->work), "waiting",
	                 summary_number(boot->waiting), "before", before_json(boot), "phases",
	                 named_json(&boot->by_phase, "phase", SIZE_MAX), "modules",
	                 named_json(&boot->by_module, "module", SIZE_MAX), "waits",
	                 rows_json(boot, &boot->waits, true), "functions",
	                 rows_json(boot, &boot->functions, false), "ledger", "text",
	                 text_json(boot->ledger), "whole", boot->is_whole);
}
