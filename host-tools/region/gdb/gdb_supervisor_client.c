/* SPDX-License-Identifier: MIT */
/* The reader's side of the supervisor: starts the supervisor, and requests memory from it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/region/gdb/gdb_supervisor.h"
#include "host-tools/util/signals.h"

#define SLICE_MS  100  /* between two checks for a signal */
#define SIGNAL_MS 1000 /* time that the stub still has after a signal */

/* Closes the reader's files in the supervisor: a program that waits for the end of the reader's
 * output must not wait for the supervisor. Detaches from the terminal, so that its signals do not
 * reach the supervisor. */
static _Noreturn void be_supervisor(struct gdb_common *common, int requests, int stores)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NAME, "bareperf-gdb");
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	requests = fcntl(requests, F_DUPFD, 1000);
	stores = fcntl(stores, F_DUPFD, 1000);
	if (requests < 0 || stores < 0)
		_exit(1);
	dup2(requests, 3);
	dup2(stores, 4);
	close_range(5, ~0U, 0);
	gdb_supervise(common, 3, 4);
	_exit(0);
}

static int make_sockets(int requests[2], int stores[2], struct error *error)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests))
		return error_errno(error, "making sockets for a supervisor");
	if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, stores))
		return 0;
	close(requests[0]);
	close(requests[1]);
	error_errno(error, "making sockets for a supervisor");
	return -EMFILE;
}

static int start(struct gdb_supervisor *supervisor, struct error *error)
{
	int requests[2] = { -1, -1 }, stores[2] = { -1, -1 };
	int code = make_sockets(requests, stores, error);

	if (code)
		return code;
	supervisor->pid = fork();
	if (supervisor->pid == 0)
		be_supervisor(supervisor->common, requests[1], stores[1]);
	if (supervisor->pid < 0)
		code = error_errno(error, "starting a process that holds the connection");
	close(requests[1]);
	close(stores[1]);
	supervisor->requests = requests[0];
	supervisor->stores = stores[0];
	return code;
}

int gdb_supervisor_start(struct gdb_supervisor *supervisor, const struct gdb_target *target,
                         struct error *error)
{
	int code;

	*supervisor = (struct gdb_supervisor){ .requests = -1, .stores = -1 };
	supervisor->common = mmap(NULL, sizeof(*supervisor->common), PROT_READ | PROT_WRITE,
	                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (supervisor->common == MAP_FAILED) {
		supervisor->common = NULL;
		return error_set(error, -ENOMEM, "no memory for a supervisor");
	}
	supervisor->common->target = *target;
	code = start(supervisor, error);
	if (!code)
		code = gdb_supervisor_ask(supervisor, GDB_OPEN, error);
	if (code)
		gdb_supervisor_stop(supervisor);
	return code;
}

/* Waits for an answer. A caller that has blocked SIGINT and SIGTERM to handle them cannot do so
 * during this wait. */
static int await_answer(struct gdb_supervisor *supervisor, struct error *error)
{
	struct pollfd answer = { .fd = supervisor->requests, .events = POLLIN };
	int left = SIGNAL_MS;

	while (poll(&answer, 1, SLICE_MS) <= 0) {
		if (!signals_check(error))
			continue;
		__atomic_store_n(&supervisor->common->hurry, 1, __ATOMIC_RELEASE);
		left -= SLICE_MS;
		if (left > 0)
			continue;
		supervisor->is_left = true;
		return -EINTR;
	}
	__atomic_store_n(&supervisor->common->hurry, 0, __ATOMIC_RELEASE);
	return 0;
}

int gdb_supervisor_ask(struct gdb_supervisor *supervisor, enum gdb_request request,
                       struct error *error)
{
	char byte = (char)request;
	int code;

	if (supervisor->is_left)
		return error_set(error, -EINTR, "interrupted");
	if (send(supervisor->requests, &byte, 1, MSG_NOSIGNAL) == 1) {
		code = await_answer(supervisor, error);
		if (code)
			return code;
	}
	if (recv(supervisor->requests, &byte, 1, MSG_DONTWAIT) != 1)
		return error_set(error, -EPIPE,
		                 "the process that held the connection is gone: the machine may "
		                 "stay stopped until a debugger continues it");
	if (supervisor->common->code < 0)
		*error = supervisor->common->error;
	return supervisor->common->code;
}

int gdb_supervisor_store(struct gdb_supervisor *supervisor, uint64_t offset, const void *from,
                         size_t size, struct error *error)
{
	struct gdb_store store = { .offset = offset, .size = (uint32_t)size };
	size_t length = offsetof(struct gdb_store, bytes) + size;

	if (size > sizeof(store.bytes))
		return error_set(error, -EINVAL, "0x%zx bytes are too many to store", size);
	memcpy(store.bytes, from, size);
	while (send(supervisor->stores, &store, length, MSG_NOSIGNAL) != (ssize_t)length) {
		if (errno != EINTR)
			return error_errno(error, "handing over what is to be stored");
	}
	return 0;
}

void gdb_supervisor_stop(struct gdb_supervisor *supervisor)
{
	if (supervisor->stores >= 0)
		close(supervisor->stores);
	if (supervisor->requests >= 0)
		close(supervisor->requests);
	while (supervisor->pid > 0 && !supervisor->is_left &&
	       waitpid(supervisor->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (supervisor->common)
		munmap(supervisor->common, sizeof(*supervisor->common));
	*supervisor = (struct gdb_supervisor){ .requests = -1, .stores = -1 };
}
