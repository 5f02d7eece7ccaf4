# SPDX-License-Identifier: MIT
"""A session of `bareperf bench` on an emulated machine that counts instructions."""

import json
import subprocess
import time

import machine
import tap

ICOUNT = ("-icount", "shift=4,sleep=off")


def configuration(*events):
    """A configuration's text of (event, name) pairs."""
    return "".join(f"{event} {name}\n" for event, name in events)


class Session:
    """`bareperf bench --serve`, as its users' tools drive it."""

    def __init__(self, isa, *options, qemu=()):
        words = machine.run_words("--arch", isa, *options)
        self.process = subprocess.Popen(
            [words[0], "bench", "--serve", *words[2:], "--", *ICOUNT, *qemu],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the session has ended", "fatal": True}

    def counts(self, code, config, *options, init=""):
        """{name: value} of a snippet; "error" where it failed."""
        words = ["-asm", code, "-config_text", config, *options]
        if init:
            words += ["-asm_init", init]
        answer = self.ask(words)
        if "output" not in answer:
            return answer
        pairs = (line.rsplit(": ", 1) for line in answer["output"].splitlines())
        return {name: value for name, value in pairs}

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


ROUNDS = ("-unroll_count", "10", "-n_measurements", "3", "-warm_up_count", "1")


def hundredths(count):
    return f"{count}.00"


def table(session, isa, rows, config, *options):
    """Every row's three counts, for one copy of the code."""
    names = [line.split()[1] for line in config.splitlines()]
    wrong = []
    began = time.monotonic()
    for code, *expected in rows:
        init = expected.pop() if isinstance(expected[-1], str) else ""
        seen = session.counts(code, config, *ROUNDS, *options, init=init)
        wanted = {name: hundredths(count) for name, count in zip(names, expected)}
        if seen != wanted:
            wrong.append((code, seen, wanted))
    minutes = (time.monotonic() - began) / 60
    tap.ok(len(rows) >= 100 and not wrong,
           f"{isa}: {len(names)} counts of each of {len(rows)} snippets are those of its text", wrong[:5])
    tap.note(f"{isa}: {len(rows) / minutes:.0f} snippets a minute")
