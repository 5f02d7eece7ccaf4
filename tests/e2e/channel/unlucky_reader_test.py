#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""For each N, a reader whose N-th file system call fails once, or that is killed at that call. Data
that the machine still had stay available, and complete data stay complete."""

import json
import mmap
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import region as tr
import tap

ERROR = 125
SAMPLES, PIECES, PIECE = 20, 4, 240
INTEL_BTS = 9
# FAIL_AT: number of the call that changes files; FAIL_HOW: the errno of the failure, or 0 to be
# killed
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(void)
{
	static int calls;
	const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_HOW");

	if (!at || ++calls != atoi(at))
		return 0;
	if (!atoi(how))
		raise(SIGKILL);
	errno = atoi(how);
	return 1;
}

#define CALL(type, name, parameters, arguments)                                   \
	type name parameters                                                      \
	{                                                                         \
		type(*real) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
		return fails() ? -1 : real arguments;                             \
	}
CALL(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
CALL(ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
CALL(int, ftruncate, (int fd, off_t size), (fd, size))
CALL(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
CALL(int, unlink, (const char *path), (path))
CALL(int, rename, (const char *from, const char *to), (from, to))

int posix_fallocate(int fd, off_t at, off_t size)
{
	int (*real)(int, off_t, off_t) = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");

	return fails() ? errno : real(fd, at, size);
}
"""


class Fake:
    """A fake machine whose run is over or continues: it has samples, and pieces of an AUX area that
    are each written and committed separately."""

    def __init__(self, here, state=tr.COMPLETE):
        self.here = pathlib.Path(here)
        self.path, self.file = self.here / "region", self.here / "perf.data"
        self.path.write_bytes(bytes(1 << 20))
        with open(self.path, "r+b") as file:
            self.region = tr.Region(mmap.mmap(file.fileno(), 0), aux_pages=16)
        self.region.open()
        self.region.describe(pmu=INTEL_BTS)
        self.region.header(version=0x10001, state=tr.RECORDING)
        self.record()
        self.region.header(state=state)

    def record(self):
        for _ in range(PIECES):
            for _ in range(SAMPLES // PIECES):
                self.region.sample()
            self.region.aux(bytes(PIECE))
        self.region.publish()

    def attach(self, name="perf.data", at=0, how=0):
        done = subprocess.run(
            [machine.TOOL, "attach", "-o", self.here / name, "--channel", f"shm:{self.path}",
             "--timeout", "2.5"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, timeout=live.PATIENCE,
            env={**os.environ, "LD_PRELOAD": str(self.here / "shim.so"), "FAIL_AT": str(at),
                 "FAIL_HOW": str(int(how))})
        return done.returncode, done.stdout

    def delivered(self, name="perf.data"):
        """(samples, AUX bytes) that perf finds in a file whose ledger is right; or the reason why
        it is wrong."""
        done = subprocess.run([machine.TOOL, "dump", "--json", self.here / name],
                              capture_output=True, text=True, check=False)
        perf = subprocess.run(["perf", "report", "-D", "-i", self.here / name],
                              capture_output=True, text=True, check=False)
        if done.returncode or not json.loads(done.stdout)["conserved"]:
            return done.stdout[-300:] + done.stderr
        return (perf.stdout.count("PERF_RECORD_SAMPLE("), perf.stdout.count("PERF_RECORD_AUXTRACE "))


def each_call(how, story, claim):
    """story(fake, n) returns false if there is no n-th call; otherwise the error, if any."""
    wrong, n = [], 0
    while True:
        n += 1
        with tempfile.TemporaryDirectory(prefix="bareperf-unlucky-") as directory:
            os.link(SHARED / "shim.so", f"{directory}/shim.so")
            found = story(Fake(directory), n, how)
        if found is False:
            break
        if found:
            wrong.append((n, found))
    tap.ok(n > 10 and not wrong, f"{claim} ({n - 1} calls)", f"{len(wrong)}: {wrong[:2]}")


WHOLE = (SAMPLES, PIECES)


def fails_once(fake, n, how):
    status, text = fake.attach(at=n, how=how)
    if status == 0:
        return False if fake.delivered() == WHOLE else (status, text, fake.delivered())
    again = fake.attach()
    seen = fake.delivered()
    return None if status == ERROR and seen == WHOLE else (status, text, again, seen)


def is_whole(fake, seen):
    """The last reader has ended the recording, or found it ended; records that were saved before
    are still there."""
    status, text = seen
    old = fake.here / "perf.data.old"
    return (fake.delivered() == WHOLE and old.read_bytes() == PRECIOUS and
            (status == 0 or status == ERROR and "read to its end" in text))


def killed_twice(fake, n, how):
    fake.file.write_bytes(PRECIOUS)
    status, text = fake.attach(at=n, how=how)
    if status == 0:
        return None if n > 100 else False
    for m in (1, 3, 6):
        fake.attach(at=m, how=how)
    seen = fake.attach()
    return None if status == -signal.SIGKILL and is_whole(fake, seen) else (status, text, seen)


PRECIOUS = b"the recording of another run"

with tempfile.TemporaryDirectory(prefix="bareperf-unlucky-") as DIRECTORY:
    SHARED = pathlib.Path(DIRECTORY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", SHARED / "shim.so"], input=SHIM,
                   text=True, check=True)
    each_call(28, fails_once, "a full disk at any call: the next reader gets the rest")
    each_call(0, killed_twice, "killed at any call, and again: the recording is whole, and so is the last")
tap.finish()
