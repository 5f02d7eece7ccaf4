/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/util/array.h"
#include "lib/parse/pe_image.h"
#include "writer/util/error.h"

/* ---- Builds ---- */

static void add_build(struct objects *objects, const struct perf_build_id *from)
{
	struct build build = { .size = from->size };

	if (!ARRAY_ROOM(objects->builds, objects->build_count))
		return;
	memcpy(build.id, from->id, from->size);
	build.path = strndup(from->path, from->path_size);
	if (build.path)
		objects->builds[objects->build_count++] = build;
}

void objects_build_ids(struct objects *objects, const uint8_t *bytes, size_t size)
{
	struct perf_build_id build_id;
	size_t at = 0;

	while (bytes && perf_reader_build_id(bytes, size, &at, &build_id))
		add_build(objects, &build_id);
}

/* Get the build of a mapping's file, from the record itself or else from the BUILD_ID section. The
 * caller keeps path. */
static struct build build_of(const struct objects *objects, const struct perf_record_mmap2 *mmap2,
                             char *path)
{
	struct build build = { .path = path };

	if (mmap2->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    mmap2->build_id_size <= BUILDID_MAX) {
		build.is_recorded = true;
		build.size = mmap2->build_id_size;
		memcpy(build.id, mmap2->build_id, build.size);
		return build;
	}
	for (size_t i = 0; i < objects->build_count; i++) {
		if (strcmp(objects->builds[i].path, path) != 0)
			continue;
		build.size = objects->builds[i].size;
		memcpy(build.id, objects->builds[i].id, build.size);
		break;
	}
	return build;
}

/* ---- Files ---- */

/* Get a UEFI image's name. Its file ends in .efi, or in .dll if EDK2 made it from an ELF file. */
static char *module_of(const char *file)
{
	const char *dot = strrchr(file, '.');
	char name[256];

	if (!dot || (strcasecmp(dot, ".efi") != 0 && strcasecmp(dot, ".dll") != 0) ||
	    !pe_module_name(file, strlen(file), name, sizeof(name)))
		return NULL;
	return strdup(name);
}

static void load_from(struct object *object, const char *path)
{
	if (elf_functions_load(&object->functions, path))
		object->path = strdup(path);
}

/* Load the functions from the recorded build of the file, wherever it is stored now. */
static void load_recorded(struct objects *objects, struct object *object)
{
	const struct build *build = &object->build;
	char text[BUILDID_TEXT], *cached;

	if (build->size == PE_BUILD_ID && object->module)
		pe_search_cache(objects->search, build->id, build->path);
	else if (!build->size || buildid_is_of(build->path, build->id, build->size)) {
		load_from(object, build->path);
		return;
	}
	cached = buildid_cache_find(build->id, build->size);
	if (!cached && !object->module &&
	    pe_search_cache_elf(objects->search, build->id, build->size))
		cached = buildid_cache_find(build->id, build->size);
	if (cached) {
		load_from(object, cached);
		free(cached);
		return;
	}
	/* No message for these: a module's samples still have the module's name, and the kernel's
	 * "[vdso]" has no file. */
	if (object->module || *build->path == '[')
		return;
	buildid_text(text, build->id, build->size);
	say("%s %s, and perf's cache (~/.debug) has none with the recording's build-id %s: its "
	    "addresses have no names",
	    build->path, access(build->path, R_OK) ? "cannot be read" : "is of another build",
	    text);
}

/* Add a file. NULL: memory ran out. */
static struct object *add_object(struct objects *objects, const struct build *build)
{
	struct object *object = calloc(1, sizeof(*object));
	const char *slash;

	if (!object || !array_room(&objects->all, objects->count, sizeof(struct object *)) ||
	    !(object->build.path = strdup(build->path))) {
		free(object);
		return NULL;
	}
	object->build.size = build->size;
	memcpy(object->build.id, build->id, build->size);
	slash = strrchr(object->build.path, '/');
	object->file = slash ? slash + 1 : object->build.path;
	object->build.is_recorded = build->is_recorded;
	if (build->is_recorded)
		object->module = module_of(object->file);
	load_recorded(objects, object);
	objects->all[objects->count++] = object;
	return object;
}

struct object *objects_find(struct objects *objects, const struct perf_record_mmap2 *mmap2,
                            char *path)
{
	const struct build build = build_of(objects, mmap2, path);

	for (size_t i = 0; i < objects->count; i++) {
		const struct build *known = &objects->all[i]->build;

		if (known->size == build.size && !memcmp(known->id, build.id, build.size) &&
		    !strcmp(known->path, build.path))
			return objects->all[i];
	}
	return add_object(objects, &build);
}

static void free_object(struct object *object)
{
	elf_functions_free(&object->functions);
	free(object->build.path);
	free(object->module);
	free(object->path);
	free(object);
}

void objects_free(struct objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free_object(objects->all[i]);
	for (size_t i = 0; i < objects->build_count; i++)
		free(objects->builds[i].path);
	free(objects->all);
	free(objects->builds);
	*objects = (struct objects){ 0 };
}
