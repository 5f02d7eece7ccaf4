/* SPDX-License-Identifier: MIT */
/* newlib's <pthread.h> for the host, as far as tests need it: functions and types have their own
 * names besides the host's. With HOST_PTHREADS defined it is the host's. */
#ifdef HOST_PTHREADS
#include_next <pthread.h>
#elif !defined(TESTS_NEWLIB_PTHREAD_H)
#define TESTS_NEWLIB_PTHREAD_H

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

#define pthread_t             newlib_pthread_t
#define pthread_attr_t        newlib_pthread_attr_t
#define pthread_key_t         newlib_pthread_key_t
#define pthread_create        newlib_pthread_create
#define pthread_detach        newlib_pthread_detach
#define pthread_equal         newlib_pthread_equal
#define pthread_exit          newlib_pthread_exit
#define pthread_getspecific   newlib_pthread_getspecific
#define pthread_join          newlib_pthread_join
#define pthread_key_create    newlib_pthread_key_create
#define pthread_key_delete    newlib_pthread_key_delete
#define pthread_self          newlib_pthread_self
#define pthread_setspecific   newlib_pthread_setspecific
#define pthread_yield         newlib_pthread_yield
#define sched_yield           newlib_sched_yield
#define _pthread_cleanup_push newlib_pthread_cleanup_push
#define _pthread_cleanup_pop  newlib_pthread_cleanup_pop

#define PTHREAD_CREATE_DETACHED 0

typedef uint32_t pthread_t, pthread_key_t;
typedef struct {
	int detachstate;
} pthread_attr_t;

struct _pthread_cleanup_context {
	void (*_routine)(void *argument);
	void *_arg;
	struct _pthread_cleanup_context *_previous;
};

int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*routine)(void *),
                   void *argument);
int pthread_join(pthread_t handle, void **value);
int pthread_detach(pthread_t handle);
_Noreturn void pthread_exit(void *value);
pthread_t pthread_self(void);
int pthread_equal(pthread_t one, pthread_t other);
void pthread_yield(void);
int sched_yield(void);
void _pthread_cleanup_push(struct _pthread_cleanup_context *context, void (*routine)(void *),
                           void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_context *context, int execute);

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value));
int pthread_key_delete(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);

#endif
