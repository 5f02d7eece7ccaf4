/* SPDX-License-Identifier: MIT */
#include "host-tools/util/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(int *fd, struct error *error)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* exceeding a file size limit is then an error of write() instead of a kill */
	signal(SIGXFSZ, SIG_IGN);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *fd < 0 ? error_errno(error, "making a signalfd") : 0;
}

void signals_take(int fd, int *signal, bool *snapshot)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR2)
			*snapshot = true;
		else
			*signal = (int)info.ssi_signo;
	}
}

int signals_check(struct error *error)
{
	sigset_t set;

	if (!sigpending(&set) &&
	    (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) || sigismember(&set, SIGHUP)))
		return error_set(error, -EINTR, "interrupted");
	return 0;
}
