/* SPDX-License-Identifier: MIT */
/* A small image with tables of commands, made by hand for their reader's test and fuzzer. Pointers
 * are link addresses, and each has its relocation. */
#ifndef TESTS_UNIT_HOST_TOOLS_EVENTS_TABLES_FILE_H
#define TESTS_UNIT_HOST_TOOLS_EVENTS_TABLES_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "command/words.h"

#define TABLES_FILE_RELOCATIONS 200U

struct tables_file {
	uint8_t padding[TABLES_DIRECTORY];
	struct tables_directory directory;
	struct command_tables tables;
	const struct pmu_source *sources[3];
	const struct workload_usage *workloads[3];
	struct pmu_source units[2];
	struct pmu_format formats[3];
	struct pmu_event_name events[2];
	struct workload_usage programs[2];
	struct command_option options[COMMAND_OPTION_LISTS][32];
	char texts[4096];
	Elf64_Rela relocations[TABLES_FILE_RELOCATIONS];
	/* not part of the file */
	size_t used, count;
};
#define TABLES_FILE_SIZE offsetof(struct tables_file, used)

/* Make the pointer at field point to offset target, by a relocation. */
static inline void tables_file_point(struct tables_file *f, const void *field, const void *target)
{
	f->relocations[f->count++] = (Elf64_Rela){
		.r_offset = (uint64_t)((const uint8_t *)field - (const uint8_t *)f),
		.r_info = R_X86_64_RELATIVE,
		.r_addend = (const uint8_t *)target - (const uint8_t *)f,
	};
}

static inline void tables_file_text(struct tables_file *f, const void *field, const char *text)
{
	if (!text)
		return;
	memcpy(f->texts + f->used, text, strlen(text) + 1);
	tables_file_point(f, field, f->texts + f->used);
	f->used += strlen(text) + 1;
}

static inline void tables_file_options(struct tables_file *f)
{
	const struct command_option *const ours[] = { record_options, stat_options,
		                                      selftest_options, common_options };

	for (unsigned i = 0; i < COMMAND_OPTION_LISTS; i++) {
		for (unsigned j = 0; ours[i][j].name; j++) {
			struct command_option *option = &f->options[i][j];

			tables_file_text(f, &option->name, ours[i][j].name);
			tables_file_text(f, &option->alias, ours[i][j].alias);
			tables_file_text(f, &option->argument, ours[i][j].argument);
		}
		tables_file_point(f, &f->tables.options[i], f->options[i]);
	}
}

/* Two sources: "unit", with terms and an event, and "trace", which fills an AUX area; two
 * workloads: "spin" takes 1 to 9, "program" takes words. */
static inline void tables_file_make(struct tables_file *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->tables.version, BAREPERF_VERSION);
	tables_file_options(f);
	tables_file_point(f, &f->tables.sources.list, f->sources);
	tables_file_point(f, &f->tables.workloads, f->workloads);
	for (unsigned i = 0; i < 2; i++) {
		tables_file_point(f, &f->sources[i], &f->units[i]);
		tables_file_text(f, &f->units[i].name, i ? "trace" : "unit");
		tables_file_text(f, &f->units[i].description, "of a test");
		tables_file_point(f, &f->workloads[i], &f->programs[i]);
		tables_file_text(f, &f->programs[i].name, i ? "program" : "spin");
		tables_file_text(f, &f->programs[i].arguments, "N");
		tables_file_text(f, &f->programs[i].description, "of a test");
	}
	f->units[0].type = 42;
	f->units[1].type = 43;
	f->units[1].flags = PMU_AUX;
	tables_file_point(f, &f->units[0].formats, f->formats);
	tables_file_text(f, &f->formats[0].term, "number");
	f->formats[0].high = 7;
	tables_file_text(f, &f->formats[1].term, "mask");
	f->formats[1].low = 8;
	f->formats[1].high = 15;
	tables_file_point(f, &f->units[0].events, f->events);
	tables_file_text(f, &f->events[0].name, "loads");
	f->events[0].config = 0x1cd;
	f->programs[0].standard = 5;
	f->programs[0].least = 1;
	f->programs[0].most = 9;
	f->programs[1].takes_words = true;
	f->directory = (struct tables_directory){
		.magic = TABLES_MAGIC,
		.version = TABLES_VERSION,
		.tables = offsetof(struct tables_file, tables),
		.relocations = offsetof(struct tables_file, relocations),
		.relocations_end = (uint32_t)(offsetof(struct tables_file, relocations) +
		                              f->count * sizeof(Elf64_Rela)),
	};
}

#endif
