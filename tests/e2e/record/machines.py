# SPDX-License-Identifier: MIT
"""The machines in the table of docs/hardware.md: one row each. Each machine is booted once, and the
tool does the main list with it. They cover pairs of differences, not all combinations."""

import dataclasses
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import mailbox
import stick
import tap
from remote import Remote

TOP = machine.TOP
DOCUMENT = TOP / "docs/hardware.md"
BEGIN, END = "<!-- tests/e2e/record/machines_test.py: begin -->", "<!-- tests/e2e/record/machines_test.py: end -->"
HEAD = ["machine", "firmware", "tables", "CPUs", "RAM", "region in", "record", "stat", "all CPUs",
        "payload", "PMU"]
# Each has a column behind these: "yes" if a row's machine has shown all of it there.
WORLDS = ("Debian 12", "Debian 13")
Q35 = ("-machine", "q35", "-cpu", "max,-monitor")  # the same as `run` uses
QUICK = ("-bios", machine.boots.quick_firmware())
AAVMF = ("-bios", stick.EDK2["aarch64"])
ARM_U_BOOT = ("-bios", stick.U_BOOT["aarch64"])
FROM_DISK = {"disk": "virtio-blk-pci", "needs": stick.U_BOOT["aarch64"], "options": ("-serial", "null")}
PAYLOAD = """
#include <stdio.h>
int main(void) { volatile unsigned n = 0; while (n < 20000000) n++; return puts("done") < 0; }
"""


@dataclasses.dataclass
class Row:
    """A machine: its row of the table, and QEMU's options for it."""

    name: str
    isa: str
    firmware: str
    tables: str             # the source of the machine's description: ACPI, device tree
    base: tuple             # QEMU's options: machine, CPU, firmware
    options: tuple = ()     # QEMU's other options
    cpus: int = 2
    ram: str = "512 MiB"
    memory: tuple = ()      # QEMU's options for memory, if -m is not enough
    pmu: str = ""           # an event of the PMU
    disk: str = ""          # boots from a volume on this device, because no -kernel is given
    in_ram: bool = False    # the region is in RAM, and is read by the serial line
    program: str = ""       # the QEMU
    needs: str = ""         # a file without which the row is skipped
    soak: bool = False      # only in `make soak`

    def said(self):
        return [self.name, self.firmware, self.tables, str(self.cpus), self.ram,
                "its RAM" if self.in_ram else "ivshmem"]


def giant(size, machine_type):
    """More RAM than the host has: untouched pages use no memory."""
    return ("-machine", f"{machine_type},memory-backend=ram", "-object",
            f"memory-backend-ram,id=ram,size={size},reserve=off", "-m", size)


def nodes(*sizes):
    """One NUMA node per size."""
    words = ["-m", f"{sum(sizes)}M"]
    for i, size in enumerate(sizes):
        words += ["-object", f"memory-backend-ram,id=node{i},size={size}M,reserve=off",
                  "-numa", f"node,nodeid={i},memdev=node{i},cpus={i}"]
    return tuple(words)


def virt(words, cpu="cortex-a72"):
    return ("-machine", f"virt,{words}", "-cpu", cpu)


ROWS = [
    Row("q35", "x86_64", "OVMF", "ACPI", (*Q35, *QUICK), ram="256 MiB", memory=("-m", "256"), cpus=1),
    Row("q35, two NUMA nodes", "x86_64", "OVMF", "ACPI", (*Q35, *QUICK), ram="2 x 3 GiB",
        memory=nodes(3072, 3072)),
    Row("q35, no pages of 1 GiB", "x86_64", "OVMF", "ACPI",
        ("-machine", "q35", "-cpu", "qemu64", *QUICK), ram="6 GiB", memory=("-m", "6G")),
    Row("q35", "x86_64", "OVMF", "ACPI",
        ("-cpu", "max", *QUICK), ram="900 GiB", memory=giant("900G", "q35"), in_ram=True),
    # OVMF wakes its CPUs one by one, but an emulator runs all of them meanwhile
    Row("q35", "x86_64", "OVMF", "ACPI", (*Q35, *QUICK), cpus=64, soak=True),
    Row("q35", "x86_64", "U-Boot", "ACPI", (*Q35, "-bios", stick.U_BOOT["x86_64"]),
        disk="ide-hd", needs=stick.U_BOOT["x86_64"], options=("-serial", "null")),
    Row("virt, EL1, GICv3", "aarch64", "AAVMF", "ACPI", (*virt("gic-version=3"), *AAVMF),
        ram="256 MiB", memory=("-m", "256"), pmu="cycles"),
    Row("virt, EL2, GICv3, two NUMA nodes", "aarch64", "AAVMF", "ACPI",
        (*virt("gic-version=3,virtualization=on"), *AAVMF), ram="2 x 3 GiB",
        memory=nodes(3072, 3072), pmu="cycles"),
    Row("virt, EL1, GICv2", "aarch64", "AAVMF", "ACPI", (*virt("gic-version=2"), *AAVMF),
        pmu="cycles", ram="512 MiB"),
    Row("virt, EL2, GICv3", "aarch64", "AAVMF", "ACPI", ("-cpu", "cortex-a72", *AAVMF),
        ram="2 TiB", in_ram=True, pmu="cycles", soak=True,
        memory=giant("2T", "virt,gic-version=3,virtualization=on")),
    Row("virt, EL2, GICv3", "aarch64", "AAVMF", "ACPI",
        (*virt("gic-version=3,virtualization=on"), *AAVMF), cpus=64, pmu="cycles"),
    Row("virt, EL2, GICv3", "aarch64", "AAVMF", "device tree",
        (*virt("gic-version=3,virtualization=on,acpi=off"), *AAVMF), pmu="cycles"),
    Row("virt, EL1, GICv3", "aarch64", "U-Boot", "device tree",
        (*virt("gic-version=3"), *ARM_U_BOOT), pmu="cycles", **FROM_DISK),
    Row("virt, EL2, GICv2", "aarch64", "U-Boot", "device tree",
        (*virt("gic-version=2,virtualization=on"), *ARM_U_BOOT), pmu="cycles", **FROM_DISK),
]


class Booted:
    """A row's machine, waiting for commands."""

    def __init__(self, row, directory):
        self.row, self.directory = row, pathlib.Path(directory)
        self.payload = machine.payload(row.isa, self.directory / "payload.elf", PAYLOAD)
        self.line = self.directory / "line"
        self.agent = self.process = None
        options = ["-smp", str(row.cpus), *(row.memory or ["-m", "512"]), *row.options,
                   *self.image()]
        if row.in_ram:
            self.process = subprocess.Popen(
                [row.program or f"qemu-system-{row.isa}", *row.base, "-nodefaults", "-display", "none",
                 "-no-reboot", "-chardev", f"socket,id=line,path={self.line},server=on,wait=off",
                 "-serial", "chardev:line", *options], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            live.until(self.line.exists, process=self.process)
            self.remote = Remote(None, directory, f"unix:{self.line}")
        else:
            self.agent = mailbox.Agent(directory, row.isa, *options, base=row.base, mib=32,
                                       program=row.program or None)
            self.process = self.agent.process
            self.remote = Remote(self.agent, directory)

    def image(self):
        """QEMU's options to start the machine so that its payload is found."""
        efi = TOP / f"build/{self.row.isa}/bareperf.efi"
        if not self.row.disk:
            return ["-kernel", efi, "-initrd", self.payload]
        volume = stick.Volume(self.directory / "disk", 60, self.row.isa, efi,
                              {"payload.elf": self.payload.read_bytes()})
        return ["-drive", f"if=none,id=disk,format=raw,file={volume.path}",
                "-device", f"{self.row.disk},drive=disk"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Tried:
    """The results of a row's machine: each cell of the table, and the output if a cell is wrong."""

    def __init__(self, row, directory):
        self.row, self.trouble = row, []
        with Booted(row, directory) as booted:
            self.remote = booted.remote
            if booted.agent:
                booted.agent.until(lambda: booted.agent.state() == mailbox.tr.IDLE, 60)
            self.cells = [self.recorded("cpu-clock -F 2000 -- qsort 200000"), self.counted(),
                          self.all_cpus(), self.recorded("cpu-clock -F 2000 -- payload"),
                          self.of_pmu()]

    def failed(self, what):
        self.trouble.append(what)
        return "FAILS"

    def summary(self, words):
        """The recording's summary; None: it failed, or the machine is not available."""
        if self.trouble:
            return None
        status, text = self.remote(f"record -e {words}", "-o", "taken", "--timeout", "60")
        summary = self.remote.dump("taken") if status == 0 else {"status": None}
        if status or summary["status"] or not summary["conserved"]:
            self.failed((words, status, text))
            return None
        return summary

    def recorded(self, words):
        """QEMU's main loop raises a machine's timer interrupts. On a busy host that loop may not
        run for 75 ms, so the run is repeated."""
        for _ in range(3):
            summary = self.summary(words)
            if not summary:
                return "FAILS"
            if sum(event["delivered"] for event in summary["events"]) > 10:
                return "yes"
        return self.failed((words, summary["events"]))

    def counted(self):
        if self.trouble:
            return "FAILS"
        status, text = self.remote("stat -e cpu-clock -- qsort 200000")
        well = status == 0 and re.search(r"[1-9][\d,.]* +(msec +)?cpu-clock", text)
        return "yes" if well else self.failed(("stat", status, text))

    def all_cpus(self):
        summary = self.summary("cpu-clock -a -m 8 -F 1000 -- noploop 1")
        if not summary:
            return "FAILS"
        sampled = {event["cpu"] for event in summary["events"] if event["delivered"]}
        return str(len(sampled)) if len(sampled) == self.row.cpus else self.failed(
            ("all CPUs", sorted(sampled)))

    def of_pmu(self):
        if not self.row.pmu:
            return "none"
        return self.row.pmu if self.recorded(f"{self.row.pmu} -c 200000 -- qsort 200000") == "yes" \
            else "FAILS"


def line(cells):
    return f"| {' | '.join(cells)} |"


def world():
    """This system's release as the table's head has it; None: it has no column."""
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    words = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', release, re.MULTILINE))
    name = f"{words.get('ID', '').capitalize()} {words.get('VERSION_ID')}"
    return name if name in WORLDS else None


def documented():
    """The rows of the table as it is in the docs, without the worlds, and for each the worlds in which it is true."""
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = text.partition(BEGIN)[2].partition(END)[0].strip().splitlines()[2:]
    rows = ([cell.strip() for cell in text.strip("|").split("|")] for text in lines)
    return {line(cells[:len(HEAD)]): {name for name, cell in zip(WORLDS, cells[len(HEAD):]) if cell == "yes"} for cells in rows}


def document(lines):
    """The rows are true here; other worlds keep their column where a row is as it was."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    known = documented()
    rows = [made[:-1] + line(["yes" if name == world() or name in known.get(made, ()) else "not tried" for name in WORLDS])
            for made in lines]
    head = [*HEAD, *WORLDS]
    table = "\n".join([line(head), "|" + "---|" * len(head), *rows])
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def why_not(row):
    """The reason why a row is not available here, or None."""
    if row.needs and not pathlib.Path(row.needs).exists():
        return f"{row.needs} is not there"
    return machine.missing(row.program or f"qemu-system-{row.isa}")


def try_row(row, directory):
    """Boot a row's machine. Returns its line of the table."""
    tried = Tried(row, directory)
    name = f"{row.isa} {row.name}, {row.firmware}, {row.cpus} CPUs, {row.ram}"
    tap.ok(not tried.trouble, f"{name}: records, counts, all CPUs, a payload, its PMU", tried.trouble)
    return line([f"{row.isa} {row.name}", *row.said()[1:], *tried.cells])
