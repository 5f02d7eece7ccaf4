#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""UEFI images in a recording: names of functions from the files that the images were made of, in
our own views and in stock perf; and no names from files of another build.

check-spare: no claim is about time
"""

import base64
import collections
import csv
import gzip
import itertools
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import pe_maker
import perf_file
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL, IDENTITY = TOP / "build/host/bareperf", TOP / "build/host/pe-identity"
BASE = 0x7e000000
DRIVER = """\
struct device { long (*read)(long), (*write)(long); };
long volatile counter;
static __attribute__((noinline)) long DriverRead(long x)
{
	for (long i = 0; i < x; i++)
		counter += i * x;
	return counter;
}
static __attribute__((noinline)) long DriverWrite(long x) { return counter = DriverRead(x) * 7; }
__asm__(".globl AsmStall\\nAsmStall:\\n\\tnop\\n\\tnop\\n\\tret\\n");
long AsmStall(void);
const struct device device = { DriverRead, DriverWrite };
long _ModuleEntryPoint(void *handle) { return device.write(device.read(EXTRA)) + AsmStall(); }
"""
APPLICATION = """\
#include <efi.h>
static __attribute__((noinline)) unsigned Spin(volatile unsigned *at)
{
	while (*at < 1000)
		*at += 3;
	return *at;
}
unsigned volatile place;
EFI_STATUS efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	return Spin(&place) == 7;
}
"""
WAITING = """\
long volatile counter;
__attribute__((noinline)) void MicroSecondDelay(long x)
{
	while (x--)
		counter++;
}
__attribute__((noinline)) long DriverRead(long x) { MicroSecondDelay(x); return counter; }
long _ModuleEntryPoint(void *handle) { return DriverRead((long)handle); }
"""
SERVICES = "void uefi_wait_for_event(void) {}\nvoid uefi_check_event(void) {}\n"
temporary = tempfile.TemporaryDirectory(prefix="bareperf-uefi-")
HERE = pathlib.Path(temporary.name)
CACHE = HERE / "cache"
os.environ["PERF_BUILDID_DIR"] = str(CACHE)
GUID = bytes(range(1, 17))


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          check=False, cwd=HERE)


def forget():
    shutil.rmtree(CACHE, ignore_errors=True)


def identity(efi, address=BASE):
    """(build-id, SizeOfImage) of an image in memory."""
    told = subprocess.run([IDENTITY, efi, hex(address)], check=True, capture_output=True, text=True)
    text, size = told.stdout.split()
    return bytes.fromhex(text), int(size)


def load(file, efi, name, time=0, address=BASE):
    """The identity as a machine reports it."""
    build_id, size = identity(efi, address)
    body = struct.pack("<IIQQQB3x20sII", 1, 1, address, size, 0, len(build_id), build_id, 5, 2)
    file.add(perf_file.MMAP2, body + perf_file.padded(name), time, misc=2 | 1 << 14)


def record(path, efi, elf, name, functions, address=BASE):
    """A recording of that image: so many samples in each function, from its second instruction
    on."""
    places = pe_maker.symbols(elf)
    file = perf_file.PerfFile()
    file.command("boot")
    load(file, efi, name, 0, address)
    time = 1000
    for function, count in functions.items():
        for _ in range(count):
            file.sample(address + places[function], time, period=10)
            time += 1
    file.write(path)


def ours(data, *options):
    """{symbol: samples} and the tool's messages."""
    done = run(TOOL, "report", "-n", "-t", "|", "--sort", "dso,sym", *options, data)
    rows = [line.split("|") for line in done.stdout.splitlines() if line.count("|") == 3]
    return {(row[2], row[3].split(" ", 1)[1]): int(row[1]) for row in rows}, done.stderr


def perfs(data):
    """The same from perf."""
    done = run("perf", "--buildid-dir", CACHE, "report", "--stdio", "--no-children", "-n", "-t", "|", "--sort", "dso,sym", "-g", "none", "-i",
               data)
    rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()
            if line.count("|") == 3 and not line.startswith("#")]
    return {(row[2], row[3].split("] ", 1)[1].strip()): int(row[1]) for row in rows}


def named(file, functions):
    return {(file, name): count for name, count in functions.items()}


def edk2_images():
    """Both ISAs: identity, relocated rodata, assembly, static functions."""
    functions = {"DriverRead": 5, "DriverWrite": 3, "AsmStall": 2, "_ModuleEntryPoint": 1}
    for arch in pe_maker.COMPILER:
        forget()
        place = HERE / arch
        efi, elf = pe_maker.edk2(place, "Demo", DRIVER.replace("EXTRA", "3"), arch)
        tap.ok(identity(efi, 0)[0] == identity(efi, BASE)[0] and
               pe_maker.relocations(elf), f"{arch}: an image that is relocated has one identity")
        data = HERE / f"{arch}.data"
        record(data, efi, elf, "/b/Demo/DEBUG/Demo.dll", functions)
        seen, said = ours(data)
        tap.ok(sum(seen.values()) == 11 and
               all(name.startswith("Demo+0x") for _, name in seen) and not said,
               f"{arch}: without symbols, addresses are the module's", f"{seen}\n{said}")
        expected = named("Demo.dll", functions)
        seen, said = ours(data, "--symbols", place)
        tap.ok(seen == expected and not said, f"{arch}: with --symbols, functions have names",
               f"{seen}\n{said}")
        tap.equal(ours(data)[0], expected, f"{arch}: later without it: they are in perf's cache")
        tap.equal(perfs(data), expected, f"{arch}: perf report shows the same")


def lines():
    """DWARF and instructions, in our views and in perf."""
    data, elf = HERE / "x86_64.data", HERE / "x86_64/Demo.debug"
    forget()
    ours(data, "--symbols", HERE / "x86_64")
    places = pe_maker.symbols(elf)
    wanted = {run("addr2line", "-e", elf, hex(places[name])).stdout.split("/")[-1].split()[0]
              for name in ("DriverRead", "DriverWrite")}
    text = run(TOOL, "report", "--sort", "srcline", data).stdout
    tap.ok(all(f"{line}\n" in text for line in wanted), "lines of sources are addr2line's",
           f"{wanted}\n{text}")
    text = run("perf", "--buildid-dir", CACHE, "script", "-i", data, "-F", "ip,sym,symoff,srcline").stdout
    tap.ok(all(f"  {line}" in text for line in wanted) and "DriverRead+0x0" in text,
           "perf script shows them too", text)
    text = run("perf", "--buildid-dir", CACHE, "annotate", "--stdio", "-i", data, "-s", "DriverWrite").stdout
    tap.ok(re.search(r"\b(call|jmp) .*DriverRead", text), "perf annotate shows the function's code",
           text)
    text = run(TOOL, "annotate", "-i", data, "DriverWrite").stdout
    tap.ok(re.search(rf"100\.00 :\s+{BASE + places['DriverWrite']:x}:", text) and
           "long DriverWrite(long x)" in text, "bareperf annotate has the line beside the instruction",
           text)


def gnu_efi_images():
    forget()
    place = HERE / "gnu"
    efi, so = pe_maker.gnu_efi(place, "hello", APPLICATION)
    functions = {"Spin": 4, "efi_main": 1, "_start": 1}
    data = HERE / "gnu.data"
    record(data, efi, so, "\\tools\\hello.efi", functions)
    expected = named("\\tools\\hello.efi", functions)
    seen, said = ours(data, "--symbols", place)
    tap.ok(seen == expected and not said, "gnu-efi: by the .so beside the .efi", f"{seen}\n{said}")
    tap.equal(perfs(data), expected, "gnu-efi: perf report shows the same")
    forget()
    so.unlink()
    seen, said = ours(data, "--symbols", efi)
    tap.ok(seen == expected and not said, "by the image's own COFF symbol table", f"{seen}\n{said}")
    forget()
    run("strip", "-R", ".nothing", efi)
    seen, said = ours(data, "--symbols", place)
    tap.ok(not set(seen) & set(expected) and "has its function names" in said,
           "a stripped image without known functions is reported", f"{seen}\n{said}")


def other_builds():
    """Different images of the same name."""
    forget()
    place = HERE / "x86_64"
    data, names = HERE / "x86_64.data", {"DriverRead", "DriverWrite"}
    efi, elf = pe_maker.edk2(HERE / "other", "Demo", DRIVER.replace("EXTRA", "4"))
    seen, said = ours(data, "--symbols", HERE / "other")
    tap.ok(not {name for _, name in seen} & names and "is of another build than" in said and
           str(efi) in said, "an image's file of another build is refused, and reported",
           f"{seen}\n{said}")
    ours(data, "--symbols", place)
    seen, said = ours(data, "--symbols", HERE / "other")
    tap.ok(names <= {name for _, name in seen} and not said,
           "nothing is reported if the names are known from an earlier command", f"{seen}\n{said}")
    forget()
    mixed = HERE / "mixed"
    mixed.mkdir()
    shutil.copy(place / "Demo.efi", mixed)
    shutil.copy(elf, mixed)
    seen, said = ours(data, "--symbols", mixed)
    tap.ok(not {name for _, name in seen} & names and "its code differs at 0x" in said,
           "so is an ELF file of another build beside the right image", f"{seen}\n{said}")
    shutil.copy(HERE / "aarch64/Demo.debug", mixed)
    seen, said = ours(data, "--symbols", mixed)
    tap.ok(not {name for _, name in seen} & names and "for another machine" in said,
           "and one for another machine", f"{seen}\n{said}")
    run("objcopy", "--only-keep-debug", place / "Demo.debug", mixed / "Demo.debug")
    seen, said = ours(data, "--symbols", mixed)
    tap.ok({name for _, name in seen} >= names and not said,
           "a debug file without code is taken by its sections' places and the entry",
           f"{seen}\n{said}")
    forget()
    grown, elf = pe_maker.edk2(HERE / "grown", "Demo", DRIVER.replace("EXTRA", "4").replace(
        "counter += i * x;", "counter += i * x + (counter >> 3) * x + (x ^ i) / 3;"))
    run("objcopy", "--only-keep-debug", elf, mixed / "Demo.debug")
    seen, said = ours(data, "--symbols", mixed)
    tap.ok(not {name for _, name in seen} & names and "was not made from" in said,
           "another build's is refused by them", f"{seen}\n{said}")
    _, said = ours(data, "--symbols", HERE / "nowhere")
    tap.ok("nowhere: No such file" in said, "a directory that is not there is reported", said)
    (HERE / "text").write_text("neither\n")
    _, said = ours(data, "--symbols", HERE / "text")
    tap.ok("text: Exec format error" in said, "so is a file that is neither an image nor an ELF file",
           said)
    os.environ["TMPDIR"] = str(HERE / "nowhere")
    _, said = ours(data, "--symbols", place)
    del os.environ["TMPDIR"]
    tap.ok(f"making {HERE}/nowhere/bareperf-elf-" in said and "was not made from" not in said and
           "has its function names" not in said, "a failed write is not blamed on the files", said)


def lone():
    """An ELF file without the image: found by its name and by the code that the recording's
    identity describes."""
    functions = {"DriverRead": 5, "DriverWrite": 3, "AsmStall": 2, "_ModuleEntryPoint": 1}
    other = DRIVER.replace("EXTRA", "3").replace("counter += i * x;", "counter += i * x + (counter >> 3) * x;")
    for arch in pe_maker.COMPILER:
        forget()
        data, expected = HERE / f"{arch}.data", named("Demo.dll", functions)
        place, others = HERE / "lone" / arch, HERE / "lone" / f"{arch}-others"
        place.mkdir(parents=True)
        _, elf = pe_maker.edk2(others, "Demo", other, arch)
        (others / "Demo.efi").unlink()
        seen, said = ours(data, "--symbols", others)
        tap.ok(not {name for _, name in seen} & set(functions) and f"was not made from {elf}" in said,
               f"{arch}: without the image an ELF file of another build is refused, and reported", f"{seen}\n{said}")
        shutil.copy(HERE / f"{arch}/Demo.debug", place / "Demo.dll")
        seen, said = ours(data, "--symbols", others, "--symbols", place)
        tap.ok(seen == expected and not said, f"{arch}: and that of the image's own is taken, also beside such a one",
               f"{seen}\n{said}")
        tap.equal(perfs(data), expected, f"{arch}: perf report shows the same")
        forget()
        shutil.move(place / "Demo.dll", place / "Else.dll")
        seen, said = ours(data, "--symbols", place)
        tap.ok(not {name for _, name in seen} & set(functions) and not said,
               f"{arch}: one of another name is not looked at", f"{seen}\n{said}")
    shutil.move(HERE / "lone/x86_64/Else.dll", HERE / "lone/x86_64/Demo.debug")
    data = HERE / "x86_64.data"
    ours(data, "--symbols", HERE / "lone/x86_64")
    places = pe_maker.symbols(HERE / "x86_64/Demo.debug")
    line = run("addr2line", "-e", HERE / "x86_64/Demo.debug", hex(places["DriverWrite"])).stdout.split("/")[-1].split()[0]
    text = run(TOOL, "annotate", "-i", data, "DriverWrite").stdout
    tap.ok(re.search(rf"100\.00 :\s+{BASE + places['DriverWrite']:x}:", text) and
           f"{line}\n" in run(TOOL, "report", "--sort", "srcline", data).stdout,
           "its instructions and lines are there as well", text)
    forget()
    run("objcopy", "--only-keep-debug", HERE / "x86_64/Demo.debug", HERE / "lone/x86_64/Demo.debug")
    seen, said = ours(data, "--symbols", HERE / "lone/x86_64")
    tap.ok(not {name for _, name in seen} & set(functions) and "or has no code to compare" in said,
           "one without its code is not known", f"{seen}\n{said}")
    forget()
    (HERE / "lone/gnu").mkdir()
    efi, so = pe_maker.gnu_efi(HERE / "lone/gnu", "hello", APPLICATION)
    record(HERE / "lone.data", efi, so, "\\tools\\hello.efi", {"Spin": 4})
    efi.unlink()
    seen, said = ours(HERE / "lone.data", "--symbols", HERE / "lone/gnu")
    tap.ok(seen == named("\\tools\\hello.efi", {"Spin": 4}) and not said, "gnu-efi's .so is known alone, too",
           f"{seen}\n{said}")


def guids():
    """The linker's build-id: it is the identity, and is used unchanged."""
    forget()
    efi, elf = pe_maker.edk2(HERE / "guid", "Ident", DRIVER.replace("EXTRA", "5"), guid=GUID, age=3)
    tap.equal(identity(efi)[0], GUID + struct.pack("<I", 3), "RSDS: GUID and age are the build-id")
    data = HERE / "guid.data"
    record(data, efi, elf, "Ident.efi", {"DriverRead": 2})
    tap.equal(ours(data, "--symbols", HERE / "guid")[0], named("Ident.efi", {"DriverRead": 2}),
              "by it the image is found")
    tap.ok((CACHE / ".build-id" / GUID.hex()[:2]).is_dir(), "perf's cache has it under that id")


def numbers(data):
    """Base 128 varints."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def page_addresses(page):
    """The places in a page, as html.c encodes them."""
    packed = re.search(r'id="places">([^<]*)<', page).group(1)
    numeral = numbers(zlib.decompress(base64.b64decode(packed)))
    nodes = next(numeral)
    list(itertools.islice(numeral, 3 * nodes))
    count = next(numeral)
    list(itertools.islice(numeral, count))
    steps = [(step >> 1) ^ -(step & 1) for step in itertools.islice(numeral, count)]
    return list(itertools.accumulate(steps))


def pprof_addresses(path):
    """The addresses of the locations in a profile (profile.proto)."""
    data, found = gzip.decompress(path.read_bytes()), []
    while data:
        tag, size = itertools.islice(numbers(data), 2)
        at = 1 + (1 if size < 128 else 2 if size < 1 << 14 else 3)
        body, data = data[at:at + size], data[at + size:]
        if tag >> 3 == 4: # Location: id, mapping_id, address, line
            fields = list(itertools.islice(numbers(body), 6))
            found += [value for key, value in zip(fields[::2], fields[1::2]) if key >> 3 == 3]
    return found


def one_address_twice():
    """An image is unloaded, and another one is loaded at its address."""
    forget()
    first, first_elf = pe_maker.edk2(HERE / "twice", "First", DRIVER.replace("EXTRA", "6"))
    second, second_elf = pe_maker.edk2(HERE / "twice", "Second", DRIVER.replace(
        "EXTRA", "7").replace("Driver", "Other").replace("AsmStall", "AsmWait"))
    file = perf_file.PerfFile(cpus=2)
    file.command("boot")
    file.command("idle", tid=2)
    at = [pe_maker.symbols(first_elf)["DriverRead"], pe_maker.symbols(second_elf)["OtherRead"]]
    tap.equal(at[0], at[1], "both have a function at the same place")
    wanted = collections.Counter()
    # another CPU's ring comes later in the file, with earlier times
    for cpu in (0, 1):
        if not cpu:
            load(file, first, "/b/First.dll", 1000)
            load(file, second, "/b/Second.dll", 3000)
            load(file, first, "/b/First.dll", 5000)
        for time, name in ((500, None), (2000, "DriverRead"), (4000, "OtherRead"),
                           (4001, "OtherRead"), (6000, "DriverRead")):
            file.sample(BASE + at[0], time + cpu, cpu, period=10)
            wanted[name] += 1
    data = HERE / "twice.data"
    file.write(data)
    expected = {("First.dll", "DriverRead"): 4, ("Second.dll", "OtherRead"): 4,
                ("[unknown]", f"{BASE + at[0]:#018x}"): 2}
    seen, said = ours(data, "--symbols", HERE / "twice")
    tap.ok(seen == expected and not said, "report: each sample is of the image that was there then",
           f"{seen}\n{said}")
    tap.equal(perfs(data), {key: count for key, count in expected.items()}, "perf says the same")
    wanted = {"DriverRead": 4, "OtherRead": 4}
    rows = csv.DictReader(run(TOOL, "export", "-f", "csv", data).stdout.splitlines())
    tap.equal(dict(collections.Counter(row["symbol"] for row in rows if row["symbol"])), wanted,
              "so does export, a sample a line")
    folded = dict(line.rsplit(" ", 1) for line in
                  run(TOOL, "export", "-f", "folded", data).stdout.splitlines())
    tap.equal({key: int(value) // 10 for key, value in folded.items() if key in wanted}, wanted,
              "and by stacks")
    folded = dict(line.rsplit(" ", 1) for line in
                  run(TOOL, "flamegraph", "--folded", data).stdout.splitlines())
    tap.equal({key: int(value) // 10 for key, value in folded.items() if key in wanted}, wanted,
              "and flamegraph")
    text = run(TOOL, "dump", data).stdout
    tap.equal({name: len(re.findall(rf"symbol: {name}\n", text)) for name in wanted}, wanted,
              "and dump")
    listed = run(TOOL, "annotate", "-i", data).stdout.split("  Percent |")[1:]
    hot = [re.search(r" : (\w+)\(\):[\0-\xff]* 100\.00 : +([0-9a-f]+):", part) for part in listed]
    tap.equal(sorted(found.groups() for found in hot if found),
              [(name, f"{BASE + at[0]:x}") for name in wanted],
              "annotate: each at the machine's address, and once, as often as it was loaded there")
    page = run(TOOL, "report", "--html", data).stdout
    tap.equal(page_addresses(page), [BASE + at[0]] * 3, "so has the page of report --html")
    run(TOOL, "export", "-f", "pprof", "-o", HERE / "twice.pb.gz", data)
    tap.equal(pprof_addresses(HERE / "twice.pb.gz"), [BASE + at[0]] * 3, "and export -f pprof")


def rows_of(text):
    return re.findall(r"^ +[\d.]+ +[\d.]+% +(\d+)  ( *\S.*)$", text, re.MULTILINE)


def modules():
    """Seconds by module: two images, one without symbols, and an address outside all images."""
    forget()
    known, elf = HERE / "x86_64/Demo.efi", HERE / "x86_64/Demo.debug"
    other, _ = pe_maker.edk2(HERE / "unnamed", "Unnamed", DRIVER.replace("EXTRA", "8"))
    file = perf_file.PerfFile((("cpu-clock", 1, 0), ("cycles", 0, 0)))
    file.command("boot")
    load(file, known, "/b/Demo.dll")
    load(file, other, "\\Unnamed.efi", address=BASE + 0x100000)
    places = pe_maker.symbols(elf)
    for time, place in enumerate((places["DriverRead"], places["DriverRead"] + 4,
                                  places["DriverWrite"], 0x100400, 0x100404, -16)):
        file.sample(BASE + place, 1000 + time, period=250_000_000)
        file.sample(BASE + place, 1000 + time, period=7, event=1)
    data = HERE / "modules.data"
    file.write(data)
    text = run(TOOL, "report", "--modules", "--symbols", HERE / "x86_64", data).stdout
    parts = text.split("# Event: ")[1:]
    rows = [re.findall(r"^ +([\d.]+) +([\d.]+)% +(\d+)  ( *\S.*)$", part, re.MULTILINE)
            for part in parts]
    expected = [("Demo", 3), ("  DriverRead", 2), ("  DriverWrite", 1), ("Unnamed", 2),
                ("  [no name]", 2), ("[unknown]", 1), ("  [no name]", 1), ("[all]", 6)]
    tap.ok([(row[3], row[0], int(row[2])) for row in rows[0]] ==
           [(name, f"{count / 4:.6f}", count) for name, count in expected] and
           parts[0].startswith("cpu-clock\n"), "report --modules: a clock's seconds", text)
    tap.ok([(row[3], int(row[0])) for row in rows[1]] ==
           [(name, 7 * count) for name, count in expected] and
           parts[1].startswith("cycles\n"), "and any other event's counts", text)
    whole = [row for row in rows[0] if not row[3].startswith((" ", "[all]"))]
    limited = run(TOOL, "report", "--modules", "--percent-limit", "20", "-e", "cpu-clock", data).stdout
    tap.ok(sum(float(row[0]) for row in whole) == 1.5 and "DriverWrite" not in limited and
           "DriverRead" in limited and "[unknown]" not in limited and rows_of(limited)[-2:] ==
           [("1", "[1 more]"), ("6", "[all]")],
           "a limit leaves out functions, and makes one row of small modules: the sum is the whole", limited)


def waits():
    """The image that called the firmware gets the time for which the firmware waits."""
    forget()
    known, elf = pe_maker.edk2(HERE / "waiting", "Demo", WAITING)
    plain, _ = pe_maker.edk2(HERE / "plain", "Plain", DRIVER.replace("EXTRA", "9"))
    (HERE / "ours.c").write_text(SERVICES)
    sym = HERE / "waiting/bareperf.sym"
    pe_maker.tool("gcc", "-shared", "-nostdlib", "-Wl,--build-id", "-o", sym, HERE / "ours.c")
    build_id = bytes.fromhex(re.search(r"Build ID: (\w{40})", pe_maker.tool("readelf", "-n", sym))[1])
    file = perf_file.PerfFile((("cpu-clock", 1, 0),))
    file.command("boot")
    load(file, known, "\\Demo.efi")
    core, metronome, shell, ours_at = (BASE + (number << 20) for number in range(1, 5))
    for name, address in (("DxeCore", core), ("Metronome", metronome), ("Shell", shell)):
        load(file, plain, f"/b/{name}.dll", address=address)
    body = struct.pack("<IIQQQB3x20sII", 1, 1, ours_at, 0x10000, 0, len(build_id), build_id, 5, 2)
    file.add(perf_file.MMAP2, body + perf_file.padded("bareperf"), misc=2 | 1 << 14)
    driver = {name: BASE + at + 4 for name, at in pe_maker.symbols(elf).items()}
    hooks = {name: ours_at + at + 1 for name, at in pe_maker.symbols(sym).items()}
    code = 0x410
    chains = {
        "Stall(), by callchain": (metronome + code, core + code, shell + code, core + code),
        "without a known caller": (metronome + code,),
        "our hook has the caller": (core + code, hooks["uefi_wait_for_event"], driver["DriverRead"]),
        "a hook's own code": (hooks["uefi_check_event"], driver["DriverRead"]),
        "the same, with itself before it": (hooks["uefi_check_event"], hooks["uefi_check_event"],
                                            driver["DriverRead"]),
        "it has no caller": (hooks["uefi_check_event"],),
        "a delay of its own": (driver["MicroSecondDelay"], driver["DriverRead"], core + code),
        "and its caller unknown": (driver["MicroSecondDelay"],),
        "DxeCore's own work": (core + code, shell + code),
        "work that an event has begun": (shell + code, core + code, hooks["uefi_wait_for_event"],
                                         driver["DriverRead"]),
    }
    for time, (ip, *callers) in enumerate(chains.values()):
        file.sample(ip, 1000 + time, period=250_000_000, chain=callers)
    file.write(HERE / "waits.data")
    text = run(TOOL, "report", "--modules", "--symbols", HERE / "waiting", HERE / "waits.data").stdout
    work, waiting = text.split("Module that waits")
    tap.equal(rows_of(work), [("1", "DxeCore"), ("1", "  [no name]"), ("1", "Shell"),
                              ("1", "  [no name]"), ("2", "[work]")],
              "report --modules: work belongs to its doer, even while a caller waited")
    tap.equal(rows_of(waiting), [
        ("5", "Demo"), ("2", "  DriverRead in CheckEvent()"), ("1", "  [no name] in MicroSecondDelay()"),
        ("1", "  DriverRead in MicroSecondDelay()"), ("1", "  DriverRead in WaitForEvent()"),
        ("1", "Metronome"), ("1", "  [no name] in Stall()"), ("1", "Shell"), ("1", "  [no name] in Stall()"),
        ("1", "bareperf"), ("1", "  uefi_check_event in CheckEvent()"),
        ("8", "[waiting]"), ("10", "[all]")], "waiting belongs to the caller, by the function that it has called")


edk2_images()
lines()
waits()
modules()
gnu_efi_images()
other_builds()
lone()
guids()
one_address_twice()
tap.finish()
