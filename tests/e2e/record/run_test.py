#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf run` with a fake machine (fake_qemu.py): no QEMU and no image are needed."""

import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import live
import tap

RIG = fake_run.Rig()
HERE, IMAGE, OUT = RIG.here, RIG.image, RIG.out
TOOL, FAKE = fake_run.TOOL, fake_run.FAKE
words, command = RIG.words, RIG.command


def run(*guest, options=(), by=()):
    """One `bareperf run`, started by another command if there is one; OUT is its output file."""
    OUT.unlink(missing_ok=True)
    return command(*by, *words(*guest, options=options))


def dump(path=OUT):
    status, _, summary = RIG.dump(path)
    return status, summary


def perf_samples(path=OUT):
    """The number of samples that stock perf finds, and its messages."""
    done = command("perf", "script", "-i", path, "-F", "ip")
    return len(done.stdout.split()), done.stderr


def orphans():
    """Fake machines that still exist, zombies included."""
    return command("pgrep", "-f", f"{FAKE.name}.*{HERE}").stdout.split()


done = run("record", "fake", "complete", "5000")
status, json_of = dump()
tap.equal(done.returncode, 0, "a run that ends well exits with 0")
tap.ok("(5000 samples) ]" in done.stderr, "it says how many samples were captured", done.stderr)
tap.ok(status == 0 and json_of["conserved"] is True, "its file is conserved", json_of)
event = json_of["events"][0]
tap.equal((event["generated"], event["written"], event["delivered"], event["lost"]),
          (5000, 5000, 5000, 0), "5000 samples are generated, written and delivered, none lost")
wakeups = json_of["wakeups"]
tap.ok(wakeups["sent"] - wakeups["received"] in (0, 1),
       "every wakeup that was sent is received once, but for the one that its reader ends with",
       wakeups)
tap.equal(perf_samples(), (5000, ""), "stock perf finds the same samples and says no word more")

done = run("record", "fake", "lossy", "5000")
status, json_of = dump()
event = json_of["events"][0]
tap.ok(event["lost"] > 0 and event["delivered"] + event["lost"] == 5000 and status == 0,
       "a slow reader loses samples, all counted: delivered + lost = generated", json_of)

done = run("record", "fake", "unbalanced")
tap.equal(done.returncode, 254, "a machine whose ledger does not balance makes exit status 254")
tap.ok("generated 1007" in done.stderr, "the equation that does not hold is shown", done.stderr)
tap.equal(dump()[0], 3, "and dump of the file finds it as well")


def fails(claim, done, *texts, samples=None, status=125):
    """The tool exits with this status, prints all these texts, and has saved so many samples that
    perf can read."""
    tap.ok(done.returncode == status and all(t in done.stderr for t in texts), claim,
           f"exit status {done.returncode}\n{done.stderr}")
    if samples is None:
        return
    tap.equal(perf_samples(), (samples, ""), f"{claim}: the records are saved and readable")


fails("a panic is reported with its message and the console",
      run("record", "fake", "panic", "300"), "page fault in the handler", "#PF at 0x1234",
      samples=300, status=253)
fails("a refused command prints the machine's reason", run("record", "fake", "refuse"),
      "record: unknown event 'fake'", status=126)
tap.ok(not OUT.exists(), "and leaves no file")
fails("a machine that failed for any command is no refusal: exit status 125",
      run("record", "fake", "broken"), "the machine failed before it took the command: the machine cannot be taken over")
named = words("record", "-e", "skl::INST_RETIRED", "--", "noploop")
fails("nor is a region whose tables make no sense, where the command goes through the mailbox",
      command("env", "FAKE_SCENARIO=bad_tables", *named), "table of CPUs at 0x4 is misplaced")
fails("a machine that goes off in good order without having been asked has not recorded",
      command("env", "FAKE_SCENARIO=off_idle", *named), "QEMU ended (exit status 0) before")
fails("nor has one that did not carry out its command line", run("record", "fake", "off_idle"),
      "QEMU ended (exit status 0) before")
OUT.write_bytes(b"an old recording")
done = command(*words("record", "fake", "refuse"))
tap.equal((OUT.read_bytes(), [p.name for p in HERE.iterdir() if "old" in p.name]),
          (b"an old recording", []), "and an older recording is where it was")
done = command("env", f"FAKE_OUTPUT={OUT}", *words("record", "fake", "handshake", "2000"))
tap.equal((done.returncode, perf_samples()), (0, (2000, "")),
          "a reader is announced before the machine starts, its file is there by then, its lease "
          "changes, and it is ready for the run that has begun")
done = run("record", "fake", "impatient", "100")
told = "the machine began without its reader, which was not ready in time"
tap.ok(told in done.stderr and told in command(TOOL, "dump", OUT).stdout and
       dump()[1]["reader_found"] == 3,
       "a machine that did not wait any longer is reported, by run and by dump", done.stderr)
booted = HERE / "booted"
done = command(TOOL, "run", "--qemu", "/usr/bin/touch", "-i", IMAGE, "-o", HERE / "none/perf.data",
               booted, "--", "record", "fake", "complete")
tap.ok(done.returncode == 125 and "none/perf.data" in done.stderr and not booted.exists(),
       "an output that cannot be written costs no boot", done.stderr)
fails("a program that crashed is 128 + SIGSEGV", run("record", "fake", "crash", "300"),
      "the payload crashed", samples=300, status=139)
done = run("record", "fake", "exits", "7")
tap.ok(done.returncode == 7 and dump()[0] == 0, "else the exit status is the program's", done)
fails("a QEMU that dies is reported with its signal and last words",
      run("record", "fake", "die", "300"), "signal 6", "fake: out of luck", samples=300,
      status=253)
fails("a QEMU that dies between two publications of its ledger",
      run("record", "fake", "die_ahead", "300"), "signal 6", samples=350,
      status=253)
status, json_of = dump()
tap.ok(status == 4 and json_of["conserved"] is True and json_of["events"][0]["delivered"] == 350,
       "its file is conserved, the newer records accounted for by themselves", json_of)
region_file = HERE / "region"
run("record", "fake", "complete", "500", options=["--region", region_file])
status, json_of = dump(region_file)
tap.ok(status == 0 and json_of["events"][0]["delivered"] == 500,
       "a region that was kept in a file can be dumped, and is conserved", json_of)
run("record", "fake", "complete", "5000", options=["--region", region_file])
status, json_of = dump(region_file)
event = json_of["events"][0]
tap.ok(status == 0 and event["delivered"] + event["elsewhere"] == 5000,
       "of a region whose rings were filled more than once, another reader's records are counted separately", json_of)
region_file.unlink()
fails("a QEMU that refuses to start is reported with its own message",
      run("record", "fake", "stillborn"), "exit status 1", "no such machine type")
fails("no region within the time-out is reported with advice",
      run("record", "fake", "silent", options=["--timeout", "0.5"]), "0.5 s", "-v")
fails("nor is a machine waited for that never begins the command",
      run("record", "fake", "idle", options=["--timeout", "4"]), "begin", "4 s", "-v")
fails("garbage behind the magic is refused with its offset",
      run("record", "fake", "garbage"), "offset 0x8", "format version")
fails("a head that cannot be is refused with its offset",
      run("record", "fake", "bad_head", "100"), "data_head", "ring 0, position 0x81")
fails("an AUX record of missing bytes is refused",
      run("record", "fake", "bad_aux"), "AUX record", "0xf0")
fails("a record of an impossible size is refused with its position",
      run("record", "fake", "bad_record", "100"), "ring 0, position 0x15e0",
      "shorter than its header", samples=100)
fails("a QEMU that is not there is reported with the option that names one",
      command(TOOL, "run", "--qemu", "/nowhere/qemu", "-i", IMAGE, "--", "record"),
      "/nowhere/qemu", "--qemu")
fails("an image that is not there is reported",
      command(TOOL, "run", "-i", HERE / "none.efi", "--", "record"), "none.efi", "No such file")

done = run("list", "fake", "lists")
tap.equal((done.returncode, done.stdout), (0, "cpu-clock [timer]\n"),
          "a command that records nothing prints the machine's answer")
given = run("list", "fake", "arguments", options=["-smp", "4", "-M", "pc", "-device", "nvme"]).stdout
tap.ok("-smp 4 -M pc -device nvme" in given and "maxcpus" not in given and "q35" not in given,
       "QEMU gets the user's options, and ours give way to them", given)
given = run("list", "fake", "arguments", options=["-smp", "4", "--no-doorbell", "-M", "pc",
                                                  "--timeout=9", "-device", "nvme"]).stdout
tap.ok("-smp 4 -M pc -device nvme\n" in given and "doorbell" not in given,
       "our options are ours behind QEMU's, too", given)
done = run("list", "fake", "arguments", options=["-smp", "4", "--timeot=9"])
tap.ok(done.returncode == 126 and "did you mean --timeout?" in done.stderr,
       "one that is misspelt is not handed to QEMU", done.stderr)
given = run("record", "fake", "arguments", "--then", "5", options=["-smp", "4"]).stdout
tap.ok("record --then poweroff fake arguments --then 5" in given,
       "the workload's words are its own, without -- as well", given)
given = run("list", "fake", "arguments").stdout
tap.ok("-smp 1,maxcpus=2" in given and "-cpu max,-monitor" in given and "--then poweroff" in given,
       "without options there are two possible CPUs, and the machine is told to power off", given)
given = run("list", "--then", "wait", "fake", "arguments").stdout
tap.ok("--then wait" in given and "poweroff" not in given, "unless the command has its own --then",
       given)
tap.equal(command(TOOL, "run").returncode, 126,
          "no command at all is wrong usage: exit status 126")


deaf = HERE / "deaf"
deaf.write_text("#!/bin/sh\n: >>started\nexec sleep 1000\n", encoding="ascii")
deaf.chmod(0o755)
with subprocess.Popen([TOOL, "run", "--qemu", deaf, "-i", IMAGE, "-o", OUT, "--", "record"],
                      stderr=subprocess.DEVNULL, cwd=HERE, start_new_session=True) as process:
    live.until((HERE / "started").exists)
    os.killpg(process.pid, signal.SIGINT)
    try:
        status = process.wait(timeout=300)
    except subprocess.TimeoutExpired:
        status = "it hangs"
        os.killpg(process.pid, signal.SIGKILL)
tap.equal(status, 130, "Ctrl-C ends it even before the program has listed its devices")
(HERE / "started").unlink()
deaf.unlink()

seen_machines = []


def interrupted(number, verb="record"):
    """Start a run that never ends, and send a signal once it records."""
    OUT.unlink(missing_ok=True)
    with subprocess.Popen(words(verb, "fake", "stall", "400"), stderr=subprocess.PIPE,
                          text=True, cwd=HERE) as process:
        live.until(lambda: live.is_as_long(OUT, 25000))
        seen_machines.extend(orphans())
        process.send_signal(number)
        stderr = process.communicate(timeout=300)[1]
        return subprocess.CompletedProcess([], process.returncode, "", stderr)


fails("Ctrl-C ends the run", interrupted(signal.SIGINT), "interrupted", status=130)
samples, complaints = perf_samples()
tap.ok(samples >= 400 and not complaints, "the records until Ctrl-C are saved and readable",
       f"{samples} samples\n{complaints}")
fails("Ctrl-C ends stat, too, and the counts until then are shown",
      interrupted(signal.SIGINT, "stat"), "Performance counter stats for 'fake stall 400'",
      "cpu-clock", status=130)
done = run("stat", "fake", "crash", "300")
tap.ok(done.returncode == 139 and "Performance counter stats" in done.stderr and
       "Captured" not in done.stderr, "so are those of a program that crashed", done.stderr)
interrupted(signal.SIGKILL)
samples, complaints = perf_samples()
tap.ok(samples > 100 and "ERROR" not in complaints.upper(),
       "even after a SIGKILL stock perf reads the flushed records", f"{samples}\n{complaints}")
tap.ok(live.until(lambda: not orphans()) and seen_machines,
       "no machine outlives its run, however that ended",
       f"{seen_machines} {orphans()}")


done = run("record", "fake", "complete", "80000", options=["--region-size", "2"],
           by=("prlimit", f"--fsize={3 << 20}"))
fails("a file that cannot grow is reported", done, "writing", "File too large")
samples, complaints = perf_samples()
tap.ok(30000 < samples < 3 * 2**20 / 56 and not complaints,
       "a file that cannot grow holds whole samples up to there, and perf reads it",
       f"{samples}\n{complaints}")
status, json_of = dump()
tap.equal((status, json_of.get("conserved")), (3, False),
          "dump reports that the rest is unaccounted for")
fails("a full disk is reported",
      command(TOOL, "run", "--qemu", FAKE, "-i", IMAGE, "-o", "/dev/full", "--", "record", "fake",
              "complete"), "/dev/full", "No space left on device")

run("record", "fake", "complete", "100")
command(*words("record", "fake", "complete", "200"))
tap.equal((perf_samples()[0], perf_samples(HERE / "perf.data.old")[0]), (200, 100),
          "an older recording is kept as perf.data.old")
left = [p.name for p in HERE.iterdir() if p.name not in ("image.efi", "perf.data", "perf.data.old")]
tap.equal(left, [], "nothing else is left behind")
tap.finish()
