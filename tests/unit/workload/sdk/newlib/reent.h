/* SPDX-License-Identifier: MIT */
/* newlib's <reent.h> for the host, as far as the SDK's threads need it: the host's C library keeps
 * its own data for each thread. */
#ifndef TESTS_NEWLIB_REENT_H
#define TESTS_NEWLIB_REENT_H

struct _reent {
	int __sdidinit;
};

extern struct _reent *newlib_global_reent;

#define _GLOBAL_REENT          newlib_global_reent
#define _REENT_INIT_PTR(reent) ((reent)->__sdidinit = 0)
#define _reclaim_reent(reent)  ((reent)->__sdidinit = -1)

#endif
