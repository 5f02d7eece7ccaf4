/* SPDX-License-Identifier: MIT */
/* Pipes between threads of the program: files without a name, from which readers take the first
 * bytes. A writer never waits: a pipe may grow as far as the heap allows. Also poll(), which waits
 * only for pipes, because everything else is always ready. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload/sdk/files.h"
#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

#define NSEC_PER_MSEC 1000000ULL

static uint32_t pipes_changes; /* counts changes of any pipe */

void files_pipe_changed(void)
{
	__atomic_fetch_add(&pipes_changes, 1, __ATOMIC_RELEASE);
	sdk_wake(&pipes_changes);
}

/* Called with the lock, which it releases while it waits. false: the deadline has passed. */
static bool pipes_await(uint64_t deadline)
{
	uint32_t seen = __atomic_load_n(&pipes_changes, __ATOMIC_ACQUIRE);
	bool changed;

	sdk_files_unlock();
	changed = sdk_wait(&pipes_changes, seen, deadline);
	sdk_files_lock();
	return changed;
}

int files_pipe_read(struct file *file, int flags, void *bytes, size_t size)
{
	bool is_written;

	file->uses++; /* another thread may close it meanwhile */
	while (!file->size && files_are_open_for(file, O_WRONLY) && !(flags & O_NONBLOCK))
		pipes_await(SDK_FOREVER);
	is_written = files_are_open_for(file, O_WRONLY);
	size = size < file->size ? size : file->size;
	if (size) {
		memcpy(bytes, file->bytes, size);
		memmove(file->bytes, file->bytes + size, file->size - size);
		file->size -= size;
		is_written = false;
	}
	files_release(file);
	return is_written ? files_fail(EAGAIN) : files_done((int)size);
}

int files_pipe_write(struct file *file, const void *bytes, size_t size)
{
	size_t at = file->size;

	if (!files_are_open_for(file, O_RDONLY)) {
		sdk_files_unlock();
		raise(SIGPIPE);
		errno = EPIPE;
		return -1;
	}
	if (!files_grow(file, at + size))
		return files_fail(ENOSPC);
	memcpy(file->bytes + at, bytes, size);
	files_pipe_changed();
	return files_done((int)size);
}

/* Open both ends or none. Returns 0, ENOMEM or EMFILE. */
static int pipes_open(int fds[2])
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return ENOMEM;
	file->mode = S_IFIFO | 0600U;
	file->uses = 1; /* keeps it until both ends are open */
	fds[0] = files_descriptor(file, O_RDONLY);
	fds[1] = fds[0] < 0 ? -1 : files_descriptor(file, O_WRONLY);
	if (fds[0] >= 0 && fds[1] < 0)
		files_drop(fds[0]);
	files_release(file);
	return fds[1] < 0 ? EMFILE : 0;
}

int pipe(int fds[2])
{
	int both[2], code;

	sdk_files_lock();
	code = pipes_open(both);
	if (code)
		return files_fail(code);
	fds[0] = both[0];
	fds[1] = both[1];
	return files_done(0);
}

/* ---- poll() ---- */

static short pipes_ready(const struct pollfd *asked)
{
	struct file *file;
	int ready = POLLIN | POLLOUT;

	if (!files_of(asked->fd, &file))
		return POLLNVAL;
	if (file && S_ISFIFO(file->mode)) {
		ready = file->size ? POLLIN | POLLOUT : POLLOUT;
		if (files_is_for_writing(asked->fd))
			return (short)(files_are_open_for(file, O_RDONLY) ? asked->events & POLLOUT
			                                                  : POLLERR);
		ready &= ~POLLOUT;
		if (!files_are_open_for(file, O_WRONLY))
			return (short)(POLLHUP | (asked->events & ready));
	}
	return (short)(asked->events & ready);
}

static int pipes_look(struct pollfd *fds, nfds_t count)
{
	int found = 0;

	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = fds[i].fd < 0 ? 0 : pipes_ready(&fds[i]);
		found += fds[i].revents != 0;
	}
	return found;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	uint64_t deadline = SDK_FOREVER;
	bool in_time = true;
	int found;

	if (timeout >= 0)
		deadline = sdk_system->clock() + (uint64_t)timeout * NSEC_PER_MSEC;
	sdk_files_lock();
	while (!(found = pipes_look(fds, count)) && timeout && in_time)
		in_time = pipes_await(deadline);
	return files_done(found);
}
