/* SPDX-License-Identifier: MIT */
/* The files that a recording's mappings are of, each once, with their functions. Thread: the one
 * that made it. */
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
	bool is_told; /* by the mapping's own record, as of UEFI images */
	size_t size;  /* of the id; 0: nobody knows */
	uint8_t id[BUILDID_MAX];
};

/* Texts of it are compared as pointers. */
struct object {
	struct build build;
	const char *file; /* base name */
	char *module;     /* without its ending: of a UEFI image; else NULL */
	char *path;       /* where its functions were read from; NULL: from nowhere */
	struct elf_functions functions;
};

struct objects {
	struct pe_search *search; /* where UEFI images' functions are looked for; may be NULL */
	struct object **all;
	size_t count;
	struct build *builds;
	size_t build_count;
};

/* Learn from a file's BUILD_ID section. */
void objects_build_ids(struct objects *objects, const uint8_t *bytes, size_t size);

/* The file of a mapping, whose name path is; its functions are read when it is met first. NULL: no
 * memory. Valid until objects_free(). */
struct object *objects_find(struct objects *objects, const struct perf_record_mmap2 *mmap2,
                            char *path);

void objects_free(struct objects *objects);

#endif
