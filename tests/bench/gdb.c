/* SPDX-License-Identifier: MIT */
/*
 * Reading memory over a GDB stub: our client's packets compared with gdb-multiarch's `dump memory`
 * of the same bytes, both on a stopped QEMU. gdb reads twice, a few bytes and then everything; the
 * difference leaves out gdb's start and end.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "host-tools/region/gdb/gdb_remote.h"
#include "tests/unit/temporary.h"

#define LITTLE (1U << 20)
#define ALL    (33U << 20)
#define ROUNDS 3

static char bytes_path[PATH_MAX];
static struct sockaddr_un stub = { .sun_family = AF_UNIX };
static pid_t machine;

static void must(bool it_holds, const char *what)
{
	if (it_holds)
		return;
	perror(what);
	if (machine > 0)
		kill(machine, SIGKILL);
	exit(1);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void start_machine(void)
{
	char option[200];

	temporary_path(bytes_path, "gdb");
	must((size_t)snprintf(stub.sun_path, sizeof(stub.sun_path), "%s.gdb", bytes_path) <
	         sizeof(stub.sun_path),
	     "a socket's name");
	snprintf(option, sizeof(option), "unix:%s,server=on,wait=off", stub.sun_path);
	machine = fork();
	if (!machine) {
		execlp("qemu-system-x86_64", "qemu-system-x86_64", "-S", "-m", "64", "-nodefaults",
		       "-display", "none", "-gdb", option, NULL);
		_exit(1);
	}
	for (unsigned i = 0; i < 500 && access(stub.sun_path, F_OK); i++)
		usleep(20000);
}

static double rate_of_ours(void)
{
	static struct gdb_remote remote;
	static uint8_t bytes[ALL];
	struct error error;
	double began;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	must(!connect(fd, (struct sockaddr *)&stub, sizeof(stub)), stub.sun_path);
	must(!gdb_remote_begin(&remote, fd, -1, 5000, &error), "a stub");
	began = seconds();
	must(!gdb_remote_read(&remote, 0, bytes, ALL, &error), "reading");
	began = seconds() - began;
	gdb_remote_stop(&remote, &error);
	close(fd);
	return ALL / began;
}

static double seconds_of_gdb(unsigned size)
{
	char target[200], dump[PATH_MAX + 64];
	double began = seconds();
	pid_t child = fork();
	int status;

	if (!child) {
		snprintf(target, sizeof(target), "target remote %s", stub.sun_path);
		snprintf(dump, sizeof(dump), "dump binary memory %s 0 %u", bytes_path, size);
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		execlp("gdb-multiarch", "gdb-multiarch", "-nx", "-batch", "-ex", target, "-ex",
		       dump, NULL);
		_exit(127);
	}
	must(waitpid(child, &status, 0) == child, "gdb-multiarch");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 0;
	must(status == 0, "gdb-multiarch");
	return seconds() - began;
}

static double rate_of_gdb(void)
{
	return (ALL - LITTLE) / (seconds_of_gdb(ALL) - seconds_of_gdb(LITTLE));
}

int main(void)
{
	double ours[ROUNDS], theirs[ROUNDS], ratios[ROUNDS];

	start_machine();
	if (!seconds_of_gdb(LITTLE)) {
		printf("bench gdb-memory skip there is no gdb-multiarch\n");
	} else {
		for (unsigned i = 0; i < ROUNDS; i++) {
			ours[i] = rate_of_ours();
			theirs[i] = rate_of_gdb();
			ratios[i] = ours[i] / theirs[i];
		}
		printf("# %.1f MB/s, gdb-multiarch %.1f MB/s, medians\n",
		       bench_median(ours, ROUNDS) / 1e6, bench_median(theirs, ROUNDS) / 1e6);
		bench_figure("gdb-memory", bench_median(ratios, ROUNDS), "of-dump-memory", 0.9,
		             true);
	}
	kill(machine, SIGKILL);
	waitpid(machine, NULL, 0);
	unlink(bytes_path);
	unlink(stub.sun_path);
	return 0;
}
