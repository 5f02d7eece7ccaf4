#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/check itself: its counts, and that no kind of failure counts as success."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
CHECK = TOP / "tests/check"


def run(script, *arguments, ci="false", programs=("sample",), spare=()):
    """Run a copy of the runner on programs that are all the same shell script, some of which are
    marked as able to use spare time. Returns (exit status, output)."""
    with tempfile.TemporaryDirectory() as top:
        tests = pathlib.Path(top) / "tests"
        (tests / "e2e").mkdir(parents=True)
        shutil.copy(CHECK, tests / "check")
        for name in programs:
            program = tests / f"e2e/{name}_test.py"
            says = "# check-spare: it can wait\n" if name in spare else ""
            program.write_text("#!/bin/sh\n" + says + script)
            program.chmod(0o755)
        done = subprocess.run(
            [tests / "check", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env=dict(os.environ, CI=ci),
        )
        return done.returncode, done.stdout


def claim(text, script, expected_status, expected_last_line):
    status, output = run(script)
    last = output.splitlines()[-1]
    tap.ok(
        (status, last) == (expected_status, expected_last_line),
        text,
        f"exit status {status}\n{output}",
    )
    return output


claim(
    "results and skips are added up",
    "echo 'ok 1 - a'; echo 'ok 2 - b # SKIP no such hardware'; echo 1..2",
    0,
    "1 passed, 0 failed, 1 skipped",
)
output = claim(
    "a failed claim fails the run",
    "echo 1..2; echo 'ok 1 - a'; echo 'not ok 2 - the moon is green'; exit 1",
    1,
    "1 passed, 1 failed, 0 skipped",
)
tap.ok("FAILED: the moon is green" in output, "a failed claim is named", output)
output = claim(
    "among many results",
    "echo 1..201; echo 'not ok 1 - a'; echo '# seen 7'; for i in $(seq 2 201); do echo ok $i; done",
    1,
    "200 passed, 1 failed, 0 skipped",
)
tap.ok("# seen 7" in output and "ok 9" not in output,
       "failures are shown with their values, passes are not", output)
output = claim(
    "a program that is skipped as a whole says why",
    "echo '1..0 # SKIP no spin here'",
    0,
    "0 passed, 0 failed, 1 skipped",
)
tap.ok("no spin here" in output, "a skip's reason is listed", output)
claim(
    "a program that dies has failed",
    "echo 1..1; echo 'ok 1 - a'; kill -SEGV $$",
    1,
    "1 passed, 1 failed, 0 skipped",
)
claim(
    "an exit status is a failure with any output",
    "echo 1..1; echo 'ok 1 - a'; exit 3",
    1,
    "1 passed, 1 failed, 0 skipped",
)
claim("a program without a plan has failed", "echo 'ok 1 - a'", 1, "1 passed, 1 failed, 0 skipped")
claim(
    "too few results are a failure",
    "echo 1..3; echo 'ok 1 - a'",
    1,
    "1 passed, 1 failed, 0 skipped",
)
claim("silence is a failure", "true", 1, "0 passed, 1 failed, 0 skipped")
claim(
    "a program that does not end is killed, its children too",
    "# check-timeout: 1\necho 1..1; sleep 1000 & wait",
    1,
    "0 passed, 2 failed, 0 skipped",
)
claim(
    "plans of several groups are added up (cmocka prints one for each)",
    "echo 1..1; echo 'ok 1 - a'; echo 1..1; echo 'ok 1 - b'",
    0,
    "2 passed, 0 failed, 0 skipped",
)
NO_MODEL = "echo 'ok 1 - a # SKIP no hardware model: offline'; echo 1..1"
status, output = run(NO_MODEL)
tap.ok(status == 0 and "1 skipped" in output, "without the hardware model tests are skipped", output)
status, output = run(NO_MODEL, ci="true")
tap.ok(
    status == 1 and "FAILED: a: skipped in continuous integration" in output,
    "... and fail where CI=true",
    output,
)
status, output = run("echo '1..0 # SKIP no hardware model: offline'", ci="true")
tap.equal(status, 1, "... a program that is skipped as a whole too")
status, output = run("echo '1..0 # SKIP no spin here'", ci="true")
tap.equal(status, 1, "... and one for want of a package")
status, output = run("echo 'ok 1 # SKIP it_cannot_be'; echo 1..1", ci="true")
tap.equal(status, 1, "... and one without a reason")
status, output = run("echo 'ok 1 - a # SKIP not to be had: a unicorn'; echo 1..1", ci="true")
tap.ok(status == 0 and "1 skipped" in output, "... but not if its reason is that something is not to be had", output)
MEET = """echo 1..1; touch $0.here; i=0
until [ $(ls ${0%/*}/*.here | wc -l) -eq 2 ] || [ $i -eq 50 ]; do i=$((i + 1)); sleep 0.1; done
if [ $i -lt 50 ]; then echo ok 1 - met; else rm $0.here; exit 1; fi"""
status, output = run(MEET, "-j2", programs=("one", "other"))
tap.equal(status, 0, "with -j2 two programs run at a time")
status, output = run(MEET.replace("50", "5"), "-j1", programs=("one", "other"))
tap.equal(status, 1, "... with -j1 one after the other")
status, output = run("# check-alone: it wants to\n" + MEET.replace("50", "5"), "-j2",
                     programs=("one", "other"))
tap.equal(status, 1, "... and one that says so has the machine to itself")
THREE = MEET.replace("-eq 2", "-eq 3") + """
case $0 in *third*) chrt -p $$;; *) echo IDLE;; esac | grep -q IDLE"""
status, output = run(THREE, "-j2", programs=("one", "other", "third"), spare=("third",))
tap.equal(status, 0, "... a spare program runs beside them at idle priority")
status, output = run(THREE.replace("50", "5"), "-j2", programs=("one", "other", "third"))
tap.equal(status, 1, "... and no other has")
os.environ["SPARE_SECONDS"] = "1"
SLOW = """echo 1..1; case $(chrt -p $$) in *IDLE*) touch $0.idle; sleep 50;; esac; sleep 0.7
case $0 in *third*) [ -e $0.idle ] || exit;; esac; echo ok 1 - ran"""
status, output = run(SLOW, "-j2", programs=("one", "other", "third"), spare=("third",))
tap.ok(status == 0 and "3 passed, 0 failed" in output and "flaky" not in output,
       "... and if they leave too little, it runs again as they do", output)
del os.environ["SPARE_SECONDS"]
status, output = run("echo 1..1; echo ok 1 - ran", "-j1", programs=("one", "third"), spare=("third",))
tap.ok("2 passed" in output, "... with -j1 it runs like any other", output)
LATER = """echo 1..2; echo ok 1 - a; if [ -e $0.ran ]; then echo ok 2 - b; exit; fi
touch $0.ran; echo not ok 2 - b; exit 1"""
output = claim("a program that failed, and passes when it runs again, is no failure", LATER,
               0, "2 passed, 0 failed, 0 skipped")
tap.ok("\nflaky: 1: e2e/sample_test: b\n2 passed" in output,
       "... but the line before the last one names its claim", output)
status, output = run(LATER, "-j2", programs=("one", "two", "three"))
tap.ok(status == 0 and "\nflaky: 3: " in output and "6 passed, 0 failed" in output,
       "... nor are three of them", output)
status, output = run(LATER, "-j2", programs=("one", "two", "three", "four"))
tap.ok(status == 1 and "\nflaky: 4: " in output and "8 passed, 1 failed" in output,
       "... four are", output)
status, output = run(LATER, "-j2", programs=("one", "two", "three", "four", "five"))
tap.ok(status == 1 and "\nflaky: 4: " in output and "9 passed, 2 failed" in output,
       "... and the next one does not run again", output)
output = claim("a program that fails twice is a failure once",
               "echo 1..2; echo ok 1 - a; echo x >>$0.ran; echo not ok 2 - run $(wc -l <$0.ran); exit 1",
               1, "1 passed, 1 failed, 0 skipped")
tap.ok(output.rstrip().splitlines()[-4].strip() == "e2e/sample_test: run 2" and "flaky" not in output,
       "... the second time's", output)
ALONE = """echo 1..1; touch $0.here; trap 'rm $0.here' EXIT; sleep 0.5
[ -e $0.ran ] || { touch $0.ran; exit 1; }
[ $(ls ${0%/*}/*.here | wc -l) -eq 1 ] && chrt -p $$ | grep -q OTHER && echo ok 1 - alone"""
status, output = run(ALONE, "-j2", programs=("one", "two", "three"), spare=("two",))
tap.ok(status == 0 and "flaky: 3" in output, "a second run has the machine to itself", output)
status, output = run("echo 1..1; echo ok 1 - ran", "tw|*/three_*", programs=("one", "two", "three"))
tap.ok("2 passed" in output and "e2e/one" not in output, "a bar separates patterns", output)
status, output = run("echo 1..0", "nonesuch")
tap.ok(status == 2 and "nonesuch" in output, "a pattern that matches nothing is an error", output)

# `make soak` runs the rows that only it runs.
MAKE = (TOP / "tests/mutate/mutate.mk").read_text()
NAMED = re.search(r"^SOAK_REPEATS := ((?:.*\\\n)*.*)$", MAKE, re.MULTILINE)[1].replace("\\\n", " ").split()
tap.equal(sorted(NAMED), sorted(f"e2e/{path.stem}" for path in (TOP / "tests/e2e").rglob("*_test.py")
                                if re.search(r"machine\.(SOAK\b|repeats\()", path.read_text())),
          "make soak runs each test that leaves rows to it")
WORDS = ["a|b", "e2e/*", "it's", ">c;", "`d`", "(e)"]
for target, tool, names in (("check", "tests/check", ("CHECK",)), ("bench", "tests/bench/run", ("BENCH",)),
                            ("mutate", "tests/mutate/mutate", ("MUTATE",)),
                            ("run", "build/host/bareperf run", ("QEMU", "RUN"))):
    given = [f"{name}={' '.join(WORDS)}" for name in names]
    done = subprocess.run(["make", "-n", target, *given], cwd=TOP, capture_output=True, text=True)
    line = next((l for l in done.stdout.splitlines() if l.startswith(tool)), done.stdout + done.stderr)
    words = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True)
    tap.ok(words.stdout.count("\n".join(WORDS)) == len(names),
           f"make {target}: the shell reads nothing in {' and '.join(names)}", line)
tap.finish()
