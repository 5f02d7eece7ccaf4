/* SPDX-License-Identifier: MIT */
/* Replaces newlib's, which declares no utime(): <utime.h> includes it. */
#ifndef _SYS_UTIME_H
#define _SYS_UTIME_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct utimbuf {
	time_t actime, modtime; /* s since 1970 */
};

/* Sets a file's access and modification times; NULL: now. Returns 0, or -1 with errno set. */
int utime(const char *path, const struct utimbuf *times);

#ifdef __cplusplus
}
#endif

#endif
