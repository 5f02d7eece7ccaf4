/* SPDX-License-Identifier: MIT */
/* The sections of a perf.data file about the machine and the recorder, word for word as in Linux'
 * tools/perf/Documentation/perf.data-file-format.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "writer/session/perf_features.h"
#include "writer/session/perf_features_machine.h"

static struct tr_cpu cpus[6];
static struct tr_event events[5];
static struct tr_image images[2];
static struct image_file files[2];
static struct region region;
static struct blob aux_index;
static const char *const command[] = { "bareperf", "run", "100%" };
static const struct perf_features_input input = {
	.region = &region,
	.files = files,
	.aux_index = &aux_index,
	.command = command,
	.command_words = 3,
	.first_time = 11,
	.last_time = 22,
};

static struct blob section; /* under test */
static size_t at;           /* position of the next unchecked byte */

static int setup(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	memset(events, 0, sizeof(events));
	memset(images, 0, sizeof(images));
	region = (struct region){
		.header = { .machine = EM_X86_64, .producer = "bareperf 1%" },
		.cpus = cpus,
		.events = events,
		.images = images,
	};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	blob_free(&section);
	blob_free(&aux_index);
	at = 0;
	return 0;
}

static void build(void (*feature)(struct blob *blob, const struct perf_features_input *in))
{
	teardown(NULL);
	feature(&section, &input);
	assert_false(section.failed);
}

/* The section of this feature in the whole file. */
static void find_of(unsigned bit, const struct perf_features_input *of)
{
	struct perf_writer_feature features[PERF_FEATURES_MAX];
	size_t count = perf_features_build(features, of);

	blob_free(&section);
	at = 0;
	for (size_t i = 0; i < count; i++) {
		assert_true(!i || features[i - 1].bit < features[i].bit);
		if (features[i].bit == bit)
			blob_add(&section, features[i].blob.bytes, features[i].blob.size);
	}
	perf_features_free(features, count);
}

static void find(unsigned bit)
{
	find_of(bit, &input);
}

static const void *next(size_t size)
{
	const void *found = section.bytes + at;

	assert_true(section.size - at >= size);
	at += size;
	return found;
}

static void expect_u32(uint32_t value)
{
	uint32_t found;

	memcpy(&found, next(sizeof(found)), sizeof(found));
	assert_int_equal(found, value);
}

static void expect_u64(uint64_t value)
{
	uint64_t found;

	memcpy(&found, next(sizeof(found)), sizeof(found));
	assert_int_equal(found, value);
}

static void expect_text(const char *text)
{
	uint32_t size;

	memcpy(&size, next(sizeof(size)), sizeof(size));
	assert_true(size % 64 == 0 && size > strlen(text));
	assert_string_equal((const char *)next(size), text);
}

static void expect_end(void)
{
	assert_int_equal(at, section.size);
}

/* ---- The machine ---- */

static void cpus_are_counted_and_named(void **state)
{
	(void)state;
	region.header.cpus.count = 3;
	cpus[0].flags = cpus[2].flags = TR_CPU_ONLINE;
	strcpy(cpus[0].model, "Model of 100%");
	build(perf_feature_nrcpus);
	expect_u32(3);
	expect_u32(2);
	expect_end();
	build(perf_feature_cpudesc);
	expect_text("Model of 100%");
	expect_end();
	memset(cpus[0].hypervisor, 'K', sizeof(cpus[0].hypervisor));
	build(perf_feature_cpudesc);
	expect_text("Model of 100% (virtual: KKKKKKKKKKKKKKKK)");
	expect_end();
	cpus[0].flags = cpus[2].flags = TR_CPU_STEAL;
	cpus[0].stolen = 1000000;
	cpus[1].stolen = 77;
	cpus[2].stolen = 2001999;
	build(perf_feature_cpudesc);
	expect_text("Model of 100% (virtual: KKKKKKKKKKKKKKKK, 3.002 ms stolen)");
	expect_end();
	cpus[1].uncounted = 333000999;
	cpus[2].uncounted = 1;
	build(perf_feature_cpudesc);
	expect_text(
	    "Model of 100% (virtual: KKKKKKKKKKKKKKKK, 3.002 ms stolen, 333.001 ms not "
	    "counted)");
	expect_end();
	cpus[1].uncounted = cpus[2].uncounted = 0;
	cpus[0].flags = cpus[2].flags = 0;
	strcpy(cpus[0].hypervisor, "a\033b");
	cpus[0].model[0] = 0;
	build(perf_feature_cpudesc);
	expect_text("unknown (virtual: a?b)");
	expect_end();
	memset(cpus, 0, sizeof(cpus));
	build(perf_feature_nrcpus);
	expect_u32(3);
	expect_u32(3); /* nobody said */
	build(perf_feature_cpudesc);
	expect_text("unknown");
	memset(cpus[0].model, 'x', sizeof(cpus[0].model));
	build(perf_feature_cpudesc);
	assert_int_equal(strlen((const char *)section.bytes + 4), sizeof(cpus[0].model));
	region.header.cpus.count = 0;
	build(perf_feature_cpudesc);
	expect_text("unknown");
}

static void a_cpus_signature_is_reported_as_perf_does(void **state)
{
	static const struct {
		uint32_t signature;
		const char *text;
	} cases[] = {
		{ 0x906ea, "Maker,6,158,10" }, { 0x00f29, "Maker,15,2,9" },
		{ 0x830f10, "Maker,23,49,0" }, { 0x20653, "Maker,6,37,3" },
		{ 0x7c0581, "Maker,5,8,1" }, /* without the extended fields */
	};

	(void)state;
	region.header.cpus.count = 1;
	strcpy(cpus[0].vendor, "Maker");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpus[0].signature = cases[i].signature;
		build(perf_feature_cpuid);
		expect_text(cases[i].text);
		expect_end();
	}
	region.header.machine = EM_AARCH64;
	cpus[0].signature = 0x413fd0c1;
	build(perf_feature_cpuid);
	expect_text("0x00000000413fd0c1");
	region.header.cpus.count = 0;
	build(perf_feature_cpuid);
	expect_text("unknown");
}

static void memory_and_clock_are_reported_where_they_are_known(void **state)
{
	(void)state;
	build(perf_feature_total_mem);
	expect_end();
	build(perf_feature_clockid);
	expect_end();
	build(perf_feature_clock_data);
	expect_end();
	region.header.memory = 5ULL << 30;
	region.header.clock.frequency = 24000000;
	region.header.clock.entry_epoch = 1700000000;
	build(perf_feature_total_mem);
	expect_u64(5ULL << 20);
	expect_end();
	build(perf_feature_clockid);
	expect_u64(42); /* ns, rounded up */
	expect_end();
	region.header.clock.frequency = 1000000000;
	build(perf_feature_clockid);
	expect_u64(1);
	build(perf_feature_clock_data);
	expect_u32(1);
	expect_u32(4);
	expect_u64(1700000000ULL * 1000000000);
	expect_u64(0);
	expect_end();
}

static void the_only_node_has_all_memory_and_all_cpus(void **state)
{
	(void)state;
	build(perf_feature_numa_topology);
	expect_end();
	build(perf_feature_mem_topology);
	expect_end();
	region.header.cpus.count = 3;
	region.header.memory = 1 << 20;
	build(perf_feature_numa_topology);
	expect_u32(1);
	expect_u32(0);
	expect_u64(1024);
	expect_u64(0);
	expect_text("0-2");
	expect_end();
	build(perf_feature_mem_topology);
	expect_u64(1);
	expect_u64(1ULL << 52);
	expect_u64(1);
	expect_u64(0);
	expect_u64(1);
	expect_u64(1);
	expect_u64(1);
	expect_end();
}

/* Two packages with two cores; the first core has two threads; numbered by firmware package by
 * package, except for the last. */
static void siblings_are_found_by_their_hardware_ids(void **state)
{
	static const uint32_t ids[] = { 0x10, 0x11, 0x20, 0x12, 0x21, 0x22 };
	static const uint32_t cores[] = { 0, 0, 0, 1, 0, 1 }, packages[] = { 1, 1, 2, 1, 2, 2 };

	(void)state;
	region.header.cpus.count = 6;
	for (unsigned i = 0; i < 6; i++)
		cpus[i] = (struct tr_cpu){
			.cpu = i, .hw_id = ids[i], .core_shift = 1, .package_shift = 4
		};
	build(perf_feature_cpu_topology);
	expect_u32(2);
	expect_text("0-1,3");
	expect_text("2,4-5");
	expect_u32(4);
	expect_text("0-1");
	expect_text("2,4");
	expect_text("3");
	expect_text("5");
	for (unsigned i = 0; i < 6; i++) {
		expect_u32(cores[i]);
		expect_u32(packages[i]);
	}
	expect_u32(2);
	expect_text("0-1,3");
	expect_text("2,4-5");
	for (unsigned i = 0; i < 6; i++)
		expect_u32(0);
	expect_end();
	cpus[5].package_shift = 0; /* one CPU's package is not known */
	build(perf_feature_cpu_topology);
	expect_end();
	region.header.cpus.count = 0;
	build(perf_feature_cpu_topology);
	expect_end();
}

static void sources_are_mapped_that_have_events_in_the_file(void **state)
{
	(void)state;
	build(perf_feature_pmu_mappings);
	expect_u32(1);
	expect_u32(PERF_TYPE_SOFTWARE);
	expect_text("software");
	expect_end();
	region.header.events.count = 3;
	events[0].attr.type = PERF_TYPE_SOFTWARE;
	events[1].attr.type = PERF_TYPE_HARDWARE;
	events[2].attr.type = PERF_TYPE_INTEL_BTS;
	build(perf_feature_pmu_mappings);
	expect_u32(3);
	expect_u32(PERF_TYPE_SOFTWARE);
	expect_text("software");
	expect_u32(PERF_TYPE_RAW);
	expect_text("cpu");
	expect_u32(PERF_TYPE_INTEL_BTS);
	expect_text("bts");
	expect_end();
	/* Arm's uses a type of its own. */
	region.header.machine = EM_AARCH64;
	events[2].attr.type = 8;
	build(perf_feature_pmu_mappings);
	expect_u32(2);
	expect_u32(PERF_TYPE_SOFTWARE);
	expect_text("software");
	expect_u32(8);
	expect_text("armv8_pmuv3");
	expect_end();
}

/* ---- The recording ---- */

static void the_recording_machine_and_command_are_reported(void **state)
{
	(void)state;
	find(PERF_FILE_HOSTNAME);
	expect_text("bareperf");
	find(PERF_FILE_OSRELEASE);
	expect_text("bareperf 1%");
	find(PERF_FILE_VERSION);
	expect_text("bareperf " BAREPERF_VERSION);
	find(PERF_FILE_ARCH);
	expect_text("x86_64");
	find(PERF_FILE_CMDLINE);
	expect_u32(3);
	expect_text("bareperf");
	expect_text("run");
	expect_text("100%");
	expect_end();
	find(PERF_FILE_SAMPLE_TIME);
	expect_u64(11);
	expect_u64(22);
	expect_end();
	find(PERF_FILE_AUXTRACE);
	expect_end(); /* there was no mapping of data */
	blob_u64(&aux_index, 77);
	find(PERF_FILE_AUXTRACE);
	expect_u64(77);
	expect_end();
}

static void images_are_known_by_their_build_ids(void **state)
{
	char first[] = "/a/bareperf.sym", second[] = "[payload]";

	(void)state;
	region.header.images.count = 2;
	files[0].path = first;
	files[1].path = second; /* a file without a path is left out */
	images[0].build_id_size = 20;
	memset(images[0].build_id, 0xab, 20);
	find(PERF_FILE_BUILD_ID);
	expect_u32(PERF_FILE_RECORD_BUILD_ID);
	expect_u32((PERF_RECORD_MISC_USER | PERF_FILE_MISC_BUILD_ID_SIZE) | (8 + 4 + 24 + 64)
	                                                                        << 16);
	expect_u32(UINT32_MAX);
	assert_memory_equal(next(20), images[0].build_id, 20);
	expect_u32(20);
	assert_string_equal((const char *)next(64), first);
	expect_end();
}

/* Events of two CPUs: 0 and 2 have the same name, and 1 is the leader of a group with 2. */
static void describe_events(void)
{
	static const struct {
		uint32_t cpu, evsel, group;
		const char *name;
	} all[] = {
		{ 0, 0, 0, "cycles" }, { 0, 1, 2, "r100%" },  { 0, 2, 2, "cycles" },
		{ 1, 0, 0, "cycles" }, { 1, 2, 2, "cycles" },
	};

	region.header.events.count = 5;
	for (unsigned i = 0; i < 5; i++) {
		events[i] = (struct tr_event){
			.attr = { .config = 10 + all[i].evsel },
			.id = 100 + i,
			.cpu = all[i].cpu,
			.evsel = all[i].evsel,
			.group = all[i].group,
		};
		strcpy(events[i].name, all[i].name);
	}
}

static void expect_event(uint64_t config, const char *name, uint64_t first, uint64_t second)
{
	struct perf_event_attr attr;

	memcpy(&attr, next(sizeof(attr)), sizeof(attr));
	assert_int_equal(attr.config, config);
	expect_u32(second ? 2 : 1);
	expect_text(name);
	expect_u64(first);
	if (second)
		expect_u64(second);
}

static void events_have_names_of_their_own(void **state)
{
	(void)state;
	describe_events();
	find(PERF_FILE_EVENT_DESC);
	expect_u32(3);
	expect_u32(sizeof(struct perf_event_attr));
	expect_event(10, "cycles", 100, 103);
	expect_event(11, "r100%", 101, 0);
	expect_event(12, "cycles#2", 102, 104);
	expect_end();
}

static void groups_are_named_by_their_leaders(void **state)
{
	(void)state;
	describe_events();
	find(PERF_FILE_GROUP_DESC);
	expect_u32(1);
	expect_text("{anon_group}");
	expect_u32(1);
	expect_u32(2);
	expect_end();
	events[1].group = 0; /* a single event is not a group */
	find(PERF_FILE_GROUP_DESC);
	expect_end();
}

static void without_a_command_of_ours_it_is_the_machines(void **state)
{
	struct perf_features_input of_machine = input;

	(void)state;
	strcpy(region.header.command, "record -e cycles  -- noploop 10");
	of_machine.command = NULL;
	find_of(PERF_FILE_CMDLINE, &of_machine);
	expect_u32(7);
	expect_text("bareperf");
	expect_text("record");
	expect_text("-e");
	expect_text("cycles");
	expect_text("--");
	expect_text("noploop");
	expect_text("10");
	expect_end();
}

static void the_newest_section_is_written_when_it_is_asked_for(void **state)
{
	struct perf_features_input newest = input;

	(void)state;
	find(PERF_FILE_E_MACHINE);
	assert_int_equal(section.size, 0);
	newest.e_machine = true;
	find_of(PERF_FILE_E_MACHINE, &newest);
	expect_u32(region.header.machine);
	expect_u32(0);
	expect_end();
}

static void a_cache_line_is_reported_if_all_cpus_have_the_same(void **state)
{
	struct perf_features_input newest = input;

	(void)state;
	newest.e_machine = true;
	find_of(PERF_FILE_CLN_SIZE, &newest);
	assert_int_equal(section.size, 0); /* unknown */
	region.header.cpus.count = 3;
	cpus[0].cache_line = cpus[1].cache_line = cpus[2].cache_line = 128;
	find_of(PERF_FILE_CLN_SIZE, &newest);
	expect_u32(128);
	expect_end();
	cpus[1].cache_line = 0; /* of one that was not traced it is not known */
	find_of(PERF_FILE_CLN_SIZE, &newest);
	expect_u32(128);
	expect_end();
	cpus[2].cache_line = 64;
	find_of(PERF_FILE_CLN_SIZE, &newest);
	assert_int_equal(section.size, 0);
	cpus[2].cache_line = 128;
	find_of(PERF_FILE_CLN_SIZE, &input);
	assert_int_equal(section.size, 0); /* not asked for */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(cpus_are_counted_and_named),
		TEST(a_cpus_signature_is_reported_as_perf_does),
		TEST(memory_and_clock_are_reported_where_they_are_known),
		TEST(the_only_node_has_all_memory_and_all_cpus),
		TEST(siblings_are_found_by_their_hardware_ids),
		TEST(sources_are_mapped_that_have_events_in_the_file),
		TEST(the_recording_machine_and_command_are_reported),
		TEST(images_are_known_by_their_build_ids),
		TEST(events_have_names_of_their_own),
		TEST(groups_are_named_by_their_leaders),
		TEST(without_a_command_of_ours_it_is_the_machines),
		TEST(the_newest_section_is_written_when_it_is_asked_for),
		TEST(a_cache_line_is_reported_if_all_cpus_have_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
