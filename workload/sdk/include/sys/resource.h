/* SPDX-License-Identifier: MIT */
/* Replaces newlib's, which has no priorities. */
#ifndef _SYS_RESOURCE_H_
#define _SYS_RESOURCE_H_

#include <sys/time.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN (-1)

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

struct rusage {
	struct timeval ru_utime, ru_stime;
};

/* All time is user time. 0, or -1 with errno EINVAL. */
int getrusage(int who, struct rusage *usage);

/* The only process may have any priority; it has no effect. Return 0 (the priority is always 0), or
 * -1 with errno set: EINVAL; ESRCH: another process. */
int getpriority(int which, id_t who);
int setpriority(int which, id_t who, int priority);

#ifdef __cplusplus
}
#endif

#endif
