/* SPDX-License-Identifier: MIT */
/*
 * Signals: the program can only send them to itself. The sending thread gets a signal at once, or,
 * if it is blocked, when it is unblocked. Replaces newlib's, which has handlers per thread.
 * Handlers stay installed after a call, as in BSD.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/newlib.h"
#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

#define MYSELF 1 /* getpid() */

static uint32_t actions_mutex = SDK_MUTEX_NORMAL;
static struct sigaction actions[NSIG];
static __thread sigset_t blocked, pending;

static int signals_fail(int code)
{
	errno = code;
	return -1;
}

static sigset_t signals_set_of(int signal)
{
	return (sigset_t)1 << signal;
}

static bool signals_is_signal(int signal)
{
	return signal > 0 && signal < NSIG;
}

/* The signals that are not blocked and have no handler. */
static sigset_t signals_unblocked(void)
{
	return signals_set_of(SIGKILL) | signals_set_of(SIGSTOP);
}

static struct sigaction signals_action(int signal)
{
	struct sigaction action;

	sdk_mutex_lock(&actions_mutex, SDK_FOREVER);
	action = actions[signal];
	sdk_mutex_unlock(&actions_mutex);
	return action;
}

/* ---- Blocked signals ---- */

static void signals_deliver(int signal);

static void signals_block(sigset_t set)
{
	sigset_t now;

	blocked = set & ~signals_unblocked();
	while ((now = pending & ~blocked) != 0) {
		int signal = __builtin_ctzl(now);

		pending &= ~signals_set_of(signal);
		signals_deliver(signal);
	}
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t before = blocked;

	if (set && how != SIG_SETMASK && how != SIG_BLOCK && how != SIG_UNBLOCK)
		return EINVAL;
	if (old)
		*old = before;
	if (set)
		signals_block(how == SIG_BLOCK     ? before | *set
		              : how == SIG_UNBLOCK ? before & ~*set
		                                   : *set);
	return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int code = pthread_sigmask(how, set, old);

	return code ? signals_fail(code) : 0;
}

int sigpending(sigset_t *set)
{
	*set = pending;
	return 0;
}

/* ---- Delivery ---- */

/* POSIX's default actions, but a signal that would stop the program is ignored, because no other
 * process could continue it. */
static void signals_default(int signal)
{
	const sigset_t ignored = signals_set_of(SIGCHLD) | signals_set_of(SIGURG) |
	                         signals_set_of(SIGCONT) | signals_set_of(SIGWINCH);

	if (!(ignored & signals_set_of(signal)))
		_exit(128 + signal);
}

static void signals_deliver(int signal)
{
	struct sigaction action = signals_action(signal);
	sigset_t before = blocked;

	if (action.sa_handler == SIG_DFL) {
		signals_default(signal);
	} else if (action.sa_handler != SIG_IGN) {
		blocked |= action.sa_mask | signals_set_of(signal);
		action.sa_handler(signal);
		signals_block(before);
	}
}

int raise(int signal)
{
	if (signal == 0)
		return 0;
	if (!signals_is_signal(signal))
		return signals_fail(EINVAL);
	if (blocked & signals_set_of(signal))
		pending |= signals_set_of(signal);
	else
		signals_deliver(signal);
	return 0;
}

int kill(int pid, int signal)
{
	return pid == MYSELF || pid == 0 ? raise(signal) : signals_fail(ESRCH);
}

/* Ends the program even if the handler returns. */
void abort(void)
{
	const sigset_t set = signals_set_of(SIGABRT);

	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGABRT);
	_exit(128 + SIGABRT);
}

/* ---- Handlers: shared by all threads ---- */

int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	if (!signals_is_signal(signal) || (action && signals_unblocked() & signals_set_of(signal)))
		return signals_fail(EINVAL);
	if (old)
		*old = signals_action(signal);
	if (action) {
		sdk_mutex_lock(&actions_mutex, SDK_FOREVER);
		actions[signal] = *action;
		sdk_mutex_unlock(&actions_mutex);
	}
	return 0;
}

_sig_func_ptr signal(int signal, _sig_func_ptr handler)
{
	const struct sigaction action = { .sa_handler = handler };
	struct sigaction old;

	return sigaction(signal, &action, &old) ? SIG_ERR : old.sa_handler;
}

int _kill(int pid, int signal) SYSCALL_ALIAS(kill);
