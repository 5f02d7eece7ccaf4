/* SPDX-License-Identifier: MIT */
/*
 * The layout of a perf.data file, as types.
 * Source: Linux, tools/perf/Documentation/perf.data-file-format.txt.
 *
 *	header | ids of event 0, 1, … | attr table | data | feature table | feature contents
 *
 * and behind it our ledger (perf_footer.h).
 *
 * The feature table follows the data directly and has an entry for each bit
 * that is set in the header, in ascending order.
 */
#ifndef WRITER_PERFDATA_PERF_FILE_H
#define WRITER_PERFDATA_PERF_FILE_H

#include <stdint.h>

#include "abi/trace_region.h"

#define PERF_FILE_MAGIC         0x32454c4946524550ULL /* the bytes "PERFILE2" */
#define PERF_FILE_MAGIC_SWAPPED 0x50455246494c4532ULL /* of a big-endian machine */
#define PERF_FILE_MAGIC_1       0x454c494646524550ULL /* "PERFFILE": perf's version 1 */

struct perf_file_section {
	uint64_t offset; /* from the file's start */
	uint64_t size;
};

struct perf_file_header {
	uint64_t magic;
	uint64_t size;      /* of this header */
	uint64_t attr_size; /* of struct perf_file_attr */
	struct perf_file_section attrs;
	struct perf_file_section data;
	struct perf_file_section event_types; /* unused since Linux 3.11; our footer, or 0 */
	uint64_t features[4];                 /* bit f: feature f is in the table */
};
_Static_assert(sizeof(struct perf_file_header) == 104, "perf_file_header");

struct perf_file_attr {
	struct perf_event_attr attr;
	struct perf_file_section ids; /* u64 each */
};
_Static_assert(sizeof(struct perf_file_attr) == PERF_ATTR_SIZE_VER7 + 16, "perf_file_attr");

/* The header of a stream for a pipe. Only records follow: HEADER_ATTR, HEADER_FEATURE and BUILD_ID,
 * which replace the parts that a file has around its records, then the records. */
struct perf_pipe_header {
	uint64_t magic;
	uint64_t size; /* of this header */
};
_Static_assert(sizeof(struct perf_pipe_header) == 16, "perf_pipe_header");

enum perf_file_feature {
	PERF_FILE_BUILD_ID = 2,
	PERF_FILE_HOSTNAME = 3,
	PERF_FILE_OSRELEASE = 4,
	PERF_FILE_VERSION = 5,
	PERF_FILE_ARCH = 6,
	PERF_FILE_NRCPUS = 7,
	PERF_FILE_CPUDESC = 8,
	PERF_FILE_CPUID = 9,
	PERF_FILE_TOTAL_MEM = 10,
	PERF_FILE_CMDLINE = 11,
	PERF_FILE_EVENT_DESC = 12,
	PERF_FILE_CPU_TOPOLOGY = 13,
	PERF_FILE_NUMA_TOPOLOGY = 14,
	PERF_FILE_BRANCH_STACK = 15,
	PERF_FILE_PMU_MAPPINGS = 16,
	PERF_FILE_GROUP_DESC = 17,
	PERF_FILE_AUXTRACE = 18,
	PERF_FILE_SAMPLE_TIME = 21,
	PERF_FILE_MEM_TOPOLOGY = 22,
	PERF_FILE_CLOCKID = 23,
	PERF_FILE_COMPRESSED = 27,
	PERF_FILE_CLOCK_DATA = 29,
	PERF_FILE_E_MACHINE = 33, /* in the newest versions of perf */
	PERF_FILE_CLN_SIZE = 34,  /* in perf 7 */
};

/* Record types that only files have. */
enum perf_file_record {
	PERF_FILE_RECORD_FIRST = 64, /* those below come from rings */
	PERF_FILE_RECORD_HEADER_ATTR = 64,
	PERF_FILE_RECORD_TRACING_DATA = 66,
	PERF_FILE_RECORD_BUILD_ID = 67,
	PERF_FILE_RECORD_FINISHED_ROUND = 68,
	PERF_FILE_RECORD_AUXTRACE_INFO = 70,
	PERF_FILE_RECORD_AUXTRACE = 71,
	PERF_FILE_RECORD_TIME_CONV = 79,
	PERF_FILE_RECORD_HEADER_FEATURE = 80,
	PERF_FILE_RECORD_COMPRESSED = 81,  /* packed bytes up to its end */
	PERF_FILE_RECORD_COMPRESSED2 = 83, /* struct perf_file_compressed2 */
};

/* perf's numbers for decoders, the first word of AUXTRACE_INFO. */
enum perf_file_auxtrace_type {
	PERF_FILE_AUXTRACE_INTEL_BTS = 2,
	PERF_FILE_AUXTRACE_ARM_SPE = 4,
};

/* Of a build-id's misc: its size byte is valid. */
#define PERF_FILE_MISC_BUILD_ID_SIZE (1U << 15)

/* An entry of the BUILD_ID section; the file's name follows. */
struct perf_file_build_id {
	struct perf_event_header header;
	uint32_t pid;
	uint8_t id[20];
	uint8_t size; /* of id, with PERF_FILE_MISC_BUILD_ID_SIZE */
	uint8_t reserved[3];
};
_Static_assert(sizeof(struct perf_file_build_id) == 36, "perf_file_build_id");

/* An event of a stream; its ids follow, 64 bits each. */
struct perf_file_header_attr {
	struct perf_event_header header;
	struct perf_event_attr attr;
};
_Static_assert(sizeof(struct perf_file_header_attr) == 8 + PERF_ATTR_SIZE_VER7,
               "perf_file_header_attr");

/* A feature of a stream; its contents follow. */
struct perf_file_header_feature {
	struct perf_event_header header;
	uint64_t feature; /* enum perf_file_feature */
};

/* Packed bytes that do not fill the record; they follow. */
struct perf_file_compressed2 {
	struct perf_event_header header;
	uint64_t size;
};

/* The trace of PERF_RECORD_AUXTRACE follows the record and is not counted in its size. */
struct perf_file_auxtrace {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset; /* in the AUX area's free-running position */
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
	uint32_t reserved;
};
_Static_assert(sizeof(struct perf_file_auxtrace) == 48, "perf_file_auxtrace");

/* perf.data's PERF_RECORD_LOST and LOST_SAMPLES without their trailers. */
struct perf_record_lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

struct perf_record_lost_samples {
	struct perf_event_header header;
	uint64_t lost;
};

struct perf_record_aux {
	struct perf_event_header header;
	uint64_t aux_offset;
	uint64_t aux_size;
	uint64_t flags;
};

struct perf_record_mmap {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	char filename[];
};
_Static_assert(sizeof(struct perf_record_mmap) == 40, "perf_record_mmap");

struct perf_record_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct { /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};
_Static_assert(sizeof(struct perf_record_mmap2) == 72, "perf_record_mmap2");

/* For MMAP2, Linux's numbers: PROT_READ | PROT_EXEC, or PROT_READ | PROT_WRITE, and MAP_PRIVATE;
 * and the misc bit for a mapping of data. */
#define PERF_MMAP_PROT             5U
#define PERF_MMAP_DATA_PROT        3U
#define PERF_MMAP_FLAGS            2U
#define PERF_RECORD_MISC_MMAP_DATA (1U << 13)

/* The record says which build of the file it is. */
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1U << 14)

#endif
