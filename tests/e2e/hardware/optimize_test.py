#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch traces for optimizers (docs/optimize.md): perf2bolt, create_gcov and llvm-profgen read our
exports. The program that llvm-bolt rewrites and those that gcc and clang build with the profile run
on the machine with the same output, fewer taken branches and fewer instructions.

check-spare: machines count instructions
"""

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import made_trace
import optimizers
import perf_file
import tap
from optimizers import Run, export, laid_out, llvm, run

HOT, CALLS = (pathlib.Path(__file__).with_name(name) for name in ("optimize_hot.c", "optimize_calls.c"))
WORK = tempfile.TemporaryDirectory(prefix="bareperf-optimize-")
HERE = pathlib.Path(WORK.name)


def by_hand():
    made = made_trace.Made(HERE)
    interrupted = made_trace.CALLS.replace("here+1>leaf", "here>handler handler+1>next next>inner inner+2>hback "
                                           "hback>here here+1>leaf")
    file = made.file((interrupted, 0, 0))
    at = {name: value - 0x40000000 + 0x400000 for name, value in made.at.items()}
    done, out = export("bolt", file, "--partial")
    lines = out.read_text().splitlines()
    tap.equal((done.returncode, done.stderr), (0, f"bareperf: the profile is of {HERE}/made\n"),
              "the tool says of which file the profile is")
    wanted = {f"B {at['main'] + 1:x} {at['work']:x} 1 0", f"B {at['lret']:x} {at['wback']:x} 1 0",
              f"F {at['main']:x} {at['main'] + 1:x} 1", f"F {at['work']:x} {at['here'] + 1:x} 1",
              f"F {at['back']:x} {at['back'] + 1:x} 1"}
    tap.ok(wanted <= set(lines) and not [line for line in lines if f" {at['here']:x}" in line],
           "bolt: branches and straight lines by the ELF file's addresses; an interrupt divides no line", lines)
    text = export("autofdo-text", file, "--partial")[1].read_text().splitlines()
    lines, taken = int(text[0]), int(text[1 + int(text[0]) + 1])
    tap.ok(text[1 + lines] == "0" and len(text) == 3 + lines + taken and
           f"{at['work']:x}-{at['here'] + 1:x}:1" in text[1:1 + lines] and
           f"{at['main'] + 1:x}->{at['work']:x}:1" in text[3 + lines:],
           "autofdo-text: ranges, no single addresses, branches, each with their number before", text)
    text = export("llvm-profgen", file, "--partial")[1].read_text().splitlines()
    tap.ok(f"{at['work'] - 0x401000:x}-{at['here'] + 1 - 0x401000:x}:1" in text[1:1 + lines] and
           f"{at['main'] + 1 - 0x401000:x}->{at['work'] - 0x401000:x}:1" in text[2 + lines:] and
           len(text) == 2 + lines + taken, "llvm-profgen: the same, from the first executable segment on", text)
    many_interrupts(made, at)
    of_stacks(made, at)
    of_spe(made, at)
    refused(file)


def many_interrupts(made, at):
    """Interrupts of a handler, and more of them in a row than are remembered at a time."""
    once = made_trace.CALLS.replace("here+1>leaf", "here>handler handler+1>next next>inner inner+1>handler "
                                    "handler+1>next next>inner inner+2>hback hback>inner+1 inner+2>hback hback>here "
                                    "here+1>leaf")
    lines = export("bolt", made.file((" ".join([once] * 10), 0, 0)), "--partial")[1].read_text().splitlines()
    wanted = {f"F {at['work']:x} {at['here'] + 1:x} 10", f"F {at['inner']:x} {at['inner'] + 2:x} 20"}
    tap.ok(wanted <= set(lines) and not [line for line in lines if line.startswith(f"F {at['inner'] + 1:x} ")],
           "an interrupt of an interrupt's handler divides no line either, however often it comes", lines)
    at_call = made_trace.CALLS.replace("here+1>leaf", "here+1>handler handler+1>next next>inner inner+2>hback "
                                       "hback>here+1 here+1>leaf")
    lines = export("bolt", made.file((at_call, 0, 0)), "--partial")[1].read_text().splitlines()
    tap.ok(f"F {at['work']:x} {at['here'] + 1:x} 1" in lines and
           f"B {at['here'] + 1:x} {at['handler']:x} 1 0" not in lines,
           "an interrupt before a call is no branch of the call instruction", lines)
    lines = export("bolt", made.file(("outside>leaf main+1>work here+1>leaf lret>wback", 0, 0)),
                   "--partial")[1].read_text().splitlines()
    tap.ok(f"F {at['main'] + 1:x} {at['main'] + 1:x} 1" in lines and
           not [line for line in lines if line.startswith(f"F {at['leaf']:x} {at['main'] + 1:x} ")],
           "where branches are missing, only the branch instruction itself is known to be executed", lines)


def stack_file(images, stacks, later=()):
    """A recording whose samples have these branch stacks (PERF_SAMPLE_BRANCH_STACK, 1 << 11), the
    newest branch first. later: images that are mapped after the samples."""
    before, perf_file.SAMPLE_TYPE = perf_file.SAMPLE_TYPE, perf_file.SAMPLE_TYPE | 1 << 11
    file = perf_file.PerfFile()
    for path, address in images:
        file.image(path, address, 0x10000, 0)
    for time, stack in enumerate(stacks):
        file.sample(stack[0][1], 1 + time)
        whole = file.records.pop() + struct.pack("<Q", len(stack)) + b"".join(struct.pack("<3Q", *one, 0)
                                                                             for one in stack)
        file.records.append(whole[:6] + struct.pack("<H", len(whole)) + whole[8:])
    for path, address in later:
        file.image(path, address, 0x10000, 0, time=100)
    file.write(HERE / "stacks.data")
    perf_file.SAMPLE_TYPE = before
    return HERE / "stacks.data"


def of_stacks(made, at):
    stack = [(made.at["lret"], made.at["wback"]), (made.at["here"] + 1, made.at["lret"]),
             (made.at["main"] + 1, made.at["work"])]
    shutil.copyfile(HERE / "made", HERE / "later")
    done, out = export("bolt", stack_file([(HERE / "made", 0x40000000)], [stack, stack],
                                          [(HERE / "later", 0x40000000)]), "--partial")
    tap.equal((done.returncode, done.stderr), (0, f"bareperf: the profile is of {HERE}/made\n"),
              "branch stacks: addresses are those of the image that was there at the time")
    tap.equal(sorted(out.read_text().splitlines()), sorted([
        f"B {at['lret']:x} {at['wback']:x} 2 0", f"B {at['here'] + 1:x} {at['lret']:x} 2 0",
        f"B {at['main'] + 1:x} {at['work']:x} 2 0", f"F {at['lret']:x} {at['lret']:x} 2",
        f"F {at['work']:x} {at['here'] + 1:x} 2"]),
              "branch stacks: their branches, and the lines between them, of one instruction too")
    # Arm: an exception to a level that is not recorded has a source only, the return only a target.
    # In flash memory at 0 the missing address would be the program's first byte.
    half = [stack[0], (0x40000000, made.at["lret"]), (made.at["here"] + 1, 0x40000000), stack[2]]
    half = [(source - 0x40000000, to - 0x40000000) for source, to in half]
    file = stack_file([(HERE / "made", 0)], [half, half])
    wanted = {"bolt": [f"B {at['lret']:x} {at['wback']:x} 2 0", f"B {at['main'] + 1:x} {at['work']:x} 2 0",
                       f"F {at['lret']:x} {at['lret']:x} 2", f"F {at['work']:x} {at['here'] + 1:x} 2"]}
    for form, base, head in (("autofdo-text", 0, ["0"]), ("llvm-profgen", 0x401000, [])):
        lret, wback, main, work, here = (at[name] - base for name in ("lret", "wback", "main", "work", "here"))
        wanted[form] = ["2", f"{lret:x}-{lret:x}:2", f"{work:x}-{here + 1:x}:2", *head, "2",
                        f"{lret:x}->{wback:x}:2", f"{main + 1:x}->{work:x}:2"]
    for form, lines in wanted.items():
        done, out = export(form, file, "--partial")
        tap.equal((done.returncode, sorted(out.read_text().splitlines())), (0, sorted(lines)),
                  f"branch stacks: {form} has no branch with one address, and no line across it")
    of_program(made)


def of_program(made):
    """Which of two files is the program."""
    for name in ("bareperf.sym", "small"):
        shutil.copyfile(HERE / "made", HERE / name)
    trace = [(made.at["here"] + 1, made.at["lret"]), (made.at["main"] + 1, made.at["work"])]
    for files, chosen in ((("bareperf.sym",), "bareperf.sym"), (("bareperf.sym", "small"), "small"),
                          (("made", "small"), "made"), (("small", "made"), "small")):
        stacks = [[(source + 0x10000 * number, to + 0x10000 * number) for source, to in trace]
                  for number in range(len(files)) for _ in range(2 - number)]
        done, _ = export("bolt", stack_file([(HERE / name, 0x40000000 + 0x10000 * number)
                                             for number, name in enumerate(files)], stacks), "--partial")
        tap.equal((done.returncode, done.stderr), (0, f"bareperf: the profile is of {HERE / chosen}\n"),
                  f"the program among {' and '.join(files)} is {chosen}: most lines, bareperf itself last")


def spe_record(pc, target=None, is_taken=True, before=None):
    """An SPE record (DDI 0487, D18.2): PC, operation, target, events, target of the branch before."""
    raw = struct.pack("<BQ", 0xb0, pc) + bytes((0x4a if target else 0x48, 1))
    raw += struct.pack("<BQ", 0xb1, target) if target else b""
    raw += bytes((0x42, 2 if is_taken else 0x42))
    return raw + (struct.pack("<BQ", 0xb4, before) if before else b"") + b"\1"


def spe_file(made, *records):
    file = perf_file.PerfFile()
    file.image(HERE / "made", 0x40000000, 0x10000, 0)
    file.records.append(perf_file.record(70, struct.pack("<8Q", 4, 1, 0, 1, 0, 0, 0, 0)))
    data = b"".join(records)
    file.add(perf_file.AUX, struct.pack("<QQQ", 0, len(data), 0))
    file.records.append(perf_file.record(71, struct.pack("<QQQIIII", len(data), 0, 0, 0, 1, 0, 0)) + data)
    file.write(HERE / "spe.data")
    return HERE / "spe.data"


def of_spe(made, at):
    """Records of Arm's SPE: single instructions, and their branches."""
    plain = (spe_record(made.at["work"]), spe_record(made.at["work"]),
             struct.pack("<BQ", 0xb0, made.at["main"]) + b"\xff",  # cut off
             spe_record(made_trace.OUTSIDE),
             spe_record(made.at["here"] + 1, made.at["leaf"]), spe_record(made.at["lret"], made.at["wback"], False))
    done, out = export("autofdo-text", spe_file(made, *plain), "--partial")
    tap.equal((done.returncode, out.read_text().splitlines()),
              (0, ["0", "3", f"{at['work']:x}:2", f"{at['here'] + 1:x}:1", f"{at['lret']:x}:1", "1",
                   f"{at['here'] + 1:x}->{at['leaf']:x}:1"]),
              "SPE: autofdo-text has each sampled instruction, and the branches that were taken")
    for form in ("bolt", "llvm-profgen"):
        done, _ = export(form, HERE / "spe.data", "--partial")
        tap.ok(done.returncode == 1 and f"no straight lines of code, which {form} needs" in done.stderr,
               f"SPE: {form} is refused", done.stderr)
    done, out = export("bolt", spe_file(made, *plain, spe_record(made.at["here"] + 1, made.at["leaf"], True,
                                                                 made.at["work"]),
                                        spe_record(made.at["lret"], made.at["wback"], True, made.at["lret"])),
                       "--partial")
    tap.equal((done.returncode, out.read_text().splitlines()),
              (0, [f"B {at['here'] + 1:x} {at['leaf']:x} 2 0", f"B {at['lret']:x} {at['wback']:x} 1 0",
                   f"F {at['work']:x} {at['here'] + 1:x} 1", f"F {at['lret']:x} {at['lret']:x} 1"]),
              "SPE: unless records have the target of the branch before")
    for words in (("report", "--calls"), ("export", "-f", "lcov", "--partial")):
        done = run(machine.TOOL, *words, HERE / "spe.data")
        tap.ok(done.returncode == 1 and "has SPE's samples of single instructions, no trace of all branches: "
               "record -e branch-trace//" in done.stderr, f"SPE: {words[0]} {words[-1]} names the trace that it needs",
               done.stderr)


def refused(file):
    empty = perf_file.PerfFile()
    empty.sample(0x1000, 1)
    empty.write(HERE / "empty.data")
    for form in ("bolt", "autofdo-text", "llvm-profgen"):
        done, _ = export(form, HERE / "empty.data", "--partial")
        tap.ok(done.returncode == 1 and "has no trace of branches: record -e branch-trace//" in done.stderr,
               f"{form}: a recording without a trace of branches is refused", done.stderr)
    done, _ = export("bolt", file)
    tap.ok(done.returncode == 1 and "counts would be too low" in done.stderr,
           "a trace without a ledger is refused without --partial", done.stderr)
    done, _ = export("bolt", file, "-e", "cycles")
    tap.ok(done.returncode == 2 and "bolt is of all branches: without -e" in done.stderr,
           "one event of it cannot be exported", done.stderr)


def compile_program(source, name, *options):
    elf = HERE / name
    subprocess.run([optimizers.CC, "-O2", "-g", "-gdwarf-4", "-Wl,--emit-relocs", *options, "-o", elf, source],
                   check=True)
    return elf


def rewritten(elf, before):
    if not llvm("perf2bolt"):
        tap.skip("llvm-bolt makes it faster", "not to be had: perf2bolt (bolt-16)")
        return
    Run(laid_out(elf, before.profile), 10000).better(before, "llvm-bolt")


def rebuilt(elf, before):
    if not shutil.which("create_gcov"):
        tap.skip("gcc's AutoFDO makes it faster", "not to be had: create_gcov (autofdo)")
        return
    again = profiled(HOT, "hot", before, elf)
    once = (HERE / "hot.afdo").read_bytes()
    run(optimizers.AFDO, HERE / "hot.afdo")
    tap.equal((HERE / "hot.afdo").read_bytes(), once, "and leaves a converted one as it is")
    done = run(optimizers.AFDO, HOT)
    tap.ok(done.returncode == 1 and "is no AutoFDO profile" in done.stderr, "another file is refused", done.stderr)
    Run(again, 10000).better(before, "gcc's AutoFDO")


def by_clang():
    """A program that clang compiles, with the profile that llvm-profgen makes of our export."""
    profgen = llvm("llvm-profgen")
    if not profgen or not shutil.which("clang"):
        tap.skip("clang makes it faster", "not to be had: llvm-profgen (llvm-16), clang")
        return
    os.environ["BAREPERF_COMPILER"] = "clang"
    elf = compile_program(CALLS, "clang.elf", "-fdebug-info-for-profiling")
    before = Run(elf, 20)
    profile = HERE / "clang.prof"
    done = run(profgen, f"--unsymbolized-profile={export('llvm-profgen', before.file)[1]}", f"--binary={elf}",
               f"--output={profile}", "--format=text")
    found = re.search(r"^value_of:(\d+):", profile.read_text(), re.MULTILINE)
    tap.ok(done.returncode == 0 and found and int(found.group(1)) > 100000,
           "llvm-profgen: value_of() has the most of the profile", (done.stderr, found))
    again = compile_program(CALLS, "clang.fdo.elf", f"-fprofile-sample-use={profile}")
    Run(again, 20).better(before, "clang with llvm-profgen's profile")
    del os.environ["BAREPERF_COMPILER"]


def profiled(source, name, before, elf):
    """The program, compiled with the profile of its earlier run."""
    afdo = optimizers.converted(elf, export("autofdo-text", before.file)[1])
    return compile_program(source, f"{name}.fdo.elf", f"-fauto-profile={afdo}")


def both():
    """AutoFDO, then BOLT."""
    elf = compile_program(CALLS, "calls.elf")
    before = Run(elf, 20)
    again = profiled(CALLS, "calls", before, elf)
    middle = Run(again, 20)
    Run(laid_out(again, middle.profile), 20).better(before, "AutoFDO, then BOLT")


def by_spe():
    """AutoFDO with the samples of Arm's SPE, on the hardware model; single-step counts."""
    qemu, reason = machine.model("aarch64")
    if not qemu or not shutil.which("create_gcov"):
        tap.skip("AutoFDO with SPE's samples", reason or "not to be had: create_gcov (autofdo)")
        return
    cc = machine.TOP / "build/aarch64/sdk/bin/bareperf-cc"

    def build(name, *options):
        subprocess.run([cc, "-O2", "-g", "-gdwarf-4", *options, "-o", HERE / name, HOT], check=True)
        return HERE / name

    def count(elf):
        return Run(elf, 10000, "--arch", "aarch64")

    elf = build("arm.elf")
    spe = machine.Recording("record -e arm_spe// -c 256 -m ,1024 -- payload 2000000", "--arch", "aarch64", "--payload",
                            elf, "--qemu", qemu, qemu=("-cpu", "cortex-a76,spe=on,pmu-instructions=on", *machine.EXACT))
    done, text = export("autofdo-text", spe.file)
    tap.ok(spe.status == done.returncode == 0, "SPE's samples are exported", (spe.text, done.stderr))
    again = build("arm.fdo.elf", f"-fauto-profile={optimizers.converted(elf, text)}")
    count(again).better(count(elf), "gcc's AutoFDO with SPE's samples")


def main():
    by_hand()
    reason = machine.missing()
    if reason:
        tap.skip("optimizing a payload", reason)
        return
    elf = compile_program(HOT, "hot.elf")
    before = Run(elf, 10000)
    rewritten(elf, before)
    rebuilt(elf, before)
    by_clang()
    if machine.SOAK and llvm("perf2bolt") and shutil.which("create_gcov"):
        both()
        by_spe()


main()
tap.finish()
