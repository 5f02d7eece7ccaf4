/* SPDX-License-Identifier: MIT */
/* The parts of the merged file around its records. */
#include "host-tools/merge/merge_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/perfdata/buildid_cache.h"

static const struct tr_event *first_of(const struct ledger *ledger, uint32_t evsel)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (ledger->events[i].event.evsel == evsel)
			return &ledger->events[i].event;
	}
	return NULL;
}

static uint32_t evsels_of(const struct ledger *ledger)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (ledger->events[i].event.evsel >= count)
			count = ledger->events[i].event.evsel + 1;
	}
	return count;
}

static bool is_same_event(const struct tr_event *a, const struct tr_event *b)
{
	if (!a || !b)
		return a == b;
	return !memcmp(&a->attr, &b->attr, sizeof(a->attr)) && a->config3 == b->config3 &&
	       a->config4 == b->config4 && a->group == b->group &&
	       !strncmp(a->name, b->name, sizeof(a->name));
}

/* Whether both ledgers have the same events, from the same command. */
static bool has_same_events(const struct ledger *a, const struct ledger *b)
{
	uint32_t count = evsels_of(a);

	for (uint32_t i = 0; i < count; i++) {
		if (!is_same_event(first_of(a, i), first_of(b, i)))
			return false;
	}
	return count == evsels_of(b);
}

/* Choose the index of each board's events among the file's events. */
static void choose_evsels(const struct merge *merge, uint32_t *first)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < merge->count; i++) {
		uint32_t j = 0;

		while (j < i &&
		       !has_same_events(&merge->boards[j].ledger, &merge->boards[i].ledger))
			j++;
		first[i] = j < i ? first[j] : next;
		next += j < i ? 0 : evsels_of(&merge->boards[i].ledger);
	}
}

/* With their own names again, and numbered as perf does. */
static void fill_events(const struct merge *merge, const uint32_t *first, struct tr_event *to)
{
	for (uint32_t i = 0; i < merge->count; i++) {
		const struct ledger *own = &merge->boards[i].ledger;

		for (uint32_t e = 0; e < own->head.event_count; e++) {
			const struct tr_event *event = &own->events[e].event;

			*to = merge->ledger.events[merge->parts[i].first_event + e].event;
			to->evsel = first[i] + event->evsel;
			to->group = event->group ? first[i] + event->group : 0;
			memcpy(to->name, event->name, sizeof(to->name));
			to++;
		}
	}
}

int merge_region(const struct merge *merge, struct region *region, struct error *error)
{
	const struct ledger *ledger = &merge->ledger;
	uint32_t *first = calloc(merge->count, sizeof(*first));

	*region = (struct region){
		.cpus = calloc(ledger->head.cpu_count + 1, sizeof(*region->cpus)),
		.events = calloc(ledger->head.event_count + 1, sizeof(*region->events)),
	};
	if (!first || !region->cpus || !region->events) {
		free(first);
		return error_set(error, -ENOMEM, "no memory for the events");
	}
	region->header.clock = ledger->head.clock;
	region->header.cpus.count = ledger->head.cpu_count;
	region->header.events.count = ledger->head.event_count;
	region->header.machine =
	    strcmp(merge->boards->arch, region_arch_name(EM_AARCH64)) ? EM_X86_64 : EM_AARCH64;
	perf_reader_string(&merge->boards->reader, PERF_FILE_OSRELEASE, region->header.producer,
	                   sizeof(region->header.producer));
	memcpy(region->cpus, ledger->cpus, ledger->head.cpu_count * sizeof(*region->cpus));
	choose_evsels(merge, first);
	fill_events(merge, first, region->events);
	free(first);
	return 0;
}

/* ---- Features ---- */

static void add_build_id(struct blob *blob, const struct perf_build_id *from, const char *path)
{
	struct perf_file_build_id record = {
		.header = { .type = PERF_FILE_RECORD_BUILD_ID,
		            .misc = PERF_RECORD_MISC_USER | PERF_FILE_MISC_BUILD_ID_SIZE },
		.pid = UINT32_MAX,
		.size = from->size,
	};
	size_t padded = (strlen(path) + 64) / 64 * 64;

	if (padded > UINT16_MAX - sizeof(record))
		return;
	record.header.size = (uint16_t)(sizeof(record) + padded);
	memcpy(record.id, from->id, from->size);
	blob_add(blob, &record, sizeof(record));
	blob_padded(blob, path, padded);
}

/* Whether an earlier board has the same file with the same build-id. */
static bool is_repeated(const struct merge *merge, uint32_t i, const struct perf_build_id *own)
{
	struct perf_build_id other;

	for (uint32_t j = 0; j < i; j++) {
		const struct merge_board *board = &merge->boards[j];
		size_t at = 0;

		while (board->build_ids &&
		       perf_reader_build_id(board->build_ids, board->build_ids_size, &at, &other)) {
			if (own->size == other.size && !memcmp(own->id, other.id, own->size) &&
			    strnlen(own->path, own->path_size) ==
			        strnlen(other.path, other.path_size) &&
			    !memcmp(own->path, other.path, strnlen(own->path, own->path_size)))
				return true;
		}
	}
	return false;
}

static void add_build_ids(struct blob *blob, const struct merge *merge, uint32_t i)
{
	const struct merge_board *board = &merge->boards[i];
	struct perf_build_id own;
	size_t at = 0;

	while (board->build_ids &&
	       perf_reader_build_id(board->build_ids, board->build_ids_size, &at, &own)) {
		char *path;

		if (is_repeated(merge, i, &own))
			continue;
		path = merge_path(merge, i, own.path, own.path_size);
		if (path)
			add_build_id(blob, &own, path);
		else
			blob->failed = true;
		free(path);
	}
}

static bool has_model_before(const struct region *region, uint32_t cpu)
{
	for (uint32_t i = 0; i < cpu; i++) {
		if (!memcmp(region->cpus[i].model, region->cpus[cpu].model,
		            sizeof(region->cpus->model)))
			return true;
	}
	return false;
}

/* All boards' CPU models. perf 6.1's data convert --to-json crashes without one. */
static void put_models(struct blob *blob, const struct region *region)
{
	struct blob models = { 0 };

	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		char model[sizeof(region->cpus->model) + 1];

		if (has_model_before(region, i))
			continue;
		region_printable(model, sizeof(model), region->cpus[i].model,
		                 sizeof(region->cpus->model));
		blob_printf(&models, "%s%s", models.size ? ", " : "", *model ? model : "unknown");
	}
	blob_add(&models, "", 1);
	blob_free(blob);
	if (models.failed)
		blob->failed = true;
	else
		blob_perf_string(blob, (const char *)models.bytes);
	blob_free(&models);
}

/* Whether a feature holds for all boards together. */
static bool is_of_all(unsigned bit, const struct region *region)
{
	bool alike = true;

	for (uint32_t i = 1; i < region->header.cpus.count; i++)
		alike = alike && region->cpus[i].signature == region->cpus->signature &&
		        !memcmp(region->cpus[i].model, region->cpus->model,
		                sizeof(region->cpus->model));
	switch (bit) {
	case PERF_FILE_CPUID:
		return alike;
	case PERF_FILE_TOTAL_MEM:
	case PERF_FILE_CPU_TOPOLOGY:
	case PERF_FILE_NUMA_TOPOLOGY:
	case PERF_FILE_MEM_TOPOLOGY:
	case PERF_FILE_CLOCKID:
	case PERF_FILE_CLOCK_DATA:
		return false;
	default:
		return true;
	}
}

/* The first and the last time, after shifting. */
static void span(const struct merge *merge, struct perf_features_input *input)
{
	for (uint32_t i = 0; i < merge->count; i++) {
		const struct merge_board *board = &merge->boards[i];
		uint64_t last = board->last_time + board->later;

		if (!board->has_time)
			continue;
		if (!input->first_time)
			input->first_time = board->first_time + board->later;
		if (last > input->last_time)
			input->last_time = last;
	}
}

size_t merge_features(struct perf_writer_feature features[PERF_FEATURES_MAX],
                      const struct merge *merge, const struct region *region,
                      const char *const *command, int command_words)
{
	struct perf_writer_feature all[PERF_FEATURES_MAX];
	struct blob nothing = { 0 };
	struct perf_features_input input = {
		.region = region,
		.ledger = &merge->ledger,
		.aux_index = &nothing,
		.command = command,
		.command_words = command_words,
	};
	size_t built, count = 1;

	span(merge, &input);
	features[0] = (struct perf_writer_feature){ .bit = PERF_FILE_BUILD_ID };
	for (uint32_t i = 0; i < merge->count; i++)
		add_build_ids(&features[0].blob, merge, i);
	if (!features[0].blob.size || features[0].blob.failed) {
		blob_free(&features[0].blob);
		count = 0;
	}
	built = perf_features_build(all, &input);
	for (size_t i = 0; i < built; i++) {
		if (all[i].bit == PERF_FILE_CPUDESC)
			put_models(&all[i].blob, region);
		if (is_of_all(all[i].bit, region))
			features[count++] = all[i];
		else
			blob_free(&all[i].blob);
	}
	return count;
}
