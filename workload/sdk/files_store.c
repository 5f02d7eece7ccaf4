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
#define FILE_MOST  ((size_t)1 << 40) /* more than any machine's memory */

/* Exist in every program; their names cannot be removed. */
static struct file root_file = { .uses = 1, .links = 1, .number = 1, .mode = S_IFDIR | 0755U };
static struct file dev_file = { .uses = 1, .links = 1, .number = 2, .mode = S_IFDIR | 0755U };
static struct file null_file = { .uses = 1, .links = 1, .number = 3, .mode = S_IFCHR | 0666U };
static struct name root = { .file = &root_file, .text = "" };
static struct name dev = { .next = &root, .file = &dev_file, .text = "dev" };
static struct name null = { .next = &dev, .file = &null_file, .text = "dev/null" };
static struct name *names = &null;
static ino_t last_number = 3;
static char here[PATH_MAX]; /* the path of the current directory */

/* ---- Names ---- */

/* Append this part of a path to a directory's text. Returns 0, or ENAMETOOLONG. */
static int files_step(char text[PATH_MAX], const char *part, size_t size)
{
	size_t length = strlen(text);

	if (size == 0 || (size == 1 && *part == '.'))
		return 0;
	if (size == 2 && !strncmp(part, "..", 2)) {
		while (length && text[--length] != '/')
			continue;
	} else {
		if (size > NAME_MAX || length + 1 + size >= PATH_MAX)
			return ENAMETOOLONG;
		if (length)
			text[length++] = '/';
		memcpy(text + length, part, size);
		length += size;
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

/* Whether a path may continue behind this text. Returns 0, or ENOTDIR. A missing directory may be
 * made later, but ".." cannot lead back from it. */
static int files_pass(const char *text, const char *part)
{
	const struct name *name = *files_find_text(text);

	if (!name)
		return strncmp(part, "..", 2) ? 0 : ENOENT;
	return S_ISDIR(name->file->mode) ? 0 : ENOTDIR;
}

/* Resolve a path from a directory to a name's text; looks: check that the directories on the way
 * exist. Returns 0, ENOENT, ENOTDIR or ENAMETOOLONG. */
static int files_plain(char text[PATH_MAX], const char *directory, const char *path, bool looks)
{
	int code = *path ? 0 : ENOENT;

	strcpy(text, *path == '/' ? "" : directory);
	while (*path && !code) {
		size_t size = strcspn(path, "/");

		code = looks ? files_pass(text, path) : 0;
		if (!code)
			code = files_step(text, path, size);
		path += size + (path[size] == '/');
		if (!code && looks && !*path && path[-1] == '/')
			code = files_pass(text, path);
	}
	return code;
}

struct name **files_find(const char *path, int *code)
{
	static struct name *none;
	char text[PATH_MAX];
	struct name **at = &none;

	*code = files_plain(text, here, path, true);
	if (!*code) {
		at = files_find_text(text);
		*code = *at ? 0 : ENOENT;
	}
	return at;
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

/* The program may have been ended in the middle of a change, so the list may have no end. */
int files_give(const char *path, const void **bytes, uint64_t *size)
{
	const struct name *name = names;
	char text[PATH_MAX];

	if (files_plain(text, "", path, false))
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
	file->links++;
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
	files_touch(file);
	file->accessed = file->modified;
	*made = file;
	return 0;
}

/* Make the missing directories of a text's path. */
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

static bool files_wants_directory(const char *path)
{
	size_t length = strlen(path);

	return length && path[length - 1] == '/';
}

int files_name(const char *path, struct file *file)
{
	char text[PATH_MAX];
	int code = files_plain(text, here, path, true);

	if (!code && files_wants_directory(path))
		code = ENOTDIR;
	if (!code)
		code = files_prepare(text);
	return code ? code : files_add(text, file);
}

void files_forget(struct name **at)
{
	struct name *name = *at;

	*at = name->next;
	name->file->links--;
	files_release(name->file);
	free(name);
}

struct file *files_make(const char *path, mode_t mode, int *code)
{
	char text[PATH_MAX];
	struct file *file;

	*code = files_plain(text, here, path, true);
	if (!*code && !S_ISDIR(mode) && files_wants_directory(path))
		*code = EISDIR;
	if (!*code)
		*code = files_prepare(text);
	if (!*code)
		*code = files_create(text, mode, &file);
	return *code ? NULL : file;
}

/* ---- Bytes ---- */

static bool files_move_bytes(struct file *file, size_t room)
{
	uint8_t *bytes = file->room ? realloc(file->bytes, room) : malloc(room);

	if (!bytes)
		return false;
	if (!file->room && file->size)
		memcpy(bytes, file->bytes, file->size);
	file->bytes = bytes;
	file->room = room;
	return true;
}

/* Doubles the room, or takes as much more as there is; during the copy the old room is still in
 * use. */
static bool files_make_room(struct file *file, size_t least)
{
	size_t room = file->room ? file->room : ROOM_LEAST;

	while (room < least)
		room *= 2;
	while (room > file->room && !files_move_bytes(file, room)) {
		if (room == least)
			return false;
		room = least + (room - least) / 2;
	}
	return true;
}

bool files_grow(struct file *file, size_t size)
{
	if (size > FILE_MOST || !files_make_room(file, size > file->size ? size : file->size))
		return false;
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
	if (S_ISCHR(file->mode))
		return 0;
	if (!files_grow(file, (size_t)size))
		return ENOSPC;
	file->size = (size_t)size;
	files_touch(file);
	return 0;
}
