#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Firmware is recorded together with an application of ours, on OVMF's shell and AAVMF's.
UEFI_MACHINE: "x86_64" or "aarch64": only that one.

check-timeout: 900
"""

import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import stick
import tap
from efi_variables import load_option
from shell import LEDGER, Disk, leak
from uefi import LINE, Taken, within

# Counted instructions: spinning takes an exact time, whatever the host does.
STEADY = ["-icount", "shift=4,sleep=off"]
FAILS = 1 << 63 | 3  # EFI_UNSUPPORTED
# The files on the volume that our boot entry uses.
CONFIG = "record -e cpu-clock -F 1000 -o boot.data -- \\tools\\spinner.efi low=100 status=7\n"


def recorded(said):
    ledger = LEDGER.search(said)
    return int(ledger[1]) if ledger and int(ledger[1]) == int(ledger[2]) + int(ledger[3]) else 0


def record(sh, name, isa):
    """An application with arguments and an exit status, at both levels; twice."""
    said = sh.type(r'bareperf.efi record -e cpu-clock -F 1000 -- \tools\spinner.efi low=200 '
                   'high=300 status=7 "two words"')
    tap.ok("spinner: \\tools\\spinner.efi low=200 high=300 status=7 \"two words\"" in said,
           f"{name}: its arguments reach it, and its output the screen", said)
    tap.ok("exit status 7" in said and recorded(said) > 400, f"{name}: its status is reported", said)
    tap.ok(f"\ncpu-clock: {recorded(said)} samples, 0 lost\n" in said and "samples generated = " in said,
           f"{name}: the screen counts samples, with all that is said of them", said)
    tap.ok(re.search(r"callees aside:\n +[5-9]\d\.\d\d%  spinner\.efi, most at spinner\.efi\+0x[0-9a-f]+\n", said),
           f"{name}: code without names is among the hottest by its module", said)
    tap.equal(sh.type("echo %lasterror%").split()[0], "0x0", f"{name}: the shell is back")
    again = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -g -- \tools\spinner.efi low=100 tick=300 "
                    r"run=\tools\a.efi run=\tools\b.efi")
    tap.ok(recorded(again) > 400, f"{name}: a second recording is as good", again)
    return again


def elsewhere(sh, name):
    """A loader's own page tables, which map neither devices nor the recording's rings; on x86_64
    its own interrupt descriptor table. Then images that end without returning, and others at their
    addresses."""
    idt = r"idt=\tools\a.efi " if name == "x86_64" else ""
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -- \tools\spinner.efi below=50 map=200 low=100 "
                   fr"{idt}with=low=100+leave=3 run=\tools\b.efi with=low=150 run=\tools\e.efi "
                   fr"with=low=100+status={FAILS:#x} run=\tools\c.efi with=low=150 run=\tools\d.efi")
    tap.ok(recorded(said) > 600, f"{name}: code with page tables of its own survives", said)
    if name == "x86_64":  # EDK2 keeps the return address of an interrupt's handler there
        tap.ok("below the stack pointer stays" in said,
               f"{name}: with interrupts masked nothing is written below its stack pointer", said)
    places = dict(re.findall(r"(\w)\.efi lies at (0x[0-9a-f]+)", said))
    tap.ok("b.efi returned 0x3" in said and places.get("b") == places.get("e") is not None,
           f"{name}: an application leaves by Exit(), and the next lies at its address", said)
    tap.ok(f"c.efi returned {FAILS:#x}" in said and places.get("c") == places.get("d") is not None,
           f"{name}: a driver fails, is unloaded by the firmware, and the next lies at its address", said)
    written = re.search(r"written: \S*(\d{4}\.data)", said)
    return written[1] if written else "none", said


def judge_elsewhere(taken, said, isa):
    """Each tenth sample may hit the firmware's own timer."""
    images = taken.images()
    tap.ok(180 <= within(taken, isa, "spin_elsewhere") <= 220 and taken.dump().returncode == 0,
           f"{isa}: 200 ms there are 200 samples", images)
    for gone, after, how in (("b", "e", "has left by Exit()"), ("c", "d", "was a driver that failed")):
        tap.ok(85 <= images.get(f"{gone}.efi", 0) <= 115 and 130 <= images.get(f"{after}.efi", 0) <= 170,
               f"{isa}: each of two at one address has its own samples, where the first {how}", images)
    if isa == "x86_64":
        past = re.search(r"(\d+) NMIs came by the copy's gate", said)
        tap.ok(past and int(past[1]) < 20 and 180 <= images.get("a.efi", 0) <= 220,
               f"{isa}: where another interrupt descriptor table was loaded, an image that is started then has its samples",
               (said, images))


TOO_MANY = ("uefi: more interrupt descriptor tables were loaded than are kept (8): code that ran with the others may have no "
            "samples\n")


def too_many_tables(sh, name, few):
    """Nine images, the firmware's among them: callers that may be missing are reported at the end
    of the recording. The text beside it has the names; `few` is the report of a recording with two
    images."""
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 --region-size 8 -- \tools\spinner.efi with=low=5" +
                   r" idt=\tools\a.efi" * 8)
    written = re.search(r"written: \S*(\d{4})\.data", said)
    tap.ok(said.count(TOO_MANY) == 1 and recorded(said) and "uefi: " not in few,
           f"{name}: more tables of descriptors than are kept are reported at the end", said)
    return f"{written[1]}.txt" if written else "none"


def cycles(sh, name):
    """With counters, if TCG has them."""
    said = sh.type(r"bareperf.efi record -e cycles -F 1000 -- \tools\spinner.efi low=200 high=300")
    tap.ok(recorded(said) > 400, f"{name}: cycles are recorded", said)
    written = re.search(r"written: \S*(\d{4}\.data)", said)
    return written[1] if written else "none"


def slow_read(sh, name):
    """An image is loaded from a disk with half a megabyte per second."""
    rates = dict.fromkeys(("bps", "bps_wr", "iops", "iops_rd", "iops_wr"), 0)
    sh.monitor.ask("block_set_io_throttle", device="disk", bps_rd=500000, **rates)
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -g -- \tools\spinner.efi run=\tools\slow.efi")
    sh.monitor.ask("block_set_io_throttle", device="disk", bps_rd=0, **rates)
    tap.ok(recorded(said) > 200, f"{name}: a read from a slow disk is recorded", said)
    written = re.search(r"written: \S*(\d{4}\.data)", said)
    return written[1] if written else "none"


def goes_on(sh, name):
    said = sh.type(r"\tools\spinner.efi tick=500")
    ticked = re.search(r"ticked (\d+) times", said)
    tap.ok(ticked and int(ticked[1]) >= 20, f"{name}: timer events tick afterwards", said)
    one = (r"bareperf.efi record -e cpu-clock -F 1000 -m 16 --region-size 4 -- "
           r"\tools\spinner.efi low=1")
    sh.type(one)  # the first time page tables are split, and they stay so
    said, left = leak(sh, *[one] * 3)
    tap.ok(len(LEDGER.findall(said)) == 3 and not left, f"{name}: nothing leaks", (left, said))


def driver(sh, name):
    """The driver's entry point reports that it stays: a later recording finds it. An image that it
    unloads is gone."""
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -o driver.data -- \spinner-dxe.efi low=100 "
                   r"load=\tools\d.efi unload")
    tap.ok("spinner: \\spinner-dxe.efi low=100" in said and recorded(said) > 100 and "exit status" not in said,
           f"{name}: a driver is recorded the same way", said)
    place = re.search(r"d\.efi lies at (0x[0-9a-f]+)", said)
    return int(place[1], 16) if place and "unloaded: 0x0\n" in said else 0


def refused(sh, name):
    said = sh.type(r"bareperf.efi record -e cpu-clock -- \tools\nothere.efi")
    tap.ok("there is no such file" in said, f"{name}: a file that is not there is reported", said)
    said = sh.type(r"bareperf.efi record --exclusive -e cpu-clock -- \tools\spinner.efi")
    tap.ok("needs the firmware, which must keep running" in said, f"{name}: --exclusive is refused", said)
    said = sh.type(r"bareperf.efi record -e branch-step// -- \tools\spinner.efi")
    tap.ok("firmware is sampled, not traced branch by branch" in said,
           f"{name}: a trace of branches is refused", said)


def short(sh, name):
    """Only the program's own samples: its loading before and its cleaning up after it are
    bareperf's work."""
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 10000 -o short.data -- \tools\spinner.efi low=5")
    tap.ok(recorded(said) > 40, f"{name}: an application of some milliseconds is recorded", said)


def ours(taken, isa):
    """The functions of bareperf's image that have samples."""
    prefix = {"x86_64": "", "aarch64": "aarch64-linux-gnu-"}[isa]
    listed = subprocess.run([prefix + "nm", "-S", machine.TOP / f"build/{isa}/bareperf.elf"], capture_output=True,
                            text=True, check=True).stdout
    functions = [(int(at, 16), int(size, 16), name)
                 for at, size, name in re.findall(r"^(\w+) (\w+) [tT] (\w+)$", listed, re.MULTILINE)]
    # behind the headers
    base = next((at for at, _, name in taken.maps() if name == "bareperf"), 0) - 0x1000
    places = [address - base for address, image in taken.samples() if image == "bareperf"]
    return {next((name for at, size, name in functions if at <= place < at + size), hex(place)) for place in places}


def judge_short(taken, isa):
    """On aarch64 the firmware's DisableInterrupt() masks our interrupt for some instructions. A
    sample that is due then is taken when our hook of that function unmasks it (lib/hosted.c)."""
    images, functions = taken.images(), ours(taken, isa)
    tap.ok(images.get("spinner.efi", 0) >= 40 and functions <= ({"arch_hosted_unmask"} if isa == "aarch64" else set()),
           f"{isa}: in the profile of a short application there is nothing of bareperf's", (images, functions))


def within_another(sh, name):
    """The recorded program starts another bareperf.efi: it changes nothing, and prints which
    command records and how it ends. The outer recording is complete."""
    commands = (r"record -e cpu-clock -- \tools\a.efi", "record -e cpu-clock -- calltree 1", "stat -- calltree 1",
                "selftest", "stop")
    outer = r"record -e cpu-clock -F 1000 --region-size 4 -- \tools\spinner.efi low=50" + "".join(
        fr" with={command.replace(' ', '+')} run=\bareperf.efi" for command in commands) + " low=50"
    said = sh.type(f"bareperf.efi {outer}")
    tap.ok(said.count(f"another bareperf is recording: `{outer}'. It ends when that program ends") == len(commands)
           and said.count("bareperf.efi returned 0x8000000000000014") == len(commands),
           f"{name}: a bareperf within a recording refuses every command", said)
    tap.ok(said.count("written: ") == 1 and recorded(said) > 90, f"{name}: and the recording is whole", said)
    said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 --region-size 4 -- \tools\spinner.efi low=100")
    tap.ok(recorded(said) > 90, f"{name}: the next one is, too", said)


def judge(first, second, again, name, isa):
    dump = first.dump()
    tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout, f"{name}: the ledger is in order",
           dump.stdout + dump.stderr)
    images = first.images()
    tap.equal(max(images, key=images.get, default=None), "spinner.efi",
              f"{name}: the application is the top entry")
    total = len(first.samples())
    known = total - images.get("[unknown]", 0)
    tap.ok(sum(images.values()) == total > 400, f"{name}: the sum over images equals the samples",
           (images, total))
    tap.ok(known > 0.95 * total, f"{name}: over 95 % of them are in an image", (images, total))
    low, high = (within(first, isa, f"spin_at_{level}") for level in ("application", "high_level"))
    tap.ok(180 <= low <= 220, f"{name}: 200 ms at TPL_APPLICATION are 200 samples", (low, high, images))
    tap.ok(270 <= high <= 330, f"{name}: 300 ms at TPL_HIGH_LEVEL are 300 samples", (low, high, images))
    core = [image for _, _, image in first.maps() if "Dxe" in image or "Core" in image]
    tap.ok(len(core) > 50, f"{name}: images that were there are named", first.maps())
    images = second.images()
    places = re.findall(r"(\w).efi lies at (0x[0-9a-f]+)", again)
    tap.ok(len({at for _, at in places}) == 1 and len(places) == 2,
           f"{name}: two images lie one after the other at the same address", again)
    tap.ok(180 <= images.get("a.efi", 0) <= 220 and 180 <= images.get("b.efi", 0) <= 220,
           f"{name}: and each has its own samples", images)
    judge_chains(second.chains(), name, isa)


def judge_cycles(taken, name, isa):
    low, high = (within(taken, isa, f"spin_at_{level}") for level in ("application", "high_level"))
    tap.ok(180 <= low <= 220 and 270 <= high <= 330 and taken.dump().returncode == 0,
           f"{name}: by cycles as well, at both levels", (low, high, taken.images()))


def judge_chains(chains, name, isa):
    """AAVMF and our application have frame pointers, OVMF's release code has none."""
    ours = [chain for chain in chains if chain[0] == "a.efi"]
    if isa == "x86_64":
        whole = [chain for chain in ours if set(chain[:-1]) == {"a.efi"} and chain[-1].startswith("DxeCore")]
        tap.ok(len(ours) >= 180 and len(whole) > 0.95 * len(ours) and all(len(chain) == 1 for chain in ours
                                                                         if chain not in whole),
               f"{name}: a callchain leads from an application that has frame pointers to the firmware that has none",
               (len(ours), [chain for chain in ours if chain not in whole][:3]))
        others = [chain for chain in chains if chain[0] not in ("a.efi", "b.efi", "spinner.efi", "bareperf")]
        tap.ok(others and all(len(chain) == 1 or chain[1] == "bareperf" for chain in others),
               f"{name}: from there on only waiting functions have callers",
               [chain for chain in others if len(chain) > 1 and chain[1] != "bareperf"][:3])
        waits = [chain for chain in others if chain[2:3] == ["spinner.efi"]]
        tap.ok(len(waits) > 250 and all(set(chain[2:-1]) == {"spinner.efi"} and chain[-1].startswith("DxeCore")
                                        for chain in waits), f"{name}: and of these all that are known", waits[:3])
        return
    # The callers by image: a.efi, the firmware's StartImage(), our hook of it, spinner.efi.
    passed = [[image for image, _ in itertools.groupby(chain)] for chain in ours]
    whole = [images for images in passed if len(images) >= 4 and images[0] == "a.efi"
             and images[1].startswith("DxeCore") and images[3] == "spinner.efi"]
    tap.ok(len(ours) >= 180 and len(whole) > 0.95 * len(ours),
           f"{name}: a callchain leads from an application through the firmware to the image that started it",
           (len(ours), passed[:3]))


def judge_frames(said, text, isa):
    """AAVMF and our application have frame pointers, OVMF's release code has none."""
    line = re.search(r"^frame pointers: \d+ images keep them, \d+ keep none, \d+ are unknown\n", said, re.MULTILINE)
    lists = re.search(r"^  kept:((?: \w+|\n   )*)", text, re.MULTILINE)
    kept = set(lists[1].split()) if lists else set()
    tap.ok(line and line[0] in text and kept >= {"spinner", "a", "b"} and ("DxeCore" in kept) == (isa == "aarch64"),
           f"{isa}: the text beside the file says of each image whether it keeps frame pointers", text)
    tap.ok("  kept:" not in said and "  none:" not in said, f"{isa}: the screen has a line of that", said)


def judge_driver(taken, later, unloaded, isa):
    low = within(taken, isa, "spin_at_application", "spinner-dxe.efi")
    tap.ok(90 <= low <= 110 and taken.dump().returncode == 0,
           f"{isa}: 100 ms of a driver are 100 samples in its function", (low, taken.images()))
    tap.ok("spinner-dxe.efi" in {name for _, _, name in later.maps()}, f"{isa}: and it stays", later.maps())
    gone, maps = taken.unloaded(unloaded)
    tap.ok(gone and maps[-2][2].endswith("d.efi"), f"{isa}: an image that it has loaded and unloaded again is mapped over",
           (hex(unloaded), maps))


def by_boot_entry(isa, by="\\bareperf.cfg"):
    """The boot entry returns success, whatever the application's own status was, so a boot manager
    shows its menu next (UEFI 2.10, 3.1.1)."""
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-entry-") as directory:
        if by == "\\bareperf.cfg":
            disk, flash = make_disk(isa, directory, CONFIG), None
        else:
            disk, flash = make_disk(isa, directory), shell.flash(isa, directory, [
                ("Boot", load_option("ours", r"\bareperf.efi", CONFIG.strip()))])
        with shell.Shell(isa, disk.path, *STEADY, flash=flash) as sh:
            said = sh.read_until("Boot Maintenance Manager")
        tap.ok("exit status 7" in said and "written: \\bareperf\\boot.data" in said and recorded(said) > 100,
               f"{isa}: an application is recorded from a boot entry, by {by}", said[:3000])
        tap.ok("Boot Maintenance Manager" in said, f"{isa}, by {by}: and then the firmware continues", said[-3000:])
        taken = Taken(disk, "boot.data")
        low = within(taken, isa, "spin_at_application")
        tap.ok(90 <= low <= 110 and taken.dump().returncode == 0,
               f"{isa}, by {by}: the file has it: 100 ms are 100 samples", (low, taken.images()))


def judge_waits(taken, name):
    """The application has stalled for 300 ms, and for 10 ms to measure the clock; each tenth sample
    may hit the firmware's own timer, which ticks every 10 ms."""
    work, waiting, said = taken.modules()
    tap.ok(263 <= waiting.get("spinner", 0) <= 330 and 80 <= work.get("spinner", 0) <= 120,
           f"{name}: a caller of Stall() counts as waiting, not as working", said)
    total = len(taken.chains())
    tap.equal([work["[work]"] + waiting["[waiting]"], waiting["[all]"]], [total, total],
              f"{name}: work and waiting are all of the samples")


def named(first, second, name, isa):
    """Functions from the file that the application was made of: first in our views, then in stock
    perf."""
    build = machine.TOP / f"build/{isa}/tests"
    ours, said = first.look_for_names(build / "spinner.efi", build / "spinner.elf")
    low, high = (ours.get(f"spin_at_{level}", 0) for level in ("application", "high_level"))
    tap.ok(180 <= low <= 220 and 270 <= high <= 330 and "spinner" not in said,
           f"{name}: with --symbols the application's functions have names", (ours, said))
    tap.ok(any(re.fullmatch(r"\w+\+0x[0-9a-f]+", symbol) for symbol in ours),
           f"{name}: code without symbols is its module's", ours)
    alone = {function: count for image, function, count in first.rows(build / "spinner.elf") if image.endswith("spinner.efi")}
    tap.equal([alone.get(f"spin_at_{level}") for level in ("application", "high_level")], [low, high],
              f"{name}: so they have by its ELF file alone, without the image's own")
    perfs = first.functions()
    tap.equal([perfs.get(("spinner.efi", f"spin_at_{level}")) for level in ("application", "high_level")],
              [low, high], f"{name}: perf script names as many")
    said = first.perf("report", "--stdio", "--no-children", "-g", "none", "-F", "overhead,sample,sym")
    tap.ok(re.search(rf" {high} +\[.\] spin_at_high_level", said), f"{name}: perf report shows them", said)
    said = first.perf("annotate", "--stdio", "-s", "spin_at_high_level")
    tap.ok(re.search(rf"spinner.efi for cpu-clock \({high} samples", said) and "<spin_at_high_level>:" in said
           and re.search(r"^ +[1-9]\d?\.\d+ +: +[0-9a-f]+: +\S", said, re.MULTILINE),
           f"{name}: perf annotate shows their instructions", said)
    perfs = second.functions()
    tap.ok(all(180 <= perfs.get((f"{image}.efi", "spin_at_application"), 0) <= 220 for image in "ab"),
           f"{name}: and of each of two images at one address", perfs)


def make_disk(isa, directory, config=shell.FAILS):
    spinner = machine.TOP / f"build/{isa}/tests/spinner.efi"
    spinner_dxe = spinner.with_name("spinner-dxe.efi")
    disk = Disk(isa, directory, [(spinner_dxe, "spinner-dxe.efi")], config)
    stick.mtool("mmd", f"{disk.path}@@1M", "::/tools")
    for image, files in ((spinner, ("spinner", "a", "b", "e", "slow")), (spinner_dxe, ("c", "d"))):
        for file in files:
            stick.mtool("mcopy", f"{disk.path}@@1M", image, f"::/tools/{file}.efi")
    return disk


def run(isa):
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-") as directory:
        disk = make_disk(isa, directory)
        with shell.Shell(isa, disk.path, *STEADY) as sh:
            sh.open()
            again = record(sh, isa, isa)
            goes_on(sh, isa)
            unloaded = driver(sh, isa)
            refused(sh, isa)
            within_another(sh, isa)
            short(sh, isa)
            counted = cycles(sh, isa) if isa == "aarch64" else None
            third, gone = elsewhere(sh, isa)
            tables = too_many_tables(sh, isa, gone) if isa == "x86_64" else None
            slow = slow_read(sh, isa)
        by_boot_entry(isa)
        if isa == "aarch64":
            by_boot_entry(isa, "its load options")
        handed_over(isa)
        first, second, third = (Taken(disk, name) for name in ("0001.data", "0002.data", third))
        judge(first, second, again, isa, isa)
        judge_frames(again, disk.read("0002.txt").decode().replace("\r", ""), isa)
        judge_waits(second, isa)
        judge_short(Taken(disk, "short.data"), isa)
        judge_driver(Taken(disk, "driver.data"), third, unloaded, isa)
        _, waiting, said = Taken(disk, slow).modules()
        slowest = max((name for name in waiting if name[0] != "["), key=waiting.get, default=None)
        tap.ok(slowest == "VirtioBlkDxe" and waiting[slowest] > 50,
               f"{isa}: a slow read is waiting, in the disk's driver", said)
        named(first, second, isa, isa)
        judge_elsewhere(third, gone, isa)
        if tables:
            text = disk.read(tables).decode().replace("\r", "")
            tap.ok(TOO_MANY.removeprefix("uefi: ") in text, f"{isa}: the text beside the file says it as well", text)
        if counted:
            judge_cycles(Taken(disk, counted), isa, isa)


def handed_over(isa):
    """A UEFI application as a payload. Its own page tables do not map the memory that the host
    shares; it ends boot services, and does not return."""
    recording = machine.Recording("record -e cpu-clock -F 1000 -- payload low=100 map=100 exit=100",
                                  "--arch", isa, "--payload", machine.TOP / f"build/{isa}/tests/spinner.efi",
                                  qemu=STEADY, quick=False)
    said = subprocess.run(["perf", "report", "--stdio", "--no-children", "-g", "none", "-F",
                           "overhead,sample,dso", "-i", recording.file], capture_output=True, text=True).stdout
    samples = {name: int(count) for _, count, name in LINE.findall(said)}
    tap.ok(recording.status == 0 and recording.summary()["status"] == 0,
           f"{isa}: one that ends boot services leaves a whole recording", recording.text)
    tap.ok(180 <= samples.get("payload.efi", 0) <= 220,
           f"{isa}: as a payload it is recorded until ExitBootServices(), and no longer", said + recording.text)


if machine.missing():
    tap.skip("firmware is recorded with what runs on it", machine.missing())
else:
    for ISA in shell.MACHINES:
        if os.environ.get("UEFI_MACHINE", ISA) == ISA:
            run(ISA)
tap.finish()
