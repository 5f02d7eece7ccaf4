/* SPDX-License-Identifier: MIT */
/*
 * Where our ledger lies in a perf.data file: behind all that perf's format knows, announced by a
 * footer, and the footer by the one section of the header that no reader uses any more.
 *
 *	header | … | data | feature table | feature contents | ledger | footer
 *	   └─ event_types = { offset, 64 } ───────────────────────────────^
 *
 * A tool that rewrites the file leaves ledger and footer out and zeroes the section. A tool that
 * knows nothing of it reads neither. No feature bit would do: tools that copy a file's features
 * (perf inject) do so by tables that end with the last feature that they know.
 */
#ifndef WRITER_PERFDATA_PERF_FOOTER_H
#define WRITER_PERFDATA_PERF_FOOTER_H

#include <stddef.h>
#include <stdint.h>

#define PERF_FOOTER_MAGIC   0x5245544f4f465042ULL /* the bytes "BPFOOTER" */
#define PERF_FOOTER_VERSION 1U

/* event_types has its size, which must stay 64: readers that still expect a table of event types
 * there have entries of 72 bytes. */
struct perf_footer {
	uint64_t magic;
	uint32_t version;
	uint32_t crc;    /* zlib's CRC-32 of the ledger, then of this footer with crc 0 */
	uint64_t offset; /* of the ledger, from the file's start */
	uint64_t size;   /* of the ledger, bytes */
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct perf_footer) == 64, "perf_footer");

/* The footer's CRC over size bytes at `ledger` and all of *footer except crc. */
uint32_t perf_footer_crc(const struct perf_footer *footer, const void *ledger);

#endif
