/* SPDX-License-Identifier: MIT */
/*
 * Files in RAM: those handed over with the program (a cpio archive), and those that it writes.
 * Every run of the program starts with the files as they were handed over.
 *
 * A file without a name exists until it is closed.
 */
#include "workload/sdk/files.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cpio.h"
#include "lib/newlib.h"
#include "workload/sdk/sdk.h"

#define BLOCK_SIZE 4096

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
	file->modified = (struct timespec){ .tv_sec = (time_t)entry->mtime };
	file->accessed = file->changed = file->modified;
}

/* The archive was checked before, and left out entries were reported. An archive that ends
 * before its trailer provides its whole entries. A later entry replaces an earlier one of the
 * same name. */
void sdk_files_begin(void)
{
	struct cpio_entry entry;
	const struct name *input;
	uint64_t at = 0;
	int code;

	sdk_system->offer_files(files_give);
	while (cpio_next(sdk_system->archive, sdk_system->archive_size, &at, &entry) > 0) {
		struct name **old = files_find(entry.name, &code);

		if (!S_ISREG(entry.mode) && (!S_ISDIR(entry.mode) || *old))
			continue;
		if (*old && !S_ISREG((*old)->file->mode))
			continue;
		if (*old)
			files_forget(old);
		files_take(&entry);
	}
	input = *files_find("dev/stdin", &code);
	if (input)
		files_take_input(input->file);
}

/* ---- newlib's system calls ---- */

void files_status(const struct file *file, struct stat *status)
{
	*status = (struct stat){
		.st_ino = file ? file->number : 0,
		.st_mode = file ? file->mode : S_IFCHR | 0600,
		.st_nlink = file ? (nlink_t)file->links : 1,
		.st_size = file ? (off_t)file->size : 0,
		.st_blksize = file ? BLOCK_SIZE : 1024,
		.st_blocks = file ? (blkcnt_t)((file->size + 511) / 512) : 0,
	};
	if (!file)
		return;
	status->st_atim = file->accessed;
	status->st_mtim = file->modified;
	status->st_ctim = file->changed;
}

int stat(const char *restrict path, struct stat *restrict status)
{
	const struct name *name;
	int code;

	sdk_files_lock();
	name = *files_find(path, &code);
	if (!name)
		return files_fail(code);
	files_status(name->file, status);
	return files_done(0);
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
	int code;

	sdk_files_lock();
	at = files_find(path, &code);
	if (!*at)
		return files_fail(code);
	if (!S_ISREG((*at)->file->mode))
		return files_fail(S_ISDIR((*at)->file->mode) ? EISDIR : EBUSY);
	files_forget(at);
	return files_done(0);
}

int link(const char *from, const char *to)
{
	struct name *name;
	int code;

	sdk_files_lock();
	name = *files_find(from, &code);
	if (!name || *files_find(to, &code))
		return files_fail(name ? EEXIST : code);
	if (!S_ISREG(name->file->mode))
		return files_fail(EPERM);
	code = files_name(to, name->file);
	return code ? files_fail(code) : files_done(0);
}

int _rename_r(struct _reent *reent, const char *from, const char *to); /* newlib's */

/* Replaces newlib's, which links and unlinks, and so cannot replace a file. Directories cannot be
 * renamed. */
int _rename_r(struct _reent *reent, const char *from, const char *to)
{
	struct name *name, **old;
	struct file *file;
	int code;

	(void)reent;
	sdk_files_lock();
	name = *files_find(from, &code);
	if (!name)
		return files_fail(code);
	old = files_find(to, &code);
	if (*old == name)
		return files_done(0);
	if (*old && S_ISREG(name->file->mode) && S_ISDIR((*old)->file->mode))
		return files_fail(EISDIR);
	if (!S_ISREG(name->file->mode) || (*old && !S_ISREG((*old)->file->mode)))
		return files_fail(EBUSY);
	file = name->file;
	file->uses++;
	if (*old)
		files_forget(old);
	code = files_name(to, file);
	if (!code)
		files_forget(files_find(from, &code));
	files_release(file);
	return code ? files_fail(code) : files_done(0);
}

int truncate(const char *path, off_t size)
{
	struct name *name;
	int code;

	sdk_files_lock();
	name = *files_find(path, &code);
	if (!name)
		return files_fail(code);
	code = S_ISDIR(name->file->mode) ? EISDIR : files_resize(name->file, size);
	return code ? files_fail(code) : files_done(0);
}

int getpid(void)
{
	return 1; /* the pid in the samples */
}

int _stat(const char *restrict path, struct stat *restrict status) SYSCALL_ALIAS(stat);
int _unlink(const char *path) SYSCALL_ALIAS(unlink);
int _link(const char *from, const char *to) SYSCALL_ALIAS(link);
int _getpid(void) SYSCALL_ALIAS(getpid);
