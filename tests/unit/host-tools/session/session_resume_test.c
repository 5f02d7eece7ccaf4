/* SPDX-License-Identifier: MIT */
/* Sessions that another process continues, and runs that are read from the middle on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/ledger/check.h"
#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/region/region_lease.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/temporary.h"
#include "tests/unit/writer/session/session_rig.h"
#include "writer/session/aux_drain.h"

static char journal[PATH_MAX + 16], copy[PATH_MAX + 16];

static void open_region(void)
{
	temporary_path(path, "session-resume");
	snprintf(journal, sizeof(journal), "%s.journal", path);
	snprintf(copy, sizeof(copy), "%s.copy", path);
	unlink(path);
	unlink(journal);
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
}

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, 0);
	open_region();
	return 0;
}

static int setup_aux(void **state)
{
	(void)state;
	fixture_init_aux(&fixture, 77, false);
	open_region();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(journal);
	unlink(copy);
	session_rig_end();
	return 0;
}

static struct session_options options(void)
{
	return (struct session_options){ .host = &session_host, .output = path, .journal = true };
}

static void begin(void)
{
	struct session_options how = options();

	assert_int_equal(session_begin(&session, &region, &how, &error), 0);
	assert_int_equal(access(journal, F_OK), 0);
}

static int resume(void)
{
	struct session_options how = options();

	channel_rig_bring(&channel);
	return session_resume(&session, &region, &how, &error);
}

static void write_samples(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_true(fixture_sample(&fixture, 0, 0, 0x1000 + i, 1000 + i, 4));
}

/* Another reader takes all available records. */
static void read_elsewhere(void)
{
	struct session_options how = { .host = &session_host, .output = "/dev/null" };

	channel_rig_bring(&channel);
	assert_int_equal(session_begin(&session, &region, &how, &error), 0);
	session_rig_drain();
	session_end(&session);
}

/* The run's end: every sample is in the file, once. */
static void complete(uint64_t samples)
{
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_int_equal(session.found.samples, samples);
	session_rig_recount();
	assert_int_not_equal(access(journal, F_OK), 0);
}

/* The bytes that a process leaves if it is killed between its write and its commit. */
static void add_garbage(void)
{
	static const char garbage[1000] = "records that nobody gave back";
	int fd = open(path, O_WRONLY | O_APPEND);

	assert_int_equal(write(fd, garbage, sizeof(garbage)), sizeof(garbage));
	close(fd);
}

static void released_records_are_in_the_file_once(void **state)
{
	(void)state;
	begin();
	write_samples(10);
	session_rig_drain();
	session_end(&session);
	write_samples(7);
	for (int i = 0; i < 3; i++) {
		add_garbage();
		assert_int_equal(resume(), 0);
		assert_int_equal(session.found.samples, 10);
		session_end(&session);
	}
	assert_int_equal(resume(), 0);
	session_rig_drain();
	write_samples(3);
	complete(20);
}

/* Killed at any instruction: a child reads as fast as it can. */
static void readers_may_be_killed_at_any_time(void **state)
{
	enum { ROUNDS = 40, A_ROUND = 30 };
	uint64_t written = 0;

	(void)state;
	begin();
	session_end(&session);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pid_t reader = fork();
		uint64_t got = 0;

		if (!reader) {
			while (!resume())
				while (!session_drain(&session, &got, &error) && !got)
					;
			_exit(1);
		}
		for (unsigned i = 0; i < A_ROUND; i++) {
			/* If the host does not run the child, the sample is lost and counted. */
			written += fixture_sample(&fixture, 0, 0, 0x1000 + i, 1000 + i, 4);
			usleep(10 + round);
		}
		kill(reader, SIGKILL);
		waitpid(reader, NULL, 0);
	}
	assert_int_equal(resume(), 0);
	complete(written);
}

static struct perf_file_header read_header(void)
{
	struct perf_file_header header = { 0 };
	int fd = open(path, O_RDONLY);

	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	close(fd);
	return header;
}

static void a_file_that_was_finished_when_we_left_continues(void **state)
{
	(void)state;
	begin();
	write_samples(10);
	session.leaves = true;
	assert_int_equal(session_finish(&session, true, &error), 0);
	session_end(&session);
	write_samples(5);
	assert_int_equal(read_header().event_types.size, 64);
	assert_int_equal(resume(), 0);
	/* Old bytes after the records are not part of the file while new ones are written there. */
	assert_int_equal(read_header().event_types.size, 0);
	assert_int_equal(read_header().features[0], 0);
	complete(15);
}

static void a_file_of_another_run_is_not_continued(void **state)
{
	struct tr_header *header = fixture_header(&fixture);
	struct stat before, after;

	(void)state;
	begin();
	write_samples(10);
	session_rig_drain();
	session_end(&session);
	assert_int_equal(stat(path, &before), 0);
	header->run++;
	assert_int_equal(resume(), -ESTALE);
	header->run--;
	if (!channel_rig_copies) { /* a mirror ends with its boot (mirror_test.c) */
		header->nonce++;
		region.nonce++;
		assert_int_equal(resume(), -ESTALE);
		header->nonce--;
		region.nonce--;
	}
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(rename(path, copy), 0); /* another file with that name */
	assert_int_equal(resume(), -ENOENT);
	assert_int_equal(close(open(path, O_CREAT | O_RDWR, 0644)), 0);
	assert_int_equal(resume(), -EPROTO);
	unlink(path);
	assert_int_equal(rename(copy, path), 0);
	unlink(journal);
	assert_int_equal(resume(), -ENOENT);
	begin(); /* so that there is something to end */
	assert_int_equal(unlink(session.writer.output->old), 0);
}

static void a_journal_that_cannot_be_made_is_reported(void **state)
{
	struct session_options how = options();

	(void)state;
	assert_int_equal(mkdir(journal, 0700), 0);
	assert_true(session_begin(&session, &region, &how, &error) < 0);
	assert_non_null(strstr(error.text, journal));
	assert_int_equal(rmdir(journal), 0);
	begin();
	assert_null(session.writer.output->old); /* a session without a record is not kept */
}

static void records_that_another_reader_took_are_missed(void **state)
{
	(void)state;
	begin();
	write_samples(10);
	session_rig_drain();
	session_end(&session);
	write_samples(5);
	read_elsewhere();
	assert_int_equal(resume(), -ESTALE);
	assert_non_null(strstr(error.text, "another reader"));
	begin();
	assert_int_equal(unlink(session.writer.output->old), 0);
	snprintf(copy, sizeof(copy), "%s.old.journal", path);
	assert_int_equal(access(copy, F_OK), 0); /* the journal was removed with its file */
}

static void pieces_of_aux_areas_stay_in_the_index(void **state)
{
	uint8_t bytes[256] = { 1 };
	struct blob index = { 0 };

	(void)state;
	begin();
	assert_true(fixture_piece(&fixture, 0, bytes, sizeof(bytes), 0));
	session_rig_drain();
	session_end(&session);
	assert_int_equal(resume(), 0);
	assert_true(fixture_piece(&fixture, 0, bytes, sizeof(bytes), 0));
	session_rig_drain();
	aux_drain_index(&session, &index);
	assert_int_equal(*(uint64_t *)(void *)index.bytes, 2);
	assert_int_equal(index.size, 5 * sizeof(uint64_t));
	assert_true(((uint64_t *)(void *)index.bytes)[3] > ((uint64_t *)(void *)index.bytes)[1]);
	blob_free(&index);
	complete(0);
}

/* Each byte is changed alone: a journal is either refused, or the session resumes unchanged. */
static void a_damaged_journal_is_refused(void **state)
{
	static uint8_t bytes[65536];
	unsigned refused = 0;
	uint8_t piece[256] = { 1 };
	ssize_t size;
	int fd;

	(void)state;
	begin();
	write_samples(10);
	assert_true(fixture_piece(&fixture, 0, piece, sizeof(piece), 0));
	session_rig_drain();
	session_end(&session);
	fd = open(journal, O_RDWR | O_CLOEXEC);
	size = read(fd, bytes, sizeof(bytes));
	assert_in_range(size, 256, sizeof(bytes) - 1);
	for (off_t i = 0; i < size; i++) {
		uint8_t damaged = bytes[i] ^ 0x10;

		assert_int_equal(pwrite(fd, &damaged, 1, i), 1);
		error = (struct error){ "" };
		if (resume()) {
			assert_true(*error.text);
			refused++;
		} else {
			assert_int_equal(session.found.samples, 10);
			assert_int_equal(session.aux.index_size, 16);
			session_end(&session);
		}
		assert_int_equal(pwrite(fd, bytes + i, 1, i), 1);
	}
	assert_in_range(refused, size / 3, size);
	for (off_t end = size - 1; end > 0; end -= 7) {
		assert_int_equal(ftruncate(fd, end), 0);
		assert_true(resume() < 0);
	}
	assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
	close(fd);
	assert_int_equal(resume(), 0);
	complete(10);
}

static struct perf_event_mmap_page *control(unsigned ring)
{
	return trace_region_at(&fixture.region, fixture.region.rings[ring].control);
}

/* As if a reader had died after its commit and before its stores. */
static void a_tail_that_was_not_stored_is_stored_by_the_next_reader(void **state)
{
	uint8_t bytes[256] = { 1 };
	uint64_t tails[FIXTURE_RINGS];

	(void)state;
	begin();
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		for (unsigned j = 0; j <= i; j++)
			assert_true(fixture_sample(&fixture, i, 1, 0x1000, 1000, 4));
		assert_true(fixture_piece(&fixture, i, bytes, sizeof(bytes), 0));
	}
	session_rig_drain();
	session_end(&session);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		tails[i] = control(i)->data_tail;
		assert_true(tails[i]);
		assert_int_equal(control(i)->aux_tail, sizeof(bytes));
		control(i)->data_tail = control(i)->aux_tail = 0;
	}
	assert_int_equal(resume(), 0);
	channel_rig_deliver();
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		assert_int_equal(control(i)->data_tail, tails[i]);
		assert_int_equal(control(i)->aux_tail, sizeof(bytes));
	}
	complete(1 + 2);
}

/* ---- Joining ---- */

static int join(void)
{
	struct session_options how = options();

	how.others_read = true;
	channel_rig_bring(&channel);
	return session_begin(&session, &region, &how, &error);
}

/* A ring that has lost records, and another reader has read some of its LOST records. */
static void go_on_for_a_while(void)
{
	while (fixture_sample(&fixture, 0, 0, 0x2000, 500, 30))
		;
	read_elsewhere();
	write_samples(5);
	read_elsewhere();
	assert_true(fixture_sample(&fixture, 1, 1, 0x3000, 700, 2));
	write_samples(3);
	fixture_publish(&fixture);
	write_samples(4); /* these samples are not in the ledger yet */
}

static void records_read_before_the_tool_attached_are_reported_once(void **state)
{
	const struct ledger_event *event;

	(void)state;
	go_on_for_a_while();
	assert_int_equal(join(), 0);
	event = ledger_find(&session.ledger, FIXTURE_ID(0, 0));
	assert_int_equal(event->found.lost_before, 1);
	assert_int_equal(event->found.elsewhere, fixture.accounts[0].written - 7);
	assert_int_equal(session.ledger.before[0].lost, 1);
	assert_int_equal(session.ledger.before[0].lost_records, 1);
	assert_int_equal(ledger_find(&session.ledger, FIXTURE_ID(1, 1))->found.elsewhere, 0);
	session_rig_drain();
	write_samples(6);
	complete(1 + 7 + 6);
}

static void records_lost_after_that_are_missing(void **state)
{
	(void)state;
	go_on_for_a_while();
	assert_int_equal(join(), 0);
	session_rig_drain();
	fixture.accounts[0].written++; /* a record that does not reach us, */
	fixture.accounts[0].generated++;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_false(check_conserved(&session.ledger, NULL, NULL));
}

static void so_is_its_period(void **state)
{
	(void)state;
	go_on_for_a_while();
	assert_int_equal(join(), 0);
	session_rig_drain();
	fixture.accounts[0].period += 3;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_false(check_conserved(&session.ledger, NULL, NULL));
}

static void a_joined_run_is_gone_on_with(void **state)
{
	(void)state;
	go_on_for_a_while();
	assert_int_equal(join(), 0);
	session_rig_drain();
	session_end(&session);
	write_samples(2);
	assert_int_equal(resume(), 0);
	assert_non_null(session.ledger.before);
	complete(1 + 7 + 2);
}

static void a_ledger_that_does_not_fit_its_rings_is_refused(void **state)
{
	(void)state;
	go_on_for_a_while();
	fixture.region.ring_ledger[0].data_head += 8;
	assert_int_equal(join(), -EPROTO);
	assert_non_null(strstr(error.text, "does not fit"));
	fixture.region.ring_ledger[0].data_head -= 8;
	assert_int_equal(join(), 0);
}

/* ---- The lease ---- */

static void the_process_that_holds_the_rings_is_named(void **state)
{
	struct tr_reader *words = &fixture_header(&fixture)->reader;
	struct region_lease lease = { 0 };
	char own[64], text[64];
	pid_t reader;

	(void)state;
	begin();
	region_lease_describe(region_lease_own_id(), own, sizeof(own));
	snprintf(text, sizeof(text), "process %d of this host", (int)getpid());
	assert_string_equal(own, text);
	region_lease_describe(region_lease_own_id() ^ 1U << 31, text, sizeof(text));
	assert_non_null(strstr(text, "of another host"));
	reader = fork();
	if (!reader) {
		region_lease_acquire(&lease, &region, &error);
		channel_rig_deliver();
		for (;;)
			pause();
	}
	while (!__atomic_load_n(&words->id, __ATOMIC_ACQUIRE))
		usleep(1000);
	channel_rig_bring(&channel);
	assert_int_equal(region_lease_acquire(&lease, &region, &error), -EBUSY);
	snprintf(text, sizeof(text), "process %d of this host", (int)reader);
	assert_non_null(strstr(error.text, text));
	assert_false(region_lease_is_ours(&region));
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	/* the other reader is gone */
	assert_int_equal(region_lease_acquire(&lease, &region, &error), 0);
	assert_true(region_lease_is_ours(&region));
	region_lease_give_back(&lease);
	/* a reader on another host, which does not renew its lease */
	words->id = region_lease_own_id() ^ 1U << 31;
	channel_rig_bring(&channel);
	assert_int_equal(region_lease_acquire(&lease, &region, &error), 0);
	region_lease_give_back(&lease);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(released_records_are_in_the_file_once),
		TEST(readers_may_be_killed_at_any_time),
		TEST(a_file_that_was_finished_when_we_left_continues),
		TEST(a_file_of_another_run_is_not_continued),
		TEST(a_journal_that_cannot_be_made_is_reported),
		TEST(records_that_another_reader_took_are_missed),
		cmocka_unit_test_setup_teardown(a_damaged_journal_is_refused, setup_aux, teardown),
		cmocka_unit_test_setup_teardown(pieces_of_aux_areas_stay_in_the_index, setup_aux,
		                                teardown),
		cmocka_unit_test_setup_teardown(
		    a_tail_that_was_not_stored_is_stored_by_the_next_reader, setup_aux, teardown),
		TEST(records_read_before_the_tool_attached_are_reported_once),
		TEST(records_lost_after_that_are_missing),
		TEST(so_is_its_period),
		TEST(a_joined_run_is_gone_on_with),
		TEST(a_ledger_that_does_not_fit_its_rings_is_refused),
		TEST(the_process_that_holds_the_rings_is_named),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
