/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/pe/pe_elf.h"
#include "host-tools/pe/pe_functions.h"
#include "host-tools/pe/pe_of_elf.h"
#include "host-tools/pe/pe_source.h"
#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/perf_file.h"

struct pe_asked {
	uint8_t id[PE_BUILD_ID];
	bool found;
};

void pe_search_free(struct pe_search *search)
{
	pe_index_free(&search->index);
	free(search->asked);
}

void pe_search_add(struct pe_search *search, const char *text)
{
	if (search->place_count < PE_SEARCH_PLACES)
		search->places[search->place_count++] = text;
	else
		say("--symbols %s is one too many, and not looked in", text);
}

bool pe_search_is_meant(const struct pe_search *search)
{
	return search && search->place_count;
}

/* ---- Functions of one image's file ---- */

/* Try one ELF file: if the image was made of it, put the functions into the cache and return true.
 * */
static int cache_elf(const struct pe_image *image, const struct pe_functions *functions, Elf *dwarf,
                     const uint8_t id[PE_BUILD_ID], const char *name, struct error *error)
{
	const char *directory = getenv("TMPDIR");
	char *path = NULL, *entry = NULL;
	int fd = -1, code = -ENOMEM;

	if (asprintf(&path, "%s/bareperf-elf-XXXXXX",
	             directory && *directory ? directory : "/tmp") < 0 ||
	    asprintf(&entry, "[uefi]/%s.efi", name) < 0)
		goto out_free;
	fd = mkstemp(path);
	code = fd < 0 ? error_errno(error, "making %s", path)
	              : pe_elf_write(fd, image, functions, dwarf, id, error);
	if (!code)
		code = buildid_cache_put(path, entry, id, PE_BUILD_ID, error);
	if (code == -ENOENT && !*error->text)
		error_set(error, code, "there is no place for perf's cache: HOME is not set");
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
out_free:
	free(path);
	free(entry);
	return code;
}

/* Get an image's functions from an ELF file. -ESTALE, -ENODATA: it has none for this image; error
 * has the reason. */
static int try_elf(const struct pe_image *image, const char *path, const uint8_t id[PE_BUILD_ID],
                   const char *name, struct error *error)
{
	struct pe_functions functions = { 0 };
	struct pe_source source;
	int64_t moved = 0;
	int code;

	if (!pe_source_open(&source, path))
		return error_set(error, -ENODATA, "it cannot be read");
	code = source.elf ? pe_functions_of_elf(&functions, image, source.elf, &moved, error)
	                  : -ENODATA;
	if (!code)
		code = cache_elf(image, &functions, moved ? NULL : source.elf, id, name, error);
	pe_functions_free(&functions);
	pe_source_close(&source);
	return code;
}

static bool is_beside(const struct pe_indexed *a, const struct pe_indexed *b)
{
	return a->directory == b->directory && !memcmp(a->path, b->path, a->directory);
}

/* The order of ELF files: first those beside the image with its name, then others with its name,
 * then others beside it. */
static int rank(const struct pe_indexed *elf, const struct pe_indexed *image, const char *name)
{
	bool named = !strcmp(elf->name, image->name) || !strcmp(elf->name, name);
	bool beside = is_beside(elf, image);

	return elf->is_pe ? -1 : named && beside ? 0 : named ? 1 : beside ? 2 : -1;
}

/* Report files with the image's name that do not belong to it, because the user will look for the
 * reason. -ENODATA: no file belongs to it. Other errors were reported. */
static int try_elves(const struct pe_search *search, const struct pe_image *image,
                     const struct pe_indexed *of, const uint8_t id[PE_BUILD_ID], const char *name)
{
	for (int wanted = 0; wanted < 3; wanted++) {
		for (size_t i = 0; i < search->index.count; i++) {
			const struct pe_indexed *elf = &search->index.all[i];
			struct error error = { "" };
			int code;

			if (rank(elf, of, name) != wanted)
				continue;
			code = try_elf(image, elf->path, id, name, &error);
			if (!code)
				return 0;
			if (code != -ESTALE && code != -ENODATA) {
				error_print(&error); /* the error is not that file's */
				return code;
			}
			if (wanted < 2)
				say("%s was not made from %s: %s", of->path, elf->path, error.text);
		}
	}
	return -ENODATA;
}

/* Use the image's own symbol table. */
static int try_coff(const struct pe_image *image, const uint8_t id[PE_BUILD_ID], const char *name,
                    struct error *error)
{
	struct pe_functions functions = { 0 };
	int code = pe_functions_of_coff(&functions, image);

	if (!code)
		code = cache_elf(image, &functions, NULL, id, name, error);
	pe_functions_free(&functions);
	return code;
}

static int try_image(const struct pe_search *search, const struct pe_indexed *of,
                     const uint8_t id[PE_BUILD_ID], const char *name)
{
	struct error error = { "" };
	struct pe_source source;
	int code;

	if (!pe_source_open(&source, of->path))
		return -ENODATA;
	code = try_elves(search, &source.image, of, id, name);
	if (code == -ENODATA)
		code = try_coff(&source.image, id, name, &error);
	if (code && *error.text)
		error_print(&error);
	pe_source_close(&source);
	return code;
}

/* Use an ELF file alone. -ENODATA: the image was not made of it, or it has no names. */
static int try_lone_elf(const char *path, const uint8_t id[PE_BUILD_ID], const char *name)
{
	struct pe_functions functions = { 0 };
	struct error error = { "" };
	struct pe_source source;
	struct pe_image image;
	void *bytes = NULL;
	int64_t moved;
	int code = -ENODATA;

	if (!pe_source_open(&source, path))
		return -ENODATA;
	if (source.elf && pe_of_elf_is(source.elf, id) &&
	    pe_of_elf_make(&image, &bytes, source.elf))
		code = pe_functions_of_elf(&functions, &image, source.elf, &moved, &error);
	if (!code)
		code = cache_elf(&image, &functions, source.elf, id, name, &error);
	if (code && code != -ENODATA && code != -ESTALE)
		error_print(&error);
	pe_functions_free(&functions);
	free(bytes);
	pe_source_close(&source);
	return code;
}

/* Try the ELF files with the image's name. *other: a file that does not belong to the image, unless
 * one is set. */
static bool find_lone_elf(const struct pe_search *search, const uint8_t id[PE_BUILD_ID],
                          const char *name, const struct pe_indexed **other)
{
	for (size_t i = 0; i < search->index.count; i++) {
		const struct pe_indexed *indexed = &search->index.all[i];

		if (indexed->is_pe || strcmp(indexed->name, name) != 0)
			continue;
		if (!try_lone_elf(indexed->path, id, name))
			return true;
		*other = *other ? *other : indexed;
	}
	return false;
}

/* ---- Images of a recording ---- */

static bool is_of(const struct pe_indexed *indexed, const uint8_t id[PE_BUILD_ID])
{
	return !memcmp(indexed->id, id, indexed->is_hashed ? PE_HASH : PE_BUILD_ID);
}

static void look(struct pe_search *search)
{
	for (unsigned i = 0; !search->looked && i < search->place_count; i++) {
		if (!pe_index_add(&search->index, search->places[i]))
			say("--symbols %s: %s", search->places[i], strerror(errno));
	}
	search->looked = true;
}

/* Print why an image's functions have no names. same: its file; other: another file with its name.
 * */
static void tell_nameless(const struct pe_indexed *same, const struct pe_indexed *other,
                          const char *name)
{
	if (same)
		say("%s ran, but no file of --symbols has its function names", same->path);
	else if (other && other->is_pe)
		say("no function names for %s: %s is of another build than the image that ran",
		    name, other->path);
	else if (other)
		say("no function names for %s: it was not made from %s, which is of another build or "
		    "has no code to compare",
		    name, other->path);
}

/* Whether the names are known from an earlier command. */
static bool is_cached(const uint8_t id[PE_BUILD_ID])
{
	char *path = buildid_cache_find(id, PE_BUILD_ID);
	bool found = path;

	free(path);
	return found;
}

static bool find(struct pe_search *search, const uint8_t id[PE_BUILD_ID], const char *name)
{
	const struct pe_indexed *other = NULL, *same = NULL;
	bool found = false;

	for (size_t i = 0; i < search->index.count; i++) {
		const struct pe_indexed *indexed = &search->index.all[i];

		if (!indexed->is_pe)
			continue;
		if (is_of(indexed, id)) {
			int code = try_image(search, indexed, id, name);

			if (!code)
				return true;
			found = true;
			same = code == -ENODATA ? indexed : same;
		} else if (!strcmp(indexed->name, name)) {
			other = indexed;
		}
	}
	if (!found && find_lone_elf(search, id, name, &other))
		return true;
	if (!is_cached(id))
		tell_nameless(same, other, name);
	return false;
}

bool pe_search_cache(struct pe_search *search, const uint8_t id[PE_BUILD_ID], const char *path)
{
	char name[PE_NAME];
	struct pe_asked *asked;

	if (!pe_search_is_meant(search))
		return false;
	for (size_t i = 0; i < search->asked_count; i++) {
		if (!memcmp(search->asked[i].id, id, PE_BUILD_ID))
			return search->asked[i].found;
	}
	look(search);
	pe_module_name(path, strlen(path), name, sizeof(name));
	if (!ARRAY_ROOM(search->asked, search->asked_count))
		return false;
	asked = &search->asked[search->asked_count++];
	memcpy(asked->id, id, PE_BUILD_ID);
	asked->found = find(search, id, name);
	return asked->found;
}

/* Use only the .sym: the code in an image's .elf has other offsets than in a machine's records. */
bool pe_search_cache_elf(struct pe_search *search, const uint8_t *id, size_t size)
{
	struct error error = { "" };
	int code = -ENOENT;

	if (!pe_search_is_meant(search))
		return false;
	look(search);
	for (size_t i = 0; i < search->index.count; i++) {
		const struct pe_indexed *indexed = &search->index.all[i];
		char *path;

		if (!buildid_is_symbol_file(indexed->path) ||
		    !buildid_is_of(indexed->path, id, size))
			continue;
		path = realpath(indexed->path, NULL);
		code = path ? buildid_cache_add(path, id, size, &error) : -ENOMEM;
		free(path);
		break;
	}
	if (*error.text)
		error_print(&error);
	return code == 0;
}

bool pe_build_id_of(const struct perf_event_header *record, uint8_t id[PE_BUILD_ID])
{
	static const uint8_t none[PE_BUILD_ID];
	const struct perf_record_mmap2 *mmap2 = (const void *)record;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= sizeof(*mmap2) ||
	    !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || mmap2->build_id_size != PE_BUILD_ID)
		return false;
	memcpy(id, mmap2->build_id, PE_BUILD_ID);
	return memcmp(id, none, PE_BUILD_ID) != 0;
}

int pe_search_cache_all(struct pe_search *search, const char *recording)
{
	struct perf_reader_record record;
	uint8_t id[PE_BUILD_ID];
	struct perf_reader reader;
	struct error error = { "" };
	uint64_t offset = 0;
	char path[4096];
	int code;

	if (!pe_search_is_meant(search))
		return 0;
	code = perf_reader_open(&reader, recording, &error);
	if (code) {
		error_print(&error);
		return code;
	}
	while ((code = perf_reader_next(&reader, &offset, &record, &error)) > 0) {
		const struct perf_record_mmap2 *mmap2 = (const void *)record.header;

		if (!pe_build_id_of(record.header, id))
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(record.header->size - sizeof(*mmap2)),
		         mmap2->filename);
		pe_search_cache(search, id, path);
	}
	if (code)
		error_print(&error);
	perf_reader_close(&reader);
	return code;
}
