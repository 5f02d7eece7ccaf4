/* SPDX-License-Identifier: MIT */
/* Descriptors: those of the console, and places in files. Several may share one place (dup()). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/newlib.h"
#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"

#define PLAIN (S_IFREG | 0644U)

#define TRANSFER_MOST 0x7ffff000UL /* bytes at a time: Linux's MAX_RW_COUNT */

static struct place {
	unsigned uses; /* number of descriptors; 0: unused */
	int flags;
	uint32_t stream; /* stream for the console's output */
	off_t at;
	struct file *file; /* NULL: the console */
} places[FILES_OPEN] = { { .uses = 1, .flags = O_RDONLY },
	                 { .uses = 1, .flags = O_WRONLY, .stream = BAREPERF_STDOUT },
	                 { .uses = 1, .flags = O_WRONLY, .stream = BAREPERF_STDERR } };
static struct place *descriptors[FILES_OPEN] = { &places[0], &places[1], &places[2] };

static struct place *descriptors_place(int fd)
{
	return fd < 0 || fd >= FILES_OPEN ? NULL : descriptors[fd];
}

/* The place of fd if it may be read, or written; NULL: it may not, and *code is set. */
static struct place *descriptors_for(int fd, int unwanted, int *code)
{
	struct place *place = descriptors_place(fd);

	*code = 0;
	if (!place || (place->flags & O_ACCMODE) == unwanted)
		*code = EBADF;
	else if (place->file && unwanted == O_WRONLY && S_ISDIR(place->file->mode))
		*code = EISDIR;
	return *code ? NULL : place;
}

/* The first unused descriptor from this one on, or -1. */
static int descriptors_free(int fd)
{
	while (fd >= 0 && fd < FILES_OPEN && descriptors[fd])
		fd++;
	return fd < FILES_OPEN ? fd : -1;
}

/* There are as many places as descriptors, so one is always free. */
static void descriptors_put(int fd, struct file *file, int flags)
{
	struct place *place = places;

	while (place->uses)
		place++;
	*place = (struct place){ .uses = 1, .flags = flags, .file = file };
	descriptors[fd] = place;
	file->uses++;
}

static void descriptors_drop(int fd)
{
	struct place *place = descriptors[fd];

	descriptors[fd] = NULL;
	if (--place->uses || !place->file)
		return;
	if (S_ISFIFO(place->file->mode))
		files_pipe_changed();
	files_release(place->file);
}

static bool descriptors_is_pipe(const struct place *place)
{
	return place->file && S_ISFIFO(place->file->mode);
}

static bool descriptors_seeks(const struct place *place)
{
	return place->file && !S_ISFIFO(place->file->mode);
}

int files_descriptor(struct file *file, int flags)
{
	int fd = descriptors_free(0);

	if (fd >= 0)
		descriptors_put(fd, file, flags);
	return fd;
}

void files_drop(int fd)
{
	descriptors_drop(fd);
}

bool files_is_for_writing(int fd)
{
	return (descriptors[fd]->flags & O_ACCMODE) != O_RDONLY;
}

bool files_are_open_for(const struct file *file, int access)
{
	bool found = false;

	for (int i = 0; i < FILES_OPEN; i++)
		found |= places[i].uses && places[i].file == file &&
		         (places[i].flags & O_ACCMODE) == access;
	return found;
}

int files_set_flags(int fd, int flags)
{
	const int may = O_APPEND | O_NONBLOCK;
	struct place *place;

	sdk_files_lock();
	place = descriptors_place(fd);
	if (!place)
		return files_fail(EBADF);
	place->flags = (place->flags & ~may) | (flags & may);
	return files_done(0);
}

void files_take_input(struct file *file)
{
	descriptors_drop(STDIN_FILENO);
	descriptors_put(STDIN_FILENO, file, O_RDONLY);
}

/* ---- Open, duplicate, close ---- */

static int descriptors_open(const char *path, int flags, int *code)
{
	int fd = descriptors_free(0), found;
	struct name *name = *files_find(path, &found);
	struct file *file = name ? name->file : NULL;

	if (fd < 0)
		*code = EMFILE;
	else if (file && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		*code = EEXIST;
	else if (!file && !(flags & O_CREAT))
		*code = found;
	else if (file && S_ISDIR(file->mode) && (flags & (O_ACCMODE | O_CREAT)) != O_RDONLY)
		*code = EISDIR;
	else if (!file)
		file = files_make(path, PLAIN, code);
	else if (flags & O_TRUNC && (flags & O_ACCMODE) != O_RDONLY)
		*code = files_resize(file, 0);
	if (!*code && file)
		descriptors_put(fd, file, flags);
	return fd;
}

int open(const char *path, int flags, ...)
{
	int code = 0, fd;

	sdk_files_lock();
	fd = descriptors_open(path, flags, &code);
	return code ? files_fail(code) : files_done(fd);
}

int creat(const char *path, mode_t mode)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int close(int fd)
{
	sdk_files_lock();
	if (!descriptors_place(fd))
		return files_fail(EBADF);
	descriptors_drop(fd);
	return files_done(0);
}

int files_double(int fd, int from)
{
	struct place *place;
	int to;

	sdk_files_lock();
	place = descriptors_place(fd);
	if (!place || from < 0 || from >= FILES_OPEN)
		return files_fail(place ? EINVAL : EBADF);
	to = descriptors_free(from);
	if (to < 0)
		return files_fail(EMFILE);
	place->uses++;
	descriptors[to] = place;
	return files_done(to);
}

int dup(int fd)
{
	return files_double(fd, 0);
}

int dup2(int fd, int to)
{
	struct place *place;

	sdk_files_lock();
	place = descriptors_place(fd);
	if (!place || to < 0 || to >= FILES_OPEN)
		return files_fail(EBADF);
	place->uses++;
	if (descriptors[to])
		descriptors_drop(to);
	descriptors[to] = place;
	return files_done(to);
}

int files_flags(int fd)
{
	const struct place *place;

	sdk_files_lock();
	place = descriptors_place(fd);
	return place ? files_done(place->flags) : files_fail(EBADF);
}

bool files_of(int fd, struct file **file)
{
	const struct place *place = descriptors_place(fd);

	*file = place ? place->file : NULL;
	return place;
}

/* ---- Read, write ---- */

/* newlib's read() and write() return an int, so larger requests are cut, as on Linux. */
static size_t descriptors_most(size_t size)
{
	return size < TRANSFER_MOST ? size : TRANSFER_MOST;
}

/* Read the file's bytes at this place. The console has no input, so standard input without a file
 * is at its end. */
static size_t descriptors_get(const struct file *file, off_t at, void *bytes, size_t size)
{
	size_t left = 0;

	if (file && (size_t)at < file->size)
		left = file->size - (size_t)at;
	size = size < left ? size : left;
	if (size)
		memcpy(bytes, file->bytes + at, size);
	return size;
}

static int descriptors_set(struct file *file, off_t at, const void *bytes, size_t size)
{
	if (S_ISCHR(file->mode))
		return 0;
	if (!files_grow(file, (size_t)at + size))
		return ENOSPC;
	memcpy(file->bytes + at, bytes, size);
	files_touch(file);
	return 0;
}

_READ_WRITE_RETURN_TYPE read(int fd, void *bytes, size_t size)
{
	struct place *place;
	int code;

	sdk_files_lock();
	place = descriptors_for(fd, O_WRONLY, &code);
	if (!place)
		return files_fail(code);
	size = descriptors_most(size);
	if (descriptors_is_pipe(place))
		return files_pipe_read(place->file, place->flags, bytes, size);
	size = descriptors_get(place->file, place->at, bytes, size);
	place->at += (off_t)size;
	return files_done((int)size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	const struct place *place;
	int code;

	sdk_files_lock();
	place = descriptors_for(fd, O_WRONLY, &code);
	if (!place)
		return files_fail(code);
	if (!descriptors_seeks(place) || at < 0)
		return files_fail(descriptors_seeks(place) ? EINVAL : ESPIPE);
	return files_done((int)descriptors_get(place->file, at, bytes, descriptors_most(size)));
}

/* Called without the lock, because it may end this thread. */
static _READ_WRITE_RETURN_TYPE descriptors_print(uint32_t stream, const void *bytes, size_t size)
{
	int64_t shown = sdk_system->write_to(stream, bytes, size);

	if (shown >= 0)
		return (_READ_WRITE_RETURN_TYPE)shown;
	errno = (int)-shown;
	return -1;
}

_READ_WRITE_RETURN_TYPE write(int fd, const void *bytes, size_t size)
{
	struct place *place;
	uint32_t stream;
	int code;

	size = descriptors_most(size);
	sdk_files_lock();
	place = descriptors_for(fd, O_RDONLY, &code);
	if (!place)
		return files_fail(code);
	if (!place->file) {
		stream = place->stream;
		sdk_files_unlock();
		return descriptors_print(stream, bytes, size);
	}
	if (descriptors_is_pipe(place))
		return files_pipe_write(place->file, bytes, size);
	if (place->flags & O_APPEND)
		place->at = (off_t)place->file->size;
	code = descriptors_set(place->file, place->at, bytes, size);
	if (code)
		return files_fail(code);
	place->at += (off_t)size;
	return files_done((int)size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	const struct place *place;
	int code;

	size = descriptors_most(size);
	sdk_files_lock();
	place = descriptors_for(fd, O_RDONLY, &code);
	if (!place)
		return files_fail(code);
	if (!descriptors_seeks(place) || at < 0)
		return files_fail(descriptors_seeks(place) ? EINVAL : ESPIPE);
	code = descriptors_set(place->file, at, bytes, size);
	return code ? files_fail(code) : files_done((int)size);
}

off_t lseek(int fd, off_t offset, int whence)
{
	struct place *place;
	off_t from;

	sdk_files_lock();
	place = descriptors_place(fd);
	if (!place || !descriptors_seeks(place))
		return files_fail(place ? ESPIPE : EBADF);
	from = whence == SEEK_CUR ? place->at : whence == SEEK_END ? (off_t)place->file->size : 0;
	if ((whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) || from + offset < 0)
		return files_fail(EINVAL);
	place->at = from + offset;
	from = place->at;
	sdk_files_unlock();
	return from;
}

int ftruncate(int fd, off_t size)
{
	struct place *place;
	int code;

	sdk_files_lock();
	place = descriptors_place(fd);
	if (!place || !descriptors_seeks(place) || (place->flags & O_ACCMODE) == O_RDONLY)
		return files_fail(place ? EINVAL : EBADF);
	code = files_resize(place->file, size);
	return code ? files_fail(code) : files_done(0);
}

int _open(const char *path, int flags, ...) SYSCALL_ALIAS(open);
int _close(int fd) SYSCALL_ALIAS(close);
_READ_WRITE_RETURN_TYPE _read(int fd, void *bytes, size_t size) SYSCALL_ALIAS(read);
_READ_WRITE_RETURN_TYPE _write(int fd, const void *bytes, size_t size) SYSCALL_ALIAS(write);
off_t _lseek(int fd, off_t offset, int whence) SYSCALL_ALIAS(lseek);
