/* SPDX-License-Identifier: MIT */
/*
 * Whatever is written into a trace region, `bareperf dump` and a session survive it.
 * An input that begins with the magic is the region itself; any other is a list of patches
 * {u16 place, u8 value} to a good one, so that few bytes go deep.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/check.h"
#include "host-tools/dump.h"
#include "host-tools/session.h"
#include "tests/unit/region_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fixture fixture;
static uint8_t *good;
static char path[64];
static struct dump dump;

static void prepare(void)
{
	if (good)
		return;
	fixture_init(&fixture, TR_RING_BACKWARD);
	for (uint64_t i = 0; i < 300; i++)
		fixture_sample(&fixture, i & 1, i >> 1 & 1, 0x1000 + i, 1000, i % 7);
	fixture_complete(&fixture);
	good = malloc(FIXTURE_SIZE);
	dump.format = malloc(sizeof(*dump.format));
	if (!good || !dump.format)
		abort();
	memcpy(good, fixture.bytes, FIXTURE_SIZE);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fixture.fd);
	dump.path = path;
	/* What is printed is formatted, and goes nowhere. */
	format_init(dump.format, open("/dev/null", O_WRONLY));
}

static void apply(const uint8_t *data, size_t size)
{
	if (size >= 8 && !memcmp(data, "BAREPERF", 8)) {
		memset(fixture.bytes, 0, FIXTURE_SIZE);
		memcpy(fixture.bytes, data, size < FIXTURE_SIZE ? size : FIXTURE_SIZE);
		return;
	}
	for (size_t i = 0; i + 3 <= size; i += 3) {
		size_t place = (size_t)data[i] | (size_t)data[i + 1] << 8;

		/* Header and tables, then the rings, four bytes apart so that all is in reach. */
		if (place >= 0x3000)
			place = 0x3000 + (place - 0x3000) * 4;
		if (place < FIXTURE_SIZE)
			fixture.bytes[place] = data[i + 2];
	}
}

static void run_session(void)
{
	static const char *const command[] = { "fuzz" };
	const struct session_options options = { .output = "/dev/null",
		                                 .command = command,
		                                 .command_words = 1 };
	struct channel channel;
	struct region region;
	struct session session;
	struct error error = { "" };

	if (channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, &error))
		abort();
	if (!region_open(&region, channel.bytes, channel.size, true, &error)) {
		if (!session_begin(&session, &channel, &region, &options, &error)) {
			session_finish(&session, false, &error);
			check_conserved(&session.ledger, NULL, NULL);
			session_end(&session);
		}
		region_close(&region);
	}
	channel.ops->close(&channel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };

	prepare();
	memcpy(fixture.bytes, good, FIXTURE_SIZE);
	apply(data, size);
	dump_region(&dump, UINT64_MAX, &error);
	format_flush(dump.format);
	check_conserved(&dump.ledger, NULL, NULL);
	ledger_free(&dump.ledger);
	memset(dump.types, 0, sizeof(dump.types));
	run_session();
	return 0;
}
