/* SPDX-License-Identifier: MIT */
/* Channels by URL: shared memory that another program made, and another program's ivshmem server.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi/trace_region.h"
#include "host-tools/region/channel_url.h"
#include "host-tools/region/region_lease.h"
#include "host-tools/region/shm/ivshmem_client.h"
#include "tests/unit/temporary.h"

#define SIZE (4U << 20)

static char path[PATH_MAX], url[PATH_MAX + 8];
static const struct channel_url_options options;
static struct channel channel;
static struct error error;

static int setup(void **state)
{
	(void)state;
	temporary_path(path, "channel-url");
	snprintf(url, sizeof(url), "shm:%s", path);
	error = (struct error){ "" };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	channel_close(&channel);
	unlink(path);
	return 0;
}

static int open_url(const char *what)
{
	return channel_open_url(&channel, what, &options, &error);
}

static void a_url_that_is_none_names_those_that_are(void **state)
{
	static const char *const wrong[] = { "", "shm", "/dev/shm/x", ":x", "shmem:x", "sh:x" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(open_url(wrong[i]), -EINVAL);
		assert_non_null(strstr(error.text, "shm:"));
	}
	assert_int_equal(open_url("shm:"), -EINVAL);
	assert_non_null(strstr(error.text, "shm:PATH"));
	assert_int_equal(open_url(url), -ENOENT);
	assert_non_null(strstr(error.text, url));
	assert_int_equal(open_url("shm:/dev/null"), -EINVAL);
	assert_int_equal(open_url("shm:/tmp"), -EINVAL);
}

/* The machine sees the tool's stores, and the tool the machine's. */
static void a_file_is_shared(void **state)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	uint32_t word = 7;

	(void)state;
	assert_int_equal(open_url(url), -EPROTO); /* empty */
	assert_int_equal(ftruncate(fd, SIZE), 0);
	assert_int_equal(open_url(url), 0);
	assert_int_equal(channel.size, SIZE);
	assert_true(channel.live);
	assert_int_equal(channel_publish(&channel, 4096, &word, sizeof(word), &error), 0);
	word = 0;
	assert_int_equal(pread(fd, &word, sizeof(word), 4096), sizeof(word));
	assert_int_equal(word, 7);
	close(fd);
}

/* ---- A server ---- */

struct message {
	int64_t number;
	bool with_fd;
	int fd;
};

static struct message messages[16];
static unsigned message_count;
static int listener, peer = -1;

static void tell(const struct message *m)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .bytes = { 0 } };
	int64_t number = m->number;
	struct iovec iov = { &number, sizeof(number) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (m->with_fd) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(m->fd));
		memcpy(CMSG_DATA(&control.align), &m->fd, sizeof(m->fd));
	}
	sendmsg(peer, &message, MSG_NOSIGNAL);
}

static void *serve(void *arg)
{
	peer = accept(listener, NULL, NULL);
	for (unsigned i = 0; i < message_count; i++)
		tell(&messages[i]);
	if (arg)
		shutdown(peer, SHUT_RDWR);
	return NULL;
}

static void add(int64_t number, int fd)
{
	messages[message_count++] = (struct message){ number, fd >= 0, fd };
}

static struct ivshmem_client *client;

static int open_client(void)
{
	return ivshmem_client_open(&client, path, &error);
}

static int open_channel(void)
{
	return open_url(url);
}

/* Connect to a server that sends these messages; afterwards it hangs up, or stays. */
static int connect_to_server(int (*opener)(void), bool hangs_up)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	pthread_t thread;
	int code;

	memcpy(address.sun_path, path, strlen(path));
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve, hangs_up ? &listener : NULL), 0);
	code = opener();
	pthread_join(thread, NULL);
	message_count = 0;
	close(listener);
	return code;
}

static void disconnect(void)
{
	close(peer);
	unlink(path);
}

static unsigned count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void ring(int bell)
{
	uint64_t one = 1;

	assert_int_equal(write(bell, &one, sizeof(one)), sizeof(one));
}

#define FOR_EVER (3600 * 1000) /* longer than a test: only a wakeup can end such a wait */

static void a_server_hands_out_memory_a_number_and_bells(void **state)
{
	int memory = memfd_create("memory", MFD_CLOEXEC);
	int bell = eventfd(0, 0), other = eventfd(0, 0);
	struct region_lease lease;
	struct tr_reader words;
	unsigned files;

	(void)state;
	assert_int_equal(ftruncate(memory, SIZE), 0);
	add(0, -1);
	add(3, -1);
	add(-1, memory);
	assert_int_equal(connect_to_server(open_client, false), 0);
	files = count_files();
	tell(&(struct message){ 1, true, other }); /* the machine's own peer */
	ivshmem_client_wait(client, FOR_EVER);
	assert_int_equal(count_files(), files);
	tell(&(struct message){ 3, true, bell });
	ivshmem_client_wait(client, FOR_EVER);
	assert_int_equal(count_files(), files + 1);
	tell(&(struct message){ 1, false, -1 }); /* the machine disconnects */
	ivshmem_client_wait(client, FOR_EVER);
	for (int i = 0; i < 3; i++) {
		ring(bell);
		ivshmem_client_wait(client, FOR_EVER);
	}
	assert_int_equal(channel_open_peer(&channel, client, &error), 0);
	assert_int_equal(channel.size, SIZE);
	assert_int_equal(region_lease_take(&lease, &channel, &error), 0);
	assert_int_equal(pread(memory, &words, sizeof(words), offsetof(struct tr_header, reader)),
	                 sizeof(words));
	assert_int_equal(words.peer, 3);
	region_lease_give_back(&lease);
	close(memory);
	close(bell);
	close(other);
	disconnect();
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Memory that the machine has shared stays mapped; no process spins. */
static void memory_outlives_its_server(void **state)
{
	int memory = memfd_create("memory", MFD_CLOEXEC);
	double began;

	(void)state;
	assert_int_equal(ftruncate(memory, SIZE), 0);
	add(0, -1);
	add(0, -1);
	add(-1, memory);
	assert_int_equal(connect_to_server(open_channel, true), 0);
	channel_wait(&channel); /* hears of it */
	began = seconds();
	for (int i = 0; i < 10; i++)
		channel_wait(&channel);
	assert_true(seconds() - began >= 0.1);
	memset(channel.bytes, 0x55, channel.size);
	close(memory);
	disconnect();
}

static void a_socket_without_an_ivshmem_server_is_refused(void **state)
{
	unsigned files = count_files();
	int memory = memfd_create("memory", 0);

	(void)state;
	assert_int_equal(connect_to_server(open_channel, true), -ECONNRESET);
	disconnect();
	add(7, -1); /* version */
	assert_int_equal(connect_to_server(open_channel, true), -EPROTO);
	disconnect();
	add(0, memory);
	assert_int_equal(connect_to_server(open_channel, true), -EPROTO);
	disconnect();
	add(0, -1);
	add(0x10000, -1); /* number */
	assert_int_equal(connect_to_server(open_channel, true), -EPROTO);
	disconnect();
	add(0, -1);
	add(1, -1);
	add(-1, -1); /* no memory */
	assert_int_equal(connect_to_server(open_channel, true), -EPROTO);
	disconnect();
	add(0, -1);
	add(1, -1);
	add(-1, memory); /* of no size */
	assert_int_equal(connect_to_server(open_channel, true), -EPROTO);
	disconnect();
	close(memory);
	assert_int_equal(count_files(), files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_url_that_is_none_names_those_that_are),
		TEST(a_file_is_shared),
		TEST(a_server_hands_out_memory_a_number_and_bells),
		TEST(memory_outlives_its_server),
		TEST(a_socket_without_an_ivshmem_server_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
