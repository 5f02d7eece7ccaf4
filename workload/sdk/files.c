/* SPDX-License-Identifier: MIT */
/*
 * Files, in RAM: those that were handed over with the program (a cpio archive), and what it writes.
 * They are as they were handed over whenever it is run.
 *
 * A file whose name is gone lives until it is closed.
 */
#include "workload/sdk/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cpio.h"
#include "lib/newlib.h"
#include "workload/sdk/sdk.h"

#define MAX_OPEN   64
#define BLOCK_SIZE 4096
#define PLAIN      (S_IFREG | 0644U)

/* Descriptors: none, the console, or a place in a file. */
static struct descriptor {
	enum { CLOSED, CONSOLE, FILE_OPEN } kind;
	int flags;
	off_t at;
	struct file *file;
} descriptors[MAX_OPEN] = { { CONSOLE, O_RDONLY, 0, NULL },
	                    { CONSOLE, O_WRONLY, 0, NULL },
	                    { CONSOLE, O_WRONLY, 0, NULL } };

int files_fail(int code)
{
	sdk_files_unlock();
	errno = code;
	return -1;
}

int files_done(int result)
{
	sdk_files_unlock();
	return result;
}

static void files_take_input(struct file *file)
{
	file->uses++;
	descriptors[STDIN_FILENO] = (struct descriptor){ FILE_OPEN, O_RDONLY, 0, file };
}

static void files_take(const struct cpio_entry *entry)
{
	struct file *file = entry->linked ? files_with(entry->bytes) : NULL;
	int code;

	if (file) {
		files_name(entry->name, file);
		return;
	}
	file = files_make(entry->name, (mode_t)entry->mode, &code);
	if (!file)
		return;
	file->bytes = (uint8_t *)(uintptr_t)entry->bytes;
	file->size = entry->size;
	file->changed = (time_t)entry->mtime;
}

/* An archive was looked through before, and what is left out was told; one that ends before its
 * trailer has what is whole. A later entry of the same name stands for an earlier one. */
void sdk_files_begin(void)
{
	struct cpio_entry entry;
	uint64_t at = 0;

	sdk_system->offer_files(files_give);
	while (cpio_next(sdk_system->archive, sdk_system->archive_size, &at, &entry) > 0) {
		struct name **old = files_find(entry.name);

		if (!S_ISREG(entry.mode) && (!S_ISDIR(entry.mode) || *old))
			continue;
		if (*old && S_ISDIR((*old)->file->mode))
			continue;
		if (*old)
			files_forget(old);
		files_take(&entry);
	}
	if (*files_find("dev/stdin"))
		files_take_input((*files_find("dev/stdin"))->file);
}

static struct descriptor *files_descriptor(int fd)
{
	if (fd < 0 || fd >= MAX_OPEN || descriptors[fd].kind == CLOSED)
		return NULL;
	return &descriptors[fd];
}

/* ---- What newlib calls ---- */

static int files_open(struct name *name, const char *path, int flags, int *code)
{
	struct file *file = name ? name->file : NULL;
	int fd = 0;

	while (fd < MAX_OPEN && descriptors[fd].kind != CLOSED)
		fd++;
	if (fd == MAX_OPEN)
		*code = EMFILE;
	else if (file && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		*code = EEXIST;
	else if (!file && !(flags & O_CREAT))
		*code = ENOENT;
	else if (file && S_ISDIR(file->mode) && (flags & (O_ACCMODE | O_CREAT)) != O_RDONLY)
		*code = EISDIR;
	else if (!file)
		file = files_make(path, PLAIN, code);
	else if (flags & O_TRUNC && (flags & O_ACCMODE) != O_RDONLY)
		*code = files_resize(file, 0);
	if (*code)
		return -1;
	file->uses++;
	descriptors[fd] = (struct descriptor){ FILE_OPEN, flags, 0, file };
	return fd;
}

int open(const char *path, int flags, ...)
{
	int code = 0, fd;

	sdk_files_lock();
	fd = files_open(*files_find(path), path, flags, &code);
	return code ? files_fail(code) : files_done(fd);
}

int close(int fd)
{
	struct descriptor *d;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d)
		return files_fail(EBADF);
	if (d->kind == FILE_OPEN)
		files_release(d->file);
	d->kind = CLOSED;
	return files_done(0);
}

/* The console has no input: standard input is at its end, where it is no file. */
_READ_WRITE_RETURN_TYPE read(int fd, void *bytes, size_t size)
{
	struct descriptor *d;
	size_t left = 0;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d || (d->flags & O_ACCMODE) == O_WRONLY)
		return files_fail(EBADF);
	if (d->kind == FILE_OPEN && S_ISDIR(d->file->mode))
		return files_fail(EISDIR);
	if (d->kind == FILE_OPEN && (size_t)d->at < d->file->size)
		left = d->file->size - (size_t)d->at;
	size = size < left ? size : left;
	if (size)
		memcpy(bytes, d->file->bytes + d->at, size);
	d->at += (off_t)size;
	return files_done((int)size);
}

static int files_write(struct descriptor *d, const void *bytes, size_t size)
{
	if (d->flags & O_APPEND)
		d->at = (off_t)d->file->size;
	if (!files_grow(d->file, (size_t)d->at + size))
		return files_fail(ENOSPC);
	memcpy(d->file->bytes + d->at, bytes, size);
	d->at += (off_t)size;
	d->file->changed = (time_t)sdk_now();
	return files_done((int)size);
}

_READ_WRITE_RETURN_TYPE write(int fd, const void *bytes, size_t size)
{
	struct descriptor *d;
	int64_t shown;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d || (d->flags & O_ACCMODE) == O_RDONLY)
		return files_fail(EBADF);
	if (d->kind == FILE_OPEN)
		return files_write(d, bytes, size);
	sdk_files_unlock(); /* it may end this thread */
	shown = sdk_system->write_to(fd == STDERR_FILENO ? BAREPERF_STDERR : BAREPERF_STDOUT, bytes,
	                             size);
	if (shown >= 0)
		return (_READ_WRITE_RETURN_TYPE)shown;
	errno = (int)-shown;
	return -1;
}

off_t lseek(int fd, off_t offset, int whence)
{
	struct descriptor *d;
	off_t from;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d || d->kind == CONSOLE)
		return files_fail(d ? ESPIPE : EBADF);
	from = whence == SEEK_CUR ? d->at : whence == SEEK_END ? (off_t)d->file->size : 0;
	if ((whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) || from + offset < 0)
		return files_fail(EINVAL);
	d->at = from + offset;
	from = d->at;
	sdk_files_unlock();
	return from;
}

static void files_status(const struct file *file, struct stat *status)
{
	*status = (struct stat){
		.st_ino = file ? file->number : 0,
		.st_mode = file ? file->mode : S_IFCHR | 0600,
		.st_nlink = 1,
		.st_size = file ? (off_t)file->size : 0,
		.st_blksize = file ? BLOCK_SIZE : 1024,
		.st_blocks = file ? (blkcnt_t)((file->size + 511) / 512) : 0,
	};
	if (file)
		status->st_atime = status->st_mtime = status->st_ctime = file->changed;
}

int fstat(int fd, struct stat *status)
{
	const struct descriptor *d;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d)
		return files_fail(EBADF);
	files_status(d->kind == FILE_OPEN ? d->file : NULL, status);
	return files_done(0);
}

int stat(const char *restrict path, struct stat *restrict status)
{
	const struct name *name;

	sdk_files_lock();
	name = *files_find(path);
	if (!name)
		return files_fail(ENOENT);
	files_status(name->file, status);
	return files_done(0);
}

int isatty(int fd)
{
	const struct descriptor *d;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (d && d->kind == CONSOLE)
		return files_done(1);
	files_fail(d ? ENOTTY : EBADF);
	return 0;
}

int access(const char *path, int mode)
{
	struct stat status;

	(void)mode;
	return stat(path, &status);
}

int unlink(const char *path)
{
	struct name **at;

	sdk_files_lock();
	at = files_find(path);
	if (!*at || S_ISDIR((*at)->file->mode))
		return files_fail(*at ? EISDIR : ENOENT);
	files_forget(at);
	return files_done(0);
}

int link(const char *from, const char *to)
{
	struct name *name;
	int code;

	sdk_files_lock();
	name = *files_find(from);
	if (!name || *files_find(to))
		return files_fail(name ? EEXIST : ENOENT);
	if (S_ISDIR(name->file->mode))
		return files_fail(EPERM);
	code = files_name(to, name->file);
	return code ? files_fail(code) : files_done(0);
}

int _rename_r(struct _reent *reent, const char *from, const char *to); /* newlib's */

/* In place of newlib's, which links and unlinks, and so replaces nothing. Directories stay what
 * they are called. */
int _rename_r(struct _reent *reent, const char *from, const char *to)
{
	struct name *name, **old;
	struct file *file;
	int code;

	(void)reent;
	sdk_files_lock();
	name = *files_find(from);
	old = files_find(to);
	if (!name)
		return files_fail(ENOENT);
	if (*old == name)
		return files_done(0);
	if (S_ISDIR(name->file->mode) || (*old && S_ISDIR((*old)->file->mode)))
		return files_fail(S_ISDIR(name->file->mode) ? EBUSY : EISDIR);
	file = name->file;
	file->uses++;
	if (*old)
		files_forget(old);
	code = files_name(to, file);
	if (!code)
		files_forget(files_find(from));
	files_release(file);
	return code ? files_fail(code) : files_done(0);
}

int ftruncate(int fd, off_t size)
{
	struct descriptor *d;
	int code;

	sdk_files_lock();
	d = files_descriptor(fd);
	if (!d || d->kind != FILE_OPEN || (d->flags & O_ACCMODE) == O_RDONLY)
		return files_fail(d ? EINVAL : EBADF);
	code = files_resize(d->file, size);
	return code ? files_fail(code) : files_done(0);
}

int fsync(int fd)
{
	bool good;

	sdk_files_lock();
	good = files_descriptor(fd);
	return good ? files_done(0) : files_fail(EBADF);
}

int getpid(void)
{
	return 1; /* as in the samples */
}

int _open(const char *path, int flags, ...) SYSCALL_ALIAS(open);
int _close(int fd) SYSCALL_ALIAS(close);
_READ_WRITE_RETURN_TYPE _read(int fd, void *bytes, size_t size) SYSCALL_ALIAS(read);
_READ_WRITE_RETURN_TYPE _write(int fd, const void *bytes, size_t size) SYSCALL_ALIAS(write);
off_t _lseek(int fd, off_t offset, int whence) SYSCALL_ALIAS(lseek);
int _fstat(int fd, struct stat *status) SYSCALL_ALIAS(fstat);
int _stat(const char *restrict path, struct stat *restrict status) SYSCALL_ALIAS(stat);
int _isatty(int fd) SYSCALL_ALIAS(isatty);
int _unlink(const char *path) SYSCALL_ALIAS(unlink);
int _link(const char *from, const char *to) SYSCALL_ALIAS(link);
int _getpid(void) SYSCALL_ALIAS(getpid);
