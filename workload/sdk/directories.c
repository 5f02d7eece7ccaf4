/* SPDX-License-Identifier: MIT */
/* Directories: those implied by files' paths, and those that the program makes. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

/* The content of a directory when it was opened; the first entries are "." and "..". */
struct __dirstream {
	size_t count, at;
	struct dirent entries[];
};

/* NULL: not found, and *code is set as files_find() does. */
static const struct name *directories_find(const char *path, int *code)
{
	const struct name *name = *files_find(path, code);

	if (name && !S_ISDIR(name->file->mode))
		*code = ENOTDIR;
	return *code ? NULL : name;
}

/* ---- Make, change to, remove ---- */

int mkdir(const char *path, mode_t mode)
{
	int code;

	sdk_files_lock();
	if (*files_find(path, &code))
		code = EEXIST;
	else
		files_make(path, S_IFDIR | (mode & 07777U), &code);
	return code ? files_fail(code) : files_done(0);
}

int rmdir(const char *path)
{
	struct name **at;
	int code;

	sdk_files_lock();
	at = files_find(path, &code);
	if (!directories_find(path, &code))
		return files_fail(code);
	if (!(*at)->text[0] || files_here((*at)->text))
		return files_fail(EBUSY);
	if (files_next(NULL, (*at)->text))
		return files_fail(ENOTEMPTY);
	files_forget(at);
	return files_done(0);
}

/* Replaces newlib's, which does not support directories. */
int _remove_r(struct _reent *reent, const char *path)
{
	struct stat status;

	(void)reent;
	return stat(path, &status) ? -1 : S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}

int remove(const char *path)
{
	return _remove_r(_REENT, path);
}

int chdir(const char *path)
{
	const struct name *name;
	int code;

	sdk_files_lock();
	name = directories_find(path, &code);
	if (name)
		files_move(name->text);
	return name ? files_done(0) : files_fail(code);
}

char *getcwd(char *text, size_t size)
{
	int code;

	sdk_files_lock();
	code = text && size ? files_where(text, size) : EINVAL;
	if (code)
		files_fail(code);
	else
		files_done(0);
	return code ? NULL : text;
}

char *realpath(const char *restrict path, char *restrict to)
{
	const struct name *name;
	char *made = to ? to : malloc(PATH_MAX);
	int code;

	sdk_files_lock();
	name = made ? *files_find(path, &code) : NULL;
	if (!name) {
		files_fail(made ? code : ENOMEM);
		if (!to)
			free(made);
		return NULL;
	}
	made[0] = '/';
	strcpy(made + 1, name->text); /* files_name() refuses longer names */
	files_done(0);
	return made;
}

/* ---- Read ---- */

static void directories_note(DIR *dir, const struct name *name, const char *called)
{
	struct dirent *entry = &dir->entries[dir->count++];

	entry->d_ino = name->file->number;
	entry->d_type = IFTODT(name->file->mode) & 0xff;
	strcpy(entry->d_name, called); /* files_name() refuses longer names */
}

/* The parent of a directory; the root is its own parent. */
static const struct name *directories_above(const struct name *name)
{
	char above[PATH_MAX] = "/";
	char *end;
	int unwanted;

	strcpy(above + 1, name->text);
	end = strrchr(above, '/');
	end[end == above] = 0;
	return *files_find(above, &unwanted);
}

static DIR *directories_list(const struct name *directory)
{
	const struct name *name = NULL;
	size_t count = 2;
	DIR *dir;

	while ((name = files_next(name, directory->text)))
		count++;
	dir = calloc(1, sizeof(*dir) + count * sizeof(dir->entries[0]));
	if (!dir)
		return NULL;
	directories_note(dir, directory, ".");
	directories_note(dir, directories_above(directory), "..");
	while ((name = files_next(name, directory->text)))
		directories_note(dir, name, files_last(name->text));
	return dir;
}

DIR *opendir(const char *path)
{
	const struct name *name;
	DIR *dir = NULL;
	int code;

	sdk_files_lock();
	name = directories_find(path, &code);
	if (name) {
		dir = directories_list(name);
		code = ENOMEM;
	}
	if (dir)
		files_done(0);
	else
		files_fail(code);
	return dir;
}

struct dirent *readdir(DIR *dir)
{
	return dir->at < dir->count ? &dir->entries[dir->at++] : NULL;
}

void rewinddir(DIR *dir)
{
	dir->at = 0;
}

long telldir(DIR *dir)
{
	return (long)dir->at;
}

void seekdir(DIR *dir, long at)
{
	dir->at = (size_t)at;
}

int closedir(DIR *dir)
{
	free(dir);
	return 0;
}

/* ---- scandir() ---- */

int alphasort(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static void directories_free(struct dirent **list, int count)
{
	while (count > 0)
		free(list[--count]);
	free(list);
}

/* Copy the wanted entries. Returns their number, or -1. */
static int directories_copy(DIR *dir, struct dirent **list, int (*wanted)(const struct dirent *))
{
	const struct dirent *entry;
	int count = 0;

	while ((entry = readdir(dir))) {
		if (wanted && !wanted(entry))
			continue;
		list[count] = malloc(sizeof(*entry));
		if (!list[count]) {
			directories_free(list, count);
			return -1;
		}
		*list[count++] = *entry;
	}
	return count;
}

int scandir(const char *path, struct dirent ***to, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
	DIR *dir = opendir(path);
	struct dirent **list;
	int count = -1;

	if (!dir)
		return -1;
	list = calloc(dir->count, sizeof(struct dirent *));
	if (list)
		count = directories_copy(dir, list, wanted);
	closedir(dir);
	if (count < 0)
		return -1;
	if (compare)
		qsort(list, (size_t)count, sizeof(struct dirent *),
		      (int (*)(const void *, const void *))compare);
	*to = list;
	return count;
}
