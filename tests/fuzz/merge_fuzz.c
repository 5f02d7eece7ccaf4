/* SPDX-License-Identifier: MIT */
/*
 * `bareperf merge` survives recordings of any content, and every record of its output is accounted
 * for. Input: a byte that selects one of the two recordings, then patches {u16 offset, u8 value} to
 * it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/ledger/check.h"
#include "host-tools/merge/merge.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/session/session_host.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/perfdata/perf_footer.h"
#include "writer/session/perf_synth.h"
#include "writer/session/session.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIRST, SECOND, OUTPUT, FILES };

static struct {
	int fd;
	char path[32];
	uint8_t *bytes; /* the recording without patches */
	size_t size;
} files[FILES];
static struct dump dump;

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

/* The second recording has lost records, and has an overwritable ring. */
static void record(int which)
{
	static const char *const command[] = { "fuzz" };
	const struct session_options options = { .host = &session_host,
		                                 .output = files[which].path,
		                                 .command = command,
		                                 .command_words = 1 };
	struct fixture fixture;
	struct channel channel;
	struct region region;
	struct session session;
	struct error error = { "" };
	uint64_t got;

	fixture_init(&fixture, which == SECOND ? TR_RING_BACKWARD : 0);
	for (uint64_t i = 0; i < 200; i++)
		fixture_sample(&fixture, i % 3 == 0, i & 1, 0x1000 + i, 1000,
		               which == SECOND ? 30 : i % 7);
	must(!channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, NULL, &error));
	must(!region_open(&region, &channel, &error));
	must(!session_begin(&session, &region, &options, &error));
	must(!session_drain(&session, &got, &error));
	perf_synth_stop(&session.writer.buffer, &session.region, fixture.time, fixture.time + 5);
	fixture_sample(&fixture, 0, 0, 0x1000, 1000, 3);
	fixture_complete(&fixture);
	must(!session_finish(&session, false, &error));
	session_end(&session);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
}

static void keep(int which)
{
	files[which].size = (size_t)lseek(files[which].fd, 0, SEEK_END);
	files[which].bytes = malloc(files[which].size);
	must(files[which].bytes && pread(files[which].fd, files[which].bytes, files[which].size,
	                                 0) == (ssize_t)files[which].size);
}

/* Correct the footer's CRC, if there is a footer: otherwise no patch to the ledger would be read.
 * */
static void sign(uint8_t *bytes, size_t size)
{
	struct perf_file_header header;
	struct perf_footer footer;
	uint64_t at;

	memcpy(&header, bytes, sizeof(header));
	at = header.event_types.offset;
	if (at > size || size - at < sizeof(footer))
		return;
	memcpy(&footer, bytes + at, sizeof(footer));
	if (footer.offset > at || footer.size > at - footer.offset)
		return;
	footer.crc = perf_footer_crc(&footer, bytes + footer.offset);
	memcpy(bytes + at, &footer, sizeof(footer));
}

static void write_file(int which, const uint8_t *patches, size_t size)
{
	uint8_t *bytes = malloc(files[which].size);

	if (!bytes)
		abort();
	memcpy(bytes, files[which].bytes, files[which].size);
	for (size_t i = 0; i + 3 <= size; i += 3) {
		size_t place = (size_t)patches[i] | (size_t)patches[i + 1] << 8;

		if (place < files[which].size)
			bytes[place] = patches[i + 2];
	}
	sign(bytes, files[which].size);
	must(pwrite(files[which].fd, bytes, files[which].size, 0) == (ssize_t)files[which].size);
	free(bytes);
}

static int merge(void)
{
	char first[48], second[48];
	char name[] = "merge", option[] = "-o";
	char *words[] = { name, option, files[OUTPUT].path, first, second, NULL };

	snprintf(first, sizeof(first), "a=%s", files[FIRST].path);
	snprintf(second, sizeof(second), "b=%s", files[SECOND].path);
	must(!ftruncate(files[OUTPUT].fd, 0));
	return command_merge(5, words);
}

/* Every record is counted for an event, and the ledger agrees with the exit status. */
static void check_output(int status)
{
	struct error error = { "" };

	must(!dump_perf_data(&dump, &error) && dump.has_ledger && !dump.ledger.strangers);
	must(check_conserved(&dump.ledger, NULL, NULL) == !status);
	format_flush(dump.format);
	ledger_free(&dump.ledger);
	dump = (struct dump){ .format = dump.format,
		              .symbols = dump.symbols,
		              .path = files[OUTPUT].path };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int status;

	if (!size)
		return 0;
	write_file(FIRST, data + 1, *data & 1 ? 0 : size - 1);
	write_file(SECOND, data + 1, *data & 1 ? size - 1 : 0);
	status = merge();
	must(status == 0 || status == 1 || status == 3);
	if (status != 1)
		check_output(status);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint8_t nothing[] = { 0 };

	for (int i = 0; i < FILES; i++) {
		files[i].fd = memfd_create("perf.data", MFD_CLOEXEC);
		snprintf(files[i].path, sizeof(files[i].path), "/proc/self/fd/%d", files[i].fd);
	}
	dump.format = malloc(sizeof(*dump.format));
	dump.symbols = symbols_new(NULL);
	must(dump.format && dump.symbols);
	format_init(dump.format, open("/dev/null", O_WRONLY));
	dump.path = files[OUTPUT].path;
	for (int i = FIRST; i <= SECOND; i++) {
		record(i);
		keep(i);
	}
	must(!merge()); /* as they are */
	check_output(0);
	fuzz_seed(*argc, *argv, "unchanged", nothing, sizeof(nothing));
	return 0;
}
