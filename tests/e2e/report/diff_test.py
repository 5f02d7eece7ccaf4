#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf diff`, and the script of docs/continuous-integration.md: a change of a payload is found
by its name; and the numbers are those of `perf diff`.

check-spare: machines count instructions
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

TOP = machine.TOP
GROWN = 5
DIRECTORY = tempfile.TemporaryDirectory(prefix="bareperf-test-")
HERE = pathlib.Path(DIRECTORY.name)
WORK = HERE / "work"
WORK.mkdir()
FIRMWARE = machine.boots.quick_firmware()


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=WORK,
                          check=False, stdin=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **environment})
    return done


def diff(*words):
    return run(machine.TOOL, "diff", *words)


def rows(text):
    """{function: (baseline, change)} from a diff's table."""
    found = re.findall(r"^\s*([\d.]+)%\s+([-+][\d.]+)%\s.*\s(\S+)$", text, re.M)
    return {name: (float(baseline), float(delta)) for baseline, delta, name in found}


def tools():
    """The tool as that script calls it, but on a firmware that boots quickly."""
    binaries = HERE / "bin"
    binaries.mkdir()
    firmware = f"--firmware {FIRMWARE}" if FIRMWARE else ""
    (binaries / "bareperf").write_text(f"""#!/bin/sh
tool={machine.TOOL}
[ "$1" = run ] && {{ shift; exec "$tool" run {firmware} "$@"; }}
exec "$tool" "$@"
""")
    (binaries / "bareperf").chmod(0o755)
    return f"{binaries}:{TOP / 'build/x86_64/sdk/bin'}:{os.environ['PATH']}"


def gate():
    old = TOP / "workload/example/gate.c"
    new = HERE / "new.c"
    new.write_text(old.read_text().replace("#define HASH_STEPS 40U", "#define HASH_STEPS 60U"))
    path = tools()
    # a host that pauses for 130 ms makes the first two differ, which is reported
    for _ in range(3):
        for recorded in WORK.iterdir():
            shutil.rmtree(recorded) if recorded.is_dir() else recorded.unlink()
        found = run(TOP / "docs/ci/gate", old, new, "1", PATH=path, WORK=str(WORK))
        if "# Event" in found.stdout:
            break
    seen = rows(found.stdout)
    others = {name: change for name, (_, change) in seen.items() if name != "hash"}
    tap.ok(found.returncode == GROWN and re.findall(r": (\w+) \(program.elf\) has grown", found.stderr)
           == ["hash"], "the gate names the one function that was changed, and fails",
           (found.returncode, found.stdout, found.stderr))
    tap.ok(seen.get("hash", (0, 0))[1] > 10 and all(abs(change) < 0.5 for change in others.values()),
           "by the amount of its growth; unchanged functions did not grow", found.stdout)
    tap.ok("# Exact" in found.stdout and "[+0.00%" not in found.stdout.split("hash")[0],
           "of recordings with -icount every difference is its own interval", found.stdout)


def same():
    done = diff("--fail-above", "0", WORK / "old.data", WORK / "again.data")
    tap.ok(done.returncode == 0 and set(rows(done.stdout).values()) and
           {change for _, change in rows(done.stdout).values()} == {0.0},
           "two recordings of one payload with -icount differ in nothing", done.stdout + done.stderr)
    scripts = [run("perf", "script", "--ns", "-i", WORK / name).stdout
               for name in ("old.data", "again.data")]
    tap.ok(scripts[0] == scripts[1] and len(scripts[0]) > 10000, "nor does perf script of them",
           len(scripts[0]))


def as_perf():
    """Shares and changes of all functions with over 1 %."""
    theirs = {name: (float(baseline), float(delta)) for baseline, delta, name in re.findall(
        r"^\s*([\d.]+)%\s+([-+][\d.]+)%\s+\S+\s+\[.\] (\S+)",
        run("perf", "diff", WORK / "old.data", WORK / "new.data").stdout, re.M)}
    ours = rows(diff(WORK / "old.data", WORK / "new.data").stdout)
    large = {name for name, (baseline, _) in ours.items() if baseline > 1}
    tap.ok(large >= {"parse", "hash", "emit"} and
           all(abs(a - b) < 0.011 for name in large for a, b in zip(ours[name], theirs[name])),
           "shares and their changes are perf diff's", f"{ours}\n{theirs}")


def sides():
    many = diff("-c", "count", "--fail-above", "1%", "old.data", "again.data", "--", "new.data",
                "new.data")
    tap.ok(many.returncode == GROWN and "Welch" in many.stdout and "6" in many.stdout,
           "several recordings a side, which agree", many.stdout + many.stderr)
    for words, claim in ((("a", "b", "c"), "three files without --"), (("a", "--"), "no new side"),
                         (("--", "a"), "no baseline"), (("--fail-above", "x", "a", "b"), "no number")):
        done = diff(*words)
        tap.ok(done.returncode == 2 and done.stderr and not done.stdout, f"refused: {claim}", done)
    (WORK / "perf.data.old").symlink_to("old.data")
    (WORK / "perf.data").symlink_to("new.data")
    tap.equal(diff().stdout, diff("old.data", "new.data").stdout,
              "without names: perf.data.old and perf.data, as perf's")
    done = diff("-e", "cycles", "old.data", "new.data")
    tap.ok(done.returncode == 1 and "cycles" in done.stderr, "an event that was not recorded", done)
    done = diff("old.data", "missing.data")
    tap.ok(done.returncode == 1 and "missing.data" in done.stderr, "a file that is not there", done)


gate()
same()
as_perf()
sides()
tap.finish()
