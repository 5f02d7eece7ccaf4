/* SPDX-License-Identifier: MIT */
/* The optional sections of a perf.data file. */
#include "writer/session/perf_features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/session/perf_features_machine.h"
#include "writer/session/perf_synth.h"

static void features_build_ids(struct blob *blob, const struct perf_features_input *in)
{
	for (uint32_t i = 0; i < in->region->header.images.count; i++) {
		const struct tr_image *image = &in->region->images[i];
		const char *path = in->files[i].path;
		size_t padded = (strlen(path) + 64) / 64 * 64;
		struct perf_event_header header = {
			.type = PERF_FILE_RECORD_BUILD_ID,
			.misc = PERF_RECORD_MISC_USER | PERF_FILE_MISC_BUILD_ID_SIZE,
			.size = (uint16_t)(sizeof(header) + 4 + 24 + padded),
		};

		if (!image->build_id_size)
			continue;
		blob_add(blob, &header, sizeof(header));
		blob_u32(blob, UINT32_MAX); /* pid -1: any */
		blob_add(blob, image->build_id, sizeof(image->build_id));
		blob_u32(blob, image->build_id_size); /* size byte and padding */
		blob_padded(blob, path, padded);
	}
}

static void features_hostname(struct blob *blob, const struct perf_features_input *in)
{
	(void)in;
	blob_perf_string(blob, "bareperf");
}

static void features_osrelease(struct blob *blob, const struct perf_features_input *in)
{
	/* the kernel's release is the firmware's version */
	blob_perf_string(blob, in->region->header.producer);
}

static void features_version(struct blob *blob, const struct perf_features_input *in)
{
	(void)in;
	blob_perf_string(blob, "bareperf " BAREPERF_VERSION);
}

static void features_arch(struct blob *blob, const struct perf_features_input *in)
{
	blob_perf_string(blob, region_arch_name(in->region->header.machine));
}

/* The command as the machine received it, after the name that it would have in a shell. */
static void features_machine_cmdline(struct blob *blob, const struct region *region)
{
	char text[sizeof(region->header.command)], *rest = text;
	size_t at = blob->size;
	uint32_t words = 1;

	region_printable(text, sizeof(text), region->header.command, sizeof(text));
	blob_u32(blob, 0);
	blob_perf_string(blob, "bareperf");
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		blob_perf_string(blob, word);
		words++;
	}
	if (!blob->failed)
		memcpy(blob->bytes + at, &words, sizeof(words));
}

static void features_cmdline(struct blob *blob, const struct perf_features_input *in)
{
	if (!in->command) {
		features_machine_cmdline(blob, in->region);
		return;
	}
	blob_u32(blob, (uint32_t)in->command_words);
	for (int i = 0; i < in->command_words; i++)
		blob_perf_string(blob, in->command[i]);
}

/* The first instance of an event, or NULL. */
static const struct tr_event *features_first_of(const struct region *region, uint32_t evsel)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		if (region->events[i].evsel == evsel)
			return &region->events[i];
	}
	return NULL;
}

/* The name of an event; a second one of the same name gets a number, since some viewers take
 * names for identity. */
static void features_event_name(const struct region *region, uint32_t evsel, char name[96])
{
	const struct tr_event *own = features_first_of(region, evsel);
	unsigned twins = 0;

	for (uint32_t i = 0; own && i < evsel; i++) {
		const struct tr_event *other = features_first_of(region, i);

		twins += other && !strcmp(other->name, own->name);
	}
	region_printable(name, 80, own ? own->name : "", 64);
	if (twins)
		snprintf(name + strlen(name), 16, "#%u", twins + 1);
}

static uint32_t features_evsel_of_id(const struct region *region, uint64_t id)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		if (region->events[i].id == id)
			return region->events[i].evsel;
	}
	return TR_NONE;
}

static void features_event_desc(struct blob *blob, const struct perf_features_input *in)
{
	struct perf_writer_event *events;
	uint64_t *ids;
	uint32_t count = perf_synth_events(in->region, &events, &ids);

	blob_u32(blob, count);
	blob_u32(blob, sizeof(struct perf_event_attr));
	for (uint32_t i = 0; i < count; i++) {
		char name[96];

		features_event_name(in->region, features_evsel_of_id(in->region, events[i].ids[0]),
		                    name);
		blob_add(blob, &events[i].attr, sizeof(events[i].attr));
		blob_u32(blob, events[i].id_count);
		blob_perf_string(blob, name);
		blob_add(blob, events[i].ids, events[i].id_count * sizeof(uint64_t));
	}
	free(events);
	free(ids);
}

/* How many events the group of this leader has: 0, if it leads none. */
static uint32_t features_members_of(const struct region *region, uint32_t leader)
{
	const struct tr_event *own = features_first_of(region, leader);
	uint32_t members = 0;

	for (uint32_t i = 0; own && i < region->header.events.count; i++) {
		const struct tr_event *event = &region->events[i];

		members += event->group == leader + 1 && event->cpu == own->cpu;
	}
	return members;
}

/* perf's name for a group without one. Events are in the order of evsel, from 0. */
static void features_group_desc(struct blob *blob, const struct perf_features_input *in)
{
	uint32_t events = in->region->header.events.count, groups = 0;

	for (uint32_t i = 0; i < events; i++)
		groups += features_members_of(in->region, i) > 1;
	if (!groups)
		return;
	blob_u32(blob, groups);
	for (uint32_t i = 0; i < events; i++) {
		if (features_members_of(in->region, i) < 2)
			continue;
		blob_perf_string(blob, "{anon_group}");
		blob_u32(blob, i);
		blob_u32(blob, features_members_of(in->region, i));
	}
}

static void features_auxtrace(struct blob *blob, const struct perf_features_input *in)
{
	blob_add(blob, in->aux_index->bytes, in->aux_index->size);
}

static void features_sample_time(struct blob *blob, const struct perf_features_input *in)
{
	blob_u64(blob, in->first_time);
	blob_u64(blob, in->last_time);
}

/* A section without content: perf then reports branches, not samples. perf leaves it out for stacks
 * that are callchains. */
static bool features_has_branch_stacks(const struct region *region)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		const struct perf_event_attr *attr = &region->events[i].attr;

		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
		    !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

static void features_branch_stack(struct blob *blob, const struct perf_features_input *in)
{
	(void)blob;
	(void)in;
}

static void features_e_machine(struct blob *blob, const struct perf_features_input *in)
{
	if (!in->e_machine)
		return;
	blob_u32(blob, in->region->header.machine);
	blob_u32(blob, 0); /* e_flags */
}

/* perf 7 c2c's: the bytes of a cache line, for all CPUs. */
static void features_cln_size(struct blob *blob, const struct perf_features_input *in)
{
	uint32_t size = in->region->header.cpus.count ? in->region->cpus[0].cache_line : 0;

	for (uint32_t i = 1; i < in->region->header.cpus.count; i++) {
		uint32_t other = in->region->cpus[i].cache_line;

		if (other && other != size)
			return;
	}
	if (in->e_machine && size)
		blob_u32(blob, size);
}

size_t perf_features_build(struct perf_writer_feature features[PERF_FEATURES_MAX],
                           const struct perf_features_input *input)
{
	static const struct {
		unsigned bit;
		void (*build)(struct blob *blob, const struct perf_features_input *in);
	} all[] = {
		{ PERF_FILE_BUILD_ID, features_build_ids },
		{ PERF_FILE_HOSTNAME, features_hostname },
		{ PERF_FILE_OSRELEASE, features_osrelease },
		{ PERF_FILE_VERSION, features_version },
		{ PERF_FILE_ARCH, features_arch },
		{ PERF_FILE_NRCPUS, perf_feature_nrcpus },
		{ PERF_FILE_CPUDESC, perf_feature_cpudesc },
		{ PERF_FILE_CPUID, perf_feature_cpuid },
		{ PERF_FILE_TOTAL_MEM, perf_feature_total_mem },
		{ PERF_FILE_CMDLINE, features_cmdline },
		{ PERF_FILE_EVENT_DESC, features_event_desc },
		{ PERF_FILE_CPU_TOPOLOGY, perf_feature_cpu_topology },
		{ PERF_FILE_NUMA_TOPOLOGY, perf_feature_numa_topology },
		{ PERF_FILE_BRANCH_STACK, features_branch_stack },
		{ PERF_FILE_PMU_MAPPINGS, perf_feature_pmu_mappings },
		{ PERF_FILE_GROUP_DESC, features_group_desc },
		{ PERF_FILE_AUXTRACE, features_auxtrace },
		{ PERF_FILE_SAMPLE_TIME, features_sample_time },
		{ PERF_FILE_MEM_TOPOLOGY, perf_feature_mem_topology },
		{ PERF_FILE_CLOCKID, perf_feature_clockid },
		{ PERF_FILE_CLOCK_DATA, perf_feature_clock_data },
		{ PERF_FILE_E_MACHINE, features_e_machine },
		{ PERF_FILE_CLN_SIZE, features_cln_size },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct perf_writer_feature *feature = &features[count];

		*feature = (struct perf_writer_feature){ .bit = all[i].bit };
		all[i].build(&feature->blob, input);
		if (!feature->blob.failed &&
		    (feature->blob.size || (all[i].bit == PERF_FILE_BRANCH_STACK &&
		                            features_has_branch_stacks(input->region))))
			count++;
		else
			blob_free(&feature->blob);
	}
	return count;
}

void perf_features_free(struct perf_writer_feature *features, size_t count)
{
	for (size_t i = 0; i < count; i++)
		blob_free(&features[i].blob);
}
