/* SPDX-License-Identifier: MIT */
/*
 * Sample records of Arm's Statistical Profiling Extension: packets, and records of packets. The
 * bytes may be anything: nothing is read beyond them. Bytes that are no packet are an error with
 * its place; decoding continues after them.
 * Source: Arm ARM DDI 0487, chapter D18 "Statistical Profiling Extension Sample Record
 * Specification".
 */
#ifndef WRITER_PERFDATA_ARM_SPE_DECODE_H
#define WRITER_PERFDATA_ARM_SPE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spe_packet_type {
	SPE_PADDING, /* index: the operation's class */
	SPE_END,
	SPE_TIMESTAMP,
	SPE_EVENTS,
	SPE_DATA_SOURCE,
	SPE_CONTEXT,
	SPE_OPERATION, /* index: its class */
	SPE_ADDRESS,   /* index: the kind of address */
	SPE_COUNTER,   /* index: the kind of counter */
};

enum spe_address { SPE_PC, SPE_TARGET, SPE_VA, SPE_PA, SPE_PREVIOUS_TARGET };
enum spe_counter { SPE_TOTAL, SPE_ISSUE, SPE_TRANSLATION, SPE_COUNTERS };
enum spe_class { SPE_OTHER, SPE_LOAD_STORE, SPE_BRANCH };

struct spe_packet {
	enum spe_packet_type type;
	unsigned index;
	uint64_t value;
	size_t value_at, value_size; /* the value's place in the bytes */
	size_t size;                 /* of the packet */
};

/* Read the packet at bytes[at]; position is the place of bytes[0] in the buffer, from which
 * alignment is counted. Returns NULL, or the error. */
const char *spe_packet_read(const uint8_t *bytes, size_t size, size_t at, uint64_t position,
                            struct spe_packet *packet);

/* Bits of spe_record.has */
#define SPE_HAS(type)      (1U << (type))
#define SPE_HAS_ADDRESS(i) (1U << (16 + (i)))
#define SPE_HAS_COUNTER(i) (1U << (24 + (i)))
#define SPE_INSTRUCTION(a) ((a)&0xffffffffffffffULL)    /* the address in a PC or target */
#define SPE_EL(a)          ((unsigned)((a) >> 61) & 3U) /* and its exception level */
#define SPE_NS(a)          ((a) >> 63 != 0)
#define SPE_DATA(a)        ((a)&0xffffffffffffffULL)

struct spe_record {
	size_t at, size; /* in the bytes, without the padding before it */
	/* SPE_HAS...: the valid ones among the fields below */
	uint32_t has;
	uint64_t address[SPE_PREVIOUS_TARGET + 1]; /* enum spe_address, as in the packet */
	uint16_t counter[SPE_COUNTERS];            /* enum spe_counter, cycles */
	uint64_t events;
	uint64_t source;
	uint64_t timestamp;
	uint32_t context;
	enum spe_class class;
	uint8_t operation; /* the subclass */
};

struct spe_decoder {
	const uint8_t *bytes;
	size_t size;
	uint64_t position; /* place of bytes[0] in the buffer */
	size_t at;         /* start with 0 */
	const char *error; /* of the last error: the reason, and the offset in bytes */
	size_t error_at;
};

/* The next record. 1; 0 at the end; -EPROTO for bytes that are no record, with error and
 * error_at: they are skipped, and the next call continues after them. */
int spe_decode(struct spe_decoder *decoder, struct spe_record *record);

/* The name of an event's bit, or NULL. */
const char *spe_event_name(unsigned bit);

/*
 * Adapt a piece to perf.data: perf treats Non-secure EL1 and EL2 as a kernel of its own and moves
 * their addresses away, so NS is cleared in instructions' addresses. partial: bytes after the last
 * whole record are replaced by padding.
 */
void spe_adapt(uint8_t *bytes, size_t size, uint64_t position, bool partial);

#endif
