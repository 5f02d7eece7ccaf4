/* SPDX-License-Identifier: MIT */
/* Channels over a GDB stub: a stub made by the tests, whose memory is a fixture's region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "host-tools/ledger/check.h"
#include "host-tools/region/channel_url.h"
#include "host-tools/region/gdb/gdb_packet.h"
#include "host-tools/region/region_lease.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/host-tools/region/gdb/gdb_stub.h"
#include "tests/unit/temporary.h"
#include "tests/unit/writer/session/session_rig.h"

#define PATIENCE 20000 /* ms */
/* s: the time for which a region that does not exist is searched, and to wait for each answer */
#define LOOKS_S  3.0

static struct gdb_stub stub;
static char url[PATH_MAX + 128];

static int open_with(const char *places, double timeout)
{
	const struct channel_url_options options = { .timeout = timeout };

	snprintf(url, sizeof(url), "gdb:%s,%s", stub.path, places);
	error = (struct error){ "" };
	return channel_open_url(&channel, url, &options, &error);
}

static void bring(void)
{
	int code;

	do {
		code = channel_refresh(&channel, &error);
	} while (code > 0);
	assert_int_equal(code, 0);
}

static void start(uint32_t ring_flags)
{
	fixture_init(&fixture, ring_flags);
	stub.bytes = fixture.bytes;
	stub.address = FIXTURE_ADDRESS;
	stub.size = FIXTURE_SIZE;
	gdb_stub_start(&stub);
}

static int setup(void **state)
{
	(void)state;
	stub = (struct gdb_stub){ .no_ack = true, .breakpoints = true };
	channel = (struct channel){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	channel_close(&channel);
	gdb_stub_stop(&stub);
	fixture_free(&fixture);
	return 0;
}

static bool becomes(const unsigned *what, unsigned value)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (__atomic_load_n(what, __ATOMIC_ACQUIRE) >= value)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

static bool runs(void)
{
	for (int i = 0; i < PATIENCE && !__atomic_load_n(&stub.runs, __ATOMIC_ACQUIRE); i++)
		poll(NULL, 0, 1);
	return __atomic_load_n(&stub.runs, __ATOMIC_ACQUIRE);
}

/* A whole recording, for each form of answers that stubs use. */
static void record(void)
{
	static const char *const command[] = { "bareperf", "record" };
	const struct session_options options = {
		.host = &session_host, .output = path, .command = command, .command_words = 2
	};

	start(0);
	temporary_path(path, "gdb-session");
	assert_int_equal(open_with("address=0x40000000,stop-budget=100%", 0), 0);
	bring();
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned j = 0; j < 10; j++)
			assert_true(fixture_sample(&fixture, i & 1, j & 1, i, 1000, 4));
		session_rig_drain();
		channel_wait(&channel); /* the wait also stores the tails in the machine */
	}
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	session_rig_recount();
	assert_int_equal(session.found.samples, 200);
	session_end(&session);
	region_close(&region);
	unlink(path);
	channel_close(&channel);
	assert_int_equal(stub.detached, 1);
	assert_true(runs());
}

static void each_stop_is_reported_with_the_machine_s_time(void **state)
{
	struct tr_header *header;
	struct channel_stop first = { 0 }, second = { 0 };

	(void)state;
	start(0);
	header = (void *)stub.bytes;
	header->beat_time = 500;
	assert_int_equal(open_with("address=0x40000000,stop-budget=100%", 0), 0);
	bring();
	channel_wait(&channel); /* has stopped; repeated for busy hosts */
	while (channel_stop(&channel, &first))
		;
	header->beat_time = 900;
	bring();
	channel_wait(&channel);
	while (channel_stop(&channel, &second))
		;
	assert_int_equal(first.time, 500);
	assert_int_equal(second.time, 900);
	assert_true(first.length && first.at + first.length < second.at);
}

static void a_recording_comes_through_a_stub_whole(void **state)
{
	(void)state;
	record();
}

static void a_recording_comes_through_a_stub_that_wants_each_packet_acknowledged(void **state)
{
	(void)state;
	stub.no_ack = false;
	stub.packet_size = 400;
	record();
}

static void a_recording_comes_through_a_stub_that_says_runs_and_dribbles(void **state)
{
	(void)state;
	stub.run_lengths = stub.physical = stub.wants_process = true;
	stub.dribble = 7;
	record();
}

static void a_recording_comes_through_binary_packets(void **state)
{
	(void)state;
	stub.binary = true;
	stub.breakpoints = false;
	record();
}

/* Each fault is reported in one line, within a bounded time, and nothing hangs. */
static void a_stub_that_is_wrong_gets_one_line(void **state)
{
	/* short only if that cannot change the message, however slow the host is */
	static const struct {
		const char *says;
		double timeout;
	} wrong[STUB_FAULTS] = {
		[STUB_SILENT] = { "no answer", 0.3 },
		[STUB_CLOSES] = { "closed the connection", PATIENCE / 1e3 },
		[STUB_GARBAGE] = { "GDB stub", 0.3 },
		[STUB_BAD_SUMS] = { "damaged", PATIENCE / 1e3 },
		[STUB_HALF] = { "GDB stub", 0.3 },
		[STUB_CHATTERS] = { "answers other things", PATIENCE / 1e3 },
		[STUB_TOO_LONG] = { "no answer", 0.3 },
		[STUB_NO_MEMORY] = { "no trace region", LOOKS_S },
		[STUB_ODD_MEMORY] = { "answers \"zz0\"", PATIENCE / 1e3 },
		[STUB_DEAF] = { "no answer", 0.3 },
	};

	(void)state;
	fixture_init(&fixture, 0);
	for (unsigned fault = STUB_SILENT; fault < STUB_FAULTS; fault++) {
		stub = (struct gdb_stub){ .bytes = fixture.bytes,
			                  .address = FIXTURE_ADDRESS,
			                  .size = FIXTURE_SIZE,
			                  .no_ack = true,
			                  .fault = fault };
		/* the fault shows when the stub must stop again */
		if (fault == STUB_DEAF)
			fixture_header(&fixture)->magic = 0;
		gdb_stub_start(&stub);
		assert_true(open_with("address=0x40000000", wrong[fault].timeout) < 0);
		if (!strstr(error.text, wrong[fault].says))
			fail_msg("fault %u: %s", fault, error.text);
		assert_null(strchr(error.text, '\n'));
		if (fault != STUB_FAULTS - 1)
			gdb_stub_stop(&stub);
	}
}

static void a_missing_gdb_server_is_reported_with_its_address(void **state)
{
	const struct channel_url_options options = { .timeout = PATIENCE / 1e3 };

	(void)state;
	start(0);
	assert_int_equal(
	    channel_open_url(&channel, "gdb:/nowhere/gdb,address=0x40000000", &options, &error),
	    -ECONNREFUSED);
	assert_non_null(strstr(error.text, "/nowhere/gdb"));
	assert_int_equal(
	    channel_open_url(&channel, "gdb:localhost:1,address=0x40000000", &options, &error),
	    -ECONNREFUSED);
	assert_non_null(strstr(error.text, "localhost:1"));
}

static void the_error_for_a_wrong_url_names_the_missing_part(void **state)
{
	static const struct {
		const char *places, *says;
	} wrong[] = {
		{ "stop-budget=1%", "where is the trace region?" },
		{ "address=0x40000000,stop-budget=0%", "stop-budget=0%" },
		{ "address=0x40000000,stop-budget=101%", "stop-budget=101%" },
		{ "address=0x40000000,stop-budget=5", "stop-budget=5" },
		{ "address=0x40000001", "address=0x40000001" },
		{ "address=x", "address=x" },
		{ "scan=5", "scan=5" },
		{ "scan=0x2000-0x1000", "scan=0x2000-0x1000" },
		{ "scan=0-0xffffffffffffffff", "more than" },
		{ "scan=0-1,2-3,x", "scan=x" },
		{ "scn=0-1", "\"scn=0-1\" is none of" },
	};

	(void)state;
	start(0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(open_with(wrong[i].places, 0), -EINVAL);
		assert_non_null(strstr(error.text, wrong[i].says));
	}
	assert_int_equal(stub.connections, 0);
}

static void a_budget_is_an_option_too_and_of_gdb_alone(void **state)
{
	struct channel_url_options options = { .stop_budget = "101%" };

	(void)state;
	start(0);
	assert_int_equal(
	    channel_open_url(&channel, "gdb:/nowhere/gdb,address=0x40000000", &options, &error),
	    -EINVAL);
	assert_non_null(strstr(error.text, "stop-budget=101%"));
	options.stop_budget = "1%";
	assert_int_equal(
	    channel_open_url(&channel, "gdb:/nowhere/gdb,address=0x40000000", &options, &error),
	    -ECONNREFUSED);
	assert_int_equal(channel_open_url(&channel, "shm:/nowhere", &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "--stop-budget: shm:"));
}

/* ---- Where the region is ---- */

static uint8_t ram[5 * (2U << 20)] __attribute__((aligned(4096)));

static struct tr_header *put_region(unsigned place, uint64_t nonce)
{
	struct tr_header *header = (struct tr_header *)(void *)(ram + place * (2UL << 20));

	memcpy(header, fixture.bytes, FIXTURE_SIZE);
	header->address = FIXTURE_ADDRESS + place * (2UL << 20);
	header->nonce = nonce;
	return header;
}

static void start_ram(void)
{
	memset(ram, 0, sizeof(ram));
	fixture_init(&fixture, 0);
	stub.bytes = ram;
	stub.address = FIXTURE_ADDRESS;
	stub.size = sizeof(ram);
}

static void a_scan_finds_the_region_and_not_a_copy_of_it(void **state)
{
	(void)state;
	start_ram();
	put_region(1, 7)->address += 4096;
	put_region(3, 8);
	gdb_stub_start(&stub);
	assert_int_equal(open_with("scan=0x40000000-0x40400000,0x40400000-0x48000000", 0), 0);
	bring();
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region.nonce, 8);
	region_close(&region);
}

static void a_scan_that_finds_nothing_gives_advice(void **state)
{
	(void)state;
	start_ram();
	put_region(1, 7)->address += 4096;
	gdb_stub_start(&stub);
	assert_int_equal(open_with("scan=0x40000000-0x40a00000", LOOKS_S), -ENOENT);
	assert_non_null(strstr(error.text, "multiples of 2 MiB"));
	assert_non_null(strstr(error.text, "lies at 0x40201000"));
	assert_true(becomes(&stub.detached, 1));
}

static void *beat(void *arg)
{
	struct tr_header *header = arg;

	while (!__atomic_load_n(&stub.end, __ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&header->heartbeat, 1, __ATOMIC_RELAXED);
		poll(NULL, 0, 1);
	}
	return NULL;
}

static void of_several_regions_the_live_one_is_used(void **state)
{
	pthread_t heart;
	struct tr_header *living;

	(void)state;
	start_ram();
	put_region(0, 7);
	living = put_region(2, 8);
	gdb_stub_start(&stub);
	assert_int_equal(open_with("scan=0x40000000-0x40a00000", 0), -EEXIST);
	assert_non_null(strstr(error.text, "0x40000000 (nonce 0x7, heartbeat stopped)"));
	assert_non_null(strstr(error.text, "0x40400000 (nonce 0x8"));
	pthread_create(&heart, NULL, beat, living);
	assert_int_equal(open_with("scan=0x40000000-0x40a00000", 0), 0);
	bring();
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region.nonce, 8);
	region_close(&region);
	__atomic_store_n(&stub.end, true, __ATOMIC_RELEASE);
	pthread_join(heart, NULL);
}

/* ---- The machine runs on ---- */

/* A child that reads, and is killed at one of many moments. */
static void a_reader_that_is_killed_leaves_a_machine_that_runs(void **state)
{
	(void)state;
	start(0);
	for (unsigned i = 0; i < 12; i++) {
		pid_t child = fork();

		if (child == 0) {
			struct channel_bell bell = { .pending = 0 };

			open_with("address=0x40000000,stop-budget=100%", 0);
			for (;;) {
				channel_clear(&channel, &bell, 1, &error);
				channel_wait(&channel);
			}
		}
		poll(NULL, 0, (int)(i * i));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		/* every connected process has reported it */
		for (int j = 0;
		     j < PATIENCE && __atomic_load_n(&stub.detached, __ATOMIC_ACQUIRE) <
		                         __atomic_load_n(&stub.connections, __ATOMIC_ACQUIRE);
		     j++)
			poll(NULL, 0, 1);
		assert_true(runs());
	}
	assert_int_equal(stub.detached, stub.connections);
	assert_int_not_equal(stub.connections, 0);
}

static void a_reader_that_does_nothing_does_not_hold_the_machine(void **state)
{
	(void)state;
	start(0);
	assert_int_equal(open_with("address=0x40000000", 0), 0);
	bring();
	assert_true(runs()); /* the machine runs again without a wait */
}

static void published_records_arrive_without_further_reads(void **state)
{
	struct region_lease lease;
	const struct tr_reader *reader;
	uint32_t first;

	(void)state;
	start(0);
	reader = &fixture_header(&fixture)->reader;
	assert_int_equal(open_with("address=0x40000000", 0), 0);
	assert_int_equal(region_lease_take(&lease, &channel, &error), 0);
	assert_true(becomes(&reader->id, 1));
	first = __atomic_load_n(&reader->lease, __ATOMIC_ACQUIRE);
	assert_true(becomes(&reader->lease, first + 1));
	assert_true(runs());
	region_lease_give_back(&lease);
	channel_close(&channel);
	assert_int_equal(__atomic_load_n(&reader->id, __ATOMIC_ACQUIRE), 0);
}

/* One look without a doorbell; the next one waits for the breakpoint. */
static void the_breakpoint_wakes_a_waiting_reader(void **state)
{
	struct channel_bell bell = { .pending = 0 };

	(void)state;
	start(0);
	fixture_header(&fixture)->notify = 0x1234;
	assert_int_equal(open_with("address=0x40000000,stop-budget=100%", 0), 0);
	for (unsigned i = 1; i <= 3; i++) {
		unsigned hits = __atomic_load_n(&stub.hits, __ATOMIC_ACQUIRE);

		for (int tries = 0; hits == __atomic_load_n(&stub.hits, __ATOMIC_ACQUIRE);
		     tries++) {
			assert_true(tries < 100);
			while (channel_clear(&channel, &bell, 1, &error) > 0)
				;
			gdb_stub_ring(&stub);
			channel_wait(&channel);
		}
	}
	assert_true(stub.hits >= 3);
	channel_close(&channel);
	assert_true(becomes(&stub.detached, 1));
	assert_int_equal(stub.breakpoint, 0);
}

/* An overwritable ring is read at the last look, while the machine is in the middle of a run. */
static void an_overwritable_ring_is_of_one_moment(void **state)
{
	struct ring_reader reader;
	const struct perf_event_header *record;
	unsigned records = 0;

	(void)state;
	start(TR_RING_BACKWARD);
	assert_int_equal(open_with("address=0x40000000,stop-budget=100%", 0), 0);
	for (unsigned i = 0; i < 10; i++)
		fixture_sample(&fixture, 1, 0, i, 1000, 4);
	bring();
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	assert_int_equal(region_read_ring(&region, 1, &reader), 0);
	assert_int_equal(ring_reader_next(&reader, &record), 0); /* not yet */
	channel.is_last = true;
	bring();
	assert_int_equal(region_read_ring(&region, 1, &reader), 0);
	while (ring_reader_next(&reader, &record) > 0)
		records++;
	assert_int_equal(records, 10);
	region_close(&region);
}

#define ENTRY 0x123456789abcULL /* of the firmware */
#define HUNG  0x5000000ULL

/* A hung machine with a different value in each register. Returns the forced stop's result. */
static int force(uint64_t own, uint64_t own_size)
{
	uint8_t registers[300];
	uint64_t pc = HUNG;

	for (size_t i = 0; i < sizeof(registers); i++)
		registers[i] = (uint8_t)(i * 7);
	memcpy(registers + 128, &pc, sizeof(pc));
	for (size_t i = 0; i < sizeof(registers); i++)
		sprintf(stub.registers + 2 * i, "%02x", registers[i]);
	start(0);
	fixture_header(&fixture)->forced_stop = ENTRY;
	assert_int_equal(open_with("address=0x40000000", 0), 0);
	return channel_force_stop(&channel, own, own_size, &error);
}

static void is_as_it_was(void)
{
	uint64_t pc = 0;

	gdb_packet_hex((const uint8_t *)stub.registers + 256, 16, (uint8_t *)&pc, 8);
	assert_int_equal(pc, HUNG);
	assert_int_equal(strlen(stub.registers), 600);
	for (size_t i = 0; i < 300; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", (unsigned)(uint8_t)(i * 7));
		if (i < 128 || i >= 136)
			assert_memory_equal(stub.registers + 2 * i, digits, 2);
	}
	channel_close(&channel);
	assert_true(becomes(&stub.detached, 1));
	assert_true(runs());
}

static void a_machine_that_hangs_ends_its_recording_by_its_registers(void **state)
{
	(void)state;
	stub.ends = ENTRY;
	assert_int_equal(force(0x1000, 0x1000), 0);
	assert_int_equal(fixture_header(&fixture)->state, TR_FAILED);
	is_as_it_was();
}

static void the_target_is_not_stopped_in_bareperfs_code(void **state)
{
	(void)state;
	stub.ends = ENTRY;
	assert_int_equal(force(HUNG - 0x1000, 0x1001), -EAGAIN);
	assert_int_equal(fixture_header(&fixture)->state, TR_RECORDING);
	is_as_it_was();
}

static void a_cpu_that_does_not_reach_the_target_is_unchanged(void **state)
{
	(void)state;
	assert_int_equal(force(0, 0), -ETIMEDOUT);
	is_as_it_was();
}

static void a_stub_that_takes_no_registers_is_reported(void **state)
{
	(void)state;
	stub.keeps_registers = true;
	assert_int_equal(force(0, 0), -EFAULT);
	assert_non_null(strstr(error.text, "E22"));
	bring(); /* the channel still works */
	is_as_it_was();
}

static void without_registers_or_a_place_to_go_it_cannot_be_done(void **state)
{
	(void)state;
	stub.ends = ENTRY;
	assert_int_equal(force(0, 0), 0);
	fixture_header(&fixture)->forced_stop = 0;
	assert_int_equal(channel_force_stop(&channel, 0, 0, &error), -ENOTSUP);
	fixture_header(&fixture)->forced_stop = ENTRY;
	stub.registers[0] = 'x'; /* one register cannot be read */
	assert_int_equal(channel_force_stop(&channel, 0, 0, &error), -ENOTSUP);
	stub.registers[0] = '0';
	stub.registers[264] = 0; /* the registers from the program counter on are missing */
	assert_int_equal(channel_force_stop(&channel, 0, 0, &error), -ENOTSUP);
	bring();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(each_stop_is_reported_with_the_machine_s_time),
		TEST(a_recording_comes_through_a_stub_whole),
		TEST(a_recording_comes_through_a_stub_that_wants_each_packet_acknowledged),
		TEST(a_recording_comes_through_a_stub_that_says_runs_and_dribbles),
		TEST(a_recording_comes_through_binary_packets),
		TEST(a_stub_that_is_wrong_gets_one_line),
		TEST(a_missing_gdb_server_is_reported_with_its_address),
		TEST(the_error_for_a_wrong_url_names_the_missing_part),
		TEST(a_budget_is_an_option_too_and_of_gdb_alone),
		TEST(a_scan_finds_the_region_and_not_a_copy_of_it),
		TEST(a_scan_that_finds_nothing_gives_advice),
		TEST(of_several_regions_the_live_one_is_used),
		TEST(a_reader_that_is_killed_leaves_a_machine_that_runs),
		TEST(a_reader_that_does_nothing_does_not_hold_the_machine),
		TEST(published_records_arrive_without_further_reads),
		TEST(the_breakpoint_wakes_a_waiting_reader),
		TEST(an_overwritable_ring_is_of_one_moment),
		TEST(a_machine_that_hangs_ends_its_recording_by_its_registers),
		TEST(the_target_is_not_stopped_in_bareperfs_code),
		TEST(a_cpu_that_does_not_reach_the_target_is_unchanged),
		TEST(a_stub_that_takes_no_registers_is_reported),
		TEST(without_registers_or_a_place_to_go_it_cannot_be_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
