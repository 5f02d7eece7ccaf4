#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the object code of handlers. A handler saves only the general registers, and may interrupt
any code. So all functions that it can reach use no vector register, take no bus lock, call no
outlined atomics, and call no function of libc. The test checks every function of ringbuf/, pmu/,
channel/, arch/ and of the agent's part of the tick, and every function of ours that these reach;
calls through pointers are assumed to stay within these. The exceptions are in thread_only.txt.

check-spare: files are read
"""

import collections
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import tap  # noqa: E402

TOOLS = {"x86_64": "", "aarch64": "aarch64-linux-gnu-"}
ROOTS = ("ringbuf", "pmu", "channel", "arch")
TICK = ("agent/record/record_tick.c", "agent/record/record_ledger.c",
        "agent/record/lossless/record_lossless.c", "agent/record/lossless/lossless_hold.c")
PARSERS = ("pmu", "parse")  # these read commands, before anything is started
VECTOR = {
    "x86_64": re.compile(r"%[xyz]?mm\d|%st\b|^f(?!xsave|xrstor)"),
    "aarch64": re.compile(r"\b[vqdshbzp]\d+\b"),
}

Function = collections.namedtuple("Function", "file name code targets")


def disassemble(arch, path):
    """The functions of an object file: their instructions and the symbols that they refer to."""
    command = [TOOLS[arch] + "objdump", "-dr", "--no-show-raw-insn", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions = []
    for line in text.splitlines():
        start = re.match(r"^[0-9a-f]+ <([^>]+)>:$", line)
        if start:
            functions.append(Function(path, start.group(1), [], set()))
            continue
        relocation = re.match(r"^\s+[0-9a-f]+: R_\w+\s+([^\s+-]+)", line)
        if relocation:
            functions[-1].targets.add(relocation.group(1))
            continue
        instruction = re.match(r"^\s+[0-9a-f]+:\t(.*)$", line)
        if instruction:
            jump = re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>", instruction.group(1))
            if jump:
                functions[-1].targets.add(jump.group(1))
            functions[-1].code.append(re.sub(r"[0-9a-f]+ <[^>]*>", "", instruction.group(1)))
    return functions


@functools.cache
def undefined(arch, path):
    command = [TOOLS[arch] + "nm", "--undefined-only", "--format=just-symbols", str(path)]
    return set(subprocess.run(command, capture_output=True, text=True).stdout.split())


@functools.cache
def thread_only():
    lines = (TOP / "tests/firmware/thread_only.txt").read_text().splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def reachable(roots, by_object):
    """Every function that the roots reach, with the function that calls it."""
    by_name = collections.defaultdict(list)
    for functions in by_object.values():
        for function in functions:
            by_name[function.name].append(function)
    came_from = {(f.file, f.name): (f, None) for f in roots}
    waiting = list(roots)
    while waiting:
        function = waiting.pop()
        for target in function.targets:
            found = [f for f in by_name[target] if f.file == function.file] or by_name[target]
            if target.startswith(".text"):
                found = by_object[function.file]
            for callee in found:
                if callee.name in thread_only():
                    continue
                if (callee.file, callee.name) not in came_from:
                    came_from[callee.file, callee.name] = (callee, function)
                    waiting.append(callee)
    return came_from


def bad_instructions(arch, function):
    for code in function.code:
        if VECTOR[arch].search(code.split("\t", 1)[-1] if arch == "aarch64" else code):
            yield "vector", code
        if arch == "x86_64" and re.match(r"lock\b", code):
            yield "lock", code


FAULTS = {
    "vector": "uses no vector register",
    "lock": "takes no bus lock",
    "outline": "calls no outlined atomics",
    "libc": "calls nothing of libc",
}


def examine(arch, by_object, roots, sources):
    """{kind of fault: [place and instruction]} of all functions that the roots reach."""
    ours = {f.name for functions in by_object.values() for f in functions}
    faults = collections.defaultdict(list)
    for function, caller in reachable(roots, by_object).values():
        where = f"{sources[function.file]}: {function.name}"
        if caller:
            where += f" (called by {caller.name})"
        for kind, code in bad_instructions(arch, function):
            faults[kind].append(f"{where}: {code}")
        for target in function.targets & undefined(arch, function.file) - ours:
            if target.startswith("__aarch64_"):
                faults["outline"].append(f"{where}: {target}")
            elif target in libc_names(arch):
                faults["libc"].append(f"{where}: {target}")
    return faults


def check(arch):
    top = TOP / f"build/{arch}/obj"
    sources = {path: path.relative_to(top).with_suffix("") for path in sorted(top.rglob("*.o"))}
    sources = {path: source for path, source in sources.items() if (TOP / source).exists()}
    by_object = {path: disassemble(arch, path) for path in sources}
    everything = [f for path, source in sources.items() if str(source) in TICK or
                  source.parts[0] in ROOTS and source.parts[:2] != PARSERS for f in by_object[path]]
    roots = [f for f in everything if f.name not in thread_only()]
    tap.ok(roots, f"{arch}: there is handler code to look at")
    faults = examine(arch, by_object, roots, sources)
    for kind, claim in FAULTS.items():
        tap.ok(not faults[kind], f"{arch}: handler code {claim}", "\n".join(faults[kind]))
    return {f.name for functions in by_object.values() for f in functions}


BAD_CODE = """
double d; long l; int puts(const char *);
static void deep(void) { d = d * 3 + 1; __atomic_fetch_add(&l, 1, __ATOMIC_SEQ_CST); puts(""); }
void (*volatile deeper)(void) = deep;
void middle(void) { deep(); }
void root(void) { middle(); }
"""


# An instruction with each kind of register.
VECTOR_CODE = {
    "x86_64": ("movaps\t%xmm3,(%rax)", "vpxor\t%ymm0,%ymm1,%ymm2", "vmovdqu64\t%zmm31,(%rax)",
               "fldt\t(%rax)", "fstp\t%st(1)"),
    "aarch64": ("str\tq0, [sp]", "fmov\td1, x0", "movi\tv2.4s, #0x0", "mov\tz31.b, #0",
                "ptrue\tp15.b"),
}


def check_that_vectors_are_seen(arch):
    unseen = [code for code in VECTOR_CODE[arch]
              if not any(bad_instructions(arch, Function(None, "", [code], set())))]
    tap.equal(unseen, [], f"{arch}: each kind of vector register is seen")


def check_that_faults_are_found(arch):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "bad.o"
        command = [TOOLS[arch] + "gcc", "-O1", "-fno-inline", "-ffunction-sections", "-c", "-xc"]
        subprocess.run([*command, "-o", path, "-"], input=BAD_CODE, text=True, check=True)
        by_object = {path: disassemble(arch, path)}
        roots = [f for f in by_object[path] if f.name == "root"]
        faults = examine(arch, by_object, roots, {path: "bad.c"})
    expected = {"vector", "libc", "lock" if arch == "x86_64" else "outline"}
    tap.equal(set(faults), expected, f"{arch}: faults two calls deep are found")


@functools.cache
def libc_names(arch):
    """The symbols that newlib's libc.a, libm.a and libgcc.a define."""
    newlib = subprocess.run(
        [TOP / "deps/newlib", "--path", arch], capture_output=True, text=True, check=True
    ).stdout.strip()
    gcc = [TOOLS[arch] + "gcc", "-print-libgcc-file-name"]
    libgcc = subprocess.run(gcc, capture_output=True, text=True, check=True).stdout.strip()
    archives = [f"{newlib}/lib/libc.a", f"{newlib}/lib/libm.a", libgcc]
    command = [TOOLS[arch] + "nm", "--defined-only", "--format=just-symbols", *archives]
    return set(subprocess.run(command, capture_output=True, text=True).stdout.split())


names = set()
for arch in TOOLS:
    names |= check(arch)
    check_that_vectors_are_seen(arch)
    check_that_faults_are_found(arch)
tap.equal(thread_only() - names, set(), "every exception is still a function")
tap.finish()
