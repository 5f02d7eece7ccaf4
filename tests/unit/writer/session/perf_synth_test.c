/* SPDX-License-Identifier: MIT */
/* The records that the writer adds to a perf.data file, word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "writer/perfdata/perf_file.h"
#include "writer/session/perf_synth.h"

#define ALL_TRAILER                                                                    \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static struct tr_cpu cpus[3];
static struct tr_event events[4];
static struct tr_image images[1];
static struct image_file files[1];
static struct region region;
static struct blob records;
static size_t at;
static uint64_t sample_type;

static int setup(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	memset(events, 0, sizeof(events));
	memset(images, 0, sizeof(images));
	region = (struct region){ .cpus = cpus, .events = events, .images = images };
	region.header.events.count = 1;
	sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_IP;
	at = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	blob_free(&records);
	return 0;
}

static void build(void)
{
	blob_free(&records);
	at = 0;
	events[0].attr.sample_type = sample_type;
	perf_synth_start(&records, &region, files);
	assert_false(records.failed);
}

/* The body of the next record, which has this type. */
static const uint8_t *next(uint32_t type, uint16_t misc, size_t *size)
{
	struct perf_event_header header;
	const uint8_t *body;

	assert_true(records.size - at >= sizeof(header));
	memcpy(&header, records.bytes + at, sizeof(header));
	assert_int_equal(header.type, type);
	assert_int_equal(header.misc, misc);
	assert_int_equal(header.size % 8, 0);
	assert_true(records.size - at >= header.size);
	body = records.bytes + at + sizeof(header);
	*size = header.size - sizeof(header);
	at += header.size;
	return body;
}

/* The record ends with these words. */
static void expect_trailer(const uint8_t *body, size_t size, const uint64_t *words, size_t n)
{
	assert_true(size >= n * sizeof(*words));
	assert_memory_equal(body + size - n * sizeof(*words), words, n * sizeof(*words));
}

static void expect_comm(uint32_t tid, const char *name)
{
	const uint32_t ids[] = { TR_PID, tid };
	const uint64_t trailer[] = { TR_PID | (uint64_t)tid << 32, 0 };
	size_t size;
	const uint8_t *body = next(PERF_RECORD_COMM, PERF_RECORD_MISC_USER, &size);

	assert_memory_equal(body, ids, sizeof(ids));
	assert_string_equal((const char *)body + sizeof(ids), name);
	assert_int_equal(size, sizeof(ids) + (strlen(name) + 8) / 8 * 8 + sizeof(trailer));
	expect_trailer(body, size, trailer, 2);
}

static void expect_fork(uint32_t tid)
{
	const uint32_t ids[] = { TR_PID, TR_PID, tid, TR_PID, 0, 0 };
	const uint64_t trailer[] = { TR_PID | (uint64_t)tid << 32, 0 };
	size_t size;
	const uint8_t *body = next(PERF_RECORD_FORK, PERF_RECORD_MISC_USER, &size);

	assert_int_equal(size, sizeof(ids) + sizeof(trailer));
	assert_memory_equal(body, ids, sizeof(ids));
	expect_trailer(body, size, trailer, 2);
}

static void expect_kernel(void)
{
	const uint64_t words[] = { UINT32_MAX, -2ULL * TR_PAGE, TR_PAGE, -2ULL * TR_PAGE };
	size_t size;
	const uint8_t *body = next(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &size);

	assert_memory_equal(body, words, sizeof(words));
	assert_string_equal((const char *)body + sizeof(words), "[kernel.kallsyms]_text");
}

static void expect_end(void)
{
	assert_int_equal(at, records.size);
}

static void each_cpu_is_a_thread_with_a_name(void **state)
{
	(void)state;
	region.header.cpus.count = 3;
	for (unsigned i = 0; i < 3; i++)
		cpus[i].cpu = i;
	strcpy(region.header.command, "record -e cycles -- calltree 100");
	build();
	expect_comm(1, "calltree");
	expect_fork(2);
	expect_comm(2, "idle/1");
	expect_fork(3);
	expect_comm(3, "idle/2");
	expect_kernel();
	expect_end();
	strcpy(region.header.command, "record -- payload");
	build();
	expect_comm(1, "payload");
	expect_fork(2);
	expect_comm(2, "payload/1");
	expect_fork(3);
	expect_comm(3, "payload/2");
	expect_kernel();
	expect_end();
}

static void a_cpu_without_a_named_program_runs_bareperf(void **state)
{
	static const char *const commands[] = { "record", "record -- ", "record --  x", "" };

	(void)state;
	region.header.cpus.count = 1;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		strcpy(region.header.command, commands[i]);
		build();
		expect_comm(1, "bareperf");
	}
	/* Linux' names have 15 letters, and the command has no NUL. */
	memset(region.header.command, 'x', sizeof(region.header.command));
	memcpy(region.header.command, "r -- ", 5);
	build();
	expect_comm(1, "xxxxxxxxxxxxxxx");
}

static void an_images_data_is_mapped_after_all_code(void **state)
{
	static const char path[] = "/a/payload.elf";
	struct perf_record_mmap2 mmap2;
	const uint8_t *body;
	size_t size;

	(void)state;
	region.header.images.count = 1;
	images[0] =
	    (struct tr_image){ .address = 0x105000, .size = 0x4000, .link_address = 0x5000 };
	files[0] = (struct image_file){
		.path = (char *)(uintptr_t)path,
		.file_offset = 0x5000,
		.data = { { .link_address = 0x9000, .size = 0x2000, .file_offset = 0x8000 } },
		.data_count = 1,
	};
	build();
	expect_kernel();
	next(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &size);
	body = next(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 13, &size); /* MMAP_DATA */
	memcpy((uint8_t *)&mmap2 + sizeof(mmap2.header), body,
	       sizeof(mmap2) - sizeof(mmap2.header));
	assert_int_equal(mmap2.addr, 0x109000);
	assert_int_equal(mmap2.len, 0x2000);
	assert_int_equal(mmap2.pgoff, 0x8000);
	assert_int_equal(mmap2.prot, 3); /* PROT_READ | PROT_WRITE */
	assert_string_equal((const char *)body + sizeof(mmap2) - sizeof(mmap2.header), path);
	expect_end();
}

static void an_image_is_mapped_where_its_code_is(void **state)
{
	static const char path[] = "/a/bareperf.sym";
	const uint64_t trailer[] = { TR_PID | (uint64_t)TR_PID << 32, 0 };
	struct perf_record_mmap2 mmap2;
	const uint8_t *body;
	size_t size;

	(void)state;
	region.header.images.count = 1;
	images[0] = (struct tr_image){ .address = 0x100000, .size = 0x4000 };
	files[0] = (struct image_file){ .path = (char *)(uintptr_t)path, .file_offset = 0x1000 };
	build();
	expect_kernel();
	body = next(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &size);
	memcpy((uint8_t *)&mmap2 + sizeof(mmap2.header), body,
	       sizeof(mmap2) - sizeof(mmap2.header));
	assert_int_equal(mmap2.pid, TR_PID);
	assert_int_equal(mmap2.tid, TR_PID);
	assert_int_equal(mmap2.addr, 0x100000);
	assert_int_equal(mmap2.len, 0x4000);
	assert_int_equal(mmap2.pgoff, 0x1000);
	assert_int_equal(mmap2.prot, 5);  /* PROT_READ | PROT_EXEC */
	assert_int_equal(mmap2.flags, 2); /* MAP_PRIVATE */
	assert_string_equal((const char *)body + sizeof(mmap2) - sizeof(mmap2.header), path);
	expect_trailer(body, size, trailer, 2);
	expect_end();
}

/* perf reads them from the end, by the first event's sample_type. */
static void trailers_have_the_fields_that_events_have(void **state)
{
	static const struct {
		uint64_t field, word;
	} fields[] = {
		{ PERF_SAMPLE_TID, 1 | 1ULL << 32 },
		{ PERF_SAMPLE_TIME, 0 },
		{ PERF_SAMPLE_ID, 0 },
		{ PERF_SAMPLE_STREAM_ID, 0 },
		{ PERF_SAMPLE_CPU, 0 },
		{ PERF_SAMPLE_IDENTIFIER, 0 },
	};

	(void)state;
	region.header.cpus.count = 1;
	for (unsigned asked = 0; asked < 1U << 6; asked++) {
		uint64_t words[6];
		size_t n = 0, size;
		const uint8_t *body;

		sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
		for (unsigned i = 0; i < 6; i++) {
			if (!(asked >> i & 1))
				continue;
			sample_type |= fields[i].field;
			words[n++] = fields[i].word;
		}
		build();
		body = next(PERF_RECORD_COMM, PERF_RECORD_MISC_USER, &size);
		assert_int_equal(size, 8 + 16 + 8 * n);
		expect_trailer(body, size, words, n);
		expect_kernel();
		expect_end();
	}
}

static void losses_are_reported_for_each_event(void **state)
{
	struct ledger_event lost[3] = { 0 };
	struct ledger ledger = { .events = lost };
	const uint64_t words[] = { 55, TR_PID | 3ULL << 32, 0, 102, 102, 0, 102 };
	const uint8_t *body;
	size_t size;

	(void)state;
	ledger.head.event_count = 3;
	for (unsigned i = 0; i < 3; i++) {
		lost[i].event.attr.sample_type = ALL_TRAILER | PERF_SAMPLE_IP;
		lost[i].event.id = 100 + i;
		lost[i].event.cpu = i;
	}
	lost[2].ledger.lost = 55;
	perf_synth_lost(&records, &ledger);
	body = next(PERF_RECORD_LOST_SAMPLES, PERF_RECORD_MISC_USER, &size);
	assert_int_equal(size, sizeof(words));
	assert_memory_equal(body, words, sizeof(words));
	expect_end();
}

/* Event 0 on two CPUs, event 2 on one; no instance of event 1. */
static void instances_of_an_event_are_one_to_perf(void **state)
{
	struct perf_writer_event *found;
	uint64_t *ids;

	(void)state;
	region.header.events.count = 3;
	for (unsigned i = 0; i < 3; i++) {
		events[i].evsel = i == 1 ? 2 : 0;
		events[i].id = 100 + i;
		events[i].attr.config = 10 + events[i].evsel;
	}
	events[1].attr.flags = PERF_ATTR_EXCLUDE_KERNEL;
	assert_int_equal(perf_synth_events(&region, &found, &ids), 2);
	assert_int_equal(found[0].attr.config, 10);
	assert_int_equal(found[0].attr.flags, PERF_ATTR_EXCLUDE_GUEST);
	assert_int_equal(found[0].id_count, 2);
	assert_int_equal(found[0].ids[0], 100);
	assert_int_equal(found[0].ids[1], 102);
	assert_int_equal(found[1].attr.config, 12);
	assert_int_equal(found[1].attr.flags, PERF_ATTR_EXCLUDE_KERNEL);
	assert_int_equal(found[1].id_count, 1);
	assert_int_equal(found[1].ids[0], 101);
	free(found);
	free(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(each_cpu_is_a_thread_with_a_name),
		TEST(a_cpu_without_a_named_program_runs_bareperf),
		TEST(an_image_is_mapped_where_its_code_is),
		TEST(an_images_data_is_mapped_after_all_code),
		TEST(trailers_have_the_fields_that_events_have),
		TEST(losses_are_reported_for_each_event),
		TEST(instances_of_an_event_are_one_to_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
