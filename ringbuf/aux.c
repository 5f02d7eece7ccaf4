/* SPDX-License-Identifier: MIT */
#include "ringbuf/aux.h"

#include <errno.h>

int ring_aux_init(struct ring_aux *aux, struct ring *ring, struct ring_account *account,
                  const struct ring_aux_config *config)
{
	struct perf_event_mmap_page *control;
	uint64_t watermark = config->watermark ? config->watermark : config->size / 2;

	if (config->size < TR_PAGE || (config->size & (config->size - 1)))
		return -EINVAL;
	*aux = (struct ring_aux){
		.ring = ring,
		.account = account,
		.size = config->size,
		.overwrite = config->overwrite,
	};
	if (!config->overwrite)
		aux->watermark = watermark < config->size ? watermark : config->size;
	control = aux->ring->control;
	control->aux_offset = (uint64_t)((uint8_t *)config->area - (uint8_t *)control);
	control->aux_size = config->size;
	return 0;
}

/* Reads aux_tail and returns it if valid; else the last valid one. */
static uint64_t aux_tail(struct ring_aux *aux)
{
	uint64_t tail = ring_aux_look_tail(aux), bad = aux->bad_tail;

	if (!ring_aux_take_tail(aux, tail) && tail != bad &&
	    arch_cmpxchg_local(&aux->bad_tail, bad, tail))
		arch_add_local(&aux->ring->tail_faults, 1);
	return aux->tail;
}

/* Writes the AUX record of the waiting range. */
static bool aux_tell(struct ring_aux *aux)
{
	struct ring_account *account = aux->account;
	uint64_t header = ring_aux_header(aux), *at;
	struct ring_output out;

	at = ring_reserve(&out, aux->ring, account, (uint32_t)(header >> 48));
	if (!at)
		return false;
	at[0] = header;
	at[1] = aux->carry.offset;
	at[2] = aux->carry.size;
	at[3] = aux->carry.flags;
	if (account->trailer_size)
		account->trailer(account, at + RING_AUX_WORDS);
	arch_add_local(&aux->records, 1);
	if (aux->carry.flags & PERF_AUX_FLAG_TRUNCATED)
		arch_add_local(&aux->truncated, 1);
	aux->carry.due = false;
	ring_commit(&out);
	return true;
}

bool ring_aux_flush(struct ring_aux *aux)
{
	if (!aux->carry.due)
		return true;
	/* Without room, an attempt would only add one more lost record. */
	return ring_fits(aux->ring, aux->account, ring_aux_header(aux) >> 48) && aux_tell(aux);
}

/* Notifies the owner once that hardware stops until the reader has read. */
static void aux_stall(struct ring_aux *aux)
{
	if (!aux->stalled)
		ring_wake(aux->ring, TR_WAKEUP_AUX);
	aux->stalled = true;
}

uint64_t ring_aux_room(struct ring_aux *aux)
{
	return aux->overwrite ? aux->size : aux->size - (aux->head - aux_tail(aux));
}

bool ring_aux_taken(struct ring_aux *aux)
{
	return !aux->overwrite || (ring_aux_flush(aux) && aux_tail(aux) == aux->head);
}

int ring_aux_begin(struct ring_aux_output *out, struct ring_aux *aux, uint64_t need)
{
	uint64_t room;

	if (aux->busy)
		return -EBUSY;
	ring_aux_flush(aux);
	room = ring_aux_room(aux);
	if (room < need) {
		aux_stall(aux);
		return -ENOSPC;
	}
	aux->busy = true;
	aux->stalled = false;
	out->aux = aux;
	out->size = room;
	out->wakeup = aux->overwrite ? UINT64_MAX : aux->wakeup + aux->watermark;
	out->flags = 0;
	out->from = aux->head;
	out->padded = 0;
	out->header = ring_aux_header(aux);
	out->record = aux->overwrite || aux->carry.due ? RING_AUX_UNUSUAL : out->header >> 48;
	return 0;
}

/* Moves the head and publishes it. */
static void aux_advance(struct ring_aux *aux, uint64_t bytes)
{
	aux->head += bytes;
	ring_aux_show_head(aux);
}

/* Reports whether head has passed the next wakeup. If so, the new next wakeup is ahead of head. */
static bool ring_aux_wakeup_due(struct ring_aux *aux)
{
	if (aux->overwrite || aux->head - aux->wakeup < aux->watermark)
		return false;
	ring_aux_pass_wakeup(aux);
	return true;
}

int ring_aux_skip(struct ring_aux_output *out, uint64_t bytes)
{
	struct ring_aux *aux = out->aux;

	if (bytes > out->size || !ring_aux_flush(aux))
		return -ENOSPC;
	arch_add_local(&aux->skipped, bytes);
	aux_advance(aux, bytes);
	if (ring_aux_wakeup_due(aux))
		ring_wake(aux->ring, TR_WAKEUP_AUX);
	out->from = aux->head;
	out->padded = bytes;
	out->size = aux->overwrite ? aux->size : out->size - bytes;
	out->wakeup = aux->overwrite ? UINT64_MAX : aux->wakeup + aux->watermark;
	return 0;
}

/* Overwrite mode: only the last `bytes` bytes before the head stay in the reported range; older
 * data counts as overwritten. */
static void ring_aux_drop_older(struct ring_aux_output *out, uint64_t bytes)
{
	uint64_t oldest = out->aux->head - bytes;

	if (out->aux->head - out->from <= bytes)
		return;
	arch_add_local(&out->aux->overwritten, oldest - out->from);
	out->from = oldest;
}

void ring_aux_pass(struct ring_aux_output *out, uint64_t bytes)
{
	aux_advance(out->aux, bytes);
	ring_aux_drop_older(out, out->aux->size / 2);
}

void ring_aux_lost(struct ring_aux_output *out, uint64_t bytes)
{
	arch_add_local(&out->aux->lost, bytes);
}

/* Adds this transaction's range, up to the head, to the unreported range; the two adjoin. The next
 * range's start implies the padding; an empty range is added if needed. */
static void aux_gather(struct ring_aux_output *out)
{
	struct ring_aux_carry *carry = &out->aux->carry;
	uint64_t size = out->aux->head - out->from;

	if (!size && !out->padded && !(out->flags & ~(uint64_t)PERF_AUX_FLAG_OVERWRITE))
		return;
	if (!carry->due)
		*carry = (struct ring_aux_carry){ .offset = out->from };
	carry->size += size;
	carry->flags |= out->flags;
	carry->due = true;
}

void ring_aux_end(struct ring_aux_output *out, uint64_t size)
{
	struct ring_aux *aux = out->aux;
	bool due;

	if (aux->overwrite) {
		out->flags |= PERF_AUX_FLAG_OVERWRITE;
	} else if (size > out->size) {
		ring_aux_lost(out, size - out->size);
		out->flags |= PERF_AUX_FLAG_PARTIAL;
		size = out->size;
	}
	if (!aux->overwrite)
		out->from = aux->head;
	aux_advance(aux, size);
	if (aux->overwrite)
		ring_aux_drop_older(out, aux->size);
	aux_gather(out);
	if (aux->carry.due)
		aux_tell(aux);
	due = ring_aux_wakeup_due(aux);
	aux->busy = false;
	if (out->flags & PERF_AUX_FLAG_TRUNCATED)
		aux_stall(aux);
	else if (due)
		ring_wake(aux->ring, TR_WAKEUP_AUX);
}

void ring_aux_publish(const struct ring_aux *aux, struct tr_ring_ledger *ledger)
{
	ledger->aux_head = aux->head;
	ledger->aux_written = aux->head;
	ledger->aux_lost = ring_load(&aux->lost);
	ledger->aux_skipped = ring_load(&aux->skipped);
	ledger->aux_overwritten = ring_load(&aux->overwritten);
	ledger->aux_records = ring_load(&aux->records);
	ledger->aux_truncated = ring_load(&aux->truncated);
}
