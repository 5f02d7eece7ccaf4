#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The main list on this system's QEMU and firmware, with as few boots as possible: the first things
that a user does. e2e/debian13_test runs it in Debian 13, where the other tests that boot run only
in `make soak`."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "record"))
import live
import machine
import machines
import shell
import stick
import tap
from remote import Remote
from shell import LEDGER, Disk
from uefi import Taken

TOP = machine.TOP
EXACT = list(machine.EXACT)
PATIENCE = machine.boots.PATIENCE
# QEMU 10 miscounts instructions of CPU 1 on aarch64 (CAVEATS.md).
CPUS = {"x86_64": ["-smp", "2"], "aarch64": []}
CLAIMED = set()
DEVICE = {"x86_64": "NVMe", "aarch64": "virtio"}


def claim(isa, good, text, *details):
    """docs/hardware.md has a row for each, and a column for each ISA and world."""
    tap.ok(good, f"{isa}: {text}", *details)
    CLAIMED.add((text, isa))


def documented():
    """{(claim, ISA)} of this world by the page."""
    page = (TOP / "docs/hardware.md").read_text(encoding="utf-8")
    table = page.partition("main_list.py: begin -->")[2].partition("<!--")[0].strip().splitlines()
    head, _, *rows = [[cell.strip() for cell in text.strip("|").split("|")] for text in table]
    return {(row[0], column.partition(",")[0]) for row in rows for column, cell in zip(head, row)
            if cell == "yes" and column.endswith(str(machines.world()))}


def selftest(isa):
    """With counted instructions, because the host's other programs would appear as gaps."""
    done = subprocess.run([machine.TOOL, "run", "--arch", isa, "--json", "--timeout", str(PATIENCE), *CPUS[isa], *EXACT,
                           "--", "selftest"], capture_output=True, text=True, timeout=2 * PATIENCE, check=False, stdin=subprocess.DEVNULL)
    try:
        checks = json.loads(done.stdout)["checks"]
    except ValueError:
        checks = []
    failed = {c["check"]: c["text"] for c in checks if c["verdict"] == "FAIL"}
    good = [c for c in checks if c["verdict"] == "PASS"]
    if isa == "aarch64":  # QEMU's counter of instructions interrupts only when a program reads it
        failed = {check: text for check, text in failed.items() if not check.startswith("interrupt of counter")}
    claim(isa, len(good) > 6 and not failed, "the self-test finds nothing wrong but QEMU's known fault",
           failed or done.stdout + done.stderr)


def by_the_line(isa, directory):
    """A machine that only its serial line reaches."""
    path = pathlib.Path(directory) / f"{isa}-line"
    with subprocess.Popen(
            [f"qemu-system-{isa}", *shell.MACHINES[isa], *shell.firmware(isa), "-m", "512", "-smp", "2", "-nodefaults",
             "-display", "none", "-no-reboot", "-chardev", f"socket,id=line,path={path},server=on,wait=off",
             "-serial", "chardev:line", "-kernel", TOP / f"build/{isa}/bareperf.efi", "-append", ""],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        live.until(path.exists, process=process)
        remote = Remote(None, directory, f"unix:{path}")
        status, text = remote("record -a -e cpu-clock -F 500 -g -- calltree 1", "-o", f"{isa}-line.data", "--timeout", str(PATIENCE))
        process.kill()
    summary = remote.dump(f"{isa}-line.data") if status == 0 else {}
    sampled = {event["cpu"] for event in summary.get("events", ()) if event["delivered"]}
    claim(isa, status == 0 and summary["status"] == 0 and summary["conserved"] and sampled == {0, 1},
           "a recording of all CPUs by the serial line", (status, text, summary))


def on_a_stick(isa, directory):
    """The image boots from a USB stick, and writes its recording there."""
    files = {"bareperf.cfg": b"record -e cpu-clock -F 1000 -g --then poweroff -- calltree 1\n"}
    volume = stick.Volume(f"{directory}/{isa}-stick.img", 60, isa, TOP / f"build/{isa}/bareperf.efi", files)
    said = stick.boot(isa, volume, "-device", "qemu-xhci", *EXACT, device="usb-storage")
    data = pathlib.Path(directory) / f"{isa}-stick.data"
    data.write_bytes(volume.read("bareperf/0001.data") or b"")
    done = subprocess.run(["perf", "script", "-i", data, "-F", "ip"], capture_output=True, text=True, check=False)
    claim(isa, done.returncode == 0 and done.stdout.count("\n") > 20 and not done.stderr,
           "a stick boots, and has the recording, which perf reads", said[-3000:] + done.stderr)


def applications_and_boot(isa, directory):
    """From the firmware's shell: an application is recorded, then the next boot."""
    build = TOP / f"build/{isa}"
    disk = Disk(isa, directory, ((build / "bareperf-dxe.efi", "bareperf-dxe.efi"),
                                 (build / "tests/spinner.efi", "spinner.efi")))
    firmware = shell.flash(isa, directory)
    with shell.Shell(isa, disk.path, *EXACT, "-action", "reboot=reset", device=DEVICE[isa], flash=firmware) as sh:
        sh.open()
        said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -o app.data -- \spinner.efi low=200 high=100 status=7")
        ledger = LEDGER.search(said)
        claim(isa, "exit status 7" in said and ledger and int(ledger[1]) >= 290, "an application is recorded", said)
        said = sh.type("bareperf.efi record -e cpu-clock -F 1000 -o own.data -- calltree 1")
        claim(isa, "own.data" in said and LEDGER.search(said), "in resident mode the shell is back afterwards", said)
        sh.type("bareperf.efi register record --boot -e cpu-clock -F 1000 -g --region-size 8")
        start = len(sh.raw)
        sh.send("reset\r")
        sh.open(start)
        said = sh.type("bareperf.efi stop")
        claim(isa, "written: " in said, "a boot is recorded, and stop makes a file of it", said)
        name = re.search(r"written: \S*?(\d+\.data)", said)
    app = Taken(disk, "app.data")
    images = app.images()
    claim(isa, app.dump().returncode == 0 and 270 <= images.get("spinner.efi", 0) <= 330,
           "300 ms of the application are 300 samples", images)
    boot = Taken(disk, name[1] if name else "none")
    images, total = boot.images(), len(boot.samples())
    claim(isa, boot.dump().returncode == 0 and total > 100 and images.get("[unknown]", 0) < 0.05 * total,
           "over 95 % of the boot's samples are in the firmware's images", (total, images))


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-main-list-") as directory:
        for isa in sys.argv[1:] or shell.MACHINES:
            why = machine.missing(f"qemu-system-{isa}")
            if why:
                tap.skip(f"{isa}: the main list", why)
                continue
            selftest(isa)
            by_the_line(isa, directory)
            on_a_stick(isa, directory)
            applications_and_boot(isa, directory)
    if machines.world():
        tap.equal(CLAIMED, {one for one in documented() if one[1] in {isa for _, isa in CLAIMED}},
                  "docs/hardware.md names these claims for this world, and no other")


main()
tap.finish()
