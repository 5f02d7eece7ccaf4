/* SPDX-License-Identifier: MIT */
/*
 * Files and names, used by descriptors (descriptors.c), names (files_store.c) and directories
 * (directories.c). All functions are called with the lock of sdk_files_lock(); errors are positive
 * errno numbers.
 */
#ifndef WORKLOAD_SDK_FILES_H
#define WORKLOAD_SDK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* A regular file, a directory, /dev/null (S_ISCHR), or a pipe, which has no name. Its bytes are the
 * archive's until they are changed; then they are a copy on the heap. */
struct file {
	unsigned uses;  /* names and descriptors */
	unsigned links; /* names */
	ino_t number;
	mode_t mode;
	struct timespec accessed, modified, changed; /* as stat() reports them */
	uint8_t *bytes;
	size_t size, room; /* room 0: the bytes are in the archive */
};

/* A path from the root, which itself has an empty text: "a/b". */
struct name {
	struct name *next;
	struct file *file;
	char text[];
};

/* The name's place in the list of all names. It points to NULL if the name does not exist; *code is
 * the reason: ENOENT, ENOTDIR, ENAMETOOLONG. path is relative to the program's directory, or begins
 * with "/". */
struct name **files_find(const char *path, int *code);

/* The next name in the directory of this text, in no order; name NULL: the first one. Returns NULL
 * behind the last. */
const struct name *files_next(const struct name *name, const char *directory);

/* The last part of a name: "b". */
const char *files_last(const char *text);

/* Set the current directory; check that it exists; return its path: 0 or ERANGE. */
void files_move(const char *directory);
bool files_here(const char *directory);
int files_where(char *path, size_t size);

/* files_name(): add a name for a file; missing directories are made. Returns 0; ENOENT (an empty
 * name, or ".." of a missing directory), ENAMETOOLONG, ENOTDIR, ENOSPC. The next function removes
 * one. */
int files_name(const char *path, struct file *file);
void files_forget(struct name **at);

/* The file whose bytes begin at this address; NULL: there is none. */
struct file *files_with(const uint8_t *bytes);

/* Make an empty file of this name. On an error returns NULL and sets *code: an error of
 * files_name(), or EISDIR if the path can only name a directory (it ends with "/"). */
struct file *files_make(const char *path, mode_t mode, int *code);

/* ---- descriptors.c ---- */

#define FILES_OPEN 64 /* descriptors, the console's three included */

/* Standard input is this file. Before main(). */
void files_take_input(struct file *file);

/* Make another descriptor for the same place, not below from; read its flags. Called without the
 * lock. -1 with errno set: EBADF, EINVAL, EMFILE. */
int files_double(int fd, int from);
int files_flags(int fd);

/* With the lock: whether fd is a descriptor, and its file; NULL: the console. */
bool files_of(int fd, struct file **file);

/* With the lock: add a descriptor for a file, or -1: none is free. Remove one. */
int files_descriptor(struct file *file, int flags);
void files_drop(int fd);

/* With the lock: whether this descriptor is open for writing; whether any of the file's descriptors
 * has this access (O_RDONLY or O_WRONLY). */
bool files_is_for_writing(int fd);
bool files_are_open_for(const struct file *file, int access);

/* Set O_APPEND and O_NONBLOCK to their values in flags. Called without the lock. Returns 0, or -1
 * with errno EBADF. */
int files_set_flags(int fd, int flags);

/* ---- pipes.c ---- */

/* read() and write() of a pipe. Called with the lock; they release it. */
int files_pipe_read(struct file *file, int flags, void *bytes, size_t size);
int files_pipe_write(struct file *file, const void *bytes, size_t size);

/* An end of a pipe was closed: wakes threads that wait at the other end. */
void files_pipe_changed(void);

/* ---- file_times.c ---- */

/* Set the file's modification time to now. */
void files_touch(struct file *file);

/* ---- files.c ---- */

/* Fill in stat()'s result for a file; NULL: for the console. */
void files_status(const struct file *file, struct stat *status);

/* Ends of calls: set errno and return -1, or return this value. They release the lock. */
int files_fail(int code);
int files_done(int result);

/* For offer_files() of <bareperf/system.h>: finds a file that the firmware fetches, by its path
 * from the root. Called without the lock, because a thread that was ended may hold it. */
int files_give(const char *path, const void **bytes, uint64_t *size);

/* Drop one use; a file without uses is freed. */
void files_release(struct file *file);

/* Make the file's bytes a copy on the heap with room for this size; new bytes are 0. false: no
 * memory. */
bool files_grow(struct file *file, size_t size);

/* Set the file's size. Returns 0, EINVAL or ENOSPC. */
int files_resize(struct file *file, off_t size);

#endif
