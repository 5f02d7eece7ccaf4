/* SPDX-License-Identifier: MIT */
/*
 * What descriptors are places in (descriptors.c), by names (files_store.c, directories.c). All of
 * it with the lock of sdk_files_lock(); errors are errno numbers, positive as they are set.
 */
#ifndef WORKLOAD_SDK_FILES_H
#define WORKLOAD_SDK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* Regular, a directory, /dev/null (S_ISCHR), or a pipe, which has no name. Its bytes are the
 * archive's until somebody changes them; then they are a copy of ours. */
struct file {
	unsigned uses;  /* names and descriptors */
	unsigned links; /* names */
	ino_t number;
	mode_t mode;
	struct timespec accessed, modified, changed; /* as stat() reports them */
	uint8_t *bytes;
	size_t size, room; /* room 0: the bytes are the archive's */
};

/* From the root, which has no text: "a/b". */
struct name {
	struct name *next;
	struct file *file;
	char text[];
};

/* Where the name is in the list of all; points at NULL if there is none, with *code why: ENOENT,
 * ENOTDIR, ENAMETOOLONG. A path is one from the directory that the program is in, or with "/" in
 * front from the root. */
struct name **files_find(const char *path, int *code);

/* The next name in the directory of this text, in no order; NULL: first, last. */
const struct name *files_next(const struct name *name, const char *directory);

/* What a name is called where it is: "b". */
const char *files_last(const char *text);

/* The program goes to a directory; is it there? And its path: 0 or ERANGE. */
void files_move(const char *directory);
bool files_here(const char *directory);
int files_where(char *path, size_t size);

/* One more name for a file, in directories that are made where there are none: 0, or ENOENT (of no
 * name at all, or back out of what is not there), ENAMETOOLONG, ENOTDIR, ENOSPC. And one less. */
int files_name(const char *path, struct file *file);
void files_forget(struct name **at);

/* The file whose bytes begin there; NULL: none does. */
struct file *files_with(const uint8_t *bytes);

/* An empty file of this name; NULL with *code set as files_name() does, or EISDIR: the path ends as
 * a directory's. */
struct file *files_make(const char *path, mode_t mode, int *code);

/* ---- descriptors.c ---- */

#define FILES_OPEN 64 /* descriptors, the console's three included */

/* Standard input is this file. Before main(). */
void files_take_input(struct file *file);

/* One more descriptor for its place, not below from; its flags. Without the lock; -1 with errno
 * set: EBADF, EINVAL, EMFILE. */
int files_double(int fd, int from);
int files_flags(int fd);

/* With the lock: is it a descriptor, and of which file? NULL: the console. */
bool files_of(int fd, struct file **file);

/* With the lock: a descriptor of a file more, or -1: none is free. One less. */
int files_descriptor(struct file *file, int flags);
void files_drop(int fd);

/* With the lock: does this descriptor write? Does any of the file's descriptors have this access
 * (O_RDONLY or O_WRONLY)? */
bool files_is_for_writing(int fd);
bool files_are_open_for(const struct file *file, int access);

/* O_APPEND and O_NONBLOCK are to be as in flags. Without the lock: 0, or -1 with errno EBADF. */
int files_set_flags(int fd, int flags);

/* ---- pipes.c ---- */

/* read() and write() of a pipe, with the lock, which they let go. */
int files_pipe_read(struct file *file, int flags, void *bytes, size_t size);
int files_pipe_write(struct file *file, const void *bytes, size_t size);

/* An end of a pipe is closed: its other end looks again. */
void files_pipe_changed(void);

/* ---- file_times.c ---- */

/* The file's bytes change now. */
void files_touch(struct file *file);

/* ---- files.c ---- */

/* What stat() says of a file; NULL: of the console. */
void files_status(const struct file *file, struct stat *status);

/* Ends of calls: errno is set and -1 returned, or this. They let go the lock. */
int files_fail(int code);
int files_done(int result);

/* <bareperf/system.h>'s offer_files(): what the firmware fetches, by a path from the root. Without
 * the lock, which an ended thread may hold. */
int files_give(const char *path, const void **bytes, uint64_t *size);

/* One use less: with its last one a file is gone. */
void files_release(struct file *file);

/* Have the file's bytes be ours, and of at least this size; what is new is 0. false: no memory. */
bool files_grow(struct file *file, size_t size);

/* Have it be of this size. 0, EINVAL or ENOSPC. */
int files_resize(struct file *file, off_t size);

#endif
