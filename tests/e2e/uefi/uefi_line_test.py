#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records that are made beside running firmware leave by a serial line: by a card that the firmware
does not use. The devices of its consoles remain the firmware's.

check-timeout: 600
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import shell
import tap
from shell import Disk

RECORD = "record {} -e cpu-clock -F {} -m 32 --region-size 4"
SOME, MORE_THAN_RING = 256, (32 + 1) << 12  # bytes of a file
LINE = "line: 16550 at 0x"
RATE = ", 115200 baud, 16-byte FIFO, by ticks: 11520 B/s"  # the firmware may have used it before
TAKEN = "its reader has the whole recording: no file is written"
# The device tree gives the CPU address of PCI's I/O ports. With ACPI only AML does.
BOARD = "virt,gic-version=3,virtualization=on,acpi="
EVENT = re.compile(r"^cpu-clock +0 +1 +\d+ +\d+ +(\d+) +(\d+) ", re.MULTILINE)


def machine_with_card(isa, directory, base=None):
    """A machine at its shell, and the socket of its card's line."""
    build, line = machine.TOP / f"build/{isa}", pathlib.Path(directory) / f"{isa}.line"
    line.unlink(missing_ok=True)
    disk = Disk(isa, directory, ((build / "bareperf-dxe.efi", "bareperf-dxe.efi"),
                                 (build / "tests/spinner.efi", "spinner.efi")))
    return line, shell.Shell(isa, disk.path, "-chardev", f"socket,id=card,path={line},server=on,wait=off,logfile={line}.log",
                             "-device", "pci-serial,chardev=card", base=base)


def boots(frequency, *words):
    """Boot to the shell: the driver records from here on, and an application does this."""
    return f"spinner.efi with={RECORD.format('--boot', frequency).replace(' ', '+')} run=\\bareperf-dxe.efi {' '.join(words)}"


def read(sh, line, data, act, size=SOME):
    """The output of a reader at the line while act() runs; the application spins until a key is
    pressed, which happens when so many bytes have arrived. Returns the reader's end, the ledger,
    and whether the bytes came."""
    with subprocess.Popen([machine.TOOL, "attach", "--channel", f"unix:{line}", "-o", data],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as reader:
        came = []

        def spins(command):
            sh.send(command + "\r")
            came.append(live.until(lambda: live.is_as_long(data, size), process=sh.process))
            sh.send("x")

        shown = act(spins)
        said = reader.communicate(timeout=300)[0]
    dump = subprocess.run([machine.TOOL, "dump", data], capture_output=True, text=True).stdout
    return reader.returncode, dump, said + shown, came == [True]


def judge(name, status, dump, said, came, fits=True):
    """If the ring cannot hold all, a busy host may be too late; the loss must then be reported."""
    found = EVENT.search(dump)
    tap.ok(status == 0 and "conserved: yes" in dump and found and int(found[1]) > 50 and (found[2] == "0" or not fits),
           f"{name}: the reader has it, {'whole' if fits else 'and knows what was lost'}", said + dump[-3000:])
    tap.ok(came, f"{name}: it comes while the machine continues", said)
    tap.ok(RATE in said and TAKEN in said and "written:" not in said,
           f"{name}: records that the reader has are not written to the volume as well", said)


def application(sh, line, data):
    status, dump, said, came = read(sh, line, data, lambda spins: sh.type(
        None, lambda: spins(f"bareperf.efi {RECORD.format('', 100)} -- \\spinner.efi key")))
    judge("an application", status, dump, said, came)
    told = re.findall(r"cpu-clock: (\d+) samples|\((\d+) samples\)", said)
    tap.ok(len(told) == 2 and len({by_machine or by_host for by_machine, by_host in told}) == 1,
           "an application: samples are as many as the machine says, without the records of images", told)


def stopped(sh, line, data):
    judge("a boot that is stopped", *read(sh, line, data, lambda spins: sh.type(None, lambda: spins(boots(100, "key"))) +
                                          sh.type("bareperf.efi stop")))


def ended(sh, line, data):
    """The application switches off after ExitBootServices()."""
    def act(spins):
        start = len(sh.raw)
        spins(boots(300, "key", "exit=1"))
        sh.process.wait(timeout=300)
        return sh.read_until("never", start)

    status, dump, said, came = read(sh, line, data, act, MORE_THAN_RING)
    judge("a boot until ExitBootServices(), more than its ring holds", status, dump, said, came, fits=False)
    marks = re.findall(r"^\.\.\. mark: (.*)$", dump, re.MULTILINE)
    tap.equal([mark for mark in marks if mark.startswith("phase ")][-1:], ["phase ExitBootServices()"],
              "that call is its last phase")
    tap.ok(marks and marks[-1].startswith("boot counter "), "behind it is the counter's value alone", marks)


def spare_card(directory):
    line, sh = machine_with_card("aarch64", directory, ["-machine", BOARD + "off", "-cpu", "max"])
    with sh:
        sh.open()
        for what in (application, stopped, ended):
            what(sh, line, pathlib.Path(directory) / f"{what.__name__}.data")


def console_card(directory):
    line, sh = machine_with_card("x86_64", directory)
    with sh:
        sh.open()
        said = sh.type(boots(100, "low=100")) + sh.type("echo still here")
        tap.ok("dxe.efi returned 0x0" in said and LINE not in said,
               "x86_64: a card that the firmware's consoles are on is no line of ours", said)
        shown = pathlib.Path(f"{line}.log").read_text(errors="replace")
        tap.ok("still here" in shown, "x86_64: its console goes on there while the boot is recorded", shown[-2000:])


def card_out_of_reach(directory):
    _, sh = machine_with_card("aarch64", directory, ["-machine", BOARD + "on", "-cpu", "max"])
    with sh:
        sh.open()
        said = sh.type("bareperf.efi list")
        tap.ok(re.search(r"PCI: BAR \d of device 1b36:0002 at 0x[0-9a-f]+, .*: no table says where the CPUs have I/O ports", said) and
               LINE not in said, "aarch64: where no table says where its ports are, that is said", said)


if machine.missing():
    tap.skip("a recorded boot leaves by a serial line", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-line-") as DIRECTORY:
        for CASE in (spare_card, console_card, card_out_of_reach):
            CASE(DIRECTORY)
tap.finish()
