/* SPDX-License-Identifier: MIT */
/* Readers that die at any moment, and the state that their successors find. Without sanitizers,
 * because then there are fewer instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch/host/step.h"
#include "host-tools/ledger/check.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/region/shm/ivshmem_server.h"
#include "host-tools/session/reader_process.h"
#include "host-tools/util/journal.h"
#include "tests/unit/writer/session/session_rig.h"
#include "writer/perfdata/sample.h"

#define SAMPLES 20
#define STEPS   1600 /* number of instructions to die at, counted from the first write */
#define STRIDE  13
#define KILLS   50

static struct ivshmem_server server;
static struct reader_process reader;
static struct progress progress;
static uint64_t next_ip[FIXTURE_RINGS];

static void ring_bell(void *context, uint32_t vector)
{
	uint64_t one = 1;

	(void)context;
	if (write(server.bells[vector], &one, sizeof(one)) != sizeof(one))
		abort();
}

static void begin(void)
{
	fixture_init(&fixture, 0);
	assert_int_equal(ivshmem_server_open(&server, fixture.fd, &error), 0);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		fixture.owners[i].notify = ring_bell;
		fixture.owners[i].vector = i;
		fixture.region.rings[i].vector = i;
		next_ip[i] = 0;
	}
	session_rig_begin(&server);
	reader = (struct reader_process){ .pidfd = -1 };
}

static void end(void)
{
	reader_process_stop(&reader, &session);
	session_rig_end();
	ivshmem_server_close(&server);
}

static int setup(void **state)
{
	(void)state;
	begin();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	end();
	return 0;
}

static bool has_room(unsigned ring)
{
	const struct perf_event_mmap_page *control =
	    (void *)(fixture.bytes + fixture.region.rings[ring].control);

	return control->data_head - __atomic_load_n(&control->data_tail, __ATOMIC_ACQUIRE) <
	       (uint64_t)FIXTURE_PAGES * TR_PAGE - 256;
}

/* The run for which the reader has reported that it is ready; 0: none. */
static uint64_t ready_for(void)
{
	return __atomic_load_n(&fixture_header(&fixture)->reader.ready, __ATOMIC_ACQUIRE);
}

static void write_sample(unsigned ring)
{
	assert_true(fixture_sample(&fixture, ring, 0, next_ip[ring]++, 1000, 4));
}

/* Each sample of the ring is in the file, once, in order. */
static void check_file(unsigned ring)
{
	struct perf_reader file;
	struct perf_reader_record record;
	uint64_t offset = 0, expected = 0;
	int code;

	assert_int_equal(perf_reader_open(&file, path, &error), 0);
	while ((code = perf_reader_next(&file, &offset, &record, &error)) > 0) {
		struct sample sample;

		if (record.header->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(sample_parse(
		    record.header, &(struct perf_event_attr){ .sample_type = FIXTURE_SAMPLE_TYPE },
		    &sample));
		if (sample.id == FIXTURE_ID(ring, 0)) {
			assert_int_equal(sample.ip, expected);
			expected++;
		}
	}
	assert_int_equal(code, 0);
	assert_int_equal(expected, next_ip[ring]);
	perf_reader_close(&file);
}

static void finish(void)
{
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		check_file(i);
		assert_int_equal(session.ledger.events[i * FIXTURE_EVENTS].found.delivered,
		                 next_ip[i]);
	}
	assert_true(check_conserved(&session.ledger, NULL, NULL));
}

/* ---- Death at a chosen instruction behind the first write to the file: what a reader does before
 * is in its own memory only. It single-steps itself by the trap flag. ---- */

/* The machine continues, as far as the tail allows. */
static void fill(void)
{
	while (has_room(0))
		write_sample(0);
	if (has_room(1))
		write_sample(1);
}

static volatile long steps_left;
static volatile bool is_armed;

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	if (is_armed) {
		is_armed = false;
		host_step_start();
	}
	return syscall(SYS_pwrite64, fd, bytes, size, at);
}

static void count_step(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	if (!steps_left--)
		kill(getpid(), SIGKILL);
}

static _Noreturn void read_and_die(long step)
{
	struct sigaction action = { .sa_sigaction = count_step, .sa_flags = SA_SIGINFO };
	uint64_t got;

	sigaction(SIGTRAP, &action, NULL);
	steps_left = step;
	session.by_reader = true;
	is_armed = true;
	do
		session_drain(&session, &got, &error);
	while (session.has_more);
	session_save(&session);
	_exit(0);
}

static void one_dies_at(long step)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		read_and_die(step);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void a_reader_may_die_at_any_instruction(void **state)
{
	long died_after_commit = 0;

	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	for (long step = 0; step < STEPS; step += STRIDE) {
		uint64_t commits = journal_commits(session.journal);

		fill();
		one_dies_at(step);
		died_after_commit += journal_commits(session.journal) != commits;
		fill();
		session_restore(&session);
	}
	assert_in_range(died_after_commit, 5, STEPS / STRIDE - 5);
	finish();
}

static void records_that_were_not_committed_are_forgotten(void **state)
{
	uint64_t size = session.writer.header.data.size;
	char garbage[96];

	(void)state;
	memset(garbage, 0x5a, sizeof(garbage));
	perf_writer_add(&session.writer, garbage, sizeof(garbage));
	perf_writer_flush(&session.writer);
	assert_int_equal(session.writer.header.data.size, size + sizeof(garbage));
	session_restore(&session);
	assert_int_equal(session.writer.header.data.size, size);
	write_sample(0);
	finish();
}

static void an_unstored_tail_is_stored_by_the_next_reader(void **state)
{
	struct perf_event_mmap_page *control =
	    (void *)(fixture.bytes + fixture.region.rings[0].control);
	uint64_t tail;

	(void)state;
	for (int i = 0; i < SAMPLES; i++)
		write_sample(0);
	session_rig_drain();
	tail = control->data_tail;
	control->data_tail = 0;
	session_restore(&session);
	channel_rig_deliver();
	assert_int_equal(control->data_tail, tail);
	finish();
}

/* ---- Real readers ---- */

/* Write a sample if there is room, and serve the reader. */
static void go_on(unsigned ring)
{
	while (!has_room(ring)) {
		assert_true(reader_process_continues(&reader, &session, &progress));
		usleep(100);
	}
	write_sample(ring);
}

static void readers_that_are_killed_are_replaced_and_nothing_is_missed(void **state)
{
	unsigned seed = 50;

	(void)state;
	assert_int_equal(reader_process_start(&reader, &session, &progress, &error), 0);
	for (unsigned kills = 0; kills < KILLS; kills++) {
		uint64_t commits = journal_commits(session.journal);

		for (int i = 0; i < 300; i++)
			go_on((unsigned)i % FIXTURE_RINGS);
		while (journal_commits(session.journal) == commits)
			usleep(100);
		usleep((unsigned)rand_r(&seed) % 1000);
		kill(reader.pid, SIGKILL);
		while (reader.replaced == kills) {
			assert_true(reader_process_continues(&reader, &session, &progress));
			usleep(100);
		}
	}
	reader_process_stop(&reader, &session);
	finish();
}

/* The machine waits for that: an open file is not enough, nor is a process that dies before. */
static void each_reader_reports_that_it_is_ready(void **state)
{
	struct tr_reader *words = &fixture_header(&fixture)->reader;

	(void)state;
	assert_int_equal(ready_for(), 0);
	assert_int_equal(reader_process_start(&reader, &session, &progress, &error), 0);
	while (ready_for() != session.region.header.run)
		usleep(1000);
	kill(reader.pid, SIGKILL);
	while (!reader.replaced) {
		__atomic_store_n(&words->ready, 0, __ATOMIC_RELEASE);
		assert_true(reader_process_continues(&reader, &session, &progress));
	}
	while (ready_for() != session.region.header.run)
		usleep(1000);
	reader_process_stop(&reader, &session);
	finish();
}

static void a_reader_that_finds_a_broken_ring_leaves_it_to_the_supervisor(void **state)
{
	(void)state;
	write_sample(0);
	((struct perf_event_mmap_page *)(fixture.bytes + fixture.region.rings[0].control))
	    ->data_head = 1 << 20;
	assert_int_equal(reader_process_start(&reader, &session, &progress, &error), 0);
	while (reader_process_continues(&reader, &session, &progress))
		usleep(1000);
	assert_false(reader_process_continues(&reader, &session, &progress));
	assert_int_equal(reader.replaced, 0);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	assert_non_null(strstr(error.text, "ring 0"));
}

static int die(struct channel *to, struct channel_bell *bells, size_t count, struct error *why)
{
	(void)to;
	(void)bells;
	(void)count;
	(void)why;
	return raise(SIGKILL);
}

static void readers_that_die_at_once_are_not_replaced_for_ever(void **state)
{
	const struct channel_ops *ops = channel.ops;
	struct channel_ops deadly = *ops;

	(void)state;
	deadly.clear = die;
	channel.ops = &deadly;
	assert_int_equal(reader_process_start(&reader, &session, &progress, &error), 0);
	while (reader_process_continues(&reader, &session, &progress))
		usleep(1000);
	assert_in_range(reader.replaced, 10, 100);
	channel.ops = ops;
	write_sample(0);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_reader_may_die_at_any_instruction),
		TEST(records_that_were_not_committed_are_forgotten),
		TEST(an_unstored_tail_is_stored_by_the_next_reader),
		TEST(readers_that_are_killed_are_replaced_and_nothing_is_missed),
		TEST(each_reader_reports_that_it_is_ready),
		TEST(a_reader_that_finds_a_broken_ring_leaves_it_to_the_supervisor),
		TEST(readers_that_die_at_once_are_not_replaced_for_ever),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
