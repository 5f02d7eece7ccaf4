/* SPDX-License-Identifier: MIT */
/* A session: rings as input, perf.data and the ledger as output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/ledger/check.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/region/region_lease.h"
#include "host-tools/util/journal.h"
#include "tests/unit/writer/session/session_rig.h"
#include "writer/perfdata/sample.h"

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, 0);
	session_rig_begin(NULL);
	return 0;
}

static int setup_backward(void **state)
{
	(void)state;
	fixture_init(&fixture, TR_RING_BACKWARD);
	session_rig_begin(NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_rig_end();
	return 0;
}

/* The IPs of the samples of one event in the file, in order; returns their number. */
static size_t ips_in_file(uint64_t id, uint64_t *ips, size_t most)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	size_t count = 0;
	int code;

	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while ((code = perf_reader_next(&reader, &offset, &record, &error)) > 0) {
		struct sample sample;

		if (record.header->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(sample_parse(
		    record.header, &(struct perf_event_attr){ .sample_type = FIXTURE_SAMPLE_TYPE },
		    &sample));
		if (sample.id == id && count < most)
			ips[count++] = sample.ip;
	}
	assert_int_equal(code, 0);
	perf_reader_close(&reader);
	return count;
}

static void every_sample_of_every_ring_is_in_the_file_in_order(void **state)
{
	uint64_t ips[600];

	(void)state;
	for (uint64_t i = 0; i < 500; i++) {
		assert_true(fixture_sample(&fixture, i & 1, i >> 1 & 1, 0x1000 + i, 1000, 4));
		if (i % 10 == 9)
			session_rig_drain();
	}
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_int_equal(session.found.samples, 500);
	assert_int_equal(ips_in_file(FIXTURE_ID(0, 0), ips, 600), 125);
	for (uint64_t i = 0; i < 125; i++)
		assert_int_equal(ips[i], 0x1000 + 4 * i);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	session_rig_recount();
}

static void losses_are_reported_and_the_ledger_balances(void **state)
{
	uint64_t lost;

	(void)state;
	for (int i = 0; i < 1000; i++)
		fixture_sample(&fixture, 0, i & 1, 0x1000, 7, 4);
	session_rig_drain();
	for (int i = 0; i < 10; i++)
		fixture_sample(&fixture, 0, 0, 0x1000, 7, 4);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	lost = session.ledger.events[0].ledger.lost + session.ledger.events[1].ledger.lost;
	assert_true(lost > 800);
	assert_int_equal(lost + session.found.samples, 1010);
	assert_int_equal(session.ledger.rings[0].found.lost, lost);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	session_rig_recount();
}

static void every_wakeup_that_was_sent_is_received_once(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		fixture_sample(&fixture, 0, 0, 0x1000, 7, 4);
		if (i % 60 == 59)
			session_rig_drain();
	}
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(fixture.owners[0].sent > 10);
	assert_int_equal(session.ledger.rings[0].found.wakeups, fixture.owners[0].sent);
}

static void an_overwritable_ring_is_read_once_oldest_first(void **state)
{
	uint64_t ips[600];
	size_t count;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(fixture_sample(&fixture, 1, 0, i, 1000, 4));
		if (i % 100 == 99)
			session_rig_drain();
	}
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	count = ips_in_file(FIXTURE_ID(1, 0), ips, 600);
	/* Two pages of 96-byte samples. */
	assert_int_equal(count, FIXTURE_PAGES * TR_PAGE / 96);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(ips[i], 1000 - count + i);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	assert_int_equal(check_overwritten(&session.ledger, &session.ledger.events[2]),
	                 1000 - count);
}

/* The machine may have begun the record that will replace the oldest ones. A mirror shows no such
 * ring if the machine cannot be stopped. */
static void an_overwritable_ring_that_is_written_is_read_without_its_oldest_records(void **state)
{
	uint64_t ips[600];
	size_t size = FIXTURE_PAGES * TR_PAGE, count;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(fixture_sample(&fixture, 1, 0, i, 1000, 4));
	fixture_publish(&fixture);
	assert_int_equal(session_finish(&session, true, &error), 0);
	count = ips_in_file(FIXTURE_ID(1, 0), ips, 600);
	assert_int_equal(count, channel_rig_copies ? 0 : (size - TR_IN_FLIGHT(size)) / 96);
	assert_true(!count || ips[count - 1] == 999);
}

static void a_failed_machines_overwritable_ring_is_read_to_its_oldest_record(void **state)
{
	uint64_t ips[600];

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(fixture_sample(&fixture, 1, 0, i, 1000, 4));
	fixture_publish(&fixture);
	trace_region_set_state(&fixture.region, TR_FAILED);
	assert_int_equal(session_finish(&session, true, &error), 0);
	assert_int_equal(ips_in_file(FIXTURE_ID(1, 0), ips, 600), FIXTURE_PAGES * TR_PAGE / 96);
}

static void a_broken_ring_does_not_hide_the_others(void **state)
{
	uint64_t ips[60];

	(void)state;
	for (int i = 0; i < 20; i++) {
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
		fixture_sample(&fixture, 1, 0, 0x1000, 1000, 4);
	}
	((struct perf_event_mmap_page *)(fixture.bytes + fixture.region.rings[0].control))
	    ->data_head = 1 << 20;
	session_rig_drain();
	assert_int_equal(session.trouble, -EPROTO);
	fixture_complete(&fixture); /* the head is valid again; the ring's other records are not */
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	assert_non_null(strstr(error.text, "ring 0"));
	assert_int_equal(ips_in_file(FIXTURE_ID(1, 0), ips, 60), 20);
	assert_int_equal(ips_in_file(FIXTURE_ID(0, 0), ips, 60), 0);
	assert_false(check_conserved(&session.ledger, NULL, NULL));
}

/* Its supervisor meets the same record, and reports it: nothing that was read is freed. */
static void a_reader_commits_no_ring_behind_a_broken_one(void **state)
{
	const struct perf_event_mmap_page *tails[FIXTURE_RINGS];
	uint64_t commits = journal_commits(session.journal), got;

	(void)state;
	for (int i = 0; i < 20; i++) {
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
		fixture_sample(&fixture, 1, 0, 0x1000, 1000, 4);
	}
	for (unsigned i = 0; i < FIXTURE_RINGS; i++)
		tails[i] = (void *)(fixture.bytes + fixture.region.rings[i].control);
	*(uint64_t *)(void *)(fixture.bytes + fixture.region.rings[0].data_offset + 10 * 96 + 8) =
	    12345;
	session_become_reader(&session);
	do {
		assert_int_equal(session_drain(&session, &got, &error), 0);
	} while (session.has_more);
	channel_rig_deliver();
	assert_int_equal(session.trouble, -EPROTO);
	assert_int_equal(journal_commits(session.journal), commits);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++)
		assert_int_equal(tails[i]->data_tail, 0);
}

/* As the supervisor does after its reader has died: the reader's work since its last save is
 * dropped. */
/* The firmware has loaded an image at this time. */
static void put_load(uint64_t time)
{
	struct ring_account *account = &fixture.accounts[0];
	const struct {
		struct perf_record_mmap2 mmap2;
		char name[8];
		uint64_t tid, time, cpu, id;
	} load = {
		.mmap2.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(load) },
		.mmap2.addr = 0x100000,
		.mmap2.len = 0x1000,
		.name = "a.efi",
		.time = time,
		.id = account->id,
	};
	struct ring_output out;
	void *record = ring_reserve(&out, &fixture.rings[0], account, sizeof(load));

	assert_non_null(record);
	memcpy(record, &load, sizeof(load));
	ring_commit(&out);
}

/* perf script --time 0%-10% counts from SAMPLE_TIME. */
static void the_time_of_the_samples_is_not_that_of_an_images_load(void **state)
{
	struct perf_reader reader;
	const uint8_t *bytes;
	uint64_t times[2] = { 0 };
	size_t size;

	(void)state;
	put_load(3);
	for (uint64_t i = 0; i < 10; i++)
		fixture_sample(&fixture, 0, 0, 0x1000 + i, 1000, 0);
	put_load(77777);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	bytes = perf_reader_feature(&reader, PERF_FILE_SAMPLE_TIME, &size);
	assert_non_null(bytes);
	assert_int_equal(size, sizeof(times));
	memcpy(times, bytes, sizeof(times));
	assert_int_equal(times[0], 1000);
	assert_int_equal(times[1], 10000);
	perf_reader_close(&reader);
}

static void a_later_session_counts_from_the_saved_position(void **state)
{
	uint64_t ips[60];

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		fixture_sample(&fixture, 0, 0, 0x1000 + i, 1000, 4);
	session_rig_drain();
	session.aux.index_size = 77;
	assert_int_equal(session_save(&session), 0);
	session.found.samples = session.found.records = session.aux.index_size = 99;
	session.found.first_time = session.found.last_time = 5;
	session.ledger.events[0].found.delivered = 99;
	session_restore(&session);
	assert_int_equal(session.found.samples, 10);
	assert_int_equal(session.found.records, 10);
	assert_int_equal(session.found.first_time, 1000);
	assert_int_equal(session.found.last_time, 10000);
	assert_int_equal(session.aux.index_size, 77);
	session.aux.index_size = 0;
	for (uint64_t i = 10; i < 20; i++)
		fixture_sample(&fixture, 0, 0, 0x1000 + i, 1000, 4);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_int_equal(session.found.samples, 20);
	assert_int_equal(ips_in_file(FIXTURE_ID(0, 0), ips, 60), 20);
	for (uint64_t i = 0; i < 20; i++)
		assert_int_equal(ips[i], 0x1000 + i);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	session_rig_recount();
}

static void a_record_of_no_known_event_is_refused(void **state)
{
	uint64_t ips[60], *id;

	(void)state;
	for (int i = 0; i < 20; i++)
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
	id =
	    (uint64_t *)(void *)(fixture.bytes + fixture.region.rings[0].data_offset + 10 * 96 + 8);
	*id = 12345;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	assert_non_null(strstr(error.text, "position 0x3c0"));
	assert_int_equal(ips_in_file(FIXTURE_ID(0, 0), ips, 60), 10);
}

static void tails_never_pass_the_records_in_the_file(void **state)
{
	const struct perf_event_mmap_page *control =
	    (void *)(fixture.bytes + fixture.region.rings[0].control);

	(void)state;
	for (int i = 0; i < 20; i++)
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
	assert_int_equal(control->data_tail, 0);
	session_rig_drain();
	assert_int_equal(control->data_tail, 20 * 96);
	perf_writer_flush(&session.writer);
	assert_true(session.writer.header.data.size >= 20 * 96);
}

static void an_unfinished_file_is_whole_after_every_flush(void **state)
{
	uint64_t ips[60];

	(void)state;
	for (int i = 0; i < 20; i++)
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
	session_rig_drain();
	perf_writer_flush(&session.writer);
	assert_int_equal(ips_in_file(FIXTURE_ID(0, 0), ips, 60), 20);
}

/* By the lease a machine knows that its reader lives. */
static void a_lease_changes_until_it_is_given_back(void **state)
{
	const struct tr_reader *words = &fixture_header(&fixture)->reader;
	struct region_lease lease;
	uint32_t before;

	(void)state;
	before = __atomic_load_n(&words->lease, __ATOMIC_RELAXED);
	/* another reader's, which has not read to the end */
	fixture_header(&fixture)->reader.ready = 1;
	assert_int_equal(region_lease_take(&lease, &channel, &error), 0);
	channel_rig_deliver();
	assert_int_equal(__atomic_load_n(&words->ready, __ATOMIC_ACQUIRE), 0);
	assert_int_equal(__atomic_load_n(&words->id, __ATOMIC_ACQUIRE), region_lease_own_id());
	for (unsigned i = 0; i < 3; i++) {
		uint32_t last = before;

		while ((before = __atomic_load_n(&words->lease, __ATOMIC_RELAXED)) == last)
			sched_yield();
	}
	region_lease_give_back(&lease);
	channel_rig_deliver();
	assert_int_equal(words->id, 0);
	region_lease_give_back(&lease); /* a second call is harmless */
}

static void a_channel_that_is_closed_gives_its_memory_back(void **state)
{
	struct channel other;
	uint8_t *bytes;

	(void)state;
	assert_int_equal(channel_open_shared(&other, fixture.fd, FIXTURE_SIZE, NULL, &error), 0);
	bytes = other.bytes;
	assert_int_equal(msync(bytes, FIXTURE_SIZE, MS_ASYNC), 0);
	channel_close(&other);
	assert_int_equal(msync(bytes, FIXTURE_SIZE, MS_ASYNC), -1);
	assert_null(other.bytes);
	channel_close(&other); /* a second call is harmless */
}

static void records_newer_than_a_dead_machines_ledger_are_accounted_for(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) { /* more than one lap */
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
		if (i % 20 == 19)
			session_rig_drain();
	}
	for (int i = 0; i < 30; i++) {
		fixture_sample(&fixture, 0, 0, 0x1000, 1000, 4);
		if (i == 19)
			fixture_publish(&fixture);
		if (i == 24)
			session_rig_drain();
	}
	assert_int_equal(session_finish(&session, true, &error), 0);
	assert_int_equal(session.ledger.events[0].found.delivered, 230);
	assert_int_equal(session.ledger.events[0].found.newer, 10);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(every_sample_of_every_ring_is_in_the_file_in_order),
		TEST(losses_are_reported_and_the_ledger_balances),
		TEST(every_wakeup_that_was_sent_is_received_once),
		cmocka_unit_test_setup_teardown(an_overwritable_ring_is_read_once_oldest_first,
		                                setup_backward, teardown),
		cmocka_unit_test_setup_teardown(
		    an_overwritable_ring_that_is_written_is_read_without_its_oldest_records,
		    setup_backward, teardown),
		cmocka_unit_test_setup_teardown(
		    a_failed_machines_overwritable_ring_is_read_to_its_oldest_record,
		    setup_backward, teardown),
		TEST(a_broken_ring_does_not_hide_the_others),
		TEST(a_reader_commits_no_ring_behind_a_broken_one),
		TEST(the_time_of_the_samples_is_not_that_of_an_images_load),
		TEST(a_later_session_counts_from_the_saved_position),
		TEST(a_record_of_no_known_event_is_refused),
		TEST(tails_never_pass_the_records_in_the_file),
		TEST(an_unfinished_file_is_whole_after_every_flush),
		TEST(a_lease_changes_until_it_is_given_back),
		TEST(a_channel_that_is_closed_gives_its_memory_back),
		TEST(records_newer_than_a_dead_machines_ledger_are_accounted_for),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
