/* SPDX-License-Identifier: MIT */
/*
 * The verifying view of a trace region (docs/trace-region.md). The content of the region, which the
 * firmware or a file's author wrote, is not trusted: every offset, count, stride and size is
 * checked once on a private copy, and only the copy is used afterwards. An error has the fault's
 * offset and the reason.
 *
 * Nothing crosses twice. The shared bytes have an incomplete type here, so that no one can read
 * through the pointer, and are constant, so that no copy goes into them (-Wcast-qual); region*.c
 * and mailbox.c (by region_shared.h) and ring_reader.c alone read them, and their results are
 * copies: of the header, of tables, ledgers, positions, console and message here, of each record by
 * ring_reader_take(), of pieces of AUX areas by region_read_aux(). The few words that the host
 * writes go through the channel (channel.h). The bytes are those of the last channel_refresh() or
 * channel_clear().
 */
#ifndef WRITER_REGION_REGION_H
#define WRITER_REGION_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/trace_region.h"
#include "ringbuf/reader/ring_reader.h"
#include "writer/region/channel.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

struct region_shared; /* see above */

struct region {
	struct channel *channel;
	const struct region_shared *shared; /* the channel's bytes, page aligned, at least size */
	size_t size;                        /* tr_header.size after the check */
	uint64_t nonce;                     /* nonce of the opened boot */

	/* Private, checked copies; see region_load(). */
	struct tr_header header;
	struct tr_cpu *cpus;
	struct tr_event *events;
	struct tr_image *images;
	struct tr_ring *rings;
};

/* Find the first region in bytes[size], in the same way as memory_dump_find() (memory_dump.h).
 * base: the physical address of bytes[0], or UINT64_MAX. On success *offset is its header's place.
 * */
int region_find(const void *bytes, size_t size, uint64_t base, size_t *offset, struct error *error);

/* Check the header that the channel shows and make region a view of its bytes. The channel must
 * outlive the region. -EAGAIN: no magic (yet); -EPROTO: not a region that we understand. */
int region_open(struct region *region, struct channel *channel, struct error *error);

/* Copy and check header and tables. May be called again when a new run begins. */
int region_load(struct region *region, struct error *error);

/* Free the copies; the bytes stay the caller's. */
void region_close(struct region *region);

/* tr_header.state, with acquire. */
uint32_t region_state(const struct region *region);

/* A state as a word; "none" if it is no enum tr_state, since the word was overwritten. */
const char *region_state_name(uint32_t state);

/* tr_header.status; exit_status, reduced to 0 to 255 as for any program. Valid once the state is
 * final. */
int region_status(const struct region *region);
int region_exit_status(const struct region *region);

/* tr_header as it is now, unchecked: its tables may be anything. */
void region_header(const struct region *region, struct tr_header *to);

/* tr_header.message as it is now, made printable. */
void region_message(const struct region *region, char text[1024]);

/* Copy the CPU table again: the online CPUs and the cost of the ticks are known at the end. */
void region_update_cpus(struct region *region);

/* The present ledgers. Entry i belongs to event or ring i of the loaded tables. */
void region_event_ledger(const struct region *region, uint32_t event, struct tr_event_ledger *to);
void region_ring_ledger(const struct region *region, uint32_t ring, struct tr_ring_ledger *to);

/* A ring's present positions, free-running; the records before the heads are complete. */
struct region_positions {
	uint64_t data_head, data_tail, aux_head, aux_tail;
};
void region_positions(const struct region *region, uint32_t ring, struct region_positions *to);

/* A reader of the ring, ring_reader_init()'s result. */
int region_read_ring(const struct region *region, uint32_t ring, struct ring_reader *reader);

/* Where bytes of a ring's AUX area lie, from a free-running position: one or two pieces, for
 * write(2) or one copy. size is at most the area's, and not 0. Returns their number. */
int region_aux(const struct region *region, uint32_t ring, uint64_t position, uint64_t size,
               struct blob_piece pieces[2]);

/* The same, copied. */
void region_read_aux(const struct region *region, uint32_t ring, uint64_t position, uint64_t size,
                     void *to);

/*
 * Functions that store and publish HOST words: 0, or the reason why the channel is gone.
 */

/* Release the room of the records that this reader of the ring has read; an overwritable or broken
 * ring has no room to release. */
int region_release_data(const struct region *region, uint32_t ring,
                        const struct ring_reader *reader, struct error *error);

/* Release the room of an AUX area, up to tail. */
int region_release_aux(const struct region *region, uint32_t ring, uint64_t tail,
                       struct error *error);

/* For a machine that does not run: rewind a ring that has not wrapped to its beginning. 1: done; 0:
 * the ring has wrapped. */
int region_rewind(const struct region *region, uint32_t ring, struct error *error);

/* The offset of the doorbell's word that channel_clear() clears. */
uint64_t region_pending(const struct region *region, uint32_t ring);

/* The reader of the loaded run's rings is ready: let the run begin (docs/trace-region.md, "The
 * reader").
 */
int region_say_ready(const struct region *region, struct error *error);

/* Ask for a snapshot of the ring's AUX area. */
int region_ask_for_snapshot(const struct region *region, uint32_t ring, struct error *error);

/* Copy up to size bytes of a stream (enum tr_stream_kind) from its byte *from on, unchanged.
 * Returns the number of bytes; *from moves behind them. Bytes that were dropped before they were
 * read are skipped, and counted in *missing. */
size_t region_stream(const struct region *region, unsigned kind, uint64_t *from, void *to,
                     size_t size, uint64_t *missing);

/* The position of the first byte that no reader has released; with again, of the oldest byte that
 * is still present. And the bytes of this run that the machine had no room for. */
uint64_t region_stream_begin(const struct region *region, unsigned kind, bool again);
uint64_t region_stream_lost(const struct region *region, unsigned kind);

/* Release the room of a stream up to tail. */
int region_release_stream(const struct region *region, unsigned kind, uint64_t tail,
                          struct error *error);

/* The console's text since byte *from (0: from the oldest that is kept), made printable, in a
 * malloc()ed string; *from becomes the position behind it: a character
 * whose end is missing comes with the next text. NULL if memory ran out. */
char *region_console(const struct region *region, uint64_t *from);

/* Copy foreign text of at most size bytes to a string that is safe for a terminal: without control
 * sequences, and with other control characters as '?'. */
void region_printable(char *to, size_t to_size, const char *from, size_t size);

/* "x86_64", "aarch64" or NULL for an ELF e_machine. */
const char *region_arch_name(uint16_t machine);

#endif
