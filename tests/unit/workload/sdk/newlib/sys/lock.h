/* SPDX-License-Identifier: MIT */
/* newlib's <sys/lock.h> for the host. */
#ifndef TESTS_NEWLIB_SYS_LOCK_H
#define TESTS_NEWLIB_SYS_LOCK_H

struct __lock;
typedef struct __lock *_LOCK_T;

void __retarget_lock_init_recursive(_LOCK_T *lock);
void __retarget_lock_close_recursive(_LOCK_T lock);
int __retarget_lock_try_acquire_recursive(_LOCK_T lock);
void __retarget_lock_acquire_recursive(_LOCK_T lock);
void __retarget_lock_release_recursive(_LOCK_T lock);

#endif
