/* SPDX-License-Identifier: MIT */
/* The supervisor's side of ivshmem, with peers that behave and peers that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/region/shm/ivshmem_server.h"

static struct ivshmem_server server;
static int memory = -1;
static struct error error;

static int setup(void **state)
{
	(void)state;
	memory = memfd_create("region", MFD_CLOEXEC);
	return ivshmem_server_open(&server, memory, &error);
}

static int teardown(void **state)
{
	(void)state;
	ivshmem_server_close(&server);
	close(memory);
	return 0;
}

/* The next message to a peer; *fd is -1 without a descriptor. Returns false at the end of the
 * stream. */
static bool hear(int64_t *number, int *fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { number, sizeof(*number) };
	struct msghdr message = { .msg_iov = &iov,
		                  .msg_iovlen = 1,
		                  .msg_control = &control,
		                  .msg_controllen = sizeof(control) };
	const struct cmsghdr *header;

	*fd = -1;
	if (recvmsg(server.qemu_socket, &message, MSG_DONTWAIT) != (ssize_t)sizeof(*number))
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (header)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return true;
}

static void expect(int64_t number, bool with_fd, int *fd)
{
	int64_t heard = 0;

	assert_true(hear(&heard, fd));
	assert_int_equal(heard, number);
	assert_int_equal(*fd >= 0, with_fd);
}

static void add_one(int eventfd)
{
	uint64_t one = 1;

	assert_int_equal(write(eventfd, &one, sizeof(one)), sizeof(one));
}

static void a_peer_hears_version_id_memory_supervisor_and_itself(void **state)
{
	struct stat ours, theirs;
	int64_t number = 0;
	int fd;

	(void)state;
	expect(0, false, &fd); /* the version */
	expect(0, false, &fd); /* its id */
	expect(-1, true, &fd); /* the memory */
	assert_int_equal(fstat(memory, &ours) | fstat(fd, &theirs), 0);
	assert_int_equal(ours.st_ino, theirs.st_ino);
	close(fd);
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++) {
		expect(1, true, &fd); /* peer 1's vector i */
		for (unsigned n = 0; n <= i; n++)
			add_one(fd);
		close(fd);
	}
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++) {
		expect(0, true, &fd); /* its own */
		close(fd);
	}
	assert_false(hear(&number, &fd));
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++)
		assert_int_equal(ivshmem_server_rung(&server, i), i + 1);
}

static void a_bell_is_counted_once(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
		add_one(server.bells[7]);
	assert_int_equal(ivshmem_server_rung(&server, 7), 1000);
	assert_int_equal(ivshmem_server_rung(&server, 7), 0);
	assert_int_equal(ivshmem_server_rung(&server, 8), 0);
	assert_int_equal(ivshmem_server_rung(&server, IVSHMEM_VECTORS), 0);
	assert_int_equal(ivshmem_server_rung(&server, UINT32_MAX), 0);
}

static void a_peer_that_says_something_is_not_listened_to(void **state)
{
	char garbage[4096];
	ssize_t said = 1;

	(void)state;
	memset(garbage, 0xff, sizeof(garbage));
	while (said > 0)
		said = send(server.qemu_socket, garbage, sizeof(garbage), MSG_DONTWAIT);
	assert_int_equal(errno, EAGAIN);
	a_peer_hears_version_id_memory_supervisor_and_itself(state);
}

static void a_peer_that_goes_away_takes_no_bell_along(void **state)
{
	int64_t number = 0;
	int fd;

	(void)state;
	assert_true(hear(&number, &fd));
	add_one(server.bells[0]);
	ivshmem_server_started(&server);
	assert_int_equal(ivshmem_server_rung(&server, 0), 1);
}

/* A peer may fill its eventfd; further doorbells of its own are then lost, and nothing else. */
static void an_overflowing_doorbell_blocks_no_peer(void **state)
{
	uint64_t most = UINT64_MAX - 1, one = 1;

	(void)state;
	assert_int_equal(write(server.bells[3], &most, sizeof(most)), sizeof(most));
	assert_int_equal(write(server.bells[3], &one, sizeof(one)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(ivshmem_server_rung(&server, 3), most);
	add_one(server.bells[3]);
	assert_int_equal(ivshmem_server_rung(&server, 3), 1);
}

static void *ring_later(void *arg)
{
	for (int i = 0; i < 1000; i++)
		add_one(*(int *)arg);
	return NULL;
}

/* Without a time-out: the test hangs if the claim is false. */
static void a_sleeper_wakes_for_every_bell_and_leaves_the_count(void **state)
{
	int listener = ivshmem_server_listen(&server);
	pthread_t ringer;

	(void)state;
	assert_true(listener >= 0);
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++) {
		assert_int_equal(pthread_create(&ringer, NULL, ring_later, &server.bells[i]), 0);
		ivshmem_wait(listener);
		pthread_join(ringer, NULL);
	}
	add_one(server.bells[5]);
	ivshmem_wait(listener);
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++)
		assert_int_equal(ivshmem_server_rung(&server, i), i == 5 ? 1001 : 1000);
	close(listener);
}

/* errno still has EINTR of an earlier call. */
static void a_bell_that_rang_is_waited_for_once(void **state)
{
	int listener = ivshmem_server_listen(&server);

	(void)state;
	add_one(server.bells[3]);
	errno = EINTR;
	alarm(20);
	ivshmem_wait(listener);
	alarm(0);
	close(listener);
}

static void a_late_listener_wakes_for_earlier_doorbells(void **state)
{
	int first = ivshmem_server_listen(&server), second;

	(void)state;
	add_one(server.bells[9]);
	ivshmem_wait(first);
	close(first); /* as if by a kill */
	second = ivshmem_server_listen(&server);
	ivshmem_wait(second);
	close(second);
	assert_int_equal(ivshmem_server_rung(&server, 9), 1);
}

static unsigned open_files(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void too_few_file_descriptors_are_reported_and_none_is_leaked(void **state)
{
	struct rlimit old, tight;
	unsigned before = open_files();

	(void)state;
	memory = memfd_create("region", MFD_CLOEXEC);
	getrlimit(RLIMIT_NOFILE, &old);
	tight = old;
	tight.rlim_cur = before + 20;
	setrlimit(RLIMIT_NOFILE, &tight);
	assert_int_equal(ivshmem_server_open(&server, memory, &error), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_non_null(strstr(error.text, "doorbells"));
	close(memory);
	assert_int_equal(open_files(), before);
	ivshmem_server_close(&server); /* a second call is harmless */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_peer_hears_version_id_memory_supervisor_and_itself),
		TEST(a_bell_is_counted_once),
		TEST(a_peer_that_says_something_is_not_listened_to),
		TEST(a_peer_that_goes_away_takes_no_bell_along),
		TEST(an_overflowing_doorbell_blocks_no_peer),
		TEST(a_sleeper_wakes_for_every_bell_and_leaves_the_count),
		TEST(a_bell_that_rang_is_waited_for_once),
		TEST(a_late_listener_wakes_for_earlier_doorbells),
		cmocka_unit_test(too_few_file_descriptors_are_reported_and_none_is_leaked),
	};

	return cmocka_run_group_tests_name("ivshmem server", tests, NULL, NULL);
}
