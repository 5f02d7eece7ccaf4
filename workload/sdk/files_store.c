/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

#define ROOM_LEAST 4096U
#define NAMES_MOST (1U << 20)
#define FILE_MOST  ((size_t)1 << 40) /* no machine has room for more */

static struct file root_file = { .uses = 1, .number = 1, .mode = S_IFDIR | 0755U };
static struct name root = { .file = &root_file, .text = "" };
static struct name *names = &root;
static ino_t last_number = 1;
static char here[PATH_MAX]; /* the text of the directory that the program is in */

/* ---- Names ---- */

/* The text that a path from a directory comes to: 0, ENOENT or ENAMETOOLONG. */
static int files_plain(char text[PATH_MAX], const char *directory, const char *path)
{
	size_t length = 0;

	if (!*path)
		return ENOENT;
	if (*path != '/')
		length = strlen(strcpy(text, directory));
	while (*path) {
		size_t part = strcspn(path, "/");

		if (part == 2 && !strncmp(path, "..", 2)) {
			while (length && text[--length] != '/')
				continue;
		} else if (part && (part != 1 || *path != '.')) {
			if (part > NAME_MAX || length + 1 + part >= PATH_MAX)
				return ENAMETOOLONG;
			if (length)
				text[length++] = '/';
			memcpy(text + length, path, part);
			length += part;
		}
		path += part + (path[part] == '/');
	}
	text[length] = 0;
	return 0;
}

static struct name **files_find_text(const char *text)
{
	struct name **at = &names;

	while (*at && strcmp((*at)->text, text) != 0)
		at = &(*at)->next;
	return at;
}

struct name **files_find(const char *path)
{
	static struct name *none;
	char text[PATH_MAX];

	return files_plain(text, here, path) ? &none : files_find_text(text);
}

const char *files_last(const char *text)
{
	const char *slash = strrchr(text, '/');

	return slash ? slash + 1 : text;
}

static bool files_is_in(const char *text, const char *directory)
{
	size_t length = strlen(directory);

	if (strncmp(text, directory, length) != 0 || (length && text[length++] != '/'))
		return false;
	return text[length] && text + length == files_last(text);
}

const struct name *files_next(const struct name *name, const char *directory)
{
	name = name ? name->next : names;
	while (name && !files_is_in(name->text, directory))
		name = name->next;
	return name;
}

void files_move(const char *directory)
{
	strcpy(here, directory);
}

bool files_here(const char *directory)
{
	return !strcmp(here, directory);
}

int files_where(char *path, size_t size)
{
	if (size < sizeof("/") + strlen(here))
		return ERANGE;
	*path = '/';
	strcpy(path + 1, here);
	return 0;
}

/* Whoever ended may have done so in the middle of a change: the list need not end. */
int files_give(const char *path, const void **bytes, uint64_t *size)
{
	const struct name *name = names;
	char text[PATH_MAX];

	if (files_plain(text, "", path))
		return -ENOENT;
	for (unsigned i = 0; name && i < NAMES_MOST; i++, name = name->next) {
		if (strcmp(name->text, text) != 0 || !S_ISREG(name->file->mode))
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

static int files_add(const char *text, struct file *file)
{
	size_t length = strlen(text);
	struct name *name = malloc(sizeof(*name) + length + 1);

	if (!name)
		return ENOSPC;
	memcpy(name->text, text, length + 1);
	name->file = file;
	name->next = names;
	names = name;
	file->uses++;
	return 0;
}

static int files_create(const char *text, mode_t mode, struct file **made)
{
	struct file *file = calloc(1, sizeof(*file));
	int code = file ? files_add(text, file) : ENOSPC;

	if (code) {
		free(file);
		return code;
	}
	file->number = ++last_number;
	file->mode = mode;
	file->changed = (time_t)sdk_now();
	*made = file;
	return 0;
}

/* The directories that a text's last part is in are there, or are made. */
static int files_prepare(char *text)
{
	for (char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/')) {
		struct file *made;
		struct name *name;
		int code = 0;

		*slash = 0;
		name = *files_find_text(text);
		if (!name)
			code = files_create(text, S_IFDIR | 0755U, &made);
		else if (!S_ISDIR(name->file->mode))
			code = ENOTDIR;
		*slash = '/';
		if (code)
			return code;
	}
	return 0;
}

struct file *files_with(const uint8_t *bytes)
{
	const struct name *name = names;

	while (name && name->file->bytes != bytes)
		name = name->next;
	return name ? name->file : NULL;
}

int files_name(const char *path, struct file *file)
{
	char text[PATH_MAX];
	int code = files_plain(text, here, path);

	if (!code)
		code = files_prepare(text);
	return code ? code : files_add(text, file);
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
	char text[PATH_MAX];
	struct file *file;

	*code = files_plain(text, here, path);
	if (!*code)
		*code = files_prepare(text);
	if (!*code)
		*code = files_create(text, mode, &file);
	return *code ? NULL : file;
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
