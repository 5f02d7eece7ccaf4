#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tool's help, manual pages and exit statuses agree.

check-spare: no claim is about time
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
MAN = TOP / "docs/man"
REMOTE = ("record", "stat", "attach", "stop", "snapshot", "console", "reboot")
COMMANDS = ("run", "top", "list", "import", "merge", "dump", "report", "annotate", "diff", "export", "flamegraph",
            "bench", "noise", "selftest",
            *REMOTE)


def run(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


status, out, _ = run("--help")
tap.ok(status == 0 and all(f"  {c} " in out for c in COMMANDS), "--help lists every command", out)
tap.ok(re.fullmatch(r"bareperf \d+\.\d+\.\d+\n", run("--version")[1]), "--version says which one")
for command in COMMANDS:
    status, out, _ = run(command, "--help")
    tap.equal((status, run("help", command)[:2]), (0, (0, out)),
              f"`help {command}` is `{command} --help`")
    page = (MAN / f"bareperf-{'channel' if command in REMOTE else command}.1").read_text().replace("\\-", "-")
    options = set(re.findall(r"--([a-z-]+)", out)) - {"help", "usage"}
    missing = [o for o in sorted(options) if f"--{o}" not in page]
    tap.equal(missing, [], f"the manual page of {command} has all {len(options)} options")
    wrong = 126 if command in ("run", "top", "bench", "noise", *REMOTE) else 2
    tap.equal(run(command, "--nonsense", *(["--"] if command == "run" else []))[0], wrong,
              f"{command} with a wrong command line exits with {wrong}")
options = set(re.findall(r"--([a-z-]+)", run("run", "--outside", "--help")[1])) - {"help", "usage"}
page = (MAN / "bareperf-outside.1").read_text().replace("\\-", "-")
tap.ok(len(options) > 10 and all(f"--{o}" in page for o in options), "the manual page of run --outside has all its options",
       sorted(options))
tap.equal(run()[0], 2, "no command at all exits with 2")
status, _, err = run("nonsense")
tap.ok(status == 2 and "nonsense" in err, "a command that there is not exits with 2, and is named",
       err)
for options in (["-a", "riscv"], ["--timeout", "soon"], ["--region-size", "3"], ["-o"]):
    tap.equal(run("run", *options, "--", "record")[0], 126,
              f"`run {' '.join(options)}` exits with 126")
for path, text in (("/nowhere/perf.data", "No such file"), ("/", "/"), ("/dev/null", "/dev/null")):
    for command in ("dump", "report", "export -f csv", "flamegraph"):
        status, _, err = run(*command.split(), path)
        tap.ok(status == 1 and text in err, f"`{command} {path}` exits with 1 and says why", err)

if not shutil.which("man"):
    tap.skip("the manual pages are formatted without a warning", "there is no man here")
for page in sorted(MAN.glob("*.1")) if shutil.which("man") else ():
    done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                          env=dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8"))
    tap.equal((done.returncode, done.stderr), (0, ""), f"{page.name} is formatted without a warning")

RIG = fake_run.Rig()
words = RIG.words("record", "fake", "complete", "60000")
shown = RIG.on_terminal(*words)
tap.ok(re.search(r"\d+ records, \d+ records/s, [\d.]+ MB, lost 0", shown),
       "on a terminal a line shows records, their rate, bytes and losses", shown)
done = RIG.command(*words)
tap.ok("records/s" not in done.stderr and "\r" not in done.stderr,
       "elsewhere there is no such line", done.stderr)
tap.finish()
