/* SPDX-License-Identifier: MIT */
/*
 * `bareperf attach' survives any damage to a journal, and never resumes from a damaged one. Input:
 * a byte of flags (MEND_SUM: correct the checksum afterwards; CUT: end the file at the size in the
 * next two bytes), then patches {u16 offset, u8 value} to a valid journal.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/seal.h"
#include "host-tools/session/session_host.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/session/session.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEND_SUM = 1, CUT = 2 };

#define SAMPLES 20U
#define HEAD    56U /* bytes before the slots: magic, version and size, key, commits */
#define MOST    65536U

struct kept {
	char path[64];
	uint8_t bytes[MOST];
	size_t size;
};

static struct kept recording, journal;
static uint8_t *memory; /* the region as the killed reader has left it */
static struct fixture fixture;
static struct channel channel;
static struct region region;
static char directory[] = "/tmp/bareperf-journal-XXXXXX";

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

static void clean_up(void)
{
	char old[80];

	unlink(recording.path);
	unlink(journal.path);
	snprintf(old, sizeof(old), "%s.old", recording.path);
	unlink(old);
	rmdir(directory);
}

static void load(struct kept *kept)
{
	int fd = open(kept->path, O_RDONLY | O_CLOEXEC);
	ssize_t got = read(fd, kept->bytes, MOST);

	must(got > 0 && got < (ssize_t)MOST);
	kept->size = (size_t)got;
	close(fd);
}

static void store(const struct kept *kept, const uint8_t *bytes, size_t size)
{
	int fd = open(kept->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static struct session_options options(void)
{
	static const char *const command[] = { "fuzz" };

	return (struct session_options){ .host = &session_host,
		                         .output = recording.path,
		                         .command = command,
		                         .command_words = 1,
		                         .journal = true };
}

/* A reader that has read samples and pieces of an AUX area, and is then killed. */
static void record(void)
{
	struct session_options how = options();
	static struct session session;
	struct error error = { "" };
	static const uint8_t piece[240];
	uint64_t got;

	fixture_init_aux(&fixture, 77, false);
	for (unsigned i = 0; i < SAMPLES; i++) {
		must(fixture_sample(&fixture, i & 1, 0, 0x1000 + i, 1000, 4));
		must(i % 5 || fixture_piece(&fixture, 0, piece, sizeof(piece), 0));
	}
	must(!channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, NULL, &error));
	must(!region_open(&region, &channel, &error));
	must(!session_begin(&session, &region, &how, &error));
	must(!session_drain(&session, &got, &error) && session.found.samples == SAMPLES);
	session_end(&session);
	memory = malloc(FIXTURE_SIZE);
	must(!!memory);
	memcpy(memory, fixture.bytes, FIXTURE_SIZE);
}

/* Correct the last state's checksum, if the file has one. */
static void mend_sum(uint8_t *bytes, size_t size)
{
	struct tr_seal seal = { 0, 0 };
	uint64_t commits, at, sum;
	uint32_t state;

	if (size < HEAD)
		return;
	memcpy(&state, bytes + 12, sizeof(state));
	memcpy(&commits, bytes + 40, sizeof(commits));
	at = HEAD + commits % 2 * ((uint64_t)state + 8);
	if (state % 8 || at + state + 8 > size)
		return;
	tr_seal_add(&seal, bytes + 16, 24);
	tr_seal_add(&seal, &commits, sizeof(commits));
	tr_seal_add(&seal, bytes + at, state);
	sum = tr_seal_end(&seal);
	memcpy(bytes + at + state, &sum, sizeof(sum));
}

/* A negative errno, or 0: the recording was resumed, and ended. */
static int resume(uint64_t *samples)
{
	struct session_options how = options();
	static struct session session;
	struct error error = { "" };
	int code = session_resume(&session, &region, &how, &error);

	if (code) {
		must(*error.text);
		return code;
	}
	session_finish(&session, true, &error);
	*samples = session.found.samples;
	session_end(&session);
	return 0;
}

static void spoil(const uint8_t *data, size_t size, uint8_t *bytes, size_t *end)
{
	uint8_t what = data[0];

	data++;
	size--;
	if (what & CUT && size >= 2) {
		*end = (size_t)(data[0] | data[1] << 8) % (*end + 1);
		data += 2;
		size -= 2;
	}
	for (; size >= 3; data += 3, size -= 3)
		bytes[(size_t)(data[0] | data[1] << 8) % journal.size] = data[2];
	if (what & MEND_SUM)
		mend_sum(bytes, *end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[MOST] __attribute__((aligned(8)));
	size_t end = journal.size;
	uint64_t samples = 0;

	if (!size)
		return 0;
	memcpy(fixture.bytes, memory, FIXTURE_SIZE);
	memcpy(bytes, journal.bytes, journal.size);
	spoil(data, size, bytes, &end);
	store(&recording, recording.bytes, recording.size);
	store(&journal, bytes, end);
	if (!resume(&samples) && !(data[0] & MEND_SUM))
		must(samples == SAMPLES);
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint8_t good = 0, cut[] = { CUT, 56, 0 };
	uint64_t samples = 0;

	must(!!mkdtemp(directory));
	atexit(clean_up);
	snprintf(recording.path, sizeof(recording.path), "%s/perf.data", directory);
	snprintf(journal.path, sizeof(journal.path), "%s/perf.data.journal", directory);
	record();
	load(&recording);
	load(&journal);
	must(!resume(&samples) && samples == SAMPLES);
	fuzz_seed(*argc, *argv, "good", &good, 1);
	fuzz_seed(*argc, *argv, "cut", cut, sizeof(cut));
	return 0;
}
