/* SPDX-License-Identifier: MIT */
/* POSIX semaphores without names (IEEE 1003.1-2008, <semaphore.h>): newlib has none. */
#ifndef _SEMAPHORE_H
#define _SEMAPHORE_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	uint32_t value;
} sem_t;

#define SEM_VALUE_MAX 0x7fffffff

int sem_init(sem_t *sem, int shared, unsigned value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *__restrict sem, const struct timespec *__restrict time);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *__restrict sem, int *__restrict value);

#ifdef __cplusplus
}
#endif

#endif
