/* SPDX-License-Identifier: MIT */
/*
 * A channel over a cable: a mirror of the trace region in this process's memory. It copies the
 * region's parts in the order that channel.h draws; the cable only reads and writes bytes of the
 * region. The region's own header and tables give the places of the parts. The mirror checks
 * private copies of them before it uses them. So a false table makes the host fetch at most one
 * whole region per look.
 *
 *	one look	fetched				for
 *	state		magic, nonce, state, run	the state at the look's start
 *	layout		the header			only after a new run or state
 *	tables		CPUs, events, rings, ledgers	the same; ledgers also once a second
 *	heads		reply, console, data_heads
 *	AUX heads	heads of rings with an AUX area
 *	bytes		records, AUX areas, text	from the last look's end to the heads
 *
 * After the last step the mirror shows all of the look's data. No step begins before the bytes of
 * the previous step have arrived.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_MIRROR_H
#define HOST_TOOLS_REGION_SERIAL_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/region/channel.h"

#define MIRROR_SIZE_MAX (1ULL << 36) /* size limit of a mirrored region, bytes */
#define MIRROR_PIECE    65536U       /* size limit of a piece, bytes */

/* A range of bytes to fetch: [offset, offset + size) of the region, in whole words of 8 bytes. */
struct mirror_piece {
	uint64_t offset;
	void *to; /* 8-byte aligned */
	uint32_t size;
	bool records; /* records, tables or text: the cable should encode these bytes */
	bool done;    /* set by the cable when the bytes have arrived; false at first */
};

/*
 * The operations of a cable. One thread calls all of them except store(); any thread may call
 * store(), one at a time. A negative errno means that the cable failed for good, and error gives
 * the reason in one line.
 */
struct mirror_cable_ops {
	const char *name;
	/*
	 * Fetch these pieces, in any order; read none of their bytes before this call. Each aligned
	 * word of 8 bytes arrives whole. 0: all bytes have arrived. 1: some are missing; the call
	 * returns within about 50 ms. Then call again with the same pieces, or with other pieces:
	 * this cancels the old ones, and the cable writes nothing more to their memory.
	 */
	int (*fetch)(void *cable, struct mirror_piece *pieces, size_t count, struct error *error);
	/* Stores a HOST word of 4 or 8 bytes, which arrives whole, or the mailbox's text of at most
	 * TR_MAILBOX_TEXT bytes. May queue the store. Stores arrive in order. */
	int (*store)(void *cable, uint64_t offset, const void *from, size_t size,
	             struct error *error);
	/* Returns the number of store() calls, in their order, whose data is in the machine's
	 * memory: a later fetch() sees that data. NULL: all stores are done at once. Any thread. */
	uint64_t (*stored)(void *cable);
	/* Exchanges the pending words of these doorbells in the machine's memory for 0 and reports
	 * which were set. The exchange comes after all earlier stores and before all later fetches.
	 */
	int (*clear)(void *cable, struct channel_bell *bells, size_t count, struct error *error);
	/* Returns a number that changes whenever the machine has run, and stays the same while the
	 * machine is stopped. NULL: the machine always runs. */
	uint64_t (*moment)(void *cable);
	/* Only with moment(): asks the cable to keep the machine stopped from on to off, if it can.
	 * NULL: not possible. */
	void (*hold)(void *cable, bool on);
	/* As channel_stop(). NULL: the cable never stops the machine. */
	bool (*stop)(void *cable, struct channel_stop *stop);
	/* Sends the queued stores, then sleeps until new data may have arrived. */
	void (*wait)(void *cable);
	/* Delivers all stores, if the machine still accepts them, then frees cable. */
	void (*close)(void *cable);
};

/*
 * Makes channel a mirror of a region of size bytes (whole pages) at the other end of a cable. The
 * channel then owns the cable. Nothing is fetched yet, and the mirror has no magic before the first
 * look ends. If a reset replaces the region, refresh() returns an error. After -ENOMEM, or -EPROTO
 * for an impossible size, the caller still owns the cable.
 */
int mirror_open(struct channel *channel, const struct mirror_cable_ops *ops, void *cable,
                uint64_t size, struct error *error);

#endif
