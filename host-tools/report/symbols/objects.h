/* SPDX-License-Identifier: MIT */
/* The files behind a recording's mappings, each once, with their functions. Thread: the thread that
 * created the struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_OBJECTS_H
#define HOST_TOOLS_REPORT_SYMBOLS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/pe/pe_search.h"
#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/report/symbols/elf_functions.h"
#include "writer/perfdata/perf_file.h"

/* Which build of a file was recorded. */
struct build {
	char *path;
	bool is_recorded; /* the id is from the mapping's record, as for UEFI images */
	size_t size;      /* size of the id; 0: unknown */
	uint8_t id[BUILDID_MAX];
};

/* A file. Its texts are compared as pointers. */
struct object {
	struct build build;
	const char *file; /* base name */
	char *module;     /* a UEFI image's name without its ending; else NULL */
	char *path;       /* the file that its functions were read from; NULL: none */
	struct elf_functions functions;
};

struct objects {
	struct pe_search *search; /* where to look for UEFI images' functions; may be NULL */
	struct object **all;
	size_t count;
	struct build *builds;
	size_t build_count;
};

/* Learn the build ids from a file's BUILD_ID section. */
void objects_build_ids(struct objects *objects, const uint8_t *bytes, size_t size);

/* Get the file of a mapping; path is the mapping's name. The file's functions are read at its first
 * use. NULL: memory ran out. Valid until objects_free(). */
struct object *objects_find(struct objects *objects, const struct perf_record_mmap2 *mmap2,
                            char *path);

void objects_free(struct objects *objects);

#endif
