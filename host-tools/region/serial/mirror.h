/* SPDX-License-Identifier: MIT */
/*
 * A channel over a cable: a mirror of the trace region in this process's memory, filled in the
 * order that channel.h draws, by code that can only read and write the region's bytes. The region's
 * own header and tables have the places. They are checked on private copies before their use, so a
 * false table makes the host fetch at most the region, once per look.
 *
 *	one look	fetched				for
 *	state		magic, nonce, state, run	the state when the look began
 *	layout		the header			a new run or state only
 *	tables		CPUs, events, rings, ledgers	the same; ledgers once a second besides
 *	heads		reply, console, data_heads
 *	AUX heads	those of rings that have one
 *	bytes		records, AUX areas, text	from where the last look ended to the heads
 *
 * and then all of it is shown. No step begins before the last one's bytes are there.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_MIRROR_H
#define HOST_TOOLS_REGION_SERIAL_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/region/channel.h"

#define MIRROR_SIZE_MAX (1ULL << 36) /* bytes of a region that is mirrored */
#define MIRROR_PIECE    65536U       /* bytes of a piece, at most */

/* Bytes that are wanted: [offset, offset + size) of the region, which is whole words of 8 bytes. */
struct mirror_piece {
	uint64_t offset;
	void *to; /* 8-byte aligned */
	uint32_t size;
	bool records; /* records, tables, text: worth to be encoded */
	bool done;    /* the cable's: its bytes are there; false at first */
};

/*
 * The operations of a cable. One thread calls these, but for store(), which any thread calls, one
 * at a time. A negative errno is a cable that is gone, and error says why in one line.
 */
struct mirror_cable_ops {
	const char *name;
	/*
	 * Bring these pieces, in any order; nothing of them before this call. Each aligned word of
	 * 8 bytes arrives whole. 0: all are there. 1: not all yet, after some 50 ms at the latest:
	 * call again with the same ones, or with others instead: then these are not wanted any
	 * more, and nothing is stored there.
	 */
	int (*fetch)(void *cable, struct mirror_piece *pieces, size_t count, struct error *error);
	/* Store a HOST word of 4 or 8 bytes, which arrives whole, or the mailbox's text, at most
	 * TR_MAILBOX_TEXT bytes. May queue it; they arrive in order. */
	int (*store)(void *cable, uint64_t offset, const void *from, size_t size,
	             struct error *error);
	/* How many of all calls of store(), in their order, are in the machine's memory: a fetch()
	 * that begins now sees them. NULL: all. Any thread. */
	uint64_t (*stored)(void *cable);
	/* Exchange these doorbells' pending in the machine's memory for 0 and say which were set:
	 * after all that was stored, and before all that is fetched afterwards. */
	int (*clear)(void *cable, struct channel_bell *bells, size_t count, struct error *error);
	/* A number that stays the same while the machine stands still, and is another one whenever
	 * it has run. NULL: it always runs. */
	uint64_t (*moment)(void *cable);
	/* Where there is moment(): the machine is to stand still from on to off, if it can be made
	 * to. NULL: nothing can be done about it. */
	void (*hold)(void *cable, bool on);
	/* As channel_stop(). NULL: it never stands still for us. */
	bool (*stop)(void *cable, struct channel_stop *stop);
	/* Sleep until there may be something new; what was stored is on its way before that. */
	void (*wait)(void *cable);
	/* All that was stored arrives, if the machine still takes it; cable is freed. */
	void (*close)(void *cable);
};

/*
 * Make channel a mirror of the size bytes (whole pages) of a region at the other end of a cable,
 * which it owns from here on. Nothing is fetched yet, and there is no magic before the first look
 * ends. A region that was there once, and then is another's (a reset), is an error of refresh().
 * -ENOMEM, or -EPROTO for a size that cannot be, leave the cable the caller's.
 */
int mirror_open(struct channel *channel, const struct mirror_cable_ops *ops, void *cable,
                uint64_t size, struct error *error);

#endif
