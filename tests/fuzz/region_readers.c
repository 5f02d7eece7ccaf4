/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/region_readers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/event_types.h"
#include "host-tools/ledger/check.h"
#include "host-tools/region/mailbox.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/session/session_host.h"
#include "writer/session/session.h"

#define PIECE 72U /* bytes of a piece: three branch records, or nine SPE packets */

static struct fixture fixtures[REGION_KINDS];
static uint8_t *good[REGION_KINDS];
static enum region_kind current;
static char path[64];
static struct dump dump;

static void must(bool it_holds)
{
	if (!it_holds)
		abort();
}

static void fill(struct fixture *f, enum region_kind kind)
{
	uint8_t piece[PIECE];

	for (uint64_t i = 0; i < 60; i++) {
		unsigned ring = i & 1;

		fixture_sample(f, ring, i >> 1 & 1, 0x1000 + i, 1000, i % 7);
		/* SPE: packets of END; BTS: any addresses. */
		memset(piece, kind == REGION_BTS ? (int)i : 1, sizeof(piece));
		if (kind != REGION_BACKWARD)
			fixture_piece(f, ring, piece, i % 10 == 9 ? 0 : PIECE - 24 * (i % 3),
			              i % 8 ? 0 : PERF_AUX_FLAG_TRUNCATED);
	}
}

static void make(enum region_kind kind)
{
	struct fixture *f = &fixtures[kind];

	if (kind == REGION_BACKWARD)
		fixture_init(f, TR_RING_BACKWARD);
	else
		fixture_init_aux(f, kind == REGION_BTS ? PERF_TYPE_INTEL_BTS : PERF_TYPE_ARM_SPE,
		                 kind == REGION_SNAPSHOT);
	fill(f, kind);
	trace_region_set_message(&f->region, 0, "why");
	memcpy(f->region.console->text, "a line\n", 7);
	f->region.console->head = 7;
	fixture_complete(f);
	good[kind] = malloc(FIXTURE_SIZE);
	must(good[kind]);
	memcpy(good[kind], f->bytes, FIXTURE_SIZE);
}

static void prepare(void)
{
	for (int kind = 0; kind < REGION_KINDS; kind++)
		make(kind);
	dump.format = malloc(sizeof(*dump.format));
	dump.symbols = symbols_new(NULL);
	must(dump.format && dump.symbols);
	/* Printed text is formatted and discarded. */
	format_init(dump.format, open("/dev/null", O_WRONLY));
	dump.path = path;
}

uint8_t *region_renew(enum region_kind kind)
{
	if (!dump.format)
		prepare();
	current = kind;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fixtures[kind].fd);
	memcpy(fixtures[kind].bytes, good[kind], FIXTURE_SIZE);
	return fixtures[kind].bytes;
}

size_t region_rings_begin(void)
{
	return fixtures[current].region.rings[0].control;
}

bool region_patch(const uint8_t *data, size_t size, size_t i, size_t *place, uint8_t *value)
{
	if (REGION_PATCH * (i + 1) > size)
		return false;
	data += REGION_PATCH * i;
	*place = ((size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % FIXTURE_SIZE;
	*value = data[3];
	return true;
}

/* The last dump's result: whether the records are conserved. */
static bool close_dump(void)
{
	bool conserved = dump.has_ledger && check_conserved(&dump.ledger, NULL, NULL);

	format_flush(dump.format);
	ledger_free(&dump.ledger);
	dump.has_ledger = false;
	dump.skipped = 0;
	memset(dump.types, 0, sizeof(dump.types));
	return conserved;
}

void region_dump(void)
{
	struct error error = { "" };

	dump_region(&dump, &CHANNEL_ANY_FILE, &error);
	close_dump();
}

static bool open_region(struct channel *channel, struct region *region)
{
	struct error error = { "" };

	must(!channel_open_shared(channel, fixtures[current].fd, FIXTURE_SIZE, NULL, &error));
	if (!region_open(region, channel, &error))
		return true;
	channel_close(channel);
	return false;
}

static bool record(void)
{
	static const char *const command[] = { "fuzz" };
	const struct session_options options = {
		.host = &session_host, .output = "/dev/null", .command = command, .command_words = 1
	};
	struct channel channel;
	struct region region;
	struct session session;
	struct error error = { "" };
	bool conserved = false;

	if (!open_region(&channel, &region))
		return false;
	if (!session_begin(&session, &region, &options, &error)) {
		conserved = !session_finish(&session, false, &error) &&
		            check_conserved(&session.ledger, NULL, NULL);
		session_end(&session);
	}
	region_close(&region);
	channel_close(&channel);
	return conserved;
}

void region_record(void)
{
	record();
}

void region_ask(void)
{
	struct channel channel;
	struct region region;
	struct error error = { "" };
	char message[1024];
	uint64_t from = 0;
	uint32_t request;
	int status;

	if (!open_region(&channel, &region))
		return;
	if (!region_load(&region, &error)) {
		must(!mailbox_send(&region, "list", &request, &error));
		mailbox_answered(&region, request, &status);
		region_update_cpus(&region);
	}
	region_message(&region, message);
	free(region_console(&region, &from));
	region_close(&region);
	channel_close(&channel);
}

void region_require_conserved(void)
{
	struct error error = { "" };

	must(!dump_region(&dump, &CHANNEL_ANY_FILE, &error) && close_dump());
	must(record());
}
