#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output files of `bareperf run`, and the reports of `run` and `dump` about incomplete ones:
existing files, links, two runs at a time, a full disk, a machine that ended early. The machine is
fake (fake_qemu.py)."""

import fcntl
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import live
import tap

ERROR, UNFINISHED = 125, 253  # enum run_status
RIG = fake_run.Rig()
HERE, IMAGE, OUT, TOOL = RIG.here, RIG.image, RIG.out, fake_run.TOOL
OLD = HERE / "perf.data.old"


def words(*guest, **how):
    return RIG.words("record", "fake", *guest, **how)


command = RIG.command


def run(*guest, **how):
    return command(*words(*guest, **how))


dump = RIG.dump


def delivered(path=OUT):
    return dump(path)[2]["events"][0]["delivered"]


def clean():
    for path in HERE.iterdir():
        if path != IMAGE:
            path.unlink()


def names():
    return sorted(path.name for path in HERE.iterdir() if path != IMAGE)


# ---- Links ----

target, link = HERE / "target", HERE / "link"
link.symlink_to("target")
run("complete", "100", out=link)
tap.equal((names(), delivered(target)), (["link", "target"], 100),
          "a link that points nowhere yet gets its file")
run("complete", "200", out=link)
tap.equal((names(), delivered(link), delivered(HERE / "target.old")),
          (["link", "target", "target.old"], 200, 100),
          "the recording that a link points to is kept beside it, and the link stays")
tap.ok(link.is_symlink() and os.readlink(link) == "target", "and points where it did")
clean()

link.symlink_to("target")
run("refuse", out=link)
tap.equal((names(), link.is_symlink()), (["link"], True),
          "where nothing is recorded a link that points nowhere is left as it was")
clean()

# ---- Ended before it began ----

run("complete", "100")
with subprocess.Popen(words("silent"), stderr=subprocess.DEVNULL, cwd=HERE) as process:
    live.until(OLD.exists)
    live.until(OUT.exists)
    process.kill()
run("complete", "200")
tap.equal((delivered(), delivered(OLD)), (200, 100), "a run that was killed while its machine booted "
          "does not cost the recording before it")
clean()

# ---- Two at a time ----

with subprocess.Popen(words("stall", "400"), stderr=subprocess.PIPE, text=True, cwd=HERE) as first:
    live.until(lambda: live.is_as_long(OUT, 20000))
    second = run("complete", "100")
    tap.ok(second.returncode == ERROR and f"{OUT} is being written" in second.stderr and
           "-o" in second.stderr, "of two runs at a time the second is refused, with the way out",
           f"{second.returncode} {second.stderr}")
    tap.equal(names(), ["perf.data"], "it leaves the first one's file alone, and no other")
    other = run("complete", "100", out=HERE / "other")
    tap.equal((other.returncode, delivered(HERE / "other")), (0, 100),
              "beside it another file can be written")
    first.send_signal(signal.SIGINT)
    text = first.communicate(timeout=300)[1]
said = re.search(r"\((\d+) samples\)", text)
tap.ok(said and int(said.group(1)) >= 400 and delivered() == int(said.group(1)),
       "the first one's file has all that it says", text)
clean()
region = HERE / "region"
region.write_bytes(b"of a machine that runs")
with open(region, "rb") as holder:
    fcntl.flock(holder, fcntl.LOCK_EX)
    done = run("complete", "100", options=["--region", region])
tap.ok(done.returncode == ERROR and f"{region} is being written" in done.stderr and
       "--region" in done.stderr and region.read_bytes() == b"of a machine that runs" and
       names() == ["region"], "the file of another run's region is left alone", done.stderr)
with subprocess.Popen(words("stall", "100", options=["--region", region]),
                      stderr=subprocess.DEVNULL, cwd=HERE) as first:
    live.until(lambda: live.is_as_long(OUT, 5000))
    tap.equal(run("complete", out=HERE / "other", options=["--region", region]).returncode, ERROR,
              "which is locked while that run lasts")
    first.send_signal(signal.SIGINT)
tap.equal(delivered() >= 100, True, "and the machine continues")
done = run("complete", "100", options=["--region", OUT])
tap.ok(done.returncode == ERROR and "--region" in done.stderr and delivered() >= 100,
       "region and recording have a file each", done.stderr)
clean()
started = [subprocess.Popen(words("complete", "3000"), stderr=subprocess.DEVNULL, cwd=HERE)
           for _ in range(4)]
ends = [process.wait(timeout=live.PATIENCE) for process in started]
found = [delivered(path) for path in (OUT, OLD) if path.exists()]
tap.ok(ends.count(0) >= 1 and set(ends) <= {0, ERROR} and
       found == [3000] * min(2, ends.count(0)),
       "of four runs that start together each is whole or refused", f"{ends} {names()} {found}")
clean()

# ---- The file's content ----

done = command("prlimit", f"--fsize={3 << 20}", *words("complete", "80000",
                                                       options=["--region-size", "2"]))
samples = int(re.search(r"\((\d+) samples\)", done.stderr).group(1))
size = float(re.search(r"wrote ([\d.]+) MB", done.stderr).group(1))
status, text, summary = dump()
tap.ok(done.returncode == ERROR and 0 < samples == summary["events"][0]["delivered"],
       "after a full disk the samples that are reported are those in the file", done.stderr)
tap.ok(0 < size * 1e6 <= OUT.stat().st_size, "and so are the bytes", done.stderr)
missing = {"event": "cpu-clock", "kind": "unsaved", "cpus": 1}
written = summary["events"][0]["written"]
tap.ok(summary["missing"] == [{**missing, "count": written - samples, "of": written}] and
       f"LOST cpu-clock: {written - samples} of {written} records" in done.stderr,
       "run and dump report the records that the machine wrote and the file lacks",
       f"{done.stderr}\n{summary['missing']}")
clean()

for how in ("list", "version", "--help"):
    done = command("sh", "-c", f"exec '{TOOL}' {how} >/dev/full")
    tap.equal((done.returncode, done.stderr != ""), (1, True), f"{how}: a full disk is an error")
done = command("sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh",
               *words("complete", "1000", options=["--verbose"]))
tap.equal((done.returncode, delivered()), (0, 1000),
          "where the standard files are closed, no message goes into others")
clean()

# ---- Files that are not whole ----

run("complete", "1000")
whole = OUT.read_bytes()
done = command(TOOL, "flamegraph", "-o", OUT, OUT)
tap.ok(done.returncode == 1 and "is the recording itself" in done.stderr and
       OUT.read_bytes() == whole, "flamegraph does not overwrite its input", done.stderr)
data_end = sum(struct.unpack_from("<2Q", whole, 40))
strange = []
for size in [*range(data_end + 1, len(whole), 401), len(whole) - 1]:
    (HERE / "v.data").write_bytes(whole[:size])
    for tool in (("dump", "-s"), ("flamegraph", "-o", "flame.svg")):
        done = command(TOOL, *tool, HERE / "v.data")
        if done.returncode != 1 or f"{HERE / 'v.data'}: " not in done.stderr or \
                f"offset 0x{size:x}" not in done.stderr:
            strange.append((size, tool, done))
tap.equal(strange, [], "a file cut anywhere behind its records is an error with the offset, of dump "
          "as of flamegraph")
(HERE / "v.data").write_bytes(whole[:data_end - 20])
for tool in ("dump", "report", "flamegraph"):
    done = command(TOOL, tool, HERE / "v.data")
    tap.ok(done.returncode == 1 and "v.data: " in done.stderr and "perf.data" not in done.stderr,
           f"{tool} names the file that it was given", done.stderr)
done = command(TOOL, "flamegraph", "--folded", HERE / "v.data")
tap.ok(done.returncode == 1 and re.fullmatch(r"\S+ 9\d\d000\n", done.stdout) and
       f"offset 0x{data_end - 20:x}"[:-2] in done.stderr,
       "flamegraph draws the records before the one that is cut", done.stdout + done.stderr)
clean()

# ---- Machines that did not come to their end ----

for scenario, run_status, state in (("die", UNFINISHED, 2), ("panic", UNFINISHED, 5),
                                    ("overwritten", UNFINISHED, 77)):
    done = run(scenario, "300")
    status, text, summary = dump()
    tap.ok(done.returncode == run_status and delivered() == 300,
           f"{scenario}: run exits with {run_status}, and its records are saved",
           f"{done.returncode} {done.stderr}")
    tap.ok((status, summary["ended"], summary["state"]) == (4, False, state),
           f"{scenario}: dump exits with 4", f"{status} {text} {summary}")
    first = command(TOOL, "dump", "-s", OUT).stdout.splitlines()[2]
    tap.ok(first.startswith("UNFINISHED the machine did not come to its end") and
           f"({state})" in first, f"{scenario}: its summary begins with that", first)
    run(scenario, "300", options=["--region", HERE / "region"])
    tap.equal(dump(HERE / "region")[0], 4, f"{scenario}: so does dump of the region itself")
    clean()
run("die_ahead", "300", options=["--region", HERE / "region"])
status, text, summary = dump(HERE / "region")
tap.ok((status, summary["conserved"]) == (4, True), "the region of a machine that died between two "
       "publications of its ledger is conserved", f"{status} {text} {summary['broken']}")
clean()
with subprocess.Popen(words("stall", "100", options=["--region", HERE / "region"]),
                      stderr=subprocess.DEVNULL, cwd=HERE) as process:
    live.until(lambda: live.is_as_long(OUT, 20000))
    found = [dump(HERE / "region") for _ in range(40)]
    process.send_signal(signal.SIGINT)
tap.equal([(status, summary["broken"]) for status, text, summary in found
           if status != 4 or not summary["conserved"]], [],
          "a region is conserved whenever it is looked at while the machine records")
clean()
for scenario in ("overwritten_before", "off"):
    done = run(scenario)
    tap.ok(done.returncode == ERROR and names() == [],
           f"{scenario}: a machine that goes off without having been done is an error",
           f"{done.returncode} {done.stderr} {names()}")
with subprocess.Popen(words("stall", "400"), stderr=subprocess.DEVNULL, cwd=HERE) as process:
    live.until(lambda: live.is_as_long(OUT, 20000))
    process.kill()
status, text, summary = dump()
tap.ok((status, summary["ended"], summary["conserved"]) == (4, False, None),
       "a file whose writer was killed is incomplete: dump exits with 4", f"{status} {text}")
done = command(TOOL, "dump", OUT)
tap.ok(done.stderr.startswith("UNFINISHED who wrote this file was ended before it was done\n") and
       "\n" + done.stderr in done.stdout, "dump reports that before the records, and in its summary "
       "before the rest", done.stderr + done.stdout[-500:])
tap.finish()
