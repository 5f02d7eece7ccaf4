# SPDX-License-Identifier: MIT
"""A payload with POSIX and C11 threads: argv[1] selects the test. It is portable code; only its
expectations about CPUs are bareperf's."""

SOURCE = r"""
#define _GNU_SOURCE /* pthread_setname_np() */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define TURNS 2000

static int failures;
#define CHECK(x) ((x) ? 0 : (printf("%d: not so: %s\n", __LINE__, #x), failures++))

/* ---- a queue that is too short, by POSIX ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static unsigned queue[2], queued;
static unsigned long taken;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned made, one, other, rounds[THREADS + 1], serial;
static pthread_key_t key;
static unsigned destroyed;
static __thread unsigned mine;
static pthread_spinlock_t spin;

static void make(void)
{
	made++;
}

static void destroy(void *value)
{
	__atomic_fetch_add(&destroyed, *(unsigned *)value, __ATOMIC_RELAXED);
	free(value);
}

static void clean(void *argument)
{
	*(unsigned *)argument += 1;
}

static void *take(void *argument)
{
	unsigned *kept = malloc(sizeof(*kept));
	static unsigned cleaned;

	*kept = (unsigned)(unsigned long)argument;
	mine = *kept;
	pthread_setspecific(key, kept);
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&lock);
		while (!queued)
			pthread_cond_wait(&filled, &lock);
		taken += queue[--queued];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	for (unsigned i = 1; i <= 100; i++) {
		rounds[mine] = i;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
		for (unsigned other = 0; other <= THREADS; other++)
			CHECK(rounds[other] == i);
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < TURNS; i++) {
		pthread_once(&once, make);
		if (i % 4) {
			pthread_rwlock_rdlock(&rwlock);
			if (one != other)
				abort();
		} else {
			pthread_rwlock_wrlock(&rwlock);
			one++;
			other++;
		}
		pthread_rwlock_unlock(&rwlock);
		pthread_spin_lock(&spin);
		taken++;
		pthread_spin_unlock(&spin);
	}
	CHECK(mine == (unsigned)(unsigned long)argument && *(unsigned *)pthread_getspecific(key) == mine);
	pthread_cleanup_push(clean, &cleaned);
	if (mine == 1)
		pthread_exit((void *)(unsigned long)(100 + mine));
	pthread_cleanup_pop(0);
	return (void *)(unsigned long)(100 + mine + cleaned * 0);
}

/* Recursive and error-checking mutexes, which know the thread that holds them. */
static void kinds(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t it;

	CHECK(pthread_mutexattr_init(&attr) == 0);
	CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
	CHECK(pthread_mutex_init(&it, &attr) == 0);
	CHECK(pthread_mutex_lock(&it) == 0 && pthread_mutex_lock(&it) == 0);
	CHECK(pthread_mutex_unlock(&it) == 0 && pthread_mutex_unlock(&it) == 0);
	CHECK(pthread_mutex_unlock(&it) == EPERM && pthread_mutex_destroy(&it) == 0);
	CHECK(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
	CHECK(pthread_mutex_init(&it, &attr) == 0);
	CHECK(pthread_mutex_lock(&it) == 0 && pthread_mutex_lock(&it) == EDEADLK);
	CHECK(pthread_mutex_unlock(&it) == 0 && pthread_mutex_unlock(&it) == EPERM);
	CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_tryrdlock(&rwlock) == 0);
	CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	CHECK(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
}

static void *nothing(void *argument)
{
	(void)argument;
	return NULL;
}

static int posix(void)
{
	pthread_t threads[THREADS];
	void *value;

	CHECK(pthread_key_create(&key, destroy) == 0);
	CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
	CHECK(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	for (unsigned long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, take, (void *)(i + 1)) == 0);
	for (unsigned i = 1; i <= THREADS * TURNS; i++) {
		pthread_mutex_lock(&lock);
		while (queued == 2)
			pthread_cond_wait(&emptied, &lock);
		queue[queued++] = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	for (unsigned i = 1; i <= 100; i++) {
		rounds[0] = i;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&barrier);
	}
	CHECK(pthread_barrier_destroy(&barrier) == 0);
	CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
	for (unsigned long i = 0; i < THREADS; i++) {
		CHECK(pthread_join(threads[i], &value) == 0 && (unsigned long)value == 101 + i);
		CHECK(pthread_join(threads[i], NULL) == EINVAL);
	}
	CHECK(taken == 3UL * TURNS * (3 * TURNS + 1) / 2 + 3 * TURNS);
	CHECK(serial == 100 && made == 1 && one == other && one == THREADS * TURNS / 4);
	CHECK(destroyed == 1 + 2 + 3);
	kinds();
	CHECK(pthread_create(&threads[0], NULL, nothing, NULL) == 0);
	CHECK(pthread_detach(threads[0]) == 0 && pthread_detach(threads[0]) == EINVAL);
	CHECK(pthread_join(threads[0], NULL) == EINVAL);
	return failures;
}

/* ---- Time ---- */

static sem_t sem;

static void *post_some(void *argument)
{
	for (int i = 0; i < TURNS; i++)
		CHECK(sem_post(&sem) == 0);
	return argument;
}

static int semaphores(void)
{
	pthread_t threads[THREADS];
	struct timespec soon;
	char name[16];
	int value;

	CHECK(sem_init(&sem, 0, 2) == 0 && sem_wait(&sem) == 0 && sem_trywait(&sem) == 0);
	CHECK(sem_trywait(&sem) == -1 && errno == EAGAIN);
	CHECK(timespec_get(&soon, TIME_UTC) == TIME_UTC);
	soon.tv_nsec += 20000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	CHECK(sem_timedwait(&sem, &soon) == -1 && errno == ETIMEDOUT);
	CHECK(sem_timedwait(&sem, &(struct timespec){ 0, -1 }) == -1 && errno == EINVAL);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, post_some, NULL) == 0);
	CHECK(pthread_setname_np(threads[0], "poster") == 0);
	CHECK(pthread_getname_np(threads[0], name, 16) == 0 && !strcmp(name, "poster"));
	CHECK(pthread_getname_np(threads[1], name, 16) == 0 && !strcmp(name, ""));
	CHECK(pthread_setname_np(threads[0], "sixteen letters.") == ERANGE);
	CHECK(pthread_getname_np(threads[0], name, 6) == ERANGE);
	for (int i = 0; i < THREADS * TURNS; i++)
		CHECK(sem_wait(&sem) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	CHECK(sem_getvalue(&sem, &value) == 0 && value == 0 && sem_post(&sem) == 0);
	CHECK(sem_getvalue(&sem, &value) == 0 && value == 1 && sem_destroy(&sem) == 0);
	CHECK(sem_init(&sem, 0, SEM_VALUE_MAX) == 0 && sem_post(&sem) == -1 && errno == EOVERFLOW);
	return failures;
}

static int timed(void)
{
	pthread_condattr_t attr;
	pthread_cond_t never;
	struct timespec begun, now;
	clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };

	for (int i = 0; i < 2; i++) {
		pthread_condattr_init(&attr);
		CHECK(pthread_condattr_setclock(&attr, clocks[i]) == 0);
		CHECK(pthread_cond_init(&never, &attr) == 0);
		pthread_mutex_lock(&lock);
		clock_gettime(clocks[i], &begun);
		begun.tv_nsec += 20000000;
		begun.tv_sec += begun.tv_nsec / 1000000000;
		begun.tv_nsec %= 1000000000;
		CHECK(pthread_cond_timedwait(&never, &lock, &begun) == ETIMEDOUT);
		clock_gettime(clocks[i], &now);
		CHECK(now.tv_sec > begun.tv_sec ||
		      (now.tv_sec == begun.tv_sec && now.tv_nsec >= begun.tv_nsec));
		CHECK(pthread_mutex_trylock(&lock) == EBUSY);
		CHECK(pthread_mutex_timedlock(&lock, &(struct timespec){ 1, 0 }) == ETIMEDOUT);
		pthread_mutex_unlock(&lock);
	}
	return failures;
}

/* ---- C11's ---- */

static mtx_t mutex;
static cnd_t turn;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t slot;
static unsigned number;

static int count(void *argument)
{
	unsigned which = *(unsigned *)argument;

	call_once(&flag, make);
	tss_set(slot, argument);
	for (int i = 0; i < TURNS; i++) {
		mtx_lock(&mutex);
		while (number % THREADS != which)
			cnd_wait(&turn, &mutex);
		number++;
		cnd_broadcast(&turn);
		mtx_unlock(&mutex);
	}
	CHECK(tss_get(slot) == argument);
	if (which == 2)
		thrd_exit(42);
	return (int)which;
}

static int c11(void)
{
	thrd_t threads[THREADS];
	unsigned which[THREADS];
	int result;

	CHECK(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&turn) == thrd_success);
	CHECK(tss_create(&slot, NULL) == thrd_success);
	for (unsigned i = 0; i < THREADS; i++) {
		which[i] = i;
		CHECK(thrd_create(&threads[i], count, &which[i]) == thrd_success);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(thrd_join(threads[i], &result) == thrd_success && result == (i == 2 ? 42 : (int)i));
	CHECK(number == THREADS * TURNS && made == 1);
	mtx_destroy(&mutex);
	CHECK(mtx_init(&mutex, mtx_recursive) == thrd_success);
	CHECK(mtx_lock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_success);
	CHECK(mtx_unlock(&mutex) == thrd_success && mtx_unlock(&mutex) == thrd_success);
	CHECK(mtx_unlock(&mutex) == thrd_error);
	CHECK(mtx_init(&mutex, mtx_timed) == thrd_success);
	CHECK(mtx_timedlock(&mutex, &(struct timespec){ 1, 0 }) == thrd_success);
	CHECK(mtx_timedlock(&mutex, &(struct timespec){ 1, 0 }) == thrd_timedout);
	CHECK(mtx_trylock(&mutex) == thrd_busy && mtx_unlock(&mutex) == thrd_success);
	return failures;
}

/* ---- As many as there are CPUs, again and again ---- */

static void *wait_for_it(void *argument)
{
	pthread_mutex_lock(argument);
	pthread_mutex_unlock(argument);
	return NULL;
}

static int many(void)
{
	pthread_t threads[THREADS + 1];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 20;) {
		int code = pthread_create(&threads[0], &attr, nothing, NULL);

		CHECK(code == 0 || code == EAGAIN);
		i += code == 0;
	}
	pthread_mutex_lock(&lock);
	for (int i = 0; i < THREADS;)
		i += pthread_create(&threads[i], NULL, wait_for_it, &lock) == 0;
	CHECK(pthread_create(&threads[THREADS], NULL, nothing, NULL) == EAGAIN);
	usleep(1000000);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return failures;
}

static int one_more(void)
{
	pthread_t threads[THREADS];
	int code = 0;

	for (int i = 0; i < THREADS && !code; i++)
		code = pthread_create(&threads[i], NULL, nothing, NULL);
	return code;
}

/* ---- Signals: handlers are all threads', what is blocked is each one's ---- */

static unsigned handled[NSIG];
static int within;

static void handle(int signal)
{
	handled[signal]++;
	if (signal == SIGUSR1 && within) {
		raise(SIGUSR2);
		within = handled[SIGUSR2] == 0 ? 2 : 3;
	}
}

static void *raise_some(void *argument)
{
	sigset_t set;

	CHECK(raise(SIGUSR1) == 0 && handled[SIGUSR1] == 3);
	CHECK(signal(SIGUSR2, handle) == SIG_IGN && signal(SIGINT, SIG_IGN) == SIG_DFL);
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && sigismember(&set, SIGHUP));
	sigemptyset(&set);
	CHECK(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
	return argument;
}

static int signals(void)
{
	struct sigaction action = { .sa_handler = handle }, old;
	pthread_t thread;
	sigset_t set, was;

	CHECK(signal(SIGUSR1, handle) == SIG_DFL && signal(SIGUSR2, SIG_IGN) == SIG_DFL);
	CHECK(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 && handled[SIGUSR1] == 2);
	CHECK(raise(SIGUSR2) == 0 && handled[SIGUSR2] == 0 && raise(SIGCHLD) == 0);
	CHECK(kill(getpid(), 0) == 0 && kill(77, SIGUSR1) == -1 && errno == ESRCH);
	CHECK(raise(NSIG) == -1 && errno == EINVAL && signal(SIGKILL, handle) == SIG_ERR);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	CHECK(sigprocmask(SIG_BLOCK, &set, &was) == 0 && !sigismember(&was, SIGHUP));
	CHECK(pthread_create(&thread, NULL, raise_some, NULL) == 0 && pthread_join(thread, NULL) == 0);
	CHECK(raise(SIGINT) == 0 && raise(SIGUSR2) == 0 && handled[SIGUSR2] == 1);
	CHECK(sigprocmask(77, &set, NULL) == -1 && errno == EINVAL);
	CHECK(sigaction(SIGHUP, &action, &old) == 0 && old.sa_handler == SIG_DFL);
	CHECK(raise(SIGHUP) == 0 && handled[SIGHUP] == 0 && sigpending(&was) == 0);
	CHECK(sigismember(&was, SIGHUP) && sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
	CHECK(handled[SIGHUP] == 1 && sigpending(&was) == 0 && was == 0);
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	handled[SIGUSR2] = 0;
	within = 1;
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
	CHECK(within == 2 && handled[SIGUSR2] == 1);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == handle);
	return failures;
}

static void say_so(int signal)
{
	printf("the handler of %d ran\n", signal);
}

static void *give_up(void *argument)
{
	abort();
	return argument;
}

/* ---- Floating-point modes: each thread begins with its creator's ---- */

#ifdef __x86_64__
#define PLAIN 0x37f00001f80UL
#define UP    0x80000004000UL /* to be rounded so */
#define FLUSH 0x00000008000UL
static unsigned long modes(void)
{
	unsigned mxcsr;
	unsigned short fcw;

	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(fcw));
	return (unsigned long)fcw << 32 | (mxcsr & ~0x3fU);
}
static void set_modes(unsigned long modes)
{
	unsigned mxcsr = (unsigned)modes;
	unsigned short fcw = (unsigned short)(modes >> 32);

	__asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(mxcsr), "m"(fcw));
}
#else
#define PLAIN 0UL
#define UP    0x0400000UL
#define FLUSH 0x1000000UL
static unsigned long modes(void)
{
	unsigned long modes;

	__asm__ volatile("mrs %0, fpcr" : "=r"(modes));
	return modes;
}
static void set_modes(unsigned long modes)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(modes));
}
#endif

static volatile double one_more_than_none = 1, hardly_any = 0x1p-60;

static int look_at_modes(void *argument)
{
	unsigned long *expected = argument;

	CHECK(modes() == *expected);
	CHECK((one_more_than_none + hardly_any > 1) == (*expected != PLAIN));
	set_modes(PLAIN | FLUSH);
	return 0;
}

static int floats(void)
{
	unsigned long expected[] = { PLAIN, PLAIN | UP, PLAIN };
	thrd_t thread;

	CHECK(modes() == PLAIN);
	for (int i = 0; i < 3; i++) {
		set_modes(expected[i]);
		CHECK(thrd_create(&thread, look_at_modes, &expected[i]) == thrd_success);
		CHECK(thrd_join(thread, NULL) == thrd_success && modes() == expected[i]);
	}
	set_modes(PLAIN | UP | FLUSH); /* nobody is to find them so */
	return failures;
}

/* ---- Ends ---- */

static void at_exit(void)
{
	puts("the handler ran");
}

static void *leave(void *argument)
{
	(void)argument;
	exit(7);
}

static void *go_on(void *argument)
{
	(void)argument;
	usleep(20000);
	puts("the last thread");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	const char *what = argc > 1 ? argv[1] : "";
	int code = -1;

	if (!strcmp(what, "exit")) {
		atexit(at_exit);
		pthread_create(&thread, NULL, leave, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(what, "abort")) {
		signal(SIGABRT, say_so);
		pthread_create(&thread, NULL, give_up, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(what, "alone")) {
		pthread_create(&thread, NULL, go_on, NULL);
		pthread_exit(NULL);
	}
	code = !strcmp(what, "posix") ? posix() : !strcmp(what, "c11") ? c11()
	       : !strcmp(what, "timed") ? timed() : !strcmp(what, "many") ? many()
	       : !strcmp(what, "semaphores") ? semaphores() : !strcmp(what, "signals") ? signals() : !strcmp(what, "floats") ? floats()
	       : !strcmp(what, "one-more") ? one_more() : -1;
	if (!code)
		puts("all is well");
	return code;
}
"""
