/* SPDX-License-Identifier: MIT */
#include "host-tools/events/image_tables.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/words.h"

#define MOST_BYTES   (256U << 20)
#define MOST_ENTRIES 512U /* of one table */
#define MOST_TEXT    256U

/* ---- The file's content ---- */

/* The bytes at a stored pointer, aligned for a pointer; NULL: they are outside the image. */
static const void *at(const struct image_tables *image, const void *pointer, size_t index,
                      size_t size)
{
	uint64_t offset = (uint64_t)(uintptr_t)pointer - (uint64_t)(uintptr_t)image->bytes;

	if (offset >= image->size || offset % 8)
		return NULL;
	offset += index * size;
	return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

static bool is_text(const struct image_tables *image, const char *text)
{
	uint64_t offset = (uint64_t)(uintptr_t)text - (uint64_t)(uintptr_t)image->bytes;

	for (unsigned i = 0; i < MOST_TEXT && offset < image->size; i++, offset++) {
		char c = (char)image->bytes[offset];

		if (!c)
			return true;
		if (c < ' ' || c > '~')
			return false;
	}
	return false;
}

static int nonsense(const struct image_tables *image, const void *pointer, const char *what,
                    struct error *error)
{
	return error_set(error, -EPROTO, "%s at offset 0x%" PRIx64 " makes no sense", what,
	                 (uint64_t)(uintptr_t)pointer - (uint64_t)(uintptr_t)image->bytes);
}

/* ---- Relocation, as boot/start.c does it ---- */

static int relocate(struct image_tables *image, const struct tables_directory *directory,
                    struct error *error)
{
	uint64_t end = directory->relocations_end;

	if (directory->relocations > end || end > image->size)
		return error_set(error, -EPROTO, "relocations at offset 0x%x are outside",
		                 directory->relocations);
	for (uint64_t from = directory->relocations; end - from >= sizeof(Elf64_Rela);
	     from += sizeof(Elf64_Rela)) {
		Elf64_Rela rela;
		uint64_t value = 0; /* memory after the file's end is zero */

		memcpy(&rela, image->bytes + from, sizeof(rela));
		if (rela.r_offset > image->size || image->size - rela.r_offset < sizeof(value))
			return error_set(error, -EPROTO,
			                 "the relocation at offset 0x%" PRIx64 " is outside", from);
		if ((uint64_t)rela.r_addend < image->size)
			value = (uint64_t)(uintptr_t)image->bytes + (uint64_t)rela.r_addend;
		memcpy(image->bytes + rela.r_offset, &value, sizeof(value));
	}
	return 0;
}

/* ---- Tables ---- */

static bool are_formats(const struct image_tables *image, const struct pmu_format *formats)
{
	for (unsigned i = 0; formats && i < MOST_ENTRIES; i++) {
		const struct pmu_format *f = at(image, formats, i, sizeof(*f));

		if (!f || !f->term)
			return f;
		if (!is_text(image, f->term) || f->word > 4 || f->low > f->high || f->high > 63)
			return false;
	}
	return !formats;
}

static bool are_events(const struct image_tables *image, const struct pmu_event_name *events)
{
	for (unsigned i = 0; events && i < MOST_ENTRIES; i++) {
		const struct pmu_event_name *e = at(image, events, i, sizeof(*e));

		if (!e || !e->name)
			return e;
		if (!is_text(image, e->name))
			return false;
	}
	return !events;
}

/* The number of pointers before a NULL; -1: there is no NULL. */
static int count(const struct image_tables *image, const void *list)
{
	for (unsigned i = 0; i < MOST_ENTRIES; i++) {
		const void *const *entry = at(image, list, i, sizeof(*entry));

		if (!entry)
			return -1;
		if (!*entry)
			return (int)i;
	}
	return -1;
}

static int copy_sources(struct image_tables *image, const struct pmu_source *const *list,
                        struct error *error)
{
	int n = count(image, list);

	if (n < 0)
		return nonsense(image, list, "the list of event sources", error);
	image->sources = calloc((size_t)n + 1, sizeof(*image->sources));
	image->source_list = calloc((size_t)n + 1, sizeof(void *));
	for (int i = 0; image->sources && image->source_list && i < n; i++) {
		const struct pmu_source *from = at(image, list[i], 0, sizeof(*from));

		if (!from || !is_text(image, from->name) || !is_text(image, from->description) ||
		    !are_events(image, from->events) || !are_formats(image, from->formats))
			return nonsense(image, list[i], "the event source", error);
		image->sources[i] = *from;
		image->source_list[i] = &image->sources[i];
	}
	image->tables.sources.list = image->source_list;
	return image->sources && image->source_list ? 0 : -ENOMEM;
}

static int copy_workloads(struct image_tables *image, const struct workload_usage *const *list,
                          struct error *error)
{
	int n = count(image, list);

	if (n < 0)
		return nonsense(image, list, "the list of workloads", error);
	image->workloads = calloc((size_t)n + 1, sizeof(*image->workloads));
	image->workload_list = calloc((size_t)n + 1, sizeof(void *));
	for (int i = 0; image->workloads && image->workload_list && i < n; i++) {
		const struct workload_usage *from = at(image, list[i], 0, sizeof(*from));

		if (!from || !is_text(image, from->name) || !is_text(image, from->arguments) ||
		    !is_text(image, from->description))
			return nonsense(image, list[i], "the workload", error);
		image->workloads[i] = *from;
		image->workload_list[i] = &image->workloads[i];
	}
	image->tables.workloads = image->workload_list;
	return image->workloads && image->workload_list ? 0 : -ENOMEM;
}

static bool is_same(const struct image_tables *image, const char *theirs, const char *ours)
{
	if (!theirs || !ours)
		return !theirs == !ours;
	return is_text(image, theirs) && !strcmp(theirs, ours);
}

/* Whether the image's options are those that this tool's parser knows. */
static bool are_our_options(const struct image_tables *image, const struct command_option *theirs,
                            const struct command_option *ours)
{
	for (unsigned i = 0;; i++) {
		const struct command_option *option = at(image, theirs, i, sizeof(*option));

		if (!option || !is_same(image, option->name, ours[i].name))
			return false;
		if (!option->name)
			return true;
		if (!is_same(image, option->alias, ours[i].alias) ||
		    !option->argument != !ours[i].argument)
			return false;
	}
}

static int copy_tables(struct image_tables *image, const struct tables_directory *directory,
                       struct error *error)
{
	const struct command_option *const ours[] = { record_options, stat_options,
		                                      selftest_options, common_options };
	const struct command_tables *from =
	    at(image, image->bytes + directory->tables, 0, sizeof(*from));
	int code;

	if (!from)
		return error_set(error, -EPROTO,
		                 "the tables of commands at offset 0x%x are outside",
		                 directory->tables);
	if (strncmp(from->version, BAREPERF_VERSION, sizeof(from->version)) != 0)
		return -ENOENT;
	for (unsigned i = 0; i < COMMAND_OPTION_LISTS; i++) {
		if (!are_our_options(image, from->options[i], ours[i]))
			return -ENOENT;
		image->tables.options[i] = ours[i];
	}
	memcpy(image->tables.version, from->version, sizeof(from->version));
	code = copy_sources(image, from->sources.list, error);
	return code ? code : copy_workloads(image, from->workloads, error);
}

/* ---- The file ---- */

static int read_tables(struct image_tables *image, struct error *error)
{
	struct tables_directory directory;
	int code;

	if (image->size < TABLES_DIRECTORY + sizeof(directory))
		return -ENOENT;
	memcpy(&directory, image->bytes + TABLES_DIRECTORY, sizeof(directory));
	if (directory.magic != TABLES_MAGIC || directory.version != TABLES_VERSION)
		return -ENOENT;
	code = relocate(image, &directory, error);
	return code ? code : copy_tables(image, &directory, error);
}

int image_tables_read(struct image_tables *image, const void *bytes, size_t size,
                      struct error *error)
{
	*image = (struct image_tables){ .bytes = malloc(size + 1), .size = size };
	if (!image->bytes)
		return error_set(error, -ENOMEM, "no memory for the image");
	memcpy(image->bytes, bytes, size);
	return read_tables(image, error);
}

int image_tables_load(struct image_tables *image, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	uint8_t *bytes = NULL;
	size_t have = 0;
	ssize_t got = 1;
	int code;

	*image = (struct image_tables){ 0 };
	if (fd < 0 || fstat(fd, &about)) {
		code = error_errno(error, "opening %s", path);
		if (fd >= 0)
			close(fd);
		return code;
	}
	if (S_ISREG(about.st_mode) && about.st_size < MOST_BYTES)
		bytes = malloc((size_t)about.st_size + 1);
	while (bytes && have < (size_t)about.st_size && got > 0) {
		got = read(fd, bytes + have, (size_t)about.st_size - have);
		have += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	code = bytes ? image_tables_read(image, bytes, have, error) : -ENOENT;
	free(bytes);
	return code;
}

void image_tables_free(struct image_tables *image)
{
	free(image->workload_list);
	free(image->workloads);
	free(image->source_list);
	free(image->sources);
	free(image->bytes);
	*image = (struct image_tables){ 0 };
}
