/* SPDX-License-Identifier: MIT */
/* The tables of commands in an image's file (command/tables.h): the commands that it accepts,
 * before a machine boots it. */
#ifndef HOST_TOOLS_EVENTS_IMAGE_TABLES_H
#define HOST_TOOLS_EVENTS_IMAGE_TABLES_H

#include "command/tables.h"
#include "writer/util/error.h"

struct image_tables {
	struct command_tables tables; /* whether this machine has a source is left open */
	/* storage */
	uint8_t *bytes; /* the file, relocated */
	size_t size;
	struct pmu_source *sources;
	const struct pmu_source **source_list;
	struct workload_usage *workloads;
	const struct workload_usage **workload_list;
};

/*
 * Read the tables from a copy of the file's bytes, which are checked. 0; -ENOENT: it has no tables
 * that this tool can use, because it is another version; -EPROTO: they are malformed, error has the
 * offset; -ENOMEM. Call image_tables_free() in all cases.
 */
int image_tables_read(struct image_tables *image, const void *bytes, size_t size,
                      struct error *error);

/* The same from a file. Also returns errors of reading the file. */
int image_tables_load(struct image_tables *image, const char *path, struct error *error);

void image_tables_free(struct image_tables *image);

#endif
