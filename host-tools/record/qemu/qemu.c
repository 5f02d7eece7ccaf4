/* SPDX-License-Identifier: MIT */
/* Starts, watches and reaps QEMU. */
#include "host-tools/record/qemu/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/record/qemu/qemu_args.h"
#include "host-tools/util/copy.h"
#include "writer/region/region.h"
#include "writer/util/printable.h"

/* A log: QEMU appends, since it may share the file with another descriptor. */
static int open_memory(const char *name, struct error *error)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd < 0 ? error_errno(error, "making the file %s", name) : fd;
}

/* A private copy of the pristine UEFI variables. */
static int copy_vars(const char *path, struct error *error)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : open_memory("bareperf-vars", error);
	int code;

	if (from < 0)
		return error_errno(error, "opening %s", path);
	code = to < 0 ? to : copy_all(from, to);
	close(from);
	if (to < 0 || !code)
		return to;
	close(to);
	errno = -code;
	return error_errno(error, "copying %s", path);
}

/* Let the child inherit this descriptor. */
static void keep(int fd)
{
	if (fd >= 0)
		fcntl(fd, F_SETFD, 0);
}

static _Noreturn void child(const struct qemu *qemu, const struct qemu_config *config,
                            const struct qemu_args *args, pid_t parent)
{
	sigset_t none;
	int null = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the parent died before prctl() */
	setpgid(0, 0);      /* the tool handles Ctrl-C */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	keep(config->region_fd);
	keep(config->doorbell_fd);
	keep(config->initrd_fd);
	keep(config->rom_fd);
	keep(qemu->serial_fd);
	keep(qemu->vars_fd);
	dup2(null, STDIN_FILENO);
	dup2(qemu->log_fd, STDOUT_FILENO);
	dup2(qemu->log_fd, STDERR_FILENO);
	execv(args->program, args->words);
	dprintf(STDERR_FILENO, "starting %s: %s\n", args->program, strerror(errno));
	_exit(127);
}

static int spawn(struct qemu *qemu, const struct qemu_config *config, const struct qemu_args *args,
                 struct error *error)
{
	pid_t parent = getpid();

	qemu->pid = fork();
	if (qemu->pid == 0)
		child(qemu, config, args, parent);
	if (qemu->pid < 0) {
		qemu->pid = 0;
		return error_errno(error, "starting %s", args->program);
	}
	qemu->pidfd = (int)syscall(SYS_pidfd_open, qemu->pid, 0);
	return 0;
}

int qemu_start(struct qemu *qemu, const struct qemu_config *config, struct error *error)
{
	struct qemu_firmware firmware;
	struct qemu_args args = { 0 };
	int code = qemu_find_firmware(&firmware, config, error);

	*qemu = (struct qemu){ .pidfd = -1, .serial_fd = -1, .log_fd = -1, .vars_fd = -1 };
	if (code)
		return code;
	qemu->serial_fd = open_memory("bareperf-serial", error);
	qemu->log_fd = qemu->serial_fd < 0 ? -1 : open_memory("bareperf-qemu-log", error);
	if (qemu->serial_fd < 0 || qemu->log_fd < 0)
		code = -ENOMEM;
	if (!code && firmware.vars) {
		qemu->vars_fd = copy_vars(firmware.vars, error);
		code = qemu->vars_fd < 0 ? qemu->vars_fd : 0;
	}
	if (!code)
		code = qemu_args_build(&args, config, &firmware, qemu->serial_fd, qemu->vars_fd,
		                       error);
	if (!code)
		code = spawn(qemu, config, &args, error);
	qemu_args_free(&args);
	if (code)
		qemu_free(qemu);
	return code;
}

bool qemu_has_ended(struct qemu *qemu)
{
	pid_t got;

	if (!qemu->pid)
		return true;
	got = waitpid(qemu->pid, &qemu->status, WNOHANG);
	if (got != qemu->pid)
		return false;
	qemu->pid = 0;
	return true;
}

static void wait_until_ended(struct qemu *qemu, int ms)
{
	for (int waited = 0; !qemu_has_ended(qemu) && waited < ms; waited += 10)
		poll(NULL, 0, 10);
}

void qemu_stop(struct qemu *qemu, int ms)
{
	wait_until_ended(qemu, ms);
	if (!qemu_has_ended(qemu)) {
		kill(qemu->pid, SIGTERM);
		wait_until_ended(qemu, 1000);
	}
	if (!qemu_has_ended(qemu)) {
		kill(qemu->pid, SIGKILL);
		waitpid(qemu->pid, &qemu->status, 0);
		qemu->pid = 0;
	}
	if (qemu->pidfd >= 0)
		close(qemu->pidfd);
	qemu->pidfd = -1;
}

void qemu_free(struct qemu *qemu)
{
	int *fds[] = { &qemu->pidfd, &qemu->serial_fd, &qemu->log_fd, &qemu->vars_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

char *qemu_read_log(int fd, uint64_t *from)
{
	char raw[4096];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ssize_t got;

	while (out && (got = pread(fd, raw, sizeof(raw), (off_t)*from)) > 0) {
		char clean[sizeof(raw) + 1];

		got = (ssize_t)printable_whole(raw, (size_t)got);
		if (!got)
			break;
		for (ssize_t i = 0; i < got; i++)
			raw[i] = raw[i] ? raw[i] : '?';
		region_printable(clean, sizeof(clean), raw, (size_t)got);
		fputs(clean, out);
		*from += (uint64_t)got;
	}
	if (out)
		fclose(out);
	return text;
}

void qemu_describe_status(const struct qemu *qemu, char *text, size_t size)
{
	if (WIFSIGNALED(qemu->status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(qemu->status),
		         strsignal(WTERMSIG(qemu->status)));
	else
		snprintf(text, size, "exit status %d", WEXITSTATUS(qemu->status));
}
