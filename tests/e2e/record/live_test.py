#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""live.py: a region that is still being written is not reported as made."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import live
import region as tr
import tap


class Watcher(live.Live):
    """A live run whose region only this test writes."""

    def __init__(self, path):  # pylint: disable=super-init-not-called
        self.region, self.memory = path, None


RIG = fake_run.Rig()
REGION = RIG.here / "region"
WATCHER = Watcher(REGION)
WHOLE = bytearray(1 << 20)
MADE = tr.Region(WHOLE)
MADE.open()
MADE.state(tr.RECORDING)
seen = [WATCHER.state()]
for part in (b"", WHOLE[:5], bytes(4096), bytes(8) + WHOLE[8:]):
    REGION.write_bytes(part)
    seen.append(WATCHER.state())
tap.equal(seen, [None] * 5, "a region is not yet there while its file is absent, empty, cut in its "
          "magic, of zeroes, or without its magic")
REGION.write_bytes(WHOLE)
tap.equal((WATCHER.state(), WATCHER.is_recording()), (tr.RECORDING, True), "and is there with it")
tap.equal([live.is_as_long(path, size) for path, size in
           ((REGION, len(WHOLE)), (REGION, len(WHOLE) + 1), (RIG.out, 0))], [True, False, False],
          "a wait for a file's length sees it long enough, too short, or absent")
with subprocess.Popen(["true"]) as process:
    process.wait()
    looks = iter((0, 7))
    tap.equal(live.until(lambda: next(looks), process=process), 7,
              "a condition that becomes true at a process's end is seen")
tap.finish()
