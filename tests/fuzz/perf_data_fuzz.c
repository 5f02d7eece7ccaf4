/* SPDX-License-Identifier: MIT */
/*
 * Whatever is in a perf.data file, `bareperf dump` survives it. An input that begins with the
 * magic is the file itself; any other is a list of patches {u16 place, u8 value} to a good one.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/perfdata/perf_footer.h"
#include "host-tools/report/dump.h"
#include "host-tools/session/session.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/region_fixture.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *good;
static size_t good_size;
static char path[64];
static int fd;
static struct dump dump;

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

/* A session's file in anonymous memory. */
static void record(void)
{
	static const char *const command[] = { "fuzz" };
	const struct session_options options = { .output = path,
		                                 .command = command,
		                                 .command_words = 1 };
	struct fixture fixture;
	struct channel channel;
	struct region region;
	struct session session;
	struct error error = { "" };

	fixture_init(&fixture, 0);
	for (uint64_t i = 0; i < 200; i++)
		fixture_sample(&fixture, 0, i & 1, 0x1000 + i, 1000, i % 7);
	fixture_complete(&fixture);
	must(!channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, &error));
	must(!region_open(&region, channel.bytes, channel.size, true, &error));
	must(!session_begin(&session, &channel, &region, &options, &error));
	must(!session_finish(&session, false, &error));
	session_end(&session);
	region_close(&region);
	channel.ops->close(&channel);
	fixture_free(&fixture);
}

static void prepare(void)
{
	if (good)
		return;
	fd = memfd_create("perf.data", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	record();
	good_size = (size_t)lseek(fd, 0, SEEK_END);
	good = malloc(good_size);
	dump.format = malloc(sizeof(*dump.format));
	dump.symbols = symbols_new();
	must(good && dump.format && dump.symbols &&
	     pread(fd, good, good_size, 0) == (ssize_t)good_size);
	format_init(dump.format, open("/dev/null", O_WRONLY));
	dump.path = path;
}

static void write_input(const uint8_t *data, size_t size)
{
	if (size >= 8 && !memcmp(data, "PERFILE2", 8)) {
		must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
		return;
	}
	must(pwrite(fd, good, good_size, 0) == (ssize_t)good_size);
	must(!ftruncate(fd, (off_t)good_size));
	for (size_t i = 0; i + 3 <= size; i += 3) {
		off_t place = (off_t)data[i] | (off_t)data[i + 1] << 8;

		if (place < (off_t)good_size)
			must(pwrite(fd, data + i + 2, 1, place) == 1);
	}
}

/* A footer with the right CRC, as far as there is one: or else no patch of the ledger would ever
 * be looked at. */
static void sign(void)
{
	struct perf_file_header header;
	struct perf_footer footer;
	uint8_t *ledger;
	uint64_t at;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return;
	at = header.event_types.offset;
	if (at > INT64_MAX || pread(fd, &footer, sizeof(footer), (off_t)at) != sizeof(footer) ||
	    footer.offset > at || footer.size > at - footer.offset)
		return;
	ledger = malloc(footer.size + 1);
	must(ledger &&
	     pread(fd, ledger, footer.size, (off_t)footer.offset) == (ssize_t)footer.size);
	footer.crc = perf_footer_crc(&footer, ledger);
	free(ledger);
	must(pwrite(fd, &footer, sizeof(footer), (off_t)at) == sizeof(footer));
}

static void put_missing(void *context, const struct missing *missing)
{
	char text[256];

	(void)context;
	missing_text(missing, text, sizeof(text));
}

/* What a summary computes of a ledger. */
static void tell(const struct ledger *ledger)
{
	char advice[128];

	check_conserved(ledger, NULL, NULL);
	missing_list(ledger, put_missing, NULL);
	missing_advice(ledger, advice, sizeof(advice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };

	prepare();
	write_input(data, size);
	sign();
	dump_perf_data(&dump, &error);
	format_flush(dump.format);
	if (dump.has_ledger)
		tell(&dump.ledger);
	ledger_free(&dump.ledger);
	dump.has_ledger = false;
	memset(dump.types, 0, sizeof(dump.types));
	return 0;
}

/* A whole file, as it is written today, and which nothing complains about. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct error error = { "" };

	prepare();
	must(!dump_perf_data(&dump, &error) && dump.has_ledger &&
	     check_conserved(&dump.ledger, NULL, NULL));
	format_flush(dump.format);
	ledger_free(&dump.ledger);
	dump.has_ledger = false;
	memset(dump.types, 0, sizeof(dump.types));
	fuzz_seed(*argc, *argv, "recording", good, good_size);
	return 0;
}
