#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording's region becomes a file on the boot volume: tests/firmware/volume.c saves
\\region.bin, and the file equals the one that the host writes of the same region. Each write that
reaches the disk is logged, so that the test can simulate a reset between any two of them.

check-spare: no claim is about time
"""

import datetime
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import stick
import tap
from stick import TOP, Volume, WriteLog

MOMENTS = int(os.environ.get("MOMENTS", 6))


def image(arch):
    return TOP / f"build/{arch}/tests/volume.efi"


def regions(place):
    """{name: (region, the host's file of it)}: a large one, and one for slow firmware."""
    made = {}
    for name, samples in (("large", []), ("small", ["2000"])):
        region, data = f"{place}/{name}.bin", f"{place}/{name}.data"
        subprocess.run([TOP / "build/host/region-file", "make", region, *samples], check=True)
        subprocess.run([TOP / "build/host/region-file", "write", region, data], check=True)
        made[name] = (pathlib.Path(region).read_bytes(), pathlib.Path(data).read_bytes())
    return made


def make(place, arch, words, region, mib=100):
    return Volume(f"{place}/{arch}.img", mib, arch, image(arch),
                  {"bareperf.cfg": words.encode() + b"\n", "region.bin": region,
                   "notes.txt": b"kept\n" * 1000})


def lines(output, word):
    return [line for line in output.split("\n") if line.startswith(word)]


def said(output):
    return "\n".join(lines(output, "check") + lines(output, "save"))


def opens_in_perf(place, data):
    path = f"{place}/taken.data"
    pathlib.Path(path).write_bytes(data or b"")
    done = subprocess.run(["perf", "script", "-i", path, "-F", "ip"], capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.count("\n") > 1000


def saves(place, regions_made):
    region, data = regions_made["large"]
    volume = make(place, "x86_64", "- - b.data sub/c b.data", region)
    log = f"{place}/writes.log"
    with open(log, "wb"):
        pass
    output = stick.boot("x86_64", volume, drive=f"driver=blklogwrites,file.driver=file,"
                        f"file.filename={volume.path},log.driver=file,log.filename={log},"
                        "log-sector-size=512")
    tap.equal(volume.names(), ["0001.data", "0002.data", "b.data"],
              "OVMF: numbers follow each other, and a name is taken as it is")
    for name in ("bareperf/0001.data", "bareperf/0002.data", "bareperf/b.data", "sub/c"):
        tap.ok(volume.read(name) == data, f"OVMF: {name} has the host's bytes", output)
    tap.ok("save b.data: -17 " in output and "already exists" in output,
           "OVMF: a file that is there is not written over", output)
    tap.ok("region changed: no" in output, "OVMF: the region is as it was", output)
    tap.ok("control 0x1: a reset will lose the RAM's contents, and so the recording: the firmware is asked to "
           "clear it (MemoryOverwriteRequestControl)\n" in output and "control 0x10: \n" in output,
           "OVMF: that the firmware is asked to clear RAM at a reset is reported", output)
    tap.equal(stick.fsck(volume.path, "-n")[0], 0, "OVMF: the file system is clean")
    listing = stick.mtool("mdir", volume.path, "::/bareperf", check=False).stdout.decode()
    tap.ok(str(datetime.datetime.now(datetime.timezone.utc).year) in listing,
           "OVMF: its date is the machine's", listing)
    tap.ok(opens_in_perf(place, volume.read("bareperf/0001.data")), "stock perf opens it")
    resets(place, make(place, "x86_64", "- - b.data sub/c b.data", region), WriteLog(log), region, data)


def resets(place, volume, log, region, data):
    """Take the volume's state at some of the moments between two writes, and repair it."""
    last = len(log.writes)
    moments = sorted({*random.sample(range(last), MOMENTS), *range(last - 4, last)})
    state = bytearray(volume.path.read_bytes())
    done, wrong = 0, []
    at_work = Volume.__new__(Volume)
    at_work.path = pathlib.Path(place) / "cut.img"
    for moment in moments:
        for first, contents in log.writes[done:moment]:
            state[512 * first : 512 * first + len(contents)] = contents
        done = moment
        at_work.path.write_bytes(state)
        stick.fsck(at_work.path, "-a")
        status, text = stick.fsck(at_work.path, "-n")
        kept = {"region.bin": region, "notes.txt": b"kept\n" * 1000,
                "EFI/BOOT/BOOTX64.EFI": image("x86_64").read_bytes()}
        wrong += [f"{moment}: not repaired: {text}"] if status else []
        wrong += [f"{moment}: {name} is damaged" for name, contents in kept.items()
                  if at_work.read(name) != contents]
        for name in at_work.names():
            if name.endswith((".tmp", ".part")):
                continue
            if at_work.read(f"bareperf/{name}") != data:
                wrong.append(f"{moment}: {name} is there, and not whole")
    tap.equal(wrong, [], f"OVMF: a reset at {len(moments)} of {last} moments leaves whole files, temporary "
              "ones, and the errors that fsck.fat -a repairs")


def slow_firmware(place, regions_made):
    region, data = regions_made["small"]
    firmware = stick.U_BOOT["aarch64"]
    if not pathlib.Path(firmware).exists():
        tap.skip("U-Boot", f"{firmware} is not installed")
        return
    volume = make(place, "aarch64", "- -", region, 60)
    output = stick.boot("aarch64", volume, firmware=firmware)
    tap.equal(volume.names(), ["0001.data", "0002.data"],
              "U-Boot, which renames nothing: two files under their names, and no other")
    tap.ok(volume.read("bareperf/0001.data") == volume.read("bareperf/0002.data") == data,
           "U-Boot: they have the host's bytes", output)
    cut = pathlib.Path(place) / "cut.data"
    cut.write_bytes(data[: len(data) * 2 // 3])
    done = subprocess.run([TOP / "build/host/bareperf", "dump", cut], capture_output=True, text=True)
    tap.ok(done.returncode and "cut off" in done.stderr,
           "a file that a reset has cut there is reported as cut off", done.stderr)


# On x86_64 U-Boot has ACPI, leaves SSE off, and passes its bootargs to all images; on aarch64 it
# has a device tree
STORIES = {
    "x86_64": ("ide-hd", (), "record -a -e cpu-clock -F 1000 -- noploop 0.3", "on a host: "),
    "aarch64": ("virtio-blk-pci", ("-smp", "2"), "record -a -e cpu-clock,cycles -F 1000 -- noploop 0.3",
                "LOAD FAILED: continuing..."),  # U-Boot's message for any image that returns
}


def whole_story(place, arch):
    """Recorded, and written, on U-Boot."""
    firmware = stick.U_BOOT[arch]
    device, options, command, end = STORIES[arch]
    if not pathlib.Path(firmware).exists():
        tap.skip(f"U-Boot on {arch}", f"{firmware} is not installed")
        return
    volume = Volume(f"{place}/story.img", 60, arch, TOP / f"build/{arch}/bareperf.efi",
                    {"bareperf.cfg": f"{command}\n".encode()})
    output = stick.boot(arch, volume, *options, firmware=firmware, device=device, until=end)
    tap.equal(volume.names(), ["0001.data", "0001.txt"],
              f"U-Boot on {arch}: a recording is a file, and its report another" +
              ("" if "written: " in output else output[-2000:]))
    taken = pathlib.Path(place) / "story.data"
    taken.write_bytes(volume.read("bareperf/0001.data") or b"")
    done = subprocess.run([TOP / "build/host/bareperf", "dump", taken], capture_output=True, text=True)
    tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout,
           f"U-Boot on {arch}: it is whole, and its ledger is in order", done.stdout + done.stderr)
    tap.ok(end in output, f"U-Boot on {arch}: and it continues", output[-2000:])
    if arch == "aarch64":
        return
    tap.equal(output.count("the firmware does not hand over other CPUs"), 1,
              "U-Boot on x86_64: that it has no MP services is said once")
    tap.ok("ignored, not for bareperf" in output and "hottest functions" in output,
           "U-Boot on x86_64: a kernel's parameters are not taken for a command", output[-2000:])


def usb(place, regions_made):
    region, data = regions_made["large"]
    volume = make(place, "aarch64", "-", region)
    output = stick.boot("aarch64", volume, "-device", "qemu-xhci", device="usb-storage")
    tap.ok(volume.names() == ["0001.data"] and volume.read("bareperf/0001.data") == data,
           "AAVMF, a USB stick: the host's bytes", output)
    tap.equal(stick.fsck(volume.path, "-n")[0], 0, "AAVMF: the file system is clean")


def full(place, regions_made):
    region, _ = regions_made["large"]
    volume = make(place, "x86_64", "- -", region, 40)
    subprocess.run(["mcopy", "-i", volume.path, "-", "::/big"], input=bytes(16 << 20), check=True)
    output = stick.boot("x86_64", volume)
    tap.ok(said(output).count(": -28 ") == 4 and "KiB left" in output and not volume.names(),
           "a volume that is too small is reported before and after the recording", output)
    volume.claim_free(70000)
    output = stick.boot("x86_64", volume)
    tap.ok("check -: 0" in output and said(output).count("save -: -28 ") == 2 and not volume.names(),
           "a volume that turns out to be full has no half of a file", output)
    tap.ok("region changed: no" in output, "and the region is there for another try", output)
    stick.fsck(volume.path, "-a")
    tap.ok(stick.fsck(volume.path, "-n")[0] == 0 and volume.read("region.bin") == region,
           "and its other files are whole")


def refusals(place, regions_made):
    region, _ = regions_made["small"]
    volume = make(place, "x86_64", "-", region, 60)
    before = volume.path.read_bytes()
    output = stick.boot("x86_64", volume, drive=f"format=raw,readonly=on,file={volume.path}")
    tap.ok("check -: -30 " in output and "save -: -30 " in output and
           volume.path.read_bytes() == before, "a volume that is read-only is reported", output)
    output = stick.boot("x86_64", None, "-kernel", image("x86_64"), "-append", "-")
    tap.ok("check -: -30 " in output or "check -: -19 " in output,
           "where no volume was booted from, that is reported", output)


if not shutil.which("qemu-system-x86_64") or not shutil.which("mformat"):
    tap.skip("a region is saved to the boot volume", "QEMU or mtools is not installed")
    tap.finish()
with tempfile.TemporaryDirectory() as directory:
    REGIONS = regions(directory)
    saves(directory, REGIONS)
    slow_firmware(directory, REGIONS)
    for ISA in STORIES:
        whole_story(directory, ISA)
    usb(directory, REGIONS)
    full(directory, REGIONS)
    refusals(directory, REGIONS)
tap.finish()
