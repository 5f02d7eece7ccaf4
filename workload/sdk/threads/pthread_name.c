/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "workload/sdk/threads/sdk_pthread.h"
#include "workload/sdk/threads/thread.h"

/* <pthread.h> declares them with _GNU_SOURCE only. */
int pthread_setname_np(pthread_t handle, const char *name);
int pthread_getname_np(pthread_t handle, char *name, size_t size);

/* Only stored for pthread_getname_np(); not displayed. The same length limit as Linux's. */
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
