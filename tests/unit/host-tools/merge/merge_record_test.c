/* SPDX-License-Identifier: MIT */
/* Two boards' ledgers merged into one, and the new ids of their records. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/ledger/check.h"
#include "host-tools/merge/merge_record.h"

#define TYPE                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)
#define FORMAT                                                                 \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)
#define LATER 1000

static struct merge_board boards[2];
static struct ledger_part parts[2];
static struct merge merge;
static struct blob moved;
static struct error error;

/* Events 7 and 9 on each of so many CPUs, a ring per CPU, all with the doorbell of vector 0. */
static void make_ledger(struct ledger *ledger, uint32_t cpus, uint32_t state)
{
	struct ledger_head head = { .magic = LEDGER_MAGIC,
		                    .version = LEDGER_VERSION,
		                    .state = state,
		                    .run = 1,
		                    .cpu_count = cpus,
		                    .event_count = 2 * cpus,
		                    .ring_count = cpus,
		                    .clock.frequency = cpus * 1000000000ULL };
	struct blob blob = { 0 };

	strcpy(head.message, state == TR_PANIC ? "it is over" : "");
	blob_add(&blob, &head, sizeof(head));
	for (uint32_t i = 0; i < cpus; i++)
		blob_add(&blob, &(struct tr_cpu){ .cpu = i, .tick_cycles = 600 },
		         sizeof(struct tr_cpu));
	for (uint32_t i = 0; i < 2 * cpus; i++)
		blob_add(&blob,
		         &(struct ledger_event){ .event = { .id = 7 + 2 * i,
		                                            .cpu = i / 2,
		                                            .ring = i / 2,
		                                            .evsel = i % 2,
		                                            .group = 1,
		                                            .name = "cycles",
		                                            .attr.sample_type = TYPE,
		                                            .attr.read_format = FORMAT },
		                                 .ledger.written = i },
		         sizeof(struct ledger_event));
	for (uint32_t i = 0; i < cpus; i++)
		blob_add(&blob, &(struct ledger_ring){ .ring = { .cpu = i, .owner = 2 * i } },
		         sizeof(struct ledger_ring));
	assert_int_equal(ledger_parse(ledger, blob.bytes, blob.size, &error), 0);
	blob_free(&blob);
}

static int begin_with(uint32_t first, uint32_t second, uint32_t state)
{
	static const char *const names[] = { "pc", "board" };

	make_ledger(&boards[0].ledger, first, TR_COMPLETE);
	make_ledger(&boards[1].ledger, second, state);
	boards[1].later = LATER;
	for (int i = 0; i < 2; i++) {
		strcpy(boards[i].name, names[i]);
		parts[i] = (struct ledger_part){ .name = names[i], .ledger = &boards[i].ledger };
	}
	merge = (struct merge){ .boards = boards, .parts = parts, .count = 2 };
	return ledger_merge(&merge.ledger, parts, 2, &error);
}

static int begin(void **state)
{
	(void)state;
	return begin_with(2, 3, TR_COMPLETE);
}

static int end(void **state)
{
	(void)state;
	ledger_free(&boards[0].ledger);
	ledger_free(&boards[1].ledger);
	ledger_free(&merge.ledger);
	blob_free(&moved);
	moved = (struct blob){ 0 };
	return 0;
}

/* {pid, tid} */
static uint64_t task(uint32_t pid, uint32_t tid)
{
	return (uint64_t)tid << 32 | pid;
}

/* The second board's record with these words after its header. */
static int move(uint32_t type, const uint64_t *words, size_t count)
{
	uint64_t record[32] = { 0 };
	const struct perf_event_header header = { .type = type,
		                                  .size = (uint16_t)(8 * (count + 1)) };

	memcpy(record, &header, sizeof(header));
	memcpy(record + 1, words, 8 * count);
	return merge_record(&merge, 1, (const void *)record, &moved, &error);
}

static void is_moved_to(const uint64_t *words, size_t count)
{
	assert_int_equal(moved.size, 8 * (count + 1));
	assert_memory_equal(moved.bytes + 8, words, 8 * count);
}

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

static void samples_get_ids_tasks_times_and_cpus_of_the_merged_file(void **state)
{
	/* id 11: the second board's event 2, after the first board's four */
	const uint64_t sample[] = { 11, 0x1000, task(1, 2), 50, 1, 1, 2, 70, 60, 5, 11, 6, 13 };
	const uint64_t there[] = {
		7, 0x1000, task(3, 4), 50 + LATER, 3, 1, 2, 70, 60, 5, 7, 6, 8,
	};
	(void)state;

	assert_int_equal(move(PERF_RECORD_SAMPLE, sample, COUNT(sample)), 1);
	is_moved_to(there, COUNT(there));
}

static void other_records_too(void **state)
{
	const uint64_t lost[] = { 7, 99, task(1, 1), 50, 0, 7 };
	const uint64_t lost_there[] = { 5, 99, task(3, 3), 50 + LATER, 2, 5 };
	const uint64_t throttle[] = { 50, 9, 7, task(1, 3), 50, 2, 9 };
	const uint64_t throttle_there[] = { 50 + LATER, 6, 5, task(3, 5), 50 + LATER, 4, 6 };
	const uint64_t fork[] = { 1 | 1ULL << 32, 2 | 1ULL << 32, 0, task(1, 2), 0, 0, 0 };
	const uint64_t fork_there[] = { 3 | 3ULL << 32, 4 | 3ULL << 32, 0, task(3, 4), 0, 2, 0 };
	const uint64_t out[] = { task(1, 1), 70, 0, 0 };
	const uint64_t out_there[] = { task(3, 3), 70 + LATER, 2, 0 };
	(void)state;

	assert_int_equal(move(PERF_RECORD_LOST, lost, COUNT(lost)), 1);
	is_moved_to(lost_there, COUNT(lost_there));
	assert_int_equal(move(PERF_RECORD_THROTTLE, throttle, COUNT(throttle)), 1);
	is_moved_to(throttle_there, COUNT(throttle_there));
	assert_int_equal(move(PERF_RECORD_FORK, fork, COUNT(fork)), 1);
	is_moved_to(fork_there, COUNT(fork_there));
	assert_int_equal(move(PERF_RECORD_SWITCH, out, COUNT(out)), 1);
	is_moved_to(out_there, COUNT(out_there));
}

static void a_command_gets_its_boards_name(void **state)
{
	uint64_t comm[] = { task(1, 1), 0, task(1, 1), 0, 0, 0 };
	uint64_t there[] = { task(3, 3), 0, 0, task(3, 3), 0, 2, 0 };
	(void)state;

	memcpy(&comm[1], "calltree", 8); /* without a NUL */
	memcpy(&there[1], "board:calltree", 14);
	assert_int_equal(move(PERF_RECORD_COMM, comm, COUNT(comm)), 1);
	is_moved_to(there, COUNT(there));
	assert_int_equal(((const struct perf_event_header *)(const void *)moved.bytes)->size,
	                 moved.size);
}

static void an_impossible_record_is_refused_with_the_reason(void **state)
{
	static const struct {
		uint32_t type;
		size_t count;
		uint64_t words[16];
		const char *why;
	} bad[] = {
		{ PERF_RECORD_LOST, 6, { 7, 99, 1 | 1ULL << 32, 50, 0, 8 }, "no event's" },
		{ PERF_RECORD_LOST, 6, { 8, 99, 1 | 1ULL << 32, 50, 0, 7 }, "no event's" },
		{ PERF_RECORD_LOST, 6, { 7, 99, 1 | 4ULL << 32, 50, 0, 7 }, "thread" },
		{ PERF_RECORD_LOST, 6, { 7, 99, 0 | 1ULL << 32, 50, 0, 7 }, "thread" },
		{ PERF_RECORD_LOST, 6, { 7, 99, 1 | 1ULL << 32, 50, 3, 7 }, "CPU" },
		{ PERF_RECORD_LOST, 5, { 99, 1 | 1ULL << 32, 50, 0, 7 }, "ends too early" },
		{ PERF_RECORD_LOST, 0, { 0 }, "too short" },
		{ PERF_RECORD_AUX, 7, { 0, 0, 0, 1 | 1ULL << 32, 50, 0, 7 }, "cannot be merged" },
		{ PERF_RECORD_SAMPLE, 6, { 7, 1, 1 | 1ULL << 32, 50, 0, 1 }, "ends too early" },
		{ PERF_RECORD_SAMPLE,
		  10,
		  { 7, 1, 1 | 1ULL << 32, 50, 0, 1, 1ULL << 60, 0, 0, 0 },
		  "ends too early" },
		{ PERF_RECORD_SAMPLE,
		  11,
		  { 7, 1, 1 | 1ULL << 32, 50, 0, 1, 1, 0, 0, 5, 8 },
		  "no event's" },
	};
	(void)state;

	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(move(bad[i].type, bad[i].words, bad[i].count), -EPROTO);
		if (!strstr(error.text, bad[i].why))
			fail_msg("%zu: %s", i, error.text);
	}
}

static void the_machines_accounts_follow_each_other(void **state)
{
	const struct ledger *ledger = &merge.ledger;
	(void)state;

	assert_int_equal(ledger->head.event_count, 10);
	for (uint32_t i = 0; i < 10; i++) {
		const struct ledger_event *event = &ledger->events[i];

		assert_int_equal(event->event.id, i + 1);
		assert_int_equal(event->event.cpu, i / 2);
		assert_int_equal(event->event.ring, i / 2);
		assert_int_equal(event->event.evsel, i < 4 ? i % 2 : 2 + i % 2);
		assert_int_equal(event->event.group, i < 4 ? 1 : 3);
		assert_int_equal(event->ledger.written, i < 4 ? i : i - 4);
		assert_string_equal(event->event.name, i < 4 ? "pc:cycles" : "board:cycles");
	}
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(ledger->rings[i].ring.cpu, i);
		assert_int_equal(ledger->rings[i].ring.owner, 2 * i);
		assert_int_equal(ledger->rings[i].ring.vector, i < 2 ? 0 : 1);
		assert_int_equal(ledger->cpus[i].cpu, i);
		/* of a clock of 2 GHz; the second board's has 3 */
		assert_int_equal(ledger->cpus[i].tick_cycles, i < 2 ? 600 : 400);
	}
}

static void a_machine_that_did_not_end_is_reported(void **state)
{
	(void)state;
	end(NULL);
	assert_int_equal(begin_with(1, 1, TR_PANIC), 0);
	assert_int_equal(merge.ledger.head.state, TR_PANIC);
	assert_string_equal(merge.ledger.head.message, "board: it is over");
	end(NULL);
	assert_int_equal(begin_with(1, 1, TR_FAILED), 0);
	assert_int_equal(merge.ledger.head.state, TR_FAILED);
}

static void records_read_before_the_tool_attached_are_known(void **state)
{
	(void)state;
	ledger_free(&merge.ledger);
	assert_int_equal(ledger_join(&boards[1].ledger), 0);
	boards[1].ledger.before[2].lost = 5;
	assert_int_equal(ledger_merge(&merge.ledger, parts, 2, &error), 0);
	assert_non_null(merge.ledger.before);
	assert_int_equal(merge.ledger.before[0].lost, 0);
	assert_int_equal(merge.ledger.before[4].lost, 5);
	ledger_free(&merge.ledger);
	boards[0].ledger.events[0].found.elsewhere = 1;
	assert_int_equal(ledger_merge(&merge.ledger, parts, 2, &error), -EINVAL);
}

static void the_number_of_merged_cpus_is_bounded(void **state)
{
	(void)state;
	end(NULL);
	assert_int_equal(begin_with(128, 128, TR_COMPLETE), 0);
	end(NULL);
	assert_int_equal(begin_with(128, 129, TR_COMPLETE), -E2BIG);
	assert_non_null(strstr(error.text, "board: with it there are 257 CPUs"));
}

static void numbers_in_a_ledger_are_not_believed(void **state)
{
	struct ledger *ledger = &boards[1].ledger;
	uint32_t *const numbers[] = {
		&ledger->events[1].event.cpu,   &ledger->events[1].event.evsel,
		&ledger->events[1].event.group, &ledger->rings[0].ring.cpu,
		&ledger->rings[0].ring.owner,   &ledger->cpus[2].cpu
	};
	(void)state;

	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint32_t old = *numbers[i];

		*numbers[i] = UINT32_MAX - 1;
		ledger_free(&merge.ledger);
		assert_int_equal(ledger_merge(&merge.ledger, parts, 2, &error), -EPROTO);
		*numbers[i] = old;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_get_ids_tasks_times_and_cpus_of_the_merged_file),
		TEST(other_records_too),
		TEST(a_command_gets_its_boards_name),
		TEST(an_impossible_record_is_refused_with_the_reason),
		TEST(the_machines_accounts_follow_each_other),
		TEST(a_machine_that_did_not_end_is_reported),
		TEST(records_read_before_the_tool_attached_are_known),
		TEST(the_number_of_merged_cpus_is_bounded),
		TEST(numbers_in_a_ledger_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
