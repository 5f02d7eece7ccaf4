/* SPDX-License-Identifier: MIT */
#include "host-tools/session/reader_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/util/journal.h"

#define MOST_BARREN 20 /* limit of consecutive readers that died before their first commit */

/* The reader leaves errors to the supervisor, which will meet the same ones and can report them. */
static _Noreturn void read_for_ever(struct session *session, struct progress *progress)
{
	struct error error = { "" };
	uint64_t got;

	session_become_reader(session);
	/* Each drain clears the doorbells and reads up to the heads: later records ring again. */
	while (!session_drain(session, &got, &error) && !session->trouble &&
	       !session_save(session)) {
		progress_show(progress, session);
		channel_wait(session->region.channel);
	}
	_exit(1);
}

int reader_process_start(struct reader_process *reader, struct session *session,
                         struct progress *progress, struct error *error)
{
	pid_t supervisor = getpid();

	reader->commits = journal_commits(session->journal);
	reader->pid = fork();
	if (reader->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "bareperf-reader");
		if (getppid() != supervisor)
			_exit(1); /* it died before prctl() */
		read_for_ever(session, progress);
	}
	if (reader->pid < 0) {
		reader->pid = 0;
		return error_errno(error, "starting a process that reads the rings");
	}
	reader->pidfd = (int)syscall(SYS_pidfd_open, reader->pid, 0);
	return 0;
}

static void forget(struct reader_process *reader)
{
	if (reader->pidfd >= 0)
		close(reader->pidfd);
	reader->pidfd = -1;
	reader->pid = 0;
}

void reader_process_stop(struct reader_process *reader, struct session *session)
{
	if (!reader->pid)
		return;
	kill(reader->pid, SIGKILL);
	while (waitpid(reader->pid, NULL, 0) < 0 && errno == EINTR)
		;
	forget(reader);
	session_restore(session);
}

static bool may_replace(struct reader_process *reader, const struct session *session, int status)
{
	if (!WIFSIGNALED(status))
		return false;
	reader->barren = journal_commits(session->journal) == reader->commits ? reader->barren + 1
	                                                                      : 0;
	return reader->barren < MOST_BARREN;
}

bool reader_process_continues(struct reader_process *reader, struct session *session,
                              struct progress *progress)
{
	struct error error = { "" };
	int status;

	if (reader->has_given_up || !reader->pid)
		return false;
	if (waitpid(reader->pid, &status, WNOHANG) != reader->pid)
		return true;
	forget(reader);
	session_restore(session);
	reader->has_given_up = !may_replace(reader, session, status) ||
	                       reader_process_start(reader, session, progress, &error);
	reader->replaced += !reader->has_given_up;
	return !reader->has_given_up;
}
