#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine that the tool did not start: one boot, many recordings, over --channel shm:. With
RECORDINGS and KILLS in the environment, as many of them (make soak). On aarch64 only the claims
that no other ISA makes: attaching in the middle of a run, stopping and leaving it.

check-timeout: 3600
"""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import ivshmem
import live
import machine
import mailbox
import recordings
import region as tr
import talker
import tap
from remote import Remote

KILLS = int(os.environ.get("KILLS", "8"))
REFUSED, ERROR, UNFINISHED = 126, 125, 253
INTERRUPTED = 128 + signal.SIGINT


def total(summary, what):
    return sum(event[what] for event in summary["events"])


def kill(process):
    process.kill()
    return process.communicate()[0]


def woken(remote):
    """A second channel to the same machine, through the ivshmem server. QEMU is the server's peer
    0, because it connected first."""
    server = remote.agent.server
    url = f"shm:{server.path}"
    status, text = remote("record -e cpu-clock -F 2000 -m 4 -- noploop 1", "-o", "woken", url=url)
    tap.ok(status == 0 and "conserved: yes" in remote.printed("woken"),
           "a recording by an ivshmem server's socket", text)
    wakeups = remote.dump("woken")["wakeups"]
    tap.ok(server.rung(1) == wakeups["sent"] + wakeups["repeated"] > 2,
           "its doorbells wake the tool, and not peer 0", wakeups)


def questions(remote):
    status, text = remote("list")
    tap.ok(status == 0 and "event sources:" in text and "cpu-clock" in text and
           "trace region" not in text, "list prints the machine's answer, and nothing before it",
           text)
    status, text = remote("console")
    tap.ok(status == 0 and "waiting for commands in the mailbox" in text,
           "console prints all of it", text)
    for command, why in (("stop", "records nothing"), ("snapshot", "--snapshot")):
        status, text = remote(command)
        tap.ok(status == REFUSED and why in text, f"there is nothing to {command}", text)
    status, text = remote("record -C 9 -- noploop 0.3", "-o", "ninth")
    tap.ok(status == REFUSED and "no CPU 9: this machine has" in text and "ninth" not in remote.files(),
           "a command that the machine refuses leaves no file", text)
    status, text = remote("stat -e cpu-clock -- noploop 0.3", "--json")
    tap.ok(status == 0 and json.loads(text), "stat --json has the counts", text)
    status, text = remote("attach", "-o", "/nowhere/perf.data")
    tap.ok(status == ERROR and "/nowhere" in text, "a file that cannot be made is reported", text)


def until_killed(remote, chance, command):
    """Readers that die at random moments. Returns the number of killed readers, and the last one's
    output. A reader that ended before it was killed has no successor."""
    run = remote.word("run") + 1
    process = remote.start(command, "-o", "killed")
    remote.until_run(run)
    kills = 0
    while kills < KILLS and remote.agent.state() == tr.RECORDING:
        time.sleep(chance.random() * 0.3)
        text = kill(process)
        if process.returncode != -signal.SIGKILL:
            return kills, process.returncode, text
        kills += 1
        process = remote.start("attach", "-o", "killed")
    text = process.communicate(timeout=live.PATIENCE)[0]
    return kills, process.returncode, text


def killed(remote, chance):
    kills, status, text = until_killed(
        remote, chance, f"record -a -e cpu-clock -F 10000 -m 1024 -g -- noploop {max(4, KILLS // 2)}")
    summary = remote.dump("killed")
    tap.ok(status == 0 and kills > 1, "a recording whose readers are killed comes to its end",
           (kills, text))
    tap.ok(summary["status"] == 0 and not total(summary, "lost") and
           total(summary, "delivered") == total(summary, "written") > 10000 and
           not total(summary, "elsewhere"),
           "all of it is in the file, once, and perf reads it", summary["events"])
    tap.ok("killed.journal" not in remote.files(), "its journal is gone", remote.files())
    tap.equal(remote.samples("killed"), total(summary, "samples"),
              "perf finds as many samples")
    kills, status, text = until_killed(remote, chance, "record -e branch-step// -- calltree 6")
    summary = remote.dump("killed")
    tap.ok(status == 0 and kills > 1 and summary["status"] == 0 and "bytes of trace" in text,
           "of a branch trace as well: every byte of AUX is there or reported as lost",
           (kills, text, summary))


def more_than_now(path):
    """Returns a size that the file reaches once its next reader reads: it grows by 280 kB each
    second on an idle host."""
    return (path.stat().st_size if path.exists() else 0) + 30000


def attached(remote):
    """One reader dies; another begins with its own file, leaves, and resumes."""
    run = remote.word("run") + 1
    first = remote.start("record -e cpu-clock -F 5000 -- noploop 8", "-o", "first")
    remote.until_run(run)
    status, text = remote("record -- noploop 0.3", "-o", "second")
    tap.ok(status == ERROR and f"process {first.pid} of this host" in text,
           "a second reader gets the name of the first one", text)
    live.until(lambda: live.is_as_long(remote.directory / "first", 20000), process=first)
    kill(first)
    status, text = remote("record -- noploop 0.3", "-o", "second")
    tap.ok(status == ERROR and "bareperf attach" in text,
           "the recording continues when that reader is gone", text)
    for _ in range(2):
        size = more_than_now(remote.directory / "joined")
        process = remote.start("attach", "-o", "joined")
        live.until(lambda size=size: live.is_as_long(remote.directory / "joined", size),
                   process=process)
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=live.PATIENCE)[0]
        tap.ok(process.returncode == INTERRUPTED and "from now on records are lost" in text and
               "attach --channel" in text and "joined.journal" in remote.files(),
               "a reader that leaves reports the loss to expect, and how to resume", text)
    subprocess.run(["perf", "report", "--stdio", "-i", "joined"], cwd=remote.directory,
                   check=True, capture_output=True)
    status, text = remote("attach", "-o", "joined")
    summary = remote.dump("joined")
    tap.ok(status == 0 and summary["status"] == 0,
           "a run that was read from its middle, left and resumed has an exact ledger",
           (text, summary))
    tap.equal(total(summary, "elsewhere"), remote.samples("first"),
              "the number of records that another reader took is that of its file")
    status, text = remote("attach", "-o", "late")
    tap.ok(status == ERROR and f"run {run} is over, and has been read to its end" in text and
           "late" not in remote.files(),
           "attach refuses a run that is over and was read to its end, and makes no file",
           (status, text, remote.files()))


def stopped(remote):
    run = remote.word("run") + 1
    process = remote.start("record -e cpu-clock -F 1000 -- noploop 4", "-o", "stopped")
    remote.until_run(run)
    status, said = remote("stop")
    text = process.communicate(timeout=live.PATIENCE)[0]
    summary = remote.dump("stopped")
    tap.ok(status == 0 and process.returncode == 0 and summary["status"] == 0 and
           total(summary, "time_enabled") < 3.5e9,
           "another process stops a recording, whose reader has all of it until then",
           (said, text, summary["events"]))
    process = remote.start("record -e cpu-clock -F 1000 -- noploop 2", "-o", "stopped")
    remote.until_run(run + 1)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=live.PATIENCE)[0]
    if "resume with" in text:  # the workload lasted longer than the tool waits
        text += remote("attach", "-o", "stopped")[1]
    summary = remote.dump("stopped")
    tap.ok(process.returncode == INTERRUPTED and summary["status"] == 0 and
           "stopped.journal" not in remote.files(), "so does Ctrl-C", (text, summary))
    tap.equal(remote("record -e cpu-clock -- noploop 0.3", "-o", "next")[0], 0,
              "and the machine takes the next command")


def silent(remote):
    """A machine that stops for a while, and continues."""
    run = remote.word("run") + 1
    process = remote.start("record -e cpu-clock -F 1000 -- noploop 2", "--timeout", "1", "-o",
                           "silent")
    remote.until_run(run)
    remote.agent.process.send_signal(signal.SIGSTOP)
    text = process.communicate(timeout=live.PATIENCE)[0]
    tap.ok(process.returncode == UNFINISHED and text.count("shows no sign of life for 1 s") == 1,
           "a machine that stalls ends a recording with a line that says so", text)
    status, text = remote("list", "--timeout", "0.5")
    tap.ok(status == ERROR and "(its last state: recording)" in text and text.count("\n") == 1,
           "and so do other commands", text)
    remote.agent.process.send_signal(signal.SIGCONT)
    status, text = remote("attach", "-o", "silent")
    summary = remote.dump("silent")
    tap.ok(status == 0 and summary["status"] == 0 and not total(summary, "elsewhere"),
           "when it continues, so does the recording: attach has the rest", (text, summary))


def end(remote):
    status, text = remote("reboot")
    remote.agent.process.wait(live.PATIENCE)
    tap.equal((status, remote.agent.process.returncode), (0, 0), f"reboot resets it: {text}")
    status, text = remote("list", "--timeout", "0.5")
    tap.ok(status == ERROR and "no sign of life for 0.5 s" in text,
           "an abandoned region is distinguished from a live one", text)


# A kind of machine: QEMU's options, whether a server holds the channel, and its tests.
KINDS = {
    "x86_64": (("-smp", "2"), True, (woken, questions, killed, attached, stopped, silent, end)),
    "aarch64": ((), False, (attached, stopped, silent, end)),
}


def boot(isa, seed):
    """One machine, with all its tests in one boot."""
    options, serves, parts = KINDS[isa]
    with contextlib.ExitStack() as stack:
        shared, files = (stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2))
        server = (lambda path: ivshmem.Server(f"{shared}/socket", path)) if serves else None
        program = machine.payload(isa, pathlib.Path(shared) / "talker.elf", talker.MAIN)
        agent = mailbox.Agent(shared, isa, *machine.PACED, *options, "-initrd", str(program), "-kernel",
                              str(machine.TOP / f"build/{isa}/bareperf.efi"), server=server)
        try:
            remote = Remote(agent, files)
            agent.until(lambda: agent.state() == tr.IDLE)
            talker.check(talker.remote(remote.url), remote.directory, f"{isa}, shm", 20000, 4000000)
            if serves:
                recordings.one_boot(remote, remote.word, files, "shm")
            for part in parts:
                part(remote, *([random.Random(seed)] if part is killed else []))
        except BaseException:
            print(f"# {isa}: seed {seed}", remote.files())
            raise
        finally:
            agent.process.kill()
            agent.process.wait()


SEED = random.randrange(10**6)
for ISA in machine.repeats(KINDS):
    WHY = machine.missing(f"qemu-system-{ISA}")
    if WHY:
        tap.skip(f"{ISA}: recordings on a machine that others started", WHY)
    else:
        tap.note(f"{ISA}:")
        boot(ISA, SEED)
tap.finish()
