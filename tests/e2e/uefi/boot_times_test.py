#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A boot of OVMF and of AAVMF that is recorded and explained (`report --boot`): the times that coreboot, U-Boot
and ACPI have noted, the devices that are waited for, the machine's counter.

check-timeout: 900
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import shell
import stick
import tap
from efi_variables import load_option, pci_device

COMMAND = "record --boot -e cpu-clock -F 1000 -g"
WORK = "low=300 stall=300"
# Time counts instructions, and the shell's script ends the recording, so that no user has to type.
STEADY = ("-icount", "shift=4,sleep=off", "-rtc", "base=2026-01-01,clock=vm")
SCRIPT = "fs0:\r\nbareperf.efi stop\r\nreset -s\r\n"
SLOT = 3
TABLE = 0x48000000  # of coreboot, in the RAM of QEMU's board
NODES = f"""
	bootstage {{
		0 {{ name = "board_init_f"; mark = <250000>; }};
		1 {{ name = "of_live"; accum = <30000>; }};
		2 {{ name = "main_loop"; mark = <1250000>; }};
	}};
	firmware {{
		ranges;
		#address-cells = <2>;
		#size-cells = <2>;
		coreboot {{ compatible = "coreboot"; reg = <0 {TABLE:#x} 0 0x1000>; }};
	}};
"""
BOARD = ["-machine", "virt,gic-version=3,virtualization=on,acpi=off", "-cpu", "max,pauth-impdef=on"]


def tree_with_times(directory):
    """The board's device tree as QEMU makes it, with the nodes that a U-Boot and a coreboot would
    add."""
    tree = pathlib.Path(directory) / "board.dtb"
    subprocess.run(["qemu-system-aarch64", "-machine", f"{BOARD[1]},dumpdtb={tree}", "-cpu", BOARD[3], "-m", "512"],
                   check=True, capture_output=True)
    text = subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", tree], check=True, capture_output=True,
                          text=True).stdout
    end = text.rindex("};")
    # -f: dtc accepts U-Boot's records, whose names differ from their nodes' names.
    subprocess.run(["dtc", "-q", "-f", "-I", "dts", "-O", "dtb", "-o", tree], check=True, text=True, capture_output=True,
                   input=text[:end] + NODES + text[end:])
    return tree


def boot(isa, directory, words, *options):
    """The file of a boot in which another driver does what this word says; and QEMU's output."""
    build = machine.TOP / f"build/{isa}"
    directory = pathlib.Path(directory)
    disk = directory / f"{isa}.img"
    disk.unlink(missing_ok=True)
    with open(disk, "wb") as file:
        file.truncate(40 << 20)
    subprocess.run(["mformat", "-i", disk, "-F", "::"], check=True)
    (directory / "startup.nsh").write_text(SCRIPT)
    for path in (build / "bareperf.efi", build / "bareperf-dxe.efi", build / "tests/spinner-dxe.efi",
                 directory / "startup.nsh"):
        subprocess.run(["mcopy", "-i", disk, path, "::/"], check=True)
    volume = pci_device(SLOT) if isa == "x86_64" else b""
    flash = shell.flash(isa, directory, [
        ("Driver", load_option("bareperf-dxe", r"\bareperf-dxe.efi", COMMAND, volume)),
        ("Driver", load_option("spinner", r"\spinner-dxe.efi", words, volume))])
    done = subprocess.run(
        [f"qemu-system-{isa}", *(BOARD if isa == "aarch64" else shell.MACHINES[isa]), *flash, "-m", "512", "-nodefaults",
         "-display", "none", "-serial", "stdio", "-no-reboot", "-drive", f"if=none,id=disk,format=raw,file={disk}",
         "-device", f"virtio-blk-pci,drive=disk,addr={SLOT}", *STEADY, *options],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=machine.boots.PATIENCE, check=False)
    data = directory / f"{isa}.data"
    data.write_bytes(stick.mtool("mtype", disk, "::/bareperf/0001.data", check=False).stdout)
    return data, done.stdout.decode("ascii", "replace")


def explain(isa, data, *options):
    build = machine.TOP / f"build/{isa}"
    return subprocess.run([machine.TOOL, "report", "--boot", "--symbols", build / "tests/spinner-dxe.efi",
                           "--symbols", build / "tests/spinner.elf", "--symbols", build / "bareperf.sym", *options, data],
                          capture_output=True, text=True, check=False)


def judge(isa, data, said, *sources):
    done = explain(isa, data)
    tap.ok(done.returncode == 0 and 15 < len(done.stdout.splitlines()) <= 30,
           f"{isa}: a boot is explained in at most 30 lines", (done, said[-2000:]))
    told = json.loads(explain(isa, data, "--json").stdout)
    counter = told["before"]["counter_ns"]
    tap.ok(counter and counter > 0 and told["ledger"]["whole"], f"{isa}: with the CPU's counter and its ledger", told)
    found = {one["source"]: [(time["what"], time["ns"]) for time in one["times"]]
             for one in told["before"]["sources"] if one["times"]}
    tap.equal(found, dict(sources), f"{isa}: the firmware's own times are those in its tables")
    spun = [row for row in told["functions"] if row["function"] == "spin_at_application"]
    tap.ok(len(spun) == 1 and 290e6 < spun[0]["work"] < 330e6,
           f"{isa}: a function that works for 300 ms is among the hottest", told["functions"])
    stalled = [row for row in told["waits"] if row["function"] == "stall_at_application"]
    tap.ok(len(stalled) == 1 and stalled[0]["in"] == "Stall()" and 250e6 < stalled[0]["waiting"] < 330e6,
           f"{isa}: and one that waits for 300 ms among the longest waits", told["waits"])
    return told, done.stdout


COREBOOT = ("coreboot", [("the first timestamp", 1_000_000), ("bootblock begins", 2_000_000),
                         ("RAM initialization begins", 22_000_000), ("RAM initialization ends", 97_000_000)])


def on_a_pc(directory):
    data, said = boot("x86_64", directory, f"{WORK} fpdt coreboot=0x500")
    told, text = judge("x86_64", data, said, COREBOOT, ("FPDT", [
        ("reset ends", 12345678), ("OS loader: LoadImage() starts", 1500000000),
        ("OS loader: StartImage() starts", 1600000001), ("BDS begins (0x0030)", 987654321)]))
    tap.ok("coreboot: 0.097 s RAM initialization ends; longest: 0.075 s to RAM initialization ends" in text and
           "no times of: bootstage" in text, "x86_64: and are in the text", text)
    disk = [row for row in told["waits"] if row["module"].startswith("VirtioBlkDxe")]
    tap.ok(disk and disk[0]["devices"] == [f"PciRoot(0x0)/Pci(0x{SLOT:X},0x0)"],
           "x86_64: the disk's driver waits for its device, which has its path", told["waits"])
    marks = subprocess.run(["perf", "script", "-F", "event,bpf-output", "-i", data], capture_output=True, text=True,
                           check=False).stdout
    tap.ok(re.search(r"boot device VirtioBlkDxe", marks), "x86_64: stock perf prints these marks", marks[-2000:])


def imported(memory, data):
    return subprocess.run([machine.TOOL, "import", memory, "-o", data], capture_output=True, text=True, check=False)


def without_a_disk(isa, directory, name):
    """The text of a boot from the start of the boot manager to ReadyToBoot. The host provides the
    files from memory: a disk's data arrive by the host's clock, so the text would differ from boot
    to boot."""
    memory, log = pathlib.Path(directory) / "memory", pathlib.Path(directory) / "log"
    with open(memory, "wb") as file:
        file.truncate(16 << 20)
    data = pathlib.Path(directory) / name
    log.write_bytes(b"")
    with subprocess.Popen(
            [f"qemu-system-{isa}", *shell.MACHINES[isa], *shell.flash(isa, directory), "-m", "512", "-nodefaults",
             "-display", "none", "-serial", f"file:{log}", "-no-reboot",
             "-kernel", machine.TOP / f"build/{isa}/bareperf-dxe.efi", "-append", f"{COMMAND} --until ready-to-boot",
             "-object", f"memory-backend-file,share=on,mem-path={memory},size=16M,id=shm",
             "-device", "ivshmem-plain,memdev=shm", *STEADY], stdin=subprocess.DEVNULL) as qemu:
        live.until(lambda: b"marks: " in log.read_bytes(), process=qemu)
        live.until(lambda: "did not come to" not in imported(memory, data).stderr, process=qemu, pause=0.5)
        qemu.kill()
    return explain(isa, data).stdout or log.read_bytes()


def repeats(isa, directory):
    one, other = (without_a_disk(isa, directory, f"{isa}-{number}.data") for number in (1, 2))
    tap.ok(one == other and "Ledger   all " in one, f"{isa}: the same boot, with -icount, has the same 30 lines", (one, other))


def on_a_board(directory):
    data, said = boot("aarch64", directory, f"{WORK} coreboot={TABLE:#x}", "-dtb", tree_with_times(directory))
    _, text = judge("aarch64", data, said, COREBOOT, ("bootstage", [
        ("board_init_f", 250_000_000), ("of_live (in all)", 30_000_000), ("main_loop", 1_250_000_000)]))
    tap.ok("bootstage: 1.250 s main_loop; longest: 1.000 s to main_loop\n" in text and "no times of: FPDT" in text,
           "aarch64: and are in the text", text)


with tempfile.TemporaryDirectory(prefix="bareperf-boot-times-") as directory:
    on_a_pc(directory)
    on_a_board(directory)
    for isa in ("x86_64", "aarch64"):
        repeats(isa, directory)
tap.finish()
