#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf top`: its view of a machine that records, key by key; the sums of its last block; and
the terminal's state after it ends in any way.

check-timeout: 900
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import live
import machine
import mailbox
import region as tr
import tap
import tmux
from remote import Remote

UNFINISHED, ERROR, REFUSED = 253, 125, 126
FUNCTIONS = {"lex", "pivot", "hash", "swap", "emit"}


def blocks(text):
    """The blocks of --stdio: [(title, lines)]."""
    parts = re.split(r"^# ((?:last block|block \d+), after [\d.]+ s)$", text, flags=re.M)
    return list(zip(parts[1::2], (part.splitlines() for part in parts[2::2])))


def rows(lines):
    return [line.split() for line in lines if "%" in line and line[0] != "#"]


def sums_are_perfs(claim, text, directory, sort="dso,sym"):
    """The last block's rows and its event count equal perf's for the file."""
    title, lines = blocks(text)[-1]
    perf = subprocess.run(["perf", "report", "--stdio", "--no-children", "-g", "none", "-n", "--sort", sort,
                           "-i", "kept"], cwd=directory, capture_output=True, text=True, check=False).stdout
    counts = [re.findall(r"^# Event count \(approx\.\): (\d+)", page, re.M)
              for page in ("\n".join(lines), perf)]
    tap.ok(title.startswith("last") and counts[0] == counts[1] != [] and
           sorted(rows(lines)) == sorted(rows(perf.splitlines())) != [],
           f"{claim}: the last block is perf report's of the same recording", (counts, lines[:30], perf))


def as_text(remote):
    status, text = remote("top -a -e cpu-clock -F 1000 -- calltree 2", "-o", "kept", "--delay", "0.3",
                          "--entries", "3")
    found = blocks(text)
    tap.ok(status == 0 and len(found) > 2 and remote.dump("kept")["status"] == 0,
           "without a terminal: a block at a time, and a recording beside", (status, text[-3000:]))
    titles = [title.split(",")[0] for title, _ in found]
    tap.ok(titles == [f"block {i + 1}" for i in range(len(found) - 1)] + ["last block"],
           "each says which it is", titles)
    tap.ok(all(len(rows(lines)) <= 3 for _, lines in found[:-1]), "no block but the last has more lines "
           "than --entries says", found)
    middle = "\n".join(found[len(found) // 2][1])
    tap.ok(re.search(r"^# run \d+ recording, clock [\d.]+ s: record -a ", middle, re.M) and
           re.search(r"^# cpu-clock: \d+ samples, \d+/s, lost 0, throttled 0; event 1 of 1$", middle, re.M)
           and re.search(r"^# CPU 0 \d+/s ring \d+ %, CPU 1 \d+/s ring \d+ %$", middle, re.M),
           "it says clock, rate, loss, throttling, and how full the rings were", middle)
    tap.ok(re.search(r"^# idle [\d.]+ %$", middle, re.M) and "arch_wait" in text,
           "and how much of all was idle", middle)
    sums_are_perfs("two CPUs", text, remote.directory)
    status, text = remote("top -e cpu-clock -F 500 -e cpu-clock -c 3000001 -- calltree 1", "-o", "kept",
                          "--sort", "symbol")
    tap.ok(status == REFUSED and "exclude each other" in text, "a wrong command is marked, and costs no "
           "run", text)
    status, text = remote("top -e cpu-clock,cpu-clock -F 700 -- calltree 1", "-o", "kept", "--sort",
                          "symbol")
    tap.equal(status, 0, "two events, by symbol alone")
    sums_are_perfs("two events", text, remote.directory, "sym")


def not_at_once(remote):
    status, text = remote("top")
    tap.ok(status == ERROR and "records nothing that could be watched" in text,
           "a machine that records nothing is not watched, and top gives advice", text)
    status, text = remote("top -e cpu-clock -- noploop 1", "-o", "-")
    tap.ok(status == REFUSED and "standard output" in text, "-o - is refused", text)


def watch(remote, *words, **size):
    return tmux.Terminal(*remote.words("top " + " ".join(words), "--delay", "0.2"),
                         cwd=remote.directory, **size)


def share(screen, name):
    found = re.search(rf"^.\s+([\d.]+)% .*\b{name}$", screen, re.M)
    return float(found[1]) if found else 0


def rows_of(screen):
    """The event's line and its functions' rows, without the selected row."""
    return re.findall(r"^(?:. +[\d.]+% .*|.*; event .*)$", screen, re.M)


def by_key(remote, terminal):
    """Press each key, and check the screen."""
    tap.ok(terminal.shows(*FUNCTIONS), "functions, the heaviest first", terminal.screen())
    live.until(lambda: share(terminal.screen(), "lex") > 10)
    screen = terminal.screen()
    shares = [float(s) for s in re.findall(r"^.\s+([\d.]+)% ", screen, re.M)]
    tap.ok(shares == sorted(shares, reverse=True) and share(screen, "lex") > 10 and
           "; event 1 of 2" in screen and "ring" in screen and screen.splitlines()[-1].startswith(
               "bareperf top: press h for help"), "with head and foot", screen)
    terminal.press("h")
    tap.ok(terminal.shows("annotate the function", "zoom out", "freeze"), "h: help", terminal.screen())
    terminal.press("h")
    tap.ok(terminal.until(r"\[\.\] lex$"), "and back", terminal.screen())
    tap.ok(terminal.until(r"^idle \d+\.\d %, in none") and "arch_wait" not in terminal.screen(),
           "idle samples are reported, and left out", terminal.screen())
    terminal.press("i")
    tap.ok(terminal.until(r"\[\.\] arch_wait$") and terminal.until(r"^idle \d+\.\d %$"), "i: it is shown",
           terminal.screen())
    terminal.press("i")
    tap.ok(terminal.until(r"^idle \d+\.\d %, in none"), "and left out again", terminal.screen())
    terminal.press("Tab")
    tap.ok(terminal.shows("; event 2 of 2"), "Tab: the next event", terminal.screen())
    terminal.press("BTab")
    tap.ok(terminal.shows("; event 1 of 2"), "Shift-Tab: the last one", terminal.screen())
    terminal.press("s")
    tap.ok(terminal.until(r"^>\s+\d+\.\d+%\s+\d+  bareperf\.sym\s*$") and "lex" not in terminal.screen(),
           "s: by module", terminal.screen())
    terminal.press("s")
    tap.ok(terminal.until(r"^.\s+\d+\.\d+%\s+\d+  CPU 000$") and
           terminal.until(r"^.\s+\d+\.\d+%\s+\d+  CPU 001$"), "and by CPU", terminal.screen())
    terminal.press("s")
    terminal.until(r"\[\.\] lex$")
    terminal.press("t")
    tap.ok(terminal.shows("only CPU 0", "[.] lex"), "t: zoom into a CPU", terminal.screen())
    terminal.press("t")
    tap.ok(terminal.shows("only CPU 1") and "lex" not in terminal.screen(), "then the next, which runs "
           "no workload", terminal.screen())
    terminal.press("Escape")
    tap.ok(terminal.until(r"\[\.\] lex$") and "only CPU" not in terminal.screen(), "Esc: zoom out",
           terminal.screen())
    terminal.press("/")
    terminal.type("pivqq")
    terminal.press("BSpace", "BSpace")
    tap.ok(terminal.shows("only functions with: piv_"), "/: a filter is typed, and mended",
           terminal.screen())
    terminal.press("Enter")
    tap.ok(terminal.until(r"^>\s+100\.00%.*\bpivot$") and terminal.shows("only /piv"),
           "and only functions of that name are shown", terminal.screen())
    terminal.press("d")
    tap.ok(terminal.shows("only bareperf.sym /piv"), "d: zoom into the module", terminal.screen())
    terminal.press("a")
    tap.ok(terminal.shows("Source code & Disassembly of pivot") and
           terminal.until(r"^\s+\d+\.\d\d :\s+[0-9a-f]+:  \w+") and terminal.until(r"calltree\.c:\d+$"),
           "a: the function in assembly, with its source's lines", terminal.screen())
    terminal.press("Escape")
    tap.ok(terminal.until(r"^>\s+100\.00%.*\bpivot$"), "Esc: back", terminal.screen())
    terminal.press("Escape", "Escape")
    tap.ok(terminal.shows("[.] lex", "[.] hash") and "only " not in terminal.screen(),
           "and out of all zooms", terminal.screen())
    top = re.findall(r"\[\.\] (\w+)$", terminal.screen(), re.M)
    terminal.press("Down")
    tap.ok(terminal.until(rf"^>.*\b{top[1]}$"), "Down: the next row", (top, terminal.screen()))
    terminal.press("f")
    tap.ok(terminal.shows("FROZEN"), "f: freeze", terminal.screen())
    before = terminal.screen()
    time.sleep(0.7)
    tap.equal(terminal.screen(), before, "the view is paused, and the machine continues")
    terminal.press("P")
    tap.ok(terminal.shows("perf.hist.0 written") and
           re.findall(r"event \d of 2$", (remote.directory / "perf.hist.0").read_text(), re.M) ==
           ["event 1 of 2", "event 2 of 2"], "P: a snapshot of all events in a file", terminal.screen())
    tap.equal(rows_of(terminal.screen()), rows_of(before), "the view is paused then, too")
    terminal.press("f")
    tap.ok(live.until(lambda: rows_of(terminal.screen()) != rows_of(before)),
           "until it is let go: the samples continue", terminal.screen())
    terminal.press("z")
    tap.ok(terminal.shows("ZEROING"), "z: each view counts from the last one", terminal.screen())
    terminal.press("z")


def resized(terminal):
    for columns, rows_ in ((60, 12), (20, 6), (140, 40)):
        terminal.resize(columns, rows_)
        ok = live.until(lambda rows_=rows_: len(terminal.lines()) >= rows_ and
                        terminal.lines()[rows_ - 1].startswith("bareperf top"))
        tap.ok(ok and max(map(len, terminal.lines())) <= columns,
               f"resized to {columns} columns and {rows_} rows: it fits", terminal.screen())


def on_a_terminal(remote):
    run = remote.word("run") + 1
    with watch(remote, "-a -e cpu-clock,cpu-clock -F 500 -- calltree 1000") as terminal:
        remote.until_run(run)
        by_key(remote, terminal)
        resized(terminal)
        status, text = remote("top")
        tap.ok(status == ERROR and f"process {terminal.pid()} of this host" in text,
               "a second reader gets the first one's process number", text)
        os.kill(terminal.pid(), signal.SIGKILL)
    with watch(remote) as terminal:
        tap.ok(terminal.shows("[.] lex"), "a running recording is read", terminal.screen())
        terminal.press("q")
        status, sane, screen = terminal.end()
        tap.ok(status == 0 and sane and "the machine continues run" in screen and
               "top --channel" in screen, "q leaves it, and prints how to resume", (status, sane, screen))
    for number in (signal.SIGTERM, signal.SIGINT):
        with watch(remote) as terminal:
            terminal.shows("[.] lex")
            os.kill(terminal.pid(), number)
            status, sane, screen = terminal.end()
            tap.ok(status == 128 + number and sane and "[.] lex" not in screen,
                   f"killed by {number.name}: the terminal is as it was", (status, sane, screen))


def gone(remote):
    with watch(remote, "--timeout 1") as terminal:
        terminal.until(r"\[\.\] lex$")
        terminal.until(r"samples, [1-9]\d*/s")
        terminal.press("S")
        tap.ok(terminal.until(r"^run \d+ recording,.*\n.* samples, 0/s") and
               terminal.shows("the events are being stopped", "[.] lex"),
               "S: the events stop, and the workload continues", terminal.screen())
        remote.agent.process.kill()
        status, sane, screen = terminal.end()
        said = [line for line in screen.splitlines() if line.startswith("bareperf: ")]
        tap.ok(status == UNFINISHED and sane and len(said) >= 1 and "no sign of life for 1 s" in screen
               and "[.] lex" not in screen,
               "a machine that is gone: the terminal is as it was, and it is said", (status, sane, screen))


def ended(remote):
    run = remote.word("run") + 1
    with watch(remote, "-o kept -e cpu-clock -F 500 -- calltree 3") as terminal:
        remote.until_run(run)
        tap.ok(terminal.shows("has ended", "[.] lex"), "of a recording that has ended what was seen stays to "
               "be looked at", terminal.screen())
        terminal.press("a")
        tap.ok(terminal.shows("Disassembly of"), "functions, too", terminal.screen())
        terminal.press("q")
        status, sane, screen = terminal.end()
        tap.ok(status == 0 and sane and "Captured and wrote" in screen, "until q",
               (status, sane, screen))
    tap.ok(remote.dump("kept")["status"] == 0, "the file kept at the same time is whole")


def without_colours(remote):
    with tmux.Terminal(*remote.words("top -e cpu-clock -F 500 -- calltree 1"), cwd=remote.directory,
                       environment=("TERM=nonsense",)) as terminal:
        status, _, screen = terminal.end()
        tap.ok(status == ERROR and "--stdio" in screen, "a terminal that is not known: --stdio will do",
               (status, screen))


def into(rig, out):
    """The exit status and the messages if the output is a closed descriptor."""
    done = subprocess.run(rig.words("top", "fake", "complete", "1000", options=("--stdio",)), stdout=out,
                          stderr=subprocess.PIPE, text=True, cwd=rig.here, check=False)
    os.close(out)
    return done.returncode, done.stderr


def machine_of_its_own():
    """`run -- top` with a fake machine."""
    rig = fake_run.Rig()
    kept = rig.here / "kept"
    done = rig.command(*rig.words("top", "fake", "complete", "60000", out=kept,
                                  options=("--stdio", "--delay", "0.1")))
    tap.ok(done.returncode == 0 and "Captured and wrote" in done.stderr, "run -- top records",
           (done.returncode, done.stderr))
    sums_are_perfs("run", done.stdout, rig.here)
    words = rig.words("top", "fake", "complete", "1000", options=("--stdio", "--symbols", rig.here))
    del words[words.index("-o"):words.index("-o") + 2]
    done = rig.command(*words)
    tap.ok(done.returncode == 0 and "Captured" not in done.stderr and
           not (rig.here / "perf.data").exists() and "# last block" in done.stdout,
           "without -o no file is written", (done.returncode, done.stderr))
    tap.ok("/dev/null" not in done.stderr, "nor looked for in vain", done.stderr)
    done = rig.command(*rig.words("top", "fake", "lossy", "3000", options=("--stdio",)))
    last = blocks(done.stdout)[-1][1]
    tap.ok(last[1].startswith("# LOST ") and "record with -m" in "".join(last[:4]),
           "losses come first, with the option that would keep the records", last[:5])
    full, said = into(rig, os.open("/dev/full", os.O_WRONLY))
    tap.ok(full == ERROR and "writing the view: No space left on device" in said,
           "a full disk ends it, and is reported", (full, said))
    reader, writer = os.pipe()
    os.close(reader)
    gone_, said = into(rig, writer)
    tap.ok(gone_ == 0 and "writing" not in said, "a reader that closes the pipe makes it end with success", (gone_, said))
    for words, why in ((rig.words("record", "fake", "complete", "10", options=("--delay", "2")), "of `top'"),
                       (rig.words("top", "fake", "complete", "10", out="-"), "standard output"),
                       (rig.words("top", "fake", "complete", "10", options=("--delay", "0")), "--delay"),
                       (rig.words("top", "fake", "complete", "10", options=("--sort", "x")), "dso, symbol")):
        done = rig.command(*words)
        tap.ok(done.returncode == REFUSED and why in done.stderr, f"refused: {why}",
               (done.returncode, done.stderr))
    if tmux.missing():
        return
    with tmux.Terminal(*rig.words("top", "fake", "complete", "3000", out=kept), cwd=rig.here) as terminal:
        tap.ok(terminal.shows("has ended", "3000 samples"), "when all is over, it stays to be looked at",
               terminal.screen())
        terminal.press("q")
        status, sane, screen = terminal.end()
        tap.ok(status == 0 and sane and "(3000 samples)" in screen, "until q", (status, sane, screen))


def boot(isa):
    with tempfile.TemporaryDirectory() as shared, tempfile.TemporaryDirectory() as files:
        agent = mailbox.Agent(shared, isa, *machine.PACED, "-smp", "2", "-kernel",
                              str(machine.TOP / f"build/{isa}/bareperf.efi"))
        try:
            remote = Remote(agent, pathlib.Path(files))
            agent.until(lambda: agent.state() == tr.IDLE)
            not_at_once(remote)
            as_text(remote)
            if tmux.missing():
                tap.skip("top on a terminal", tmux.missing())
                return
            without_colours(remote)
            ended(remote)
            on_a_terminal(remote)
            gone(remote)
        finally:
            agent.process.kill()
            agent.process.wait()


machine_of_its_own()
WHY = machine.missing()
if WHY:
    tap.skip("top of a machine that others started", WHY)
else:
    boot("x86_64")
tap.finish()
