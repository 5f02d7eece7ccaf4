#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The firmware's own boot is recorded, by our driver, which the boot manager loads, on OVMF and
AAVMF. UEFI_MACHINES: only these machines ("x86_64 aarch64"). UEFI_BOOTS: boots of each machine in a
row (10).

check-timeout: 5400
"""

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
from shell import LEDGER, PROMPT, Disk
from uefi import Taken

# Counted instructions: spinning takes an exact time, whatever the host does. On aarch64 2 ns per
# instruction: with a slower CPU AAVMF's own work takes longer than 600 ms. On x86_64 16 ns, because
# nothing is compared with OVMF's work. The other CPUs wait for the boot CPU, as on any modern
# machine.
STEADY = {"x86_64": ["-icount", "shift=4,sleep=off", "-smp", "4"],
          "aarch64": ["-icount", "shift=1,sleep=off", "-smp", "4"]}
# By the host's clock.
QUICK = ["-action", "reboot=reset"]
# At 2 ns per instruction the machine's time is slower than the host's: its ring lasts for seconds
# of a reader that gets little of a busy host's CPUs, and 2 s are 2,000 samples.
SLOW = ["-icount", "shift=1"]
# On q35 a device in slot 3 uses the same interrupt input as the HPET's comparator, and NVMe
# interrupts at each transfer, while its driver does not wait for interrupts.
shell.DEVICES["NVMe"] = ["-device", "nvme,serial=1,drive=disk,addr=3"]
DEVICE = {"x86_64": "NVMe", "aarch64": "virtio"}
COMMAND = "record --boot -e cpu-clock -F 1000 -g --region-size 8"
BOOTS = int(os.environ.get("UEFI_BOOTS", "6"))
# Of 300 samples every tenth may hit the firmware's own timer, which ticks every 10 ms.
LEAST = 255
SHELL = ("Shell.dll", "Shell.efi")


def reboot(sh):
    start = len(sh.raw)
    sh.send("reset\r")
    return sh.open(start)


# The firmware changes some variables by itself: MTC counts boots; from its second boot on OVMF has
# no ErrOut and MemoryTypeInformation.
CHANGING = {"MTC", "ErrOut", "MemoryTypeInformation"}


def variables(sh):
    """{name: (attributes, value)} of all non-volatile variables, as the shell prints them"""
    said = re.split(r"\n(?=Variable )", sh.type("dmpstore -all"))
    return {name: (attributes, value) for attributes, name, value in
            (re.match(r"Variable (\S+) '(.*?)' (.*)", part, re.DOTALL).groups() for part in said[1:])
            if "NV" in attributes.split("+")}


def changed(before, after):
    """{name: (before, after)} of all changes, except those that the firmware makes by itself"""
    return {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys()
            if before.get(name) != after.get(name) and name.split(":")[-1] not in CHANGING}


def register(sh, isa):
    before = variables(sh)
    said = sh.type(f"bareperf.efi register {COMMAND}") + sh.type("bcfg driver dump -v")
    tap.ok("Variable: Driver0000" in said and r"\bareperf-dxe.efi" in said and "Optional- Y" in said,
           f"{isa}: the driver is registered", said)
    again = sh.type("bareperf.efi register")
    tap.ok(re.search(r"is loaded: record --boot -e cpu-clock -F 1000 -g\n.*has room for some \d+ (minutes|seconds)\n",
                     again, re.DOTALL),
           f"{isa}: the default registration is reported, and the room for its records", again)
    again = sh.type("bcfg driver dump -v")
    tap.ok("Driver0000" in again and "Driver0001" not in again,
           f"{isa}: a second registration is in place of the first", again)
    boot = stick.BOOT[isa]
    said = sh.type(rf"\EFI\BOOT\{boot} register {COMMAND}") + sh.type("bcfg driver dump -v")
    tap.ok(rf"\EFI\BOOT\{boot[:-4]}-dxe.EFI" in said,
           f"{isa}: the image that a stick boots registers the driver that lies beside it", said)
    said = sh.type("bareperf.efi unregister")
    after = variables(sh)
    tap.ok(len(before) > 10 and before == after,
           f"{isa}: unregister leaves no trace in the variables", (said, changed(before, after)))
    said = sh.type("bareperf.efi unregister")
    tap.ok("bareperf-dxe.efi is not registered" in said, f"{isa}: and says when there is none", said)
    return before


def refused(sh, name):
    said = sh.type(f"bareperf.efi {COMMAND}")
    tap.ok("only bareperf-dxe.efi does that" in said and "^" in said,
           f"{name}: an application gets the error that only a driver can do it", said)
    said = sh.type("bareperf.efi register list")
    tap.ok("only record --boot can be registered" in said,
           f"{name}: another command than that is not registered", said)
    event = "cycles" if name == "x86_64" else "cycles:u"  # TCG's x86 CPUs have no counters
    said = sh.type(f"bareperf.efi register record --boot -e {event} -F 1000") + sh.type("bcfg driver dump")
    tap.ok(f"event {event}: " in said and "nothing is registered" in said and "Driver0" not in said,
           f"{name}: nor is an event that this machine cannot count", said)


def two_drivers(sh):
    """Another driver is loaded after ours, and stalls."""
    sh.type(f"bareperf.efi register {COMMAND}")
    sh.type(r"bcfg driver add 1 fs0:\spinner-dxe.efi spinner")


def first(sh, name):
    for command in ("list", "stat -- calltree 1", "selftest", "record -e cpu-clock -- calltree 1",
                    r"record -e cpu-clock -- \spinner.efi low=1"):
        said = sh.type(f"bareperf.efi {command}")
        tap.ok("bareperf-dxe.efi records this boot: `bareperf.efi stop' ends that" in said and "written" not in said,
               f"{name}: meanwhile nothing else is done: {command}", said)
    said = sh.type("bareperf.efi stop")
    ledger = LEDGER.search(said) or re.search(r"cpu-clock: (\d+) samples, 0 lost", said)
    tap.ok(ledger and int(ledger[1]) > 600 and "written: \\bareperf\\0001.data" in said,
           f"{name}: stop makes a file of it", said)


def judge(taken, isa):
    dump = taken.dump()
    tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout, f"{isa}: the ledger is in order",
           dump.stdout + dump.stderr)
    if isa == "x86_64":
        spurious = re.search(r"(\d+) spurious interrupts", dump.stdout)
        tap.ok(spurious and int(spurious[1]) > 10,
               f"{isa}: NMIs of a PCI device that shares the timer's input are counted", dump.stdout)
    images, total = taken.images(), len(taken.chains())
    known = total - images.get("[unknown]", 0)
    tap.ok(sum(images.values()) == total and known > 0.95 * total,
           f"{isa}: the sum over images equals the samples, and over 95 % are in one", (images, total))
    judge_top(taken, isa)
    judge_phases(taken, isa)
    judge_chains(taken, isa)


def judge_top(taken, isa):
    """Our own summary of all recordings."""
    build = machine.TOP / f"build/{isa}/tests"
    symbols = build / "spinner-dxe.efi", build / "spinner.elf"
    work, waiting, said = taken.modules(*symbols)
    if isa == "aarch64":  # on x86_64 ovmf_symbols_test tests it, by the host's clock
        tap.equal(next(iter(work), None), "spinner-dxe", f"{isa}: the driver that spins is the top entry of the working ones")
    functions, stalls = taken.functions_of(*symbols)
    tap.equal({row[:2] for row in [row for row in functions if row[1] != "[no name]"][:2]},
              {("spinner-dxe", "spin_at_application"), ("spinner-dxe", "spin_at_high_level")},
              f"{isa}: of all functions that have names its two are the first")
    low, high = (sum(count for _, name, count in functions if name == f"spin_at_{level}")
                 for level in ("application", "high_level"))
    tap.ok(LEAST <= low <= 315 and 285 <= high <= 315,
           f"{isa}: 300 ms in each of its functions are 300 samples, at TPL_HIGH_LEVEL too", said)
    stalled = sum(count for module, name, count in stalls
                  if (module, name) == ("spinner-dxe", "stall_at_application in Stall()"))
    tap.ok(LEAST <= stalled <= waiting.get("spinner-dxe", 0) <= 330,
           f"{isa}: its 300 ms in Stall() are waiting, of the function that calls it", said)


def judge_chains(taken, isa):
    """AAVMF and the driver keep frame pointers; OVMF does not."""
    chains, calls = taken.chains(), taken.calls()
    spun = [chain for chain in chains if chain[0] == "spinner-dxe.efi"]
    called = [chain for chain in spun if any("BdsDxe" in image for image in chain)]
    if isa == "aarch64":
        tap.ok(len(called) > 0.95 * len(spun) > 500,
               f"{isa}: its callchain leads to the boot manager that has started it", spun[:2])
    for function in ("spin_at_application", "spin_at_high_level", "stall_at_application"):
        ours = [call[call.index(own):] for own in [(function, "spinner-dxe.efi")] for call in calls if own in call]
        whole = [call for call in ours if [name for name, _ in call[1:3]] == ["efi_main", "efi_start"] and
                 call[3:] and call[3][1].startswith("DxeCore") and (isa == "aarch64" or len(call) == 4)]
        tap.ok(len(whole) > 0.95 * len(ours) > 0.95 * LEAST,
               f"{isa}: {function}() was called by the driver's entry, and that by the firmware", ours[:2])
    core = [chain for chain in chains if chain[0].startswith("DxeCore")]
    if isa == "x86_64":
        tap.ok(core and all(len(chain) == 1 or chain[1] == "bareperf" for chain in core),
               f"{isa}: from there none leads on but by who waits", core[:3])


def until(sh, name, when, end=None):
    """One boot that ends in this way, by end() if not by itself. Returns the output. Afterwards
    nothing of the recording is left: another recording can use the timer, and the next boot can be
    registered."""
    sh.type(f"bareperf.efi register {COMMAND} --until {when}")
    start = len(sh.raw)
    reboot(sh)
    if end:
        tap.ok("bareperf-dxe.efi records this boot" in sh.type("bareperf.efi list"),
               f"{name}: until {when} the boot is recorded", sh.said(start))
        end()
    sh.read_until(r"written: \S+\s", start)
    sh.send("\x12")  # no hook is left
    after = sh.type("bareperf.efi record -e cpu-clock -F 1000 --region-size 4 -o last.data -- \\spinner.efi low=500")
    said = sh.said(start)
    tap.ok(re.search(r"samples, 0 lost", said) and len(re.findall(r"written: \S*\d+\.data", said)) == 1,
           f"{name}: until {when} it is recorded, and is a file, once", said)
    ledger = LEDGER.search(after)
    tap.ok(ledger and int(ledger[1]) > 20 and "written: " in after,
           f"{name}: after {when} the boot continues, with its timer free", after)
    sh.type("del \\bareperf\\last.data")
    written = re.search(r"written: \S*?(\d+\.data)", said)
    return written[1] if written else "none"


def ends(sh, isa):
    """{how a boot's recording ended: its file}"""
    def key():
        if isa == "x86_64":
            sh.monitor.line("sendkey ctrl-r")
        else:
            sh.send("\x12")

    sh.type("bareperf.efi stop")
    return {when: until(sh, isa, when, *end) for when, end in
            (("ready-to-boot", ()), ("2.5s", ()), ("key,1000s", (key,)))}


def judge_ends(disk, isa, files):
    for when, file in files.items():
        taken = Taken(disk, file)
        dump = taken.dump()
        tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout,
               f"{isa}: until {when}: the ledger is in order", dump.stdout[-2000:] + dump.stderr)
        times = [float(time) for time in re.findall(r"([\d.]+):", taken.perf("script", "-F", "time"))]
        shells = [name for _, _, name in taken.maps() if name.endswith(SHELL)]
        told = {"ready-to-boot": "ended at ReadyToBoot", "2.5s": "ended by its time"}.get(when, "stopped by a key")
        # a boot's length and its number of samples depend on the host
        periods = re.search(r"cpu-clock \(CPU 0\): count \d+ = period (\d+)", dump.stdout)
        tap.ok(f"complete: {told}" in dump.stdout and times and periods and int(periods[1]) > 20e6,
               f"{isa}: until {when}: it reports the end's cause", dump.stdout[-2000:])
        if when == "2.5s":
            tap.ok(times[-1] - times[0] >= 2.3, f"{isa}: until {when}: so long it is", (times[0], times[-1]))
        else:
            tap.equal(bool(shells), "key" in when,
                      f"{isa}: until {when}: the shell that the boot manager loads then is in it or not")


def judge_phases(taken, isa):
    """Compare the times of marks and samples by stock perf with our own summary."""
    marks = taken.marks()
    own = {text: time for time, text in marks if "DXE BS driver #300: " in text}
    begins, oem, error, ends = (f"{kind} DXE BS driver #300: {what}" for kind, what in (
        ("phase", "initialisation begins"), ("phase", "operation 0x8300"), ("error (major)", "start error"),
        ("phase", "initialisation ends")))
    if not tap.equal(list(own), [begins, oem, error, ends],
                     f"{isa}: stock perf prints the name of a driver's report, at TPL_HIGH_LEVEL too"):
        return
    tap.ok(all(0.298 < own[later] - own[earlier] < 0.310 for earlier, later in ((begins, oem), (oem, error))),
           f"{isa}: at its times, 300 ms apart as it stalls between", own)
    texts = [text for _, text in marks]
    steps = ["phase spinner-dxe.efi starts", begins, ends, "phase spinner-dxe.efi has returned",
             "phase DXE BS driver: attempt boot order event", "phase ReadyToBoot",
             "phase DXE BS driver: ready to boot event"]
    tap.equal([text for text in texts if text in steps][:len(steps)], steps,
              f"{isa}: the boot's marks are in the order of the boot")
    phases, said = taken.phases()
    for phase in (begins, oem):
        modules, work, waiting, count = phases.get(phase.removeprefix("phase "), ({}, 0, 0, 0))
        tap.ok(LEAST <= modules.get("spinner-dxe", 0) <= count <= 315 and count >= 285 and 0.285 <= work + waiting <= 0.315,
               f"{isa}: 300 ms of a driver are in the phase that it has reported before them", said)
    modules, _, waiting, _ = phases.get(ends.removeprefix("phase "), ({}, 0, 0, 0))
    tap.ok(0.255 <= waiting <= 0.315 and LEAST <= modules.get("spinner-dxe", 0) <= 315,
           f"{isa}: so are the 300 ms that it waits for behind its last, apart from its work", said)
    last = [text.removeprefix("phase ") for text in texts if re.match(r"phase Shell\S* starts", text)]
    waited = phases.get(last[0])[2] if last else 0
    tap.ok(0.85 <= waited <= 5.2, f"{isa}: the shell waits for a key in its phase, a second at a time", said)
    compare_phases(marks, taken.times("cpu-clock"), phases, isa)
    times = ["0.012345678 s: reset ends", "1.500000000 s: OS loader: LoadImage() starts",
             "1.600000001 s: OS loader: StartImage() starts", "0.987654321 s: BDS begins (0x0030)"]
    tap.equal(texts[-len(times) - 1:-1], [f"FPDT {time}" for time in times],
              f"{isa}: the firmware's own times are reported, at the end of the line")
    counter = re.fullmatch(r"boot counter (\d+\.\d{9}) s: the recording's 0", texts[-1])
    if tap.ok(counter, f"{isa}: and its counter's value at the start of the recording's clock", texts[-1]):
        told = re.findall(r"^ *(-?\d+\.\d{6}) {4}(\d+\.\d{9} s: .*)$", said, re.MULTILINE)
        tap.ok([time for _, time in told] == times and
               all(abs(float(time.split()[0]) - float(counter[1]) - float(begins)) < 2e-6 for begins, time in told),
               f"{isa}: they are below the summary, with when that would be in the recording", said[-2000:])


def compare_phases(marks, times, phases, isa):
    """The number of samples in each phase, counted from stock perf's output."""
    begun = [(time, text.removeprefix("phase ")) for time, text in marks if text.startswith("phase ")]
    counted = {}
    for time in times:
        name = next((text for at, text in reversed(begun) if at < time), "[before the first]")
        counted[name] = counted.get(name, 0) + 1
    told = {name: phase[3] for name, phase in phases.items()}
    tap.equal(told.pop("[all]", None), len(times), f"{isa}: the phases' sum is all samples")
    off = {name: (counted.get(name, 0), count) for name, count in told.items()
           if abs(counted.get(name, 0) - count) > 1}  # samples of the same microsecond
    tap.ok(len(told) > 8 and counted.keys() <= told.keys() and not off,
           f"{isa}: each phase has the samples between its mark and the next", (off, counted, told))


def judge_names(taken):
    """AAVMF's own functions, from the files that `make aavmf-symbols` has built; ovmf_symbols_test
    tests OVMF's."""
    claim = "aarch64: over 95 % of the samples of AAVMF's own images have functions"
    said = subprocess.run([machine.TOP / "deps/ovmf", "--path", "aarch64"], capture_output=True, text=True, check=True)
    symbols = pathlib.Path(said.stdout.strip())
    if not symbols.is_dir():
        tap.skip(claim, f"not to be had: {symbols} (make aavmf-symbols, some ten minutes)")
        return
    own = {path.with_suffix(".dll").name for path in symbols.glob("*.efi")}
    rows = [row for row in taken.rows(symbols) if row[0] in own]
    nameless = [row for row in rows if re.search(r"\+0x[0-9a-f]+$|^0x", row[1])]
    total, without = (sum(count for _, _, count in some) for some in (rows, nameless))
    tap.ok(total > 500 and without < 0.05 * total, claim, (total, without, nameless[:9]))


def in_a_row(sh, name):
    """These recordings are never ended: each is found in RAM by the next start, which makes a file
    of it."""
    sh.type("bcfg driver rm 1")  # the stalling driver is no longer needed
    ended = ends(sh, name)
    sh.type(f"bareperf.efi register {COMMAND}")
    shells = sum(bool(PROMPT.search(reboot(sh))) for _ in range(BOOTS - 1 - len(ended)))
    tap.equal(shells, BOOTS - 1 - len(ended), f"{name}: boots in a row reach the shell")
    sh.type("bareperf.efi stop")
    said = sh.type("ls \\bareperf")
    files = len(re.findall(r"\d+\.data|recovered\S*\.data", said))
    tap.ok(files >= BOOTS, f"{name}: a recording that was not ended becomes a file by the next image", said)
    sh.type("bareperf.efi unregister")
    said = sh.type("bcfg driver dump")
    tap.ok(not re.search(r"Driver0|bareperf", said), f"{name}: afterwards there is none", said)
    return ended


def run(isa):
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-boot-") as directory:
        build = machine.TOP / f"build/{isa}"
        files = ((build / "bareperf-dxe.efi", "bareperf-dxe.efi"),
                 (build / "tests/spinner-dxe.efi", "spinner-dxe.efi"),
                 (build / "tests/spinner.efi", "spinner.efi"))
        disk = Disk(isa, directory, files)
        firmware = shell.flash(isa, directory)
        with shell.Shell(isa, disk.path, *QUICK, device=DEVICE[isa], flash=firmware) as sh:
            sh.open()
            before = register(sh, isa)
            refused(sh, isa)
            two_drivers(sh)
        with shell.Shell(isa, disk.path, *STEADY[isa], device=DEVICE[isa], flash=firmware) as sh:
            sh.open()
            first(sh, isa)
        with shell.Shell(isa, disk.path, *QUICK, device=DEVICE[isa], flash=firmware) as sh:
            sh.open()
            ended = in_a_row(sh, isa)
            left = leaves(sh, isa)
        judge(Taken(disk, "0001.data"), isa)
        judge_ends(disk, isa, ended)
        judge_unloaded(disk, left, isa)
        if isa == "aarch64":
            judge_names(Taken(disk, "0001.data"))
        handed_over(isa, disk, directory, firmware, before)


def leaves(sh, name):
    """The driver is loaded by the shell's `load`. A caller of ExitBootServices() gets a file first,
    even if it calls by an old pointer: newer firmware signals an event for that, and this
    application does so instead."""
    # the default event, also if there is a PMU
    said = sh.type("load bareperf-dxe.efi") + sh.type("bareperf.efi stop")
    tap.ok(re.search(r"\bcpu-clock: \d+ samples, 0 lost", said) and "cycles: " not in said and
           "frame pointers: " in said and "written: " in said,
           f"{name}: a boot from the shell's load on is recorded, by the clock, with callers", said)
    start = len(sh.raw)
    sh.send("spinner.efi keep before-exit load=\\spinner-dxe.efi with=record+--boot+-e+cpu-clock+-F+1000+--region-size+8 "
            "run=\\bareperf-dxe.efi unload low=1000 exit=1\r")
    said = sh.read_until(r"the mask (?:stays|has changed).*\n", start)
    sh.process.wait(timeout=300)
    tap.ok(re.search(r"cpu-clock: \d{2,} samples, 0 lost", said) and len(re.findall("written: ", said)) == 1,
           f"{name}: before boot services end, past our hook, the recording is a file, and they end", said)
    tap.ok("the mask stays" in said, f"{name}: the interrupt mask that the application has set by then stays", said)
    return said


def judge_unloaded(disk, said, isa):
    """Unloading is noticed even if it bypasses our hook: the count of images shows it, every 10
    ms."""
    place, file = re.search(r"spinner-dxe\.efi lies at (0x[0-9a-f]+)", said), re.search(r"written: \S*?(\d+\.data)", said)
    taken = Taken(disk, file[1]) if file else None
    gone, maps = taken.unloaded(int(place[1], 16)) if place and file else (False, said)
    last = max(taken.times("cpu-clock")) if file else 0
    tap.ok("unloaded: 0x0\n" in said and gone and maps[-1][0] < last - 0.5,
           f"{isa}: an image that is unloaded past our hook is mapped over, long before the next load or start",
           (last, maps))


# Delivered, lost.
EVENT = re.compile(r"^cpu-clock +0 +1 +\d+ +\d+ +(\d+) +(\d+) ", re.MULTILINE)
SHARED = ["record", "--boot", "-e", "cpu-clock", "-F", "1000", "-m", "16"]
RING = 16 * 4096


def read_live(sh, memory, data):
    """Records are delivered to the reader. Returns the output of the reader, which waits for the
    region; the machine switches off."""
    with subprocess.Popen([machine.TOOL, "attach", "--channel", f"shm:{memory}", "--timeout", "300", "-o", data],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as reader:
        sh.send(f"spinner.efi with={'+'.join(SHARED)} run=\\bareperf-dxe.efi map=100 low=2000 exit=100\r")
        sh.process.wait(timeout=300)
        said = reader.communicate(timeout=300)[0]
    return said, reader.returncode


def read_afterwards(sh, memory, data):
    sh.type("load bareperf-dxe.efi")
    sh.send("spinner.efi map=100 low=100 exit=100\r")
    sh.process.wait(timeout=300)
    done = subprocess.run([machine.TOOL, "import", "-o", data, memory], capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode


def handed_over(isa, disk, directory, firmware, before):
    """Recorded for a host that shares memory, until ExitBootServices(). The next boot is recorded
    from the shell on only: an unregistered driver leaves nothing behind."""
    memory, data = (pathlib.Path(directory) / name for name in ("memory", "shared.data"))
    memory.write_bytes(bytes(16 << 20))
    # an image that boots from the disk would take over the machine
    stick.mtool("mdeltree", f"{disk.path}@@1M", "::/EFI")
    with shell.Shell(isa, disk.path, *QUICK, *SLOW,
                     "-object", f"memory-backend-file,share=on,mem-path={memory},size=16M,id=shm",
                     "-device", "ivshmem-plain,memdev=shm", device=DEVICE[isa], flash=firmware) as sh:
        sh.open()
        after = variables(sh)
        tap.ok(len(after) > 10 and not changed(before, after),
               f"{isa}: the boot after the last that was recorded has all variables as before the first",
               changed(before, after))
        said, status = (read_live if isa == "x86_64" else read_afterwards)(sh, memory, data)
    dump = subprocess.run([machine.TOOL, "dump", data], capture_output=True, text=True).stdout
    delivered, lost = EVENT.search(dump).groups() if EVENT.search(dump) else (0, 0)
    size = re.search(r"records, (\d+) bytes", dump)
    tap.ok(status == 0 and "conserved: yes" in dump and int(delivered) > 20 and int(lost) == 0,
           f"{isa}: a host that shares memory has it, whole, by ExitBootServices()", said + dump[-3000:])
    if isa == "x86_64":
        tap.ok(size and int(size[1]) > RING + 8192, f"{isa}: and while it continues: there is more than the ring holds", (size, said))
    marks = re.findall(r"^\.\.\. mark: (.*)$", dump, re.MULTILINE)
    # on the other ISA this is the application that loads the driver
    begins = ["phase spinner.efi starts"] if isa == "aarch64" else []
    tap.equal(marks[:-1], [*begins, "phase ExitBootServices()"],
              f"{isa}: its last phase is that call")
    tap.ok(marks and marks[-1].startswith("boot counter "), f"{isa}: behind it is the counter's value alone", marks)


if machine.missing():
    tap.skip("the firmware's own boot is recorded", machine.missing())
else:
    for ISA in shell.MACHINES:
        if ISA in os.environ.get("UEFI_MACHINES", "x86_64 aarch64").split():
            run(ISA)
tap.finish()
