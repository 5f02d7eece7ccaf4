/* SPDX-License-Identifier: MIT */
#include "host-tools/region/gdb/gdb_find.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/region/gdb/gdb_bytes.h"
#include "host-tools/region/serial/mirror.h"
#include "writer/region/region_check.h"

#define HITS     8U
/* the machine runs this long between two searches, or two reads of heartbeats */
#define RUN_MS   100
#define BEAT_RUN 5U /* number of such runs */

struct hit {
	uint64_t address;
	struct tr_header header;
	bool lives;
};

struct search {
	struct gdb_remote *remote;
	const struct gdb_places *places;
	bool (*ended)(void *);
	void *context;
	struct hit hits[HITS];
	size_t count;
	unsigned probes;
	struct error refused; /* why the last candidate with a magic was refused */
};

/* Checks the address. 1: a region; 0: no region. */
static int probe(struct search *search, uint64_t address, struct error *error)
{
	struct hit *hit = &search->hits[search->count < HITS ? search->count : HITS - 1];
	uint64_t magic = 0;
	int code = gdb_remote_read(search->remote, address, &magic, sizeof(magic), error);

	if (code == -EFAULT)
		return 0; /* no memory at this address */
	if (code || magic != TR_MAGIC)
		return code;
	code = gdb_remote_read(search->remote, address, &hit->header, sizeof(hit->header), error);
	if (code)
		return code == -EFAULT ? 0 : code;
	if (region_check_header(&hit->header, MIRROR_SIZE_MAX, &search->refused) ||
	    region_check_tables(&hit->header, &search->refused))
		return 0;
	if (hit->header.address != address) {
		error_set(&search->refused, -EPROTO, "its header says that it lies at 0x%" PRIx64,
		          hit->header.address);
		return 0;
	}
	hit->address = address;
	search->count += search->count < HITS;
	return 1;
}

static int pause_scan(struct search *search, struct error *error)
{
	search->probes++;
	if (!search->ended(search->context))
		return 0;
	return error_set(error, -EINTR, "interrupted");
}

static int scan(struct search *search, struct error *error)
{
	const struct gdb_places *places = search->places;

	for (size_t i = 0; i < places->range_count; i++) {
		uint64_t first = (places->ranges[i].from + TR_ALIGN - 1) &
		                 ~(uint64_t)(TR_ALIGN - 1);

		for (uint64_t at = first; at < places->ranges[i].to && at >= first;
		     at += TR_ALIGN) {
			int code = probe(search, at, error);

			if (code >= 0)
				code = pause_scan(search, error);
			if (code < 0)
				return code;
		}
	}
	return 0;
}

static int let_run(struct search *search, struct error *error)
{
	int code = gdb_remote_run(search->remote, error);

	if (!code)
		poll(NULL, 0, RUN_MS);
	if (!code && search->ended(search->context))
		code = error_set(error, -EINTR, "interrupted");
	return code ? code : gdb_remote_stop(search->remote, error);
}

/* A machine that has just started may not have its region yet. */
static int look(struct search *search, struct error *error)
{
	const struct gdb_places *places = search->places;
	int64_t until = gdb_now_ms() + places->timeout_ms;

	for (;;) {
		int code = places->has_address ? probe(search, places->address, error)
		                               : scan(search, error);

		if (code < 0 || search->count || gdb_now_ms() >= until)
			return code < 0 ? code : 0;
		code = let_run(search, error);
		if (code)
			return code;
	}
}

/* Finds the region whose heartbeat advances. */
static int listen_to_hearts(struct search *search, size_t *living, struct error *error)
{
	int code = 0;

	*living = 0;
	for (unsigned i = 0; i < BEAT_RUN && !*living && !code; i++)
		code = let_run(search, error);
	for (size_t i = 0; i < search->count && !code; i++) {
		struct hit *hit = &search->hits[i];
		uint64_t beat = 0;

		code = gdb_remote_read(search->remote,
		                       hit->address + offsetof(struct tr_header, heartbeat), &beat,
		                       sizeof(beat), error);
		hit->lives = beat != hit->header.heartbeat;
		*living += hit->lives;
	}
	return code;
}

static int list_hits(const struct search *search, struct error *error)
{
	char text[600];
	size_t used = 0;

	for (size_t i = 0; i < search->count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         "%s0x%" PRIx64 " (nonce 0x%" PRIx64 ", heartbeat %s)",
		                         i ? ", " : "", search->hits[i].address,
		                         search->hits[i].header.nonce,
		                         search->hits[i].lives ? "runs" : "stopped");
	return error_set(error, -EEXIST, "several trace regions: %s. Choose by address=", text);
}

static int none(const struct search *search, struct error *error)
{
	const struct gdb_places *places = search->places;
	const char *why = *search->refused.text ? ": " : "";

	if (places->has_address)
		return error_set(
		    error, -ENOENT,
		    "no trace region at 0x%" PRIx64
		    "%s%.300s. Its address is what the firmware printed at its last start",
		    places->address, why, search->refused.text);
	return error_set(error, -ENOENT,
	                 "no trace region at the %u multiples of 2 MiB that were scanned%s%.300s. "
	                 "Is the machine in bareperf, and its RAM in these ranges? The firmware "
	                 "prints the address, for address=",
	                 search->probes, why, search->refused.text);
}

int gdb_find(struct gdb_remote *remote, const struct gdb_places *places, bool (*ended)(void *),
             void *context, struct tr_header *header, uint64_t *address, struct error *error)
{
	/* static because it is large; only one search runs at a time */
	static struct search search;
	size_t chosen = 0, living = 0;
	int code;

	search = (struct search){
		.remote = remote, .places = places, .ended = ended, .context = context
	};
	code = look(&search, error);
	if (!code && !search.count)
		code = none(&search, error);
	if (!code && search.count > 1) {
		code = listen_to_hearts(&search, &living, error);
		if (!code && living != 1)
			code = list_hits(&search, error);
		while (!code && !search.hits[chosen].lives)
			chosen++;
	}
	if (code)
		return code;
	*header = search.hits[chosen].header;
	*address = search.hits[chosen].address;
	return 0;
}
