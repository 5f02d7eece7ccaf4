#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Losses are reported where people look: in the closing line, the progress line, and the summary of
`dump`. The machine is fake (fake_qemu.py)."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import tap

RIG = fake_run.Rig()
HERE, OUT, TOOL, command = RIG.here, RIG.out, fake_run.TOOL, RIG.command
RED = "\033[1;31m"


def words(*guest, **how):
    return RIG.words("record", "fake", *guest, **how)


def closing(done):
    """The closing lines: from "Captured and wrote" on."""
    lines = done.stderr.splitlines()
    first = next(i for i, line in enumerate(lines) if "Captured and wrote" in line)
    return lines[first:]


def summary():
    """The lines of `dump`'s summary, and the summary as JSON."""
    text = command(TOOL, "dump", OUT).stdout
    return (text[text.rindex("\nSummary of") + 1:].splitlines(),
            json.loads(command(TOOL, "dump", "--json", OUT).stdout))


done = command(*words("complete"))
tap.ok(len(closing(done)) == 1 and re.fullmatch(
    r"\[ bareperf record: Captured and wrote [\d.]+ MB \S+ \(1000 samples\) \]", closing(done)[0]),
    "without a loss there is one closing line, perf's", done.stderr)
lines, json_of = summary()
tap.ok(not any(line.startswith("LOST") for line in lines) and lines[-1] == "conserved: yes" and
       json_of["missing"] == [] and json_of["ended"] is True,
       "and the summary of dump speaks of no loss", "\n".join(lines))

# 64 KiB of ring, and nothing is read until everything is written: 1,024 samples of 64 bytes fill
# it.
done = command(*words("lossy", "5000"))
lines, json_of = summary()
event = json_of["events"][0]
share = f"{100 * event['lost'] / 5000:.1f}"
said = f"cpu-clock: {event['lost']} of 5000 records ({share} %) found no room in the ring"
tap.equal(closing(done)[1:], [
    f"[ bareperf record: LOST {said} ]", "[ bareperf record: to keep it, record with -m 128 ]"],
    "records that found no room are reported with their share, and the ring that would hold them")
tap.equal((lines[1:3], lines[-1]),
          ([f"LOST   {said}", "       to keep it, record with -m 128"],
           "conserved: yes; not everything was recorded: see LOST above"),
          "dump's summary begins with them, and its last line says so")
tap.equal((json_of["missing"], json_of["advice"]),
          ([{"event": "cpu-clock", "kind": "records", "count": event["lost"], "of": 5000,
             "cpus": 1}], "-m 128"), "and its JSON has them by themselves")
tap.equal(list(json_of)[:5], ["missing", "advice", "ended", "conserved", "broken"],
          "which begins with the losses")
tap.equal(command(TOOL, "dump", "-s", OUT).stdout.splitlines(), ["", *lines],
          "`dump -s` is that summary alone")
told = "\n".join(lines[1:3]) + "\n"
tap.equal([command(TOOL, "dump", *how, OUT).stderr for how in ([], ["-s"], ["--json"])],
          [told, "", ""], "before records they are reported on standard error, once")
REGION = HERE / "region"
command(*words("lossy", "5000", options=["--region", REGION]))
done = command(TOOL, "dump", REGION)
tap.equal(done.stderr.splitlines(), done.stdout[done.stdout.index("\nSummary of"):].splitlines()[2:4],
          "of a region as well, except figures that need its records")

done = command(TOOL, "flamegraph", OUT)
tap.equal((done.returncode, done.stderr), (0, f"bareperf: LOST {said}\n"),
          "flamegraph reports them beside its picture")

done = command(*words("cut", "400"), FAKE_LOST="600")
tap.equal(closing(done)[1:], [
    "[ bareperf record: LOST bts//: 600 of 1000 branches (60.0 %) are not in the trace ]",
    "[ bareperf record: to keep it, record with -m ,8 ]"],
    "branches that were taken while a trace stalled are reported, and the area that holds them")
done = command(*words("cut", "400"))
text = "\n".join(closing(done))
tap.ok("LOST bts//: how many branches are missing is unknown" in text and
       "LOST bts//: 40 of 40 pieces (100.0 %) were cut" in text,
       "where nothing counted them it says that it is unknown, and how many pieces were cut", text)
tap.equal([m["count"] for m in summary()[1]["missing"]], [None, 40], "unknown is null in JSON")

done = command(*words("throttled"))
tap.ok(closing(done)[1:] == ["[ bareperf record: LOST cpu-clock: 5 times throttled, for up to 1 ms "
                             "each ]", closing(done)[-1]] and "-c " in closing(done)[-1],
       "an event that was throttled is reported, with a period at which it would not be", done.stderr)

shown = RIG.on_terminal(*words("lossy", "5000"))
tap.ok(f"{RED}[ bareperf record: LOST cpu-clock" in shown, "on a terminal loss is red", shown)
shown = RIG.on_terminal(TOOL, "dump", "-s", OUT)
tap.ok(f"{RED}LOST   cpu-clock" in shown, "in dump's summary, too", shown)
shown = RIG.on_terminal(TOOL, "dump", "-s", OUT, NO_COLOR="1")
tap.ok("LOST   cpu-clock" in shown and "\033[" not in shown, "but not with NO_COLOR", shown)
shown = RIG.on_terminal(TOOL, "dump", "-s", OUT, TERM="dumb")
tap.ok("LOST   cpu-clock" in shown and "\033[" not in shown, "nor on a dumb terminal", shown)

shown = RIG.on_terminal(*words("cut_slowly"), FAKE_LOST="600", NO_COLOR="1")
tap.ok(re.search(r"MB, lost 600 branches \]", shown),
       "the progress line counts all lost records, not only those that LOST records report", shown)
tap.finish()
