/* SPDX-License-Identifier: MIT */
/* In place of newlib's, which declares no utime(): <utime.h> includes it. */
#ifndef _SYS_UTIME_H
#define _SYS_UTIME_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct utimbuf {
	time_t actime, modtime; /* s since 1970 */
};

/* Sets when a file was read and written last; NULL: now. 0, or -1 with errno set. */
int utime(const char *path, const struct utimbuf *times);

#ifdef __cplusplus
}
#endif

#endif
