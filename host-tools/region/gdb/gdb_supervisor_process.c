/* SPDX-License-Identifier: MIT */
/* The supervisor's process: decides when to stop the machine, and works while it is stopped. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "host-tools/region/gdb/gdb_machine.h"

#define FETCH_NS   (40 * NS_MS)    /* approximate limit of one fetch */
#define CLEAR_NS   (60000 * NS_MS) /* longer than any pause */
#define STOP_NS    (100 * NS_MS)   /* approximate limit of one stop, except under hold */
#define IDLE_NS    (100 * NS_MS)   /* limit of a stop without requests */
#define STORES_NS  (300 * NS_MS)   /* limit of a store's delay: a lease ends after 2 s */
#define POLL_NS    (10 * NS_MS)    /* between two polls without a breakpoint */
#define LISTEN_NS  (500 * NS_MS)   /* between two polls with a breakpoint */
#define HURRY_NS   (100 * NS_MS)   /* until the reader's hurry is noticed */
#define DEAF_NS    (10 * NS_MS)    /* pause after unexpected bytes: a flood must not fill a CPU */
#define READ_BYTES 8192U           /* bytes of one read */

struct supervisor {
	struct gdb_common *common;
	int requests, stores;
	struct gdb_machine machine;
	bool is_open;

	int64_t asked_at, look_at; /* ns */
	bool waits;                /* the reader waits for the next due look */
	bool is_idle;              /* no pending doorbell was found */
	bool has_rung;             /* the breakpoint was hit since the reader's last wait */
	int64_t listen_at; /* ns: after other bytes from the stub, do not listen before this time */
};

static bool has_reader(const struct supervisor *supervisor)
{
	struct pollfd end = { .fd = supervisor->requests, .events = 0 };

	return poll(&end, 1, 0) <= 0 || !(end.revents & (POLLHUP | POLLERR));
}

static bool reader_ended(void *context)
{
	return !has_reader(context);
}

/* ---- Requests ---- */

static int open_machine(struct supervisor *supervisor, struct error *error)
{
	struct gdb_common *common = supervisor->common;
	const struct gdb_target *target = &common->target;
	struct tr_header header;
	int code, fd = gdb_connect(target, error);

	if (fd < 0)
		return fd;
	gdb_machine_stopped(&supervisor->machine, false);
	supervisor->is_open = true;
	code = gdb_remote_begin(&supervisor->machine.remote, fd, supervisor->requests,
	                        target->timeout_ms, error);
	if (!code)
		code = gdb_find(&supervisor->machine.remote, &target->places, reader_ended,
		                supervisor, &header, &common->address, error);
	if (code)
		return code;
	supervisor->machine.elf = header.machine;
	common->size = header.size;
	return 0;
}

/* The machine stopped by itself: this happens only at the breakpoint. */
static int hear_stop(struct supervisor *supervisor, struct error *error)
{
	int code = gdb_remote_heard(&supervisor->machine.remote, error);

	if (code > 0)
		gdb_machine_stopped(&supervisor->machine, true);
	else
		supervisor->listen_at = gdb_now_ns() + DEAF_NS;
	return code;
}

/* Returns the socket on which a running machine reports its stop, or -1. Sets *due no later than
 * the next time to listen. */
static int stop_fd(const struct supervisor *supervisor, int64_t now, int64_t *due)
{
	if (!supervisor->machine.remote.runs)
		return -1;
	if (now >= supervisor->listen_at)
		return supervisor->machine.remote.fd;
	*due = *due < supervisor->listen_at ? *due : supervisor->listen_at;
	return -1;
}

/* Stops the machine when the budget permits, or waits until it stops by itself. 1: not within the
 * time, or the reader no longer waits. */
static int begin_stop(struct supervisor *supervisor, int64_t wait_ns, struct error *error)
{
	struct gdb_machine *machine = &supervisor->machine;
	int64_t until = gdb_now_ns() + wait_ns;

	while (machine->remote.runs &&
	       !__atomic_load_n(&supervisor->common->hold, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&supervisor->common->hurry, __ATOMIC_ACQUIRE)) {
		struct pollfd fds[] = { { .fd = supervisor->requests, .events = 0 },
			                { .fd = -1, .events = POLLIN } };
		int64_t now = gdb_now_ns(), due = now + HURRY_NS;
		int code;

		if (now >= machine->may_stop_at)
			break;
		if (now >= until || reader_ended(supervisor))
			return 1;
		due = machine->may_stop_at < due ? machine->may_stop_at : due;
		due = until < due ? until : due;
		fds[1].fd = stop_fd(supervisor, now, &due);
		poll(fds, 2, (int)((due - now) / NS_MS) + 1);
		code = fds[1].revents ? hear_stop(supervisor, error) : 0;
		if (code < 0)
			return code;
	}
	return gdb_machine_stop(machine, error);
}

static int fetch_piece(struct supervisor *supervisor, uint64_t offset, uint32_t size, int64_t until,
                       struct error *error)
{
	struct gdb_common *common = supervisor->common;
	uint32_t done = 0;

	while (done < size) {
		uint32_t some = size - done < READ_BYTES ? size - done : READ_BYTES;
		int code = gdb_remote_read(&supervisor->machine.remote,
		                           common->address + offset + done,
		                           common->data + common->done, some, error);

		if (code)
			return code;
		done += some;
		common->done += some;
		if (gdb_now_ns() > until)
			return 1;
	}
	return 0;
}

static int serve_fetch(struct supervisor *supervisor, struct error *error)
{
	struct gdb_common *common = supervisor->common;
	int64_t now, until;
	int code = begin_stop(supervisor, FETCH_NS, error);

	common->done = 0;
	if (!code)
		code = gdb_machine_store(&supervisor->machine, error);
	if (code)
		return code < 0 ? code : 0;
	now = gdb_now_ns();
	until = now + FETCH_NS;
	if (supervisor->machine.stopped_at + STOP_NS < until && !common->hold)
		until = supervisor->machine.stopped_at + STOP_NS;
	for (uint32_t i = 0; i < common->piece_count && !code; i++)
		code = fetch_piece(supervisor, common->pieces[i].offset, common->pieces[i].size,
		                   until, error);
	if (code >= 0 && gdb_now_ns() > supervisor->machine.stopped_at + STOP_NS && !common->hold)
		code = gdb_machine_run(&supervisor->machine, false, error);
	return code < 0 ? code : 0;
}

/* ring_reader_clear() for a stopped machine. It needs no fence (F): no instruction of the machine
 * runs between the read and the store of 0, and its later instructions see the 0. */
static int serve_clear(struct supervisor *supervisor, struct error *error)
{
	struct gdb_common *common = supervisor->common;
	int code = begin_stop(supervisor, CLEAR_NS, error);

	if (!code)
		code = gdb_machine_store(&supervisor->machine, error);
	supervisor->is_idle = true;
	for (uint32_t i = 0; i < common->bell_count && !code && has_reader(supervisor); i++) {
		struct channel_bell *bell = &common->bells[i];
		const uint32_t zero = 0;
		uint32_t pending = 0;

		bell->was_set = false;
		if (!bell->pending)
			continue;
		code = gdb_remote_read(&supervisor->machine.remote, common->address + bell->pending,
		                       &pending, sizeof(pending), error);
		if (!code && pending)
			code = gdb_remote_write(&supervisor->machine.remote,
			                        common->address + bell->pending, &zero,
			                        sizeof(zero), error);
		bell->was_set = pending;
		supervisor->is_idle &= !pending;
	}
	return code;
}

static void answer(struct supervisor *supervisor, int code)
{
	char byte = 0;

	supervisor->common->code = code;
	supervisor->waits = false;
	supervisor->asked_at = gdb_now_ns();
	send(supervisor->requests, &byte, 1, MSG_NOSIGNAL);
}

static int begin_wait(struct supervisor *supervisor, struct error *error)
{
	int code = supervisor->machine.remote.runs ? 0
	                                           : gdb_machine_store(&supervisor->machine, error);

	if (!code)
		code = gdb_machine_run(&supervisor->machine, supervisor->is_idle, error);
	supervisor->waits = true;
	supervisor->look_at = gdb_now_ns() +
	                      (supervisor->machine.breakpoint_set ? LISTEN_NS : POLL_NS);
	if (supervisor->has_rung || !supervisor->is_idle)
		supervisor->look_at = 0;
	supervisor->has_rung = false;
	if (supervisor->look_at < supervisor->machine.may_stop_at)
		supervisor->look_at = supervisor->machine.may_stop_at;
	return code;
}

/* Handles one request, if one has arrived. 1: the reader is gone. */
static int serve(struct supervisor *supervisor, struct error *error)
{
	char request;
	ssize_t got = recv(supervisor->requests, &request, 1, MSG_DONTWAIT);
	int code;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got != 1)
		return 1;
	code = supervisor->is_open
	           ? gdb_machine_take_stores(&supervisor->machine, supervisor->stores, error)
	           : 0;
	if (!code)
		switch (request) {
		case GDB_OPEN:
			code = open_machine(supervisor, error);
			break;
		case GDB_FETCH:
			code = serve_fetch(supervisor, error);
			break;
		case GDB_CLEAR:
			code = serve_clear(supervisor, error);
			break;
		case GDB_FORCE:
			code = gdb_force_stop(&supervisor->machine, error);
			break;
		default:
			code = begin_wait(supervisor, error);
			break;
		}
	if (code || !supervisor->waits)
		answer(supervisor, code);
	return code;
}

/* Makes due stores, above all a lease's renewal, even if the reader requests nothing. */
static int store_aside(struct supervisor *supervisor, struct error *error)
{
	bool ran = supervisor->machine.remote.runs;
	int code = gdb_machine_stop(&supervisor->machine, error);

	if (!code)
		code = gdb_machine_store(&supervisor->machine, error);
	if (!code && ran)
		code = gdb_machine_run(&supervisor->machine, supervisor->machine.breakpoint_set,
		                       error);
	return code;
}

/* Does the work that is due without a request. */
static int do_due(struct supervisor *supervisor, struct error *error)
{
	int64_t now = gdb_now_ns();
	int code = 0;

	if (!supervisor->machine.remote.runs && !supervisor->waits && !supervisor->common->hold &&
	    now - supervisor->asked_at > IDLE_NS)
		code = gdb_machine_run(&supervisor->machine, false, error);
	if (!code && supervisor->machine.queued && now - supervisor->machine.queued_at > STORES_NS)
		code = store_aside(supervisor, error);
	if (!code && supervisor->waits && now >= supervisor->look_at)
		answer(supervisor, 0);
	return code;
}

/* The machine stopped by itself at the breakpoint: the reader must look. */
static int heard_stop(struct supervisor *supervisor, struct error *error)
{
	int code = hear_stop(supervisor, error);

	if (code <= 0)
		return code;
	if (supervisor->waits)
		answer(supervisor, 0);
	else
		/* the reader's next request follows, or the supervisor resumes the machine */
		supervisor->has_rung = true;
	supervisor->asked_at = supervisor->machine.stopped_at;
	return 0;
}

static int sleep_until_due(struct supervisor *supervisor)
{
	struct pollfd fds[] = {
		{ .fd = supervisor->requests, .events = POLLIN },
		{ .fd = supervisor->stores, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
	};
	int64_t now = gdb_now_ns(), due = now + LISTEN_NS;

	if (supervisor->waits && supervisor->look_at < due)
		due = supervisor->look_at;
	if (!supervisor->machine.remote.runs && !supervisor->common->hold &&
	    supervisor->asked_at + IDLE_NS < due)
		due = supervisor->asked_at + IDLE_NS;
	if (supervisor->machine.queued && supervisor->machine.queued_at + STORES_NS < due)
		due = supervisor->machine.queued_at + STORES_NS;
	fds[2].fd = stop_fd(supervisor, now, &due);
	poll(fds, 3, due > now ? (int)((due - now) / NS_MS) + 1 : 0);
	return fds[2].revents;
}

static int serve_until_end(struct supervisor *supervisor, struct error *error)
{
	int code = 0;

	while (!code) {
		int heard = supervisor->is_open ? sleep_until_due(supervisor) : 0;

		if (!supervisor->is_open) {
			struct pollfd request = { .fd = supervisor->requests, .events = POLLIN };

			poll(&request, 1, -1);
		}
		if (heard)
			code = heard_stop(supervisor, error);
		if (!code && supervisor->is_open)
			code = gdb_machine_take_stores(&supervisor->machine, supervisor->stores,
			                               error);
		if (!code)
			code = serve(supervisor, error);
		if (!code && supervisor->is_open)
			code = do_due(supervisor, error);
	}
	if (code < 0 && supervisor->waits)
		answer(supervisor, code);
	return code;
}

/* The connection is unusable: gives the same answer to every request, until the reader has received
 * it. */
static void refuse_until_end(struct supervisor *supervisor)
{
	char request;

	for (;;) {
		ssize_t got = recv(supervisor->requests, &request, 1, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got != 1)
			return;
		answer(supervisor, supervisor->common->code);
	}
}

void gdb_supervise(struct gdb_common *common, int requests, int stores)
{
	static struct supervisor supervisor; /* large */
	struct error ignored = { "" };
	int code;

	supervisor =
	    (struct supervisor){ .common = common, .requests = requests, .stores = stores };
	supervisor.machine.common = common;
	supervisor.machine.remote.fd = -1;
	code = serve_until_end(&supervisor, &common->error);
	if (code < 0)
		common->code = code;
	if (common->code >= 0 && supervisor.is_open) {
		/* Makes the remaining stores, if the connection is usable. */
		if (!gdb_machine_take_stores(&supervisor.machine, stores, &ignored) &&
		    !gdb_machine_stop(&supervisor.machine, &ignored) &&
		    !gdb_machine_store(&supervisor.machine, &ignored))
			gdb_machine_remove_breakpoint(&supervisor.machine, &ignored);
	}
	if (supervisor.is_open)
		gdb_remote_end(&supervisor.machine.remote);
	if (common->code < 0)
		refuse_until_end(&supervisor);
}
