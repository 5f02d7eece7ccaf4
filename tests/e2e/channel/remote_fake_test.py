#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--channel shm: with made-up regions: machines that panic, are reset, stop beating, or lie."""

import json
import mmap
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import region as tr
import tap

ERROR, UNFINISHED = 125, 253


class Fake:
    """A fake machine that records 50 samples and keeps beating, until a test changes its region."""

    def __init__(self, directory, version=0x10002):
        self.path = pathlib.Path(directory) / "region"
        self.file = pathlib.Path(directory) / "perf.data"
        self.path.write_bytes(bytes(1 << 20))
        with open(self.path, "r+b") as file:
            self.region = tr.Region(mmap.mmap(file.fileno(), 0))
        self.region.open()
        self.region.header(version=version)
        self.region.describe()
        self.region.header(state=tr.RECORDING)
        for _ in range(50):
            self.region.sample()
        self.region.publish()
        self.beats = version & 0xffff >= 2
        self.alive = True
        threading.Thread(target=self.live, daemon=True).start()

    def live(self):
        while self.alive:
            if self.beats:
                self.region.header(heartbeat=self.region.get(296) + 1)
            time.sleep(0.001)

    def tool(self, *words):
        return subprocess.Popen([machine.TOOL, *words, "--channel", f"shm:{self.path}", "--timeout",
                                 "2.5"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def attach(self, trouble):
        """Attach to the run; when everything was read, cause the fault. Returns the tool's status
        and text."""
        process = self.tool("attach", "-o", self.file)
        live.until(lambda: self.region.get(tr.READY) == 1 and self.region.tail() == self.region.head,
                   process=process)
        trouble(self)
        text = process.communicate(timeout=live.PATIENCE)[0]
        self.alive = False
        return process.returncode, text


def complete(fake):
    fake.region.header(state=tr.COMPLETE)


def panic(fake):
    fake.region.message("an exception at 0x1234")
    fake.region.header(state=tr.PANIC)


def reset(fake):
    fake.region.header(magic=bytes(8))


def boot_anew(fake):
    fake.region.header(nonce=77)


def record_anew(fake):
    fake.region.header(run=2)


def fall_silent(fake):
    fake.beats = False


def be_written_over(fake):
    fake.region.header(state=99)


def lie(fake):
    fake.region.put(tr.FIRST_RING + 1024, "<Q", 0x12345)
    fake.region.header(state=tr.COMPLETE)


def lose_the_lease(fake):
    fake.region.put(tr.READER, "<I", 77)


CASES = (
    (complete, 0, "50 samples", "attach reads a run to its end"),
    (panic, UNFINISHED, "the machine panicked: an exception at 0x1234", "a panic is reported"),
    (reset, UNFINISHED, "the machine was reset: its trace region is gone", "so is a reset"),
    (boot_anew, UNFINISHED, "the machine was reset: its trace region is another boot's",
     "and one that was over when we looked"),
    (record_anew, UNFINISHED, "the machine is at run 2 by now; the one to read was 1",
     "a machine that has begun another run"),
    (fall_silent, UNFINISHED, "no sign of life for 2.5 s (its last state: recording)",
     "a heartbeat that stops"),
    (be_written_over, ERROR, "offset 0x30: the state 99 is unknown", "an unknown state"),
    (lie, ERROR, "ring 0, position", "a head that cannot be"),
    (lose_the_lease, ERROR, "another reader has taken the machine's rings",
     "a reader that others took for dead"),
)

for trouble, expected, line, claim in CASES:
    with tempfile.TemporaryDirectory() as DIRECTORY:
        status, text = Fake(DIRECTORY).attach(trouble)
        perf = subprocess.run(["perf", "script", "-i", f"{DIRECTORY}/perf.data", "-F", "time"],
                              capture_output=True, text=True, check=False)
        tap.ok(status == expected and text.count(line) == 1 and len(perf.stdout.splitlines()) == 50,
               f"{claim}: exit status {expected}, and all that was read is a file",
               (status, text, perf.stdout[-200:], perf.stderr))

with tempfile.TemporaryDirectory() as DIRECTORY:
    OLD = Fake(DIRECTORY, version=0x10001)
    status, text = OLD.attach(complete)
    done = subprocess.run([machine.TOOL, "dump", "--json", OLD.file], capture_output=True,
                          text=True, check=False)
    tap.ok(status == 0 and done.returncode == 0 and json.loads(done.stdout),
           "a firmware that has no heartbeat yet is read as well", (text, done.stdout))
    OLD.region.header(version=0x20000)
    process = OLD.tool("list")
    text = process.communicate(timeout=live.PATIENCE)[0]
    OLD.region.header(version=0x10001)
    tap.ok(process.returncode == ERROR and "version" in text and text.count("\n") == 1,
           "one of another major version is refused in a line", text)
    OLD.region.say("the machine's words\n")
    image = [subprocess.run([machine.TOOL, *words, "--channel", f"image:{OLD.path}"],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
             for words in (("attach", "-o", OLD.file), ("console",))]
    tap.ok(image[0].returncode == ERROR and image[0].stderr.count("\n") == 1 and
           "`bareperf import'" in image[0].stderr,
           "a file with a machine's memory is reported at once, with the command that imports it",
           image[0].stderr)
    tap.ok(image[1].returncode == 0 and image[1].stdout == "the machine's words\n" and
           not image[1].stderr, "its console is printed", image[1])
    OLD.region.header(magic=bytes(8))
    process = OLD.tool("list")
    text = process.communicate(timeout=live.PATIENCE)[0]
    tap.ok(process.returncode == ERROR and "there is no trace region after 2.5 s" in text,
           "a file without a region is reported", text)
tap.finish()
