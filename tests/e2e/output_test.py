#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of `bareperf run`: older ones, links, two runs at a time. The machine is made up
(fake_qemu.py)."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import tap

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = TOP / "build/host/bareperf"
FAKE = pathlib.Path(__file__).resolve().parent / "fake_qemu.py"
ERROR = 125  # enum run_status
directory = tempfile.TemporaryDirectory(prefix="bareperf-output-test-")
HERE = pathlib.Path(directory.name)
IMAGE = HERE / "image.efi"
IMAGE.write_bytes(b"MZ")
OUT = HERE / "perf.data"
OLD = HERE / "perf.data.old"


def words(*guest, out=OUT, options=()):
    return [TOOL, "run", "--qemu", FAKE, "-i", IMAGE, "-o", out, *options, "--", "record", "fake",
            *guest]


def command(*line):
    return subprocess.run(line, capture_output=True, text=True, timeout=120, cwd=HERE,
                          stdin=subprocess.DEVNULL)


def run(*guest, **how):
    return command(*words(*guest, **how))


def dump(path=OUT):
    """`dump --json`: its exit status, what it complains about, and the summary."""
    done = command(TOOL, "dump", "--json", path)
    return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else {}


def delivered(path=OUT):
    return dump(path)[2]["events"][0]["delivered"]


def clean():
    for path in HERE.iterdir():
        if path != IMAGE:
            path.unlink()


def names():
    return sorted(path.name for path in HERE.iterdir() if path != IMAGE)


# ---- Links ----

target, link = HERE / "target", HERE / "link"
link.symlink_to("target")
run("complete", "100", out=link)
tap.equal((names(), delivered(target)), (["link", "target"], 100),
          "a link that points nowhere yet gets its file")
run("complete", "200", out=link)
tap.equal((names(), delivered(link), delivered(HERE / "target.old")),
          (["link", "target", "target.old"], 200, 100),
          "the recording that a link points to is kept beside it, and the link stays")
tap.ok(link.is_symlink() and os.readlink(link) == "target", "and points where it did")
clean()

# ---- Two at a time ----

with subprocess.Popen(words("stall", "400"), stderr=subprocess.PIPE, text=True, cwd=HERE) as first:
    limit = time.monotonic() + 60
    while not (OUT.exists() and OUT.stat().st_size > 20000) and time.monotonic() < limit:
        time.sleep(0.02)
    second = run("complete", "100")
    tap.ok(second.returncode == ERROR and f"{OUT} is being written" in second.stderr and
           "-o" in second.stderr, "of two runs at a time the second is refused, and told what to do",
           f"{second.returncode} {second.stderr}")
    tap.equal(names(), ["perf.data"], "it leaves the first one's file alone, and no other")
    other = run("complete", "100", out=HERE / "other")
    tap.equal((other.returncode, delivered(HERE / "other")), (0, 100),
              "beside it another file can be written")
    first.send_signal(signal.SIGINT)
    text = first.communicate(timeout=60)[1]
said = re.search(r"\((\d+) samples\)", text)
tap.ok(said and int(said.group(1)) >= 400 and delivered() == int(said.group(1)),
       "the first one's file has all that it says", text)
clean()
started = [subprocess.Popen(words("complete", "3000"), stderr=subprocess.DEVNULL, cwd=HERE)
           for _ in range(4)]
ends = [process.wait(timeout=120) for process in started]
found = [delivered(path) for path in (OUT, OLD) if path.exists()]
tap.ok(ends.count(0) >= 1 and set(ends) <= {0, ERROR} and
       found == [3000] * min(2, ends.count(0)),
       "of four runs that start together each is whole or refused", f"{ends} {names()} {found}")
clean()

tap.finish()
