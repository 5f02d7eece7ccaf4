/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

#define ROOM_LEAST 4096U
#define NAMES_MOST (1U << 20)
#define FILE_MOST  ((size_t)1 << 40) /* no machine has room for more */

static struct name *names;
static ino_t last_number;

/* ---- Names ---- */

static const char *files_plain(const char *path)
{
	while (*path == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	return path;
}

struct name **files_find(const char *path)
{
	struct name **at = &names;

	path = files_plain(path);
	while (*at && strcmp((*at)->text, path) != 0)
		at = &(*at)->next;
	return at;
}

/* Whoever ended may have done so in the middle of a change: the list need not end. */
int files_give(const char *path, const void **bytes, uint64_t *size)
{
	const struct name *name = names;

	path = files_plain(path);
	for (unsigned i = 0; name && i < NAMES_MOST; i++, name = name->next) {
		if (strcmp(name->text, path) != 0)
			continue;
		*bytes = name->file->bytes;
		*size = name->file->size;
		return 0;
	}
	return -ENOENT;
}

void files_release(struct file *file)
{
	if (--file->uses)
		return;
	if (file->room)
		free(file->bytes);
	free(file);
}

int files_name(const char *path, struct file *file)
{
	size_t length;
	struct name *name;

	path = files_plain(path);
	length = strlen(path);
	if (!length)
		return EISDIR;
	name = malloc(sizeof(*name) + length + 1);
	if (!name)
		return ENOSPC;
	memcpy(name->text, path, length + 1);
	name->file = file;
	name->next = names;
	names = name;
	file->uses++;
	return 0;
}

void files_forget(struct name **at)
{
	struct name *name = *at;

	*at = name->next;
	files_release(name->file);
	free(name);
}

struct file *files_make(const char *path, mode_t mode, int *code)
{
	struct file *file = calloc(1, sizeof(*file));

	*code = file ? files_name(path, file) : ENOSPC;
	if (*code) {
		free(file);
		return NULL;
	}
	file->number = ++last_number;
	file->mode = mode;
	file->changed = (time_t)sdk_now();
	return file;
}

/* ---- Bytes ---- */

bool files_grow(struct file *file, size_t size)
{
	size_t room = file->room ? file->room : ROOM_LEAST;
	uint8_t *bytes;

	if (size > FILE_MOST)
		return false;
	while (room < size || room < file->size)
		room *= 2;
	if (room > file->room) {
		bytes = file->room ? realloc(file->bytes, room) : malloc(room);
		if (!bytes)
			return false;
		if (!file->room && file->size)
			memcpy(bytes, file->bytes, file->size);
		file->bytes = bytes;
		file->room = room;
	}
	if (size > file->size) {
		memset(file->bytes + file->size, 0, size - file->size);
		file->size = size;
	}
	return true;
}

int files_resize(struct file *file, off_t size)
{
	if (size < 0)
		return EINVAL;
	if (!files_grow(file, (size_t)size))
		return ENOSPC;
	file->size = (size_t)size;
	file->changed = (time_t)sdk_now();
	return 0;
}
