/* SPDX-License-Identifier: MIT */
/*
 * The verifying view of a trace region (docs/trace-region.md). Nothing that the
 * firmware, or whoever wrote the file, put there is believed: every offset,
 * count, stride and size is checked once on a private copy, and only the copy
 * is used afterwards. What is wrong is refused with its offset and the reason.
 */
#ifndef HOST_TOOLS_REGION_H
#define HOST_TOOLS_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/error.h"
#include "ringbuf/trace_region.h"

struct region {
	uint8_t *base;  /* of the region, page aligned in a mapping of at least size bytes */
	size_t size;    /* tr_header.size, checked */
	bool live;      /* a machine may be writing to it, and we may write the HOST words */
	uint64_t nonce; /* of the boot that was opened */

	/* Private, checked copies; see region_load(). */
	struct tr_header header;
	struct tr_cpu *cpus;
	struct tr_event *events;
	struct tr_image *images;
	struct tr_ring *rings;
};

/*
 * Look for a region in bytes[size]: at 0, then at multiples of 2 MiB, then of 4 KiB.
 * base is the physical address of bytes[0], or UINT64_MAX if that is not known; then
 * the header's own address need only be possible for the place where it was found.
 * On success *offset is where the header lies.
 * -ENOENT: no magic anywhere; else why the first that had the magic was refused.
 */
int region_find(const uint8_t *bytes, size_t size, uint64_t base, size_t *offset,
                struct error *error);

/* Check the header at bytes and make region a view of it. bytes must be 8-byte aligned and
 * outlive the region. -EAGAIN: no magic (yet); -EPROTO: not a region that we understand. */
int region_open(struct region *region, uint8_t *bytes, size_t size, bool live, struct error *error);

/* Copy and check header and tables. May be called again when a new run begins. */
int region_load(struct region *region, struct error *error);

/* Free the copies; the bytes stay the caller's. */
void region_close(struct region *region);

/* tr_header.state, with acquire. */
uint32_t region_state(const struct region *region);

/* tr_header.status; what is left of exit_status, as of any program: 0 to 255. Once the state says
 * that they are there. */
int region_status(const struct region *region);
int region_exit_status(const struct region *region);

/* tr_header.message as it is now, made printable. */
void region_message(const struct region *region, char text[1024]);

/* Copy the CPU table anew: who is online, and what the ticks cost, is known at the end. */
void region_update_cpus(struct region *region);

/* The ledgers as they are now. Entry i is that of event or ring i of the loaded tables. */
void region_event_ledger(const struct region *region, uint32_t event, struct tr_event_ledger *to);
void region_ring_ledger(const struct region *region, uint32_t ring, struct tr_ring_ledger *to);

/* The doorbell of ring i's owner, for the handshake. */
struct tr_doorbell *region_doorbell(const struct region *region, uint32_t ring);

/* A ring's control page. */
struct perf_event_mmap_page *region_control(const struct region *region, uint32_t ring);

/* The console's text since byte *from (0: from the oldest that is kept), made printable, in a
 * malloc()ed string; *from becomes the position behind it. NULL if memory is short. */
char *region_console(const struct region *region, uint64_t *from);

/* Text of at most size bytes that somebody else wrote, as a string that a terminal survives:
 * without its control sequences, and other control characters as '?'. */
void region_printable(char *to, size_t to_size, const char *from, size_t size);

/* "x86_64", "aarch64" or NULL for an ELF e_machine. */
const char *region_arch_name(uint16_t machine);

#endif
