/* SPDX-License-Identifier: MIT */
/*
 * The names that commands may use. An image carries its tables as data for its own parser. The host
 * tool finds the tables in the image's file, to check a command before a machine boots:
 *
 *	file offset = link address
 *	TABLES_DIRECTORY	struct tables_directory		linker.ld
 *	directory.tables	struct command_tables		agent/tables.c
 *	directory.relocations	Elf64_Rela entries, all of them R_*_RELATIVE
 *
 * All stored pointers are such relocations; the relocation's addend is the pointer's link address.
 */
#ifndef COMMAND_TABLES_H
#define COMMAND_TABLES_H

#include <stddef.h>

#include "abi/workload.h"
#include "pmu/parse/events.h"

#define TABLES_DIRECTORY 0x400U
#define TABLES_MAGIC     0x53454c4241545042ULL /* the bytes "BPTABLES" */
#define TABLES_VERSION   4U                    /* of the structures below */

struct tables_directory {
	uint64_t magic;
	uint32_t version;
	uint32_t tables;
	uint32_t relocations, relocations_end;
};

/* An option of a command. */
struct words;
struct command_option {
	const char *name, *alias;
	const char *argument; /* NULL: no argument */
	const char *help;
	int (*set)(struct words *w, const char *argument);
};

#define COMMAND_OPTION_LISTS 4U

struct command_tables {
	char version[32]; /* of bareperf; another version may read commands differently */
	struct event_sources sources;
	const struct workload_usage *const *workloads; /* ended by NULL */
	/* Options of `record`, of `stat`, of `selftest`, and of every command; each list ends with
	 * a NULL name. */
	const struct command_option *options[COMMAND_OPTION_LISTS];
};

/* Only the host tool reads the fields below. */
_Static_assert(sizeof(struct tables_directory) == 24, "tables_directory");
_Static_assert(sizeof(struct command_tables) == 88, "command_tables");
_Static_assert(sizeof(struct command_option) == 40, "command_option");
_Static_assert(sizeof(struct pmu_format) == 16, "pmu_format");
_Static_assert(sizeof(struct pmu_event_name) == 24, "pmu_event_name");
_Static_assert(sizeof(struct pmu_source) == 48, "pmu_source");
_Static_assert(sizeof(struct workload_usage) == 64, "workload_usage");

#endif
