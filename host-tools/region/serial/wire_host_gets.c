/* SPDX-License-Identifier: MIT */
/* Fetching: sends GETs before earlier GETs are answered, and new GETs for missing parts. The other
 * side answers in order, so a part of a later GET shows that the missing parts of earlier GETs are
 * lost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/serial/wire_host.h"
#include "host-tools/util/array.h"

#define AHEAD        4U     /* GETs under way; the other side queues WIRE_GETS */
#define SLOW_GET     16384U /* bytes of one GET on a slow line */
#define SLOW_BAUD    500000U
#define PATIENCE_MAX 4 /* times the wait that suffices without loss */

static bool again(struct wire_host *host, const struct wire_want *want, uint32_t from, uint32_t to)
{
	if (!want->piece || from == to)
		return true;
	if (!ARRAY_REACH(host->again, host->again_room, host->nr_again)) {
		wire_host_fail(host, -ENOMEM, "no memory for a list of what to fetch");
		return false;
	}
	host->again[host->nr_again++] =
	    (struct wire_want){ .piece = want->piece, .at = want->at + from, .size = to - from };
	return true;
}

/* The missing parts of the first GETs under way are lost. */
static void give_up(struct wire_host *host, unsigned count)
{
	for (unsigned i = count; i-- > 0;)
		again(host, &host->asked[i], host->asked[i].got, host->asked[i].size);
	host->nr_asked -= count;
	memmove(host->asked, host->asked + count, host->nr_asked * sizeof(*host->asked));
}

int wire_host_want(struct wire_host *host, struct mirror_piece *pieces, size_t count, int64_t now)
{
	if (count > host->left_room) {
		uint32_t *left = reallocarray(host->left, count, sizeof(*left));

		if (!left)
			return -ENOMEM;
		host->left = left;
		host->left_room = count;
	}
	host->pieces = count ? pieces : NULL;
	host->count = host->pieces_left = count;
	host->next = host->next_at = 0;
	host->nr_again = 0;
	for (unsigned i = 0; i < host->nr_asked; i++)
		host->asked[i].piece = NULL;
	for (size_t i = 0; i < count; i++) {
		host->left[i] = pieces[i].size;
		pieces[i].done = !pieces[i].size;
		host->pieces_left -= pieces[i].done;
	}
	host->progress_us = host->waits_us = now;
	host->patience_us = wire_host_patience(host);
	return 0;
}

/* ---- Requesting ---- */

static uint32_t largest(const struct wire_host *host)
{
	uint32_t baud = host->baud ? host->baud : host->welcome.baud;

	return baud && baud <= SLOW_BAUD ? SLOW_GET : WIRE_GET_MAX;
}

static bool next_want(struct wire_host *host, struct wire_want *want)
{
	uint32_t most = largest(host);

	if (host->nr_again) {
		*want = host->again[--host->nr_again];
		host->counts.repeated++;
		return true;
	}
	while (host->next < host->count && host->next_at == host->pieces[host->next].size) {
		host->next++;
		host->next_at = 0;
	}
	if (host->next == host->count)
		return false;
	*want = (struct wire_want){ .piece = &host->pieces[host->next], .at = host->next_at };
	want->size = want->piece->size - want->at;
	want->size = want->size < most ? want->size : most;
	host->next_at += want->size;
	return true;
}

size_t wire_host_next_get(struct wire_host *host, uint8_t *body, int64_t now)
{
	struct wire_want want;
	struct wire_get get;

	if (host->nr_asked >= AHEAD || host->nr_asked >= host->welcome.gets ||
	    !next_want(host, &want))
		return 0;
	want.tag = ++host->tag;
	if (!host->nr_asked)
		host->progress_us = now;
	host->asked[host->nr_asked++] = want;
	get = (struct wire_get){ want.tag, want.size, want.piece->offset + want.at };
	return wire_put_get(body, &get, want.piece->records ? WIRE_ENCODED : 0);
}

/* ---- Arrivals ---- */

static void arrived(struct wire_host *host, struct wire_want *want, uint32_t bytes)
{
	size_t index = (size_t)(want->piece - host->pieces);

	host->counts.region += bytes;
	host->left[index] -= bytes;
	if (host->left[index])
		return;
	want->piece->done = true;
	host->pieces_left--;
}

/* Copies the bytes to their place. */
static bool put_bytes(struct wire_host *host, const struct wire_want *want,
                      const struct wire_data *data, uint8_t flags, const uint8_t *content,
                      size_t size)
{
	uint8_t *to = (uint8_t *)want->piece->to + want->at + data->at;

	if (flags & WIRE_ENCODED)
		return wire_decode(&host->words, to, data->raw, content, size);
	if (size != data->raw)
		return false;
	memcpy(to, content, size);
	return true;
}

void wire_host_data(struct wire_host *host, const uint8_t *body, size_t size, uint8_t flags,
                    int64_t now)
{
	struct wire_data data;
	struct wire_want *want;
	unsigned i = 0;

	if (!wire_get_data(body, size, &data))
		return;
	while (i < host->nr_asked && host->asked[i].tag != data.tag)
		i++;
	if (i == host->nr_asked || data.at < host->asked[i].got)
		return; /* the GET was cancelled, or the bytes arrived before */
	give_up(host, i);
	want = host->asked;
	host->progress_us = host->waits_us = now;
	host->patience_us = wire_host_patience(host);
	if (data.raw > want->size - data.at || data.at > want->size ||
	    (want->piece &&
	     !put_bytes(host, want, &data, flags, body + WIRE_DATA_HEAD, size - WIRE_DATA_HEAD))) {
		wire_host_fail(host, -EPROTO,
		               "the machine's answers make no sense: DATA that was not asked for, "
		               "or does not decode");
		return;
	}
	again(host, want, want->got, data.at);
	want->got = (uint32_t)data.at + data.raw;
	if (want->piece)
		arrived(host, want, data.raw);
	if (want->got == want->size)
		give_up(host, 1);
}

/* ---- Losses ---- */

void wire_host_gets_again(struct wire_host *host, int64_t now)
{
	give_up(host, host->nr_asked);
	host->progress_us = now;
}

void wire_host_gets_pass(struct wire_host *host, int64_t now)
{
	if (!host->nr_asked || now - host->progress_us < host->patience_us)
		return;
	wire_host_gets_again(host, now);
	if (host->patience_us < PATIENCE_MAX * wire_host_patience(host))
		host->patience_us *= 2;
}
