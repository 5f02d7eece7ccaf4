/* SPDX-License-Identifier: MIT */
/* gdb:HOST:PORT: a cable over a GDB stub, as in QEMU, OpenOCD or a debug probe. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/channel_url.h"
#include "host-tools/region/gdb/gdb_supervisor.h"
#include "host-tools/region/serial/mirror.h"

#define BUDGET     0.1 /* default share of the time in which the machine may be stopped */
#define TIMEOUT_MS 5000

struct gdb_cable {
	struct gdb_supervisor supervisor;
	/* bytes that have arrived of the first unfinished piece */
	uint64_t begun;
	uint32_t begun_done;
	uint64_t stops; /* stops that were reported to the caller */
};

/* ---- Cable ---- */

/* Requests as many bytes as fit, from the end of the last call on. */
static uint32_t list_pieces(struct gdb_cable *cable, const struct mirror_piece *pieces,
                            size_t count)
{
	struct gdb_common *common = cable->supervisor.common;
	uint32_t used = 0, bytes = 0;

	for (size_t i = 0; i < count && used < GDB_PIECES && bytes < GDB_BYTES; i++) {
		uint32_t skip, size;

		if (pieces[i].done)
			continue;
		if (!used && cable->begun != pieces[i].offset)
			cable->begun_done = 0;
		skip = used ? 0 : cable->begun_done;
		size = pieces[i].size - skip;
		if (size > GDB_BYTES - bytes)
			break;
		common->pieces[used].offset = pieces[i].offset + skip;
		common->pieces[used++].size = size;
		bytes += size;
	}
	common->piece_count = used;
	return used;
}

/* Copies the supervisor's bytes to the requesting pieces, in order. If the bytes end within a
 * piece, the next bytes continue there. */
static void take_pieces(struct gdb_cable *cable, struct mirror_piece *pieces, size_t count)
{
	const struct gdb_common *common = cable->supervisor.common;
	const uint8_t *from = common->data;
	uint32_t left = common->done;

	for (size_t i = 0; i < count && left; i++) {
		uint32_t size, skip = cable->begun_done;

		if (pieces[i].done)
			continue;
		size = pieces[i].size - skip < left ? pieces[i].size - skip : left;
		memcpy((uint8_t *)pieces[i].to + skip, from, size);
		from += size;
		left -= size;
		pieces[i].done = skip + size == pieces[i].size;
		cable->begun = pieces[i].offset;
		cable->begun_done = pieces[i].done ? 0 : skip + size;
	}
}

static int cable_fetch(void *own, struct mirror_piece *pieces, size_t count, struct error *error)
{
	struct gdb_cable *cable = own;
	int code;

	if (!list_pieces(cable, pieces, count))
		return 0;
	code = gdb_supervisor_ask(&cable->supervisor, GDB_FETCH, error);
	if (code)
		return code;
	take_pieces(cable, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].done)
			return 1;
	}
	return 0;
}

static int cable_store(void *own, uint64_t offset, const void *from, size_t size,
                       struct error *error)
{
	struct gdb_cable *cable = own;

	return gdb_supervisor_store(&cable->supervisor, offset, from, size, error);
}

static uint64_t cable_stored(void *own)
{
	struct gdb_cable *cable = own;

	return __atomic_load_n(&cable->supervisor.common->stored, __ATOMIC_ACQUIRE);
}

static int cable_clear(void *own, struct channel_bell *bells, size_t count, struct error *error)
{
	struct gdb_cable *cable = own;
	struct gdb_common *common = cable->supervisor.common;
	int code;

	common->bell_count = (uint32_t)(count < TR_MAX_RINGS ? count : TR_MAX_RINGS);
	memcpy(common->bells, bells, common->bell_count * sizeof(*bells));
	code = gdb_supervisor_ask(&cable->supervisor, GDB_CLEAR, error);
	if (!code)
		memcpy(bells, common->bells, common->bell_count * sizeof(*bells));
	cable->begun_done = 0;
	return code;
}

static uint64_t cable_moment(void *own)
{
	struct gdb_cable *cable = own;

	return __atomic_load_n(&cable->supervisor.common->moment, __ATOMIC_ACQUIRE);
}

static void cable_hold(void *own, bool on)
{
	struct gdb_cable *cable = own;

	__atomic_store_n(&cable->supervisor.common->hold, on, __ATOMIC_RELEASE);
}

/* If the reader was away for long, only the newest stops are known. */
static bool cable_stop(void *own, struct channel_stop *stop)
{
	struct gdb_cable *cable = own;
	const struct gdb_common *common = cable->supervisor.common;
	uint64_t stops = __atomic_load_n(&common->stops, __ATOMIC_ACQUIRE);

	if (stops - cable->stops > GDB_STOPS / 2)
		cable->stops = stops - GDB_STOPS / 2;
	if (cable->stops == stops)
		return false;
	*stop = common->stop[cable->stops++ % GDB_STOPS];
	return true;
}

static int cable_force(void *own, uint64_t code, uint64_t code_size, struct error *error)
{
	struct gdb_cable *cable = own;
	struct gdb_common *common = cable->supervisor.common;
	int failed;

	common->own = code;
	common->own_size = code_size;
	failed = gdb_supervisor_ask(&cable->supervisor, GDB_FORCE, error);
	if (failed)
		return failed;
	if (common->force_code < 0)
		*error = common->force_error;
	return common->force_code;
}

static void cable_wait(void *own)
{
	struct gdb_cable *cable = own;
	struct error ignored = { "" }; /* the next look reports it */

	gdb_supervisor_ask(&cable->supervisor, GDB_WAIT, &ignored);
}

static void cable_close(void *own)
{
	struct gdb_cable *cable = own;

	gdb_supervisor_stop(&cable->supervisor);
	free(cable);
}

static const struct mirror_cable_ops cable_ops = {
	.name = "gdb",
	.fetch = cable_fetch,
	.store = cable_store,
	.stored = cable_stored,
	.clear = cable_clear,
	.moment = cable_moment,
	.hold = cable_hold,
	.stop = cable_stop,
	.wait = cable_wait,
	.close = cable_close,
};

/* ---- URL ---- */

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
	char *behind;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &behind, 0);
	*end = behind;
	return !errno && behind != text;
}

static int parse_address(struct gdb_target *target, const char *text, struct error *error)
{
	const char *end;

	if (!parse_number(text, &end, &target->places.address) || *end ||
	    target->places.address % TR_PAGE)
		return error_set(
		    error, -EINVAL,
		    "address=%s: want the region's address as the firmware printed it, "
		    "such as 0x7e000000",
		    text);
	target->places.has_address = true;
	return 0;
}

static int parse_range(struct gdb_target *target, const char *text, struct error *error)
{
	struct gdb_places *places = &target->places;
	uint64_t from = 0, to = 0, sum = 0;
	const char *at;

	if (places->range_count == GDB_RANGES)
		return error_set(error, -EINVAL, "scan=: at most %u ranges", GDB_RANGES);
	if (!parse_number(text, &at, &from) || *at != '-' || !parse_number(at + 1, &at, &to) ||
	    *at || to <= from)
		return error_set(error, -EINVAL,
		                 "scan=%s: want LOW-HIGH[,LOW-HIGH…], physical addresses such as "
		                 "0-0x80000000",
		                 text);
	places->ranges[places->range_count].from = from;
	places->ranges[places->range_count++].to = to;
	for (size_t i = 0; i < places->range_count; i++) {
		uint64_t size = places->ranges[i].to - places->ranges[i].from;

		if (size > GDB_SCAN_MAX - sum)
			return error_set(error, -EINVAL, "scan=%s: more than 0x%llx bytes", text,
			                 GDB_SCAN_MAX);
		sum += size;
	}
	return 0;
}

static int parse_budget(struct gdb_target *target, const char *text, struct error *error)
{
	char *end;

	target->budget = strtod(text, &end) / 100;
	if (end != text && !strcmp(end, "%") && target->budget >= 0.001 && target->budget <= 1)
		return 0;
	return error_set(error, -EINVAL,
	                 "stop-budget=%s: want the share of the time that the machine may be "
	                 "stopped, 0.1%% to 100%%",
	                 text);
}

static int parse_option(struct gdb_target *target, const char *word, bool *in_scan,
                        struct error *error)
{
	static const char address[] = "address=", scan[] = "scan=", budget[] = "stop-budget=";

	if (*in_scan && !strchr(word, '='))
		return parse_range(target, word, error);
	*in_scan = !strncmp(word, scan, strlen(scan));
	if (*in_scan)
		return parse_range(target, word + strlen(scan), error);
	if (!strncmp(word, address, strlen(address)))
		return parse_address(target, word + strlen(address), error);
	if (!strncmp(word, budget, strlen(budget)))
		return parse_budget(target, word + strlen(budget), error);
	return error_set(error, -EINVAL,
	                 "\"%s\" is none of address=, scan= and stop-budget=", word);
}

/* HOST:PORT, [HOST]:PORT (IPv6), :PORT on this machine, or a Unix socket's /path. */
static int parse_place(struct gdb_target *target, char *place, struct error *error)
{
	char *colon = strrchr(place, ':'), *host = place;
	size_t length;

	if (*place == '/')
		colon = NULL;
	else if (!colon || !colon[1] || strlen(colon + 1) >= sizeof(target->port))
		return error_set(error, -EINVAL, "\"%s\": want HOST:PORT, or a socket's /path",
		                 place);
	if (colon) {
		strcpy(target->port, colon + 1);
		*colon = 0;
	}
	length = strlen(host);
	if (colon && length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = 0;
		host++;
	}
	if (strlen(host) >= sizeof(target->host))
		return error_set(error, -EINVAL, "\"%s\": too long", host);
	strcpy(target->host, *host ? host : "localhost");
	return 0;
}

static int parse_rest(struct gdb_target *target, char *rest,
                      const struct channel_url_options *options, struct error *error)
{
	char *next = rest, *word = strsep(&next, ",");
	bool in_scan = false;
	int code = parse_place(target, word, error);

	while (!code && (word = strsep(&next, ",")))
		code = parse_option(target, word, &in_scan, error);
	if (!code && options->address)
		code = parse_address(target, options->address, error);
	if (!code && options->stop_budget)
		code = parse_budget(target, options->stop_budget, error);
	if (!code && !target->places.has_address && !target->places.range_count)
		return error_set(
		    error, -EINVAL,
		    "where is the trace region? The firmware prints its address at the start: "
		    "address=0x…. Or scan=LOW-HIGH reads 8 bytes at each 2 MiB of the machine's RAM");
	return code;
}

int channel_open_gdb(struct channel *channel, const char *rest,
                     const struct channel_url_options *options, struct error *error)
{
	struct gdb_target target = { .budget = BUDGET, .timeout_ms = TIMEOUT_MS };
	struct gdb_cable *cable;
	char *copy = strdup(rest);
	int code;

	if (!copy)
		return error_set(error, -ENOMEM, "no memory for a URL");
	if (options->timeout > 0)
		target.timeout_ms = (int)(options->timeout * 1000);
	target.places.timeout_ms = target.timeout_ms;
	code = parse_rest(&target, copy, options, error);
	free(copy);
	if (code)
		return code;
	cable = calloc(1, sizeof(*cable));
	if (!cable)
		return error_set(error, -ENOMEM, "no memory for a cable");
	code = gdb_supervisor_start(&cable->supervisor, &target, error);
	if (!code)
		code =
		    mirror_open(channel, &cable_ops, cable, cable->supervisor.common->size, error);
	if (!code) {
		channel->force = cable_force;
		channel->cable = cable;
		return 0;
	}
	gdb_supervisor_stop(&cable->supervisor);
	free(cable);
	return code;
}
