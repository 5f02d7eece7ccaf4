/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "workload/sdk/threads/sdk_pthread.h"
#include "workload/sdk/threads/thread.h"

/* With _GNU_SOURCE <pthread.h> has them. */
int pthread_setname_np(pthread_t handle, const char *name);
int pthread_getname_np(pthread_t handle, char *name, size_t size);

/* Kept for whoever asks; nobody shows them. Long as Linux has them. */
int pthread_setname_np(pthread_t handle, const char *name)
{
	struct sdk_thread *thread;
	int code = 0;

	sdk_threads_lock();
	thread = sdk_pthread_find(handle);
	if (!thread)
		code = ESRCH;
	else if (strlen(name) >= sizeof(thread->name))
		code = ERANGE;
	else
		strcpy(thread->name, name);
	sdk_threads_unlock();
	return code;
}

int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
	const struct sdk_thread *thread;
	int code = 0;

	sdk_threads_lock();
	thread = sdk_pthread_find(handle);
	if (!thread)
		code = ESRCH;
	else if (strlen(thread->name) >= size)
		code = ERANGE;
	else
		strcpy(name, thread->name);
	sdk_threads_unlock();
	return code;
}
