/* SPDX-License-Identifier: MIT */
/* Storing: sends PUTs and CLEARs in one order, at most WIRE_STORES of them unanswered, and after a
 * time-out sends all of these again. The other side carries each out once and in order, so an
 * answer also answers all PUTs before it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host-tools/region/serial/wire_host.h"
#include "host-tools/util/array.h"

#define PATIENCE_MAX 4 /* times the wait that suffices without loss */

static struct wire_store *append(struct wire_host *host)
{
	if (!ARRAY_REACH(host->stores, host->stores_room, host->nr_stores))
		return NULL;
	host->stores[host->nr_stores] = (struct wire_store){ 0 };
	return &host->stores[host->nr_stores++];
}

static void drop(struct wire_host *host, size_t i)
{
	host->nr_stores--;
	memmove(host->stores + i, host->stores + i + 1,
	        (host->nr_stores - i) * sizeof(*host->stores));
	if (i < host->next_store)
		host->next_store--;
}

/* If a word is stored again before its first store is sent, only the later store is sent, in its
 * own turn. So a lease's renewals do not pile up while the cable is unplugged. */
static void replace(struct wire_host *host, uint64_t offset, size_t size)
{
	for (size_t i = host->nr_stores; i-- > 0 && !host->stores[i].number;) {
		const struct wire_store *store = &host->stores[i];

		if (!store->bells && store->offset == offset && store->size == size && size <= 8) {
			drop(host, i);
			return;
		}
	}
}

int wire_host_store(struct wire_host *host, uint64_t offset, const void *from, size_t size)
{
	const uint8_t *bytes = from;

	replace(host, offset, size);
	for (size_t at = 0; at < size; at += WIRE_PUT_MAX) {
		struct wire_store *store = append(host);

		if (!store)
			return -ENOMEM;
		store->offset = offset + at;
		store->size = (uint16_t)(size - at < WIRE_PUT_MAX ? size - at : WIRE_PUT_MAX);
		memcpy(store->bytes, bytes + at, store->size);
		if (at + store->size == size)
			store->call = ++host->calls;
	}
	return 0;
}

static size_t named_of(const struct channel_bell *bells, size_t count)
{
	size_t named = 0;

	for (size_t i = 0; i < count; i++)
		named += bells[i].pending != 0;
	return named;
}

int wire_host_clear(struct wire_host *host, struct channel_bell *bells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bells[i].was_set = false;
	for (size_t at = 0; at < count; at += WIRE_BELLS_MAX) {
		size_t size = count - at < WIRE_BELLS_MAX ? count - at : WIRE_BELLS_MAX;
		struct wire_store *store;

		if (!named_of(bells + at, size))
			continue;
		store = append(host);
		if (!store)
			return -ENOMEM;
		store->bells = bells + at;
		store->size = (uint16_t)size;
		host->clears_left++;
	}
	return 0;
}

void wire_host_drop_clears(struct wire_host *host)
{
	for (size_t i = host->nr_stores; i-- > 0;)
		if (host->stores[i].bells)
			drop(host, i);
	host->clears_left = 0;
}

/* ---- Sending ---- */

static size_t put_body(const struct wire_store *store, uint8_t *body)
{
	struct wire_put put = { store->number, store->size, store->offset, store->bytes };
	struct wire_clear clear = { .number = store->number };

	if (!store->bells)
		return wire_put_put(body, &put);
	for (uint16_t i = 0; i < store->size; i++)
		if (store->bells[i].pending)
			clear.offsets[clear.count++] = store->bells[i].pending;
	return wire_put_clear(body, &clear);
}

size_t wire_host_next_store(struct wire_host *host, uint8_t *body, int64_t now)
{
	struct wire_store *store;

	if (host->next_store == host->nr_stores)
		return 0;
	store = &host->stores[host->next_store];
	if (store->number) {
		host->counts.repeated++;
	} else {
		if (host->next_store && host->number + 1 - host->stores[0].number >= WIRE_STORES)
			return 0;
		store->number = ++host->number;
	}
	if (!host->next_store)
		host->stores_us = now;
	host->next_store++;
	return put_body(store, body);
}

/* ---- Answers ---- */

static void take_bells(struct wire_host *host, const struct wire_store *store, uint64_t set)
{
	for (uint16_t i = 0; i < store->size; i++) {
		if (!store->bells[i].pending)
			continue;
		store->bells[i].was_set = set & 1;
		set >>= 1;
	}
	host->clears_left--;
}

void wire_host_done(struct wire_host *host, const struct wire_done *done, int64_t now)
{
	size_t i = 0;

	while (i < host->nr_stores && host->stores[i].number != done->number)
		i++;
	if (i == host->nr_stores || !done->number)
		return; /* it was answered before */
	if (done->status) {
		wire_host_fail(host, -EPROTO,
		               "the machine refuses a store at 0x%" PRIx64 " of the region: %s",
		               host->stores[i].offset, strerror(-done->status));
		return;
	}
	host->stores_us = host->waits_us = now;
	host->stores_patience_us = wire_host_patience(host);
	if (host->stores[i].bells)
		take_bells(host, &host->stores[i], done->set);
	else if (host->stores[i].call)
		host->stored = host->stores[i].call;
	drop(host, i);
	while (i-- > 0) {
		if (host->stores[i].bells)
			/* carried out, but the answer with the set doorbells is missing */
			continue;
		if (host->stores[i].call > host->stored)
			host->stored = host->stores[i].call;
		drop(host, i);
	}
}

void wire_host_stores_again(struct wire_host *host, int64_t now)
{
	host->next_store = 0;
	host->stores_us = now;
}

void wire_host_stores_pass(struct wire_host *host, int64_t now)
{
	int64_t patience = host->stores_patience_us;

	if (!patience)
		patience = wire_host_patience(host);
	if (!host->next_store || now - host->stores_us < patience)
		return;
	wire_host_stores_again(host, now);
	if (patience < PATIENCE_MAX * wire_host_patience(host))
		host->stores_patience_us = 2 * patience;
}
