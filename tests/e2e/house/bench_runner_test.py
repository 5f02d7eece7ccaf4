#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/bench/run: its figures and its failures.

check-spare: no claim is about time
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
RUN = pathlib.Path(__file__).resolve().parents[2] / "bench/run"


def run(script):
    """The exit status and the figures of a copy of the runner with one benchmark."""
    with tempfile.TemporaryDirectory() as top:
        directory = pathlib.Path(top) / "tests/bench"
        directory.mkdir(parents=True)
        shutil.copy(RUN, directory / "run")
        program = directory / "sample.py"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        done = subprocess.run(
            [directory / "run"], capture_output=True, text=True, timeout=60, env=environment
        )
        results = json.loads((pathlib.Path(top) / "build/bench/results.json").read_text())
        return done.returncode, results["figures"]


status, figures = run("echo 'took 3, 4 ms'; echo 'bench start 3.5 ms goal 50 ok'")
tap.equal(
    (status, figures[0]["value"], figures[0]["unit"], figures[0]["goal"], figures[0]["from"]),
    (0, 3.5, "ms", 50, ["took 3, 4 ms"]),
    "a figure is collected with its inputs",
)
status, figures = run("echo 'bench start 80 ms goal 50 short'")
tap.equal((status, figures[0]["verdict"]), (0, "short"), "short of its goal is no failure")
status, figures = run("echo 'bench cost 62 instructions keep 60 worse'")
tap.equal(
    (status, figures[0]["keep"], figures[0]["verdict"]),
    (0, 60, "worse"),
    "a figure without a goal is no failure when it is worse",
)
status, figures = run("echo 'bench theirs 1105 instructions peer'")
tap.equal(
    (status, figures[0]["value"], figures[0]["verdict"], "keep" in figures[0]),
    (0, 1105, "peer", False),
    "a figure of another's program is judged by nothing",
)
status, figures = run("echo 'bench overflow skip no PMU here'")
tap.equal((status, figures[0]["skipped"]), (0, "no PMU here"), "a missing PMU is no failure")
environment.pop("PERF_BUILDID_DIR")  # tap's
status, figures = run("echo $PERF_BUILDID_DIR; echo 'bench start 1 ms goal 5 ok'")
tap.ok(
    figures[0]["from"][0].endswith("/build/bench/buildid-cache"),
    "its recordings are not kept in the user's ~/.debug",
    figures,
)
tap.equal(run("echo 'bench start 1 ms goal 5 ok'; exit 1")[0], 1, "a benchmark that dies fails")
tap.equal(run("echo 'bench start fast ms goal 5 ok'")[0], 1, "a figure that is no number fails")
tap.equal(run("echo 'bench start 1 ms'")[0], 1, "a figure without a goal fails")
tap.equal(run("true")[0], 1, "a benchmark without a figure fails")
made = subprocess.run(
    ["make", "-n", "bench"],
    cwd=RUN.parents[2],
    capture_output=True,
    text=True,
    timeout=300,
    env=environment,
)
tap.ok(
    "deps/install tests/bench/deps.txt" in made.stdout,
    "make bench installs the software for its comparisons",
    made.stdout[:1000] + made.stderr[:1000],
)
tap.finish()
