/* SPDX-License-Identifier: MIT */
/* There is one process of one user, and no other program. */
#include <errno.h>
#include <pwd.h>
#include <reent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int process_fail(void)
{
	errno = ENOSYS;
	return -1;
}

int fork(void)
{
	return process_fail();
}

int vfork(void)
{
	return process_fail();
}

int execve(const char *path, char *const argv[], char *const environment[])
{
	(void)path;
	(void)argv;
	(void)environment;
	return process_fail();
}

pid_t wait(int *status)
{
	(void)status;
	errno = ECHILD;
	return -1;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	(void)pid;
	(void)options;
	return wait(status);
}

FILE *popen(const char *command, const char *mode)
{
	(void)command;
	(void)mode;
	process_fail();
	return NULL;
}

int pclose(FILE *stream)
{
	(void)stream;
	errno = ECHILD;
	return -1;
}

/* Replaces newlib's: without a command the question is whether there is a shell. */
int _system_r(struct _reent *reent, const char *command)
{
	(void)reent;
	return command ? process_fail() : 0;
}

int system(const char *command)
{
	return _system_r(_REENT, command);
}

/* which selects processes, groups or users; the only process is in all of them. */
int getpriority(int which, id_t who)
{
	if (which >= PRIO_PROCESS && which <= PRIO_USER && (who == 0 || who == (id_t)getpid()))
		return 0;
	errno = which >= PRIO_PROCESS && which <= PRIO_USER ? ESRCH : EINVAL;
	return -1;
}

int setpriority(int which, id_t who, int priority)
{
	(void)priority;
	return getpriority(which, who);
}

int gethostname(char *name, size_t size)
{
	static const char mine[] = "bareperf";

	if (size < sizeof(mine)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(name, mine);
	return 0;
}

static struct passwd user = { .pw_name = "root", .pw_dir = "/", .pw_shell = "/bin/sh" };

struct passwd *getpwuid(uid_t uid)
{
	return uid == user.pw_uid ? &user : NULL;
}

struct passwd *getpwnam(const char *name)
{
	return strcmp(name, user.pw_name) ? NULL : &user;
}
