#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The self-test: it finds no fault in a machine without faults, reports missing features, and names
each fault that the hardware model injects.

check-timeout: 900
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "firmware"))
import qemu as boots  # noqa: E402

# with -icount all instructions take the same time, so they cannot be distinguished
LATE = "skid, or late"


class Selftest:
    """One run: its exit status, and each check's verdict, text and figures."""

    def __init__(self, *options, clock=machine.EXACT):
        done = subprocess.run(
            [*machine.run_words("--json", *options), *clock, "--", "selftest"],
            capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
        self.status = done.returncode
        self.text = done.stdout + done.stderr
        try:
            self.report = json.loads(done.stdout)
        except ValueError:
            self.report = {"checks": [], "pass": 0, "fail": 0, "absent": 0}
        self.checks = {c["check"]: c for c in self.report["checks"]}

    def verdict(self, check):
        return self.checks.get(check, {}).get("verdict")

    def figure(self, check, name):
        return self.checks.get(check, {}).get("figures", {}).get(name)

    def failed(self):
        """{check: text} of the failed checks."""
        return {c["check"]: c["text"] for c in self.report["checks"] if c["verdict"] == "FAIL"}

    def counters(self):
        """The checks of the counters' interrupts."""
        return [c for name, c in self.checks.items() if name.startswith("interrupt of counter")]


def intel(properties="", *options, clock=machine.EXACT):
    binary, _ = machine.model("x86_64")
    return Selftest("--qemu", binary, "-cpu", f"Skylake-Client,pmu=on{properties}", *options,
                    clock=clock)


def arm(properties="", *options):
    binary, _ = machine.model("aarch64")
    return Selftest("--arch", "aarch64", "--qemu", binary,
                    "-machine", "virt,gic-version=3,virtualization=on",
                    "-cpu", f"cortex-a76,spe=on,pmu-instructions=on{properties}", *options)


def only_wrong(run, name, pattern, what):
    """Only this check, or these checks, fail, with this reason."""
    failed = run.failed()
    tap.ok(run.status == 1 and failed and
           all(re.fullmatch(name, check) and re.match(pattern, text)
               for check, text in failed.items()),
           what, run.text if not failed else (run.status, failed))


def well(run, name, events, counters):
    tap.ok(run.status == 0 and not run.failed() and run.report["pass"] > 10,
           f"{name}: nothing is wrong, and the exit status is 0", run.text)
    seen = {event: run.figure(event, "expected") for event in events}
    tap.equal(seen, {event: 200000 if event == "instructions" else 100000 for event in events},
              f"{name}: a loop's events are counted exactly")
    tap.equal([run.verdict(f"CPU {cpu} {what}") for cpu in range(2)
               for what in ("counters", "instructions")[:1 + bool(cpu)]] +
              [run.verdict("CPU 1 clock")], ["PASS"] * 4, f"{name}: both CPUs' counters are, and "
              "the other's clock is the boot CPU's")
    tap.equal((run.figure("counters at once", "counters"), len(run.counters())),
              (counters, counters), f"{name}: each counter that counts it was tried")
    tap.ok(all(c["figures"]["skid_max"] < 30 and c["figures"]["came"] == c["figures"]["due"] > 20
               for c in run.counters()),
           f"{name}: their interrupts come within a handler's first instructions", run.counters())
    ring = run.checks["ring under load"]["figures"]
    tap.ok(ring["lost"] > 100 and ring["generated"] == ring["delivered"] + ring["lost"],
           f"{name}: a ring that is too small loses, and tells it all", ring)


def on_the_models():
    run = intel("", "-smp", "2")
    well(run, "Intel's", ("instructions", "branches"), 5)
    skid = run.report["survey"]["interrupts"]
    tap.ok(skid["count"] >= 250 and skid["skid_events"]["max"] < 30 and
           sum(skid["histogram"]) == skid["count"],
           "the distances of hundreds of interrupts are a distribution", skid)
    tap.ok(run.figure("branch store, single-step", "store") ==
           run.figure("branch store, single-step", "step") > 50,
           "branch store and single-step show the same branches", run.text)
    run = arm("", "-smp", "2")
    well(run, "Arm's", ("instructions", "branches"), 6)
    pictures(run, "Arm's", 2)
    tap.ok(run.figure("SPE against counters", "records") ==
           run.figure("SPE against counters", "expected") > 500,
           "SPE has the records that the counters demand", run.text)


def faults_of_intel():
    counters = r"interrupt of counter \d"
    run = intel(",pmi-skid=5000,pmu-leftovers=on,pmi-spurious=7")
    failed = run.failed()
    tap.ok(sorted(failed) == ["CPU 0 counters", *(f"interrupt of counter {i}" for i in range(5)),
                              "interrupts of nobody"] and run.status == 1,
           "leftovers, skid and spurious interrupts are all reported", run.text)
    tap.ok(re.match("firmware left 3 of 7 counting", failed.get("CPU 0 counters", "")),
           "counters that firmware left counting are named", failed)
    tap.ok(all(c["text"].startswith(LATE) and 5000 < c["figures"]["skid_min"] < 5030
               for c in run.counters()), "the skid is measured", run.counters())
    tap.ok(failed.get("interrupts of nobody", "").startswith("spurious:"),
           "so are interrupts without a cause", failed)
    run = intel(",pmi-delay=50000")
    only_wrong(run, counters, LATE, "interrupts that come 50 us late are named")
    tap.ok(all(50000 < c["figures"]["latency_ns"] < 51000 for c in run.counters()),
           "and their latency is measured", run.counters())
    run = intel(",pmi-delay=40000000")
    only_wrong(run, counters + "|interrupts of nobody", "lost:|spurious:",
               "interrupts that come after the next is due are lost, or nobody's in the end")
    run = intel(",pmi-skid=5000", clock=())
    tap.ok(run.counters() and all(c["text"].startswith("skid") for c in run.counters()),
           "by the host's clock, so many instructions late is skid, however busy the host is",
           run.text)


def faults_of_arm():
    spe = "SPE against counters"
    run = arm(",spe-collide=9,pmu-leftovers=on")
    failed = run.failed()
    tap.ok(sorted(failed) == ["CPU 0 counters", spe] and "collide" in failed[spe] and
           "firmware left" in failed["CPU 0 counters"],
           "collisions of SPE are named, and counters that firmware left counting", run.text)
    only_wrong(arm(",spe-delay=4"), spe, "lost:", "SPE's records that are lost late are named")
    only_wrong(arm(",spe-fault-after=50"), spe, "lost:", "a fault of SPE's buffer is named")


def pictures(run, name, cpus):
    """All figures without a verdict are present, and are described as an emulator's."""
    survey = run.report.get("survey", {})
    tap.equal(survey.get("emulator"), "QEMU's TCG", f"{name}: its figures are said to be an emulator's")
    rows = survey.get("core_to_core_ps", [])
    tap.ok([len(row) for row in rows] == list(range(1, cpus)) and all(map(all, rows)),
           f"{name}: a cache line's round trip is measured between each two of {cpus} CPUs", rows)
    ladder = survey.get("ladder", [])
    tap.ok([point["bytes"] >> 10 for point in ladder] == [4, 6, 8, 12, 16, 24, 32, 48, 64] and
           len({point["ps"] // 1000 for point in ladder}) == 1,
           f"{name}: and loads over 4 KiB to 64 KiB, which take as long as each other there", ladder)
    tap.ok(len(survey.get("read_mbs", ())) == cpus and all(survey["read_mbs"]) and
           survey["all_read_mbs"], f"{name}: and each CPU's reads", survey)
    noise = survey.get("noise", {}).get("cpus", [])
    tap.ok(len(noise) == cpus and all(cpu["runtime_ns"] >= 200000000 and cpu["noise_ns"] == 0
                                      for cpu in noise),
           f"{name}: and that nothing takes a CPU's time", noise)


def on_stock_qemu():
    run = Selftest("-smp", "3")
    pictures(run, "stock x86_64", 3)
    tap.ok(run.status == 0 and not run.failed() and run.verdict("counters") == "ABSENT" and
           run.verdict("branch store, single-step") == "ABSENT",
           "stock x86_64: no check fails, and missing features are reported", run.text)
    tap.equal([run.verdict(check) for check in
               ("timer interrupt", "gaps", "ring under load", "CPU 1 clock")], ["PASS"] * 4,
              "stock x86_64: timer, gaps, ring and clocks are good")


def on_stock_arm():
    """QEMU 7.2 notices an overflow of its instruction counter only when a program accesses it."""
    run = Selftest("--arch", "aarch64")
    pictures(run, "stock aarch64", 1)
    tap.equal([run.verdict(check) for check in
               ("timer interrupt", "gaps", "instructions", "cycles", "counters at once",
                "ring under load")], ["PASS"] * 6, "stock aarch64: all its features pass")
    only_wrong(run, r"interrupt of counter \d", "lost:",
               "stock aarch64: that its instruction counter does not interrupt is found")
    tap.equal(run.verdict("SPE against counters"), "ABSENT", "stock aarch64: it has no SPE")


def reset():
    """Without a host tool, which would treat the reset as the machine's end. This firmware keeps no
    variables: only RAM shows the reset."""
    done = subprocess.run(
        ["qemu-system-x86_64", "-machine", "q35", "-m", "512", "-nodefaults", "-display", "none",
         "-serial", "stdio", "-bios", boots.quick_firmware(), *machine.EXACT,
         "-kernel", machine.TOP / "build/x86_64/bareperf.efi",
         "-append", "selftest --reset --then poweroff"],
        capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
    text = done.stdout.decode("ascii", "replace").replace("\r", "")
    kept = re.findall(r"^(\w+) +RAM after a reset +(.*)$", text, re.MULTILINE)
    tap.ok(len(kept) == 2 and kept[0][0] == "ABSENT" and kept[1][0] == "PASS" and
           re.fullmatch(r"all \d+ marks in RAM survived a reset", kept[1][1]),
           "--reset resets once, and then reports what RAM keeps", text)
    survey = re.search(r"^self-test: .*\n\n((?:.*\n){2,40}?)bareperf: no file", text[-4000:],
                       re.MULTILINE)
    tap.ok(survey and survey[1].startswith("bareperf ") and "Hardware-related Noise" in survey[1],
           "the text to paste comes last, and has at most 40 lines", text)


def asked_wrongly():
    run = machine.Recording("selftest -e cycles", qemu=machine.EXACT)
    tap.ok(run.status == 126 and "unknown option" in run.text, "it takes no events", run.text)


asked_wrongly()
on_stock_qemu()
reset()
if machine.missing("qemu-system-aarch64"):
    tap.skip("stock aarch64", machine.missing("qemu-system-aarch64"))
else:
    on_stock_arm()
if machine.model("x86_64")[1]:
    tap.skip("the models' faults", machine.model("x86_64")[1])
else:
    on_the_models()
    faults_of_intel()
    faults_of_arm()
tap.finish()
