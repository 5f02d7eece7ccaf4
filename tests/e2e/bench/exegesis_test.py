#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf bench --exegesis`: llvm-exegesis's benchmarks run on a bare machine, and its analysis reads
the results.

check-timeout: 600
check-spare: machines count instructions
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import machine
import tap

KEPT = tempfile.TemporaryDirectory(prefix="bareperf-exegesis-")
HERE = pathlib.Path(KEPT.name)
ROUNDS = ("-unroll_count", "10", "-n_measurements", "3", "-warm_up_count", "1")


def document(mode, instructions, code, triple="x86_64-pc-linux-gnu", cpu="skylake"):
    """As llvm-exegesis writes it with --benchmark-phase=assemble-measured-code."""
    lines = "".join(f"    - '{text}'\n" for text in instructions)
    return (f"---\nmode:            {mode}\nkey:\n  instructions:\n{lines}  config:          ''\n"
            f"  register_initial_values:\n    - 'RDI=0x0'\ncpu_name:        {cpu}\nllvm_triple:     {triple}\n"
            "num_repetitions: 10000\nmeasurements:    []\nerror:           actual measurements skipped.\n"
            f"info:            ''\nassembled_snippet: {code}\n...\n")


# (instructions, code, whether it fails): push rbp, mov rbp, 0, mov rdi, 0, add rbp, rdi, pop rbp, ret;
# add rax, rdi, imul rax, [r14]; a load from RDI, which has no initial value, and 512 KiB behind it; a loop of
# div r9 by 0; a loop around inc rax with its two copies
X86 = [
    (["ADD64rr RBP RBP RDI"],
     "5548BD000000000000000048BF00000000000000004801FD4801FD4801FD4801FD5DC3", None),
    (["ADD64rr RAX RAX RDI", "IMUL64rm RAX RAX R14 i_0x1 %noreg i_0x0 %noreg"],
     "48B811000000000000004801F8490FAF064801F8490FAF06C3", None),
    (["MOV64rm", "MOV64rm"], "488B07488B87F8FF0F00488B07488B87F8FF0F00C3", None),
    (["DIV64r R9"], "49B9000000000000000048B8000000000000000048BA000000000000000049B8020000000000000049F7F149F7F1"
     "4983C0FF75F4C3", "#DE divide error: in byte 0 of the code, copy 1 of 10"),
    (["INC64r RAX"], "48B8000000000000000049B8020000000000000048FFC048FFC04983C0FF75F4C3", None),
    (["A", "B", "C"], "90C3", "does not have the 3 instructions"),
    (["NOOP"], "0F0590C3", "--execution-mode=subprocess"),
]
ARM = [
    (["ADDXri X17 X17"], "110080D231020091310200913102009131020091", None),
    (["MADDXrrr X21 X21 X1 X23", "NOP"],
     "F70F1FF8150080D2B55E019B1F2003D5B55E019B1F2003D5F70741F8C0035FD6", None),
]


def run(isa, text, *options, machine_options=(), qemu=(), output=True):
    """(exit status, the written documents, standard error)"""
    words = machine.run_words("--arch", isa, *machine_options)
    source, result = HERE / "in.yaml", HERE / "out.yaml"
    source.write_text(text)
    result.unlink(missing_ok=True)
    more = ["--output", result] if output else []
    done = subprocess.run([words[0], "bench", "--exegesis", source, *more, *ROUNDS, *options, *words[2:], "--", *qemu,
                           *bench.ICOUNT], capture_output=True, text=True, check=False)
    written = result.read_text() if result.exists() else done.stdout
    return done.returncode, written.split("---\n")[1:], done.stderr


def check(isa, rows, documents, key):
    """Every row's own count, and the reason of each that failed."""
    wrong = []
    for (instructions, code, reason), text in zip(rows, documents):
        if reason:
            good = reason in text and "measurements: []" in text
        else:
            good = f"{{key: {key}, value: 1, per_snippet_value: {len(instructions)}}}" in text and "error: ''" in text
        if not good or f"assembled_snippet: {code}\n" not in text:
            wrong.append((instructions, text))
    tap.ok(len(documents) == len(rows) and not wrong,
           f"{isa}: {len(rows)} benchmarks: each instruction is counted once, each failure has its reason", wrong)


def tools():
    return sorted(pathlib.Path("/usr/lib").glob("llvm-*/bin/llvm-exegesis"))


def analysis(text, why):
    """llvm-exegesis's own analysis accepts the results."""
    if not tools():
        tap.skip("llvm-exegesis -mode=analysis reads the results", "llvm-exegesis is not installed")
        return
    result = HERE / "analysis.yaml"
    result.write_text(text)
    for tool in tools():
        done = subprocess.run([tool, "-mode=analysis", f"-benchmarks-file={result}", "-analysis-numpoints=1",
                               "-analysis-clusters-output-file=-"], capture_output=True, text=True, check=False)
        rows = re.findall(r"^\d+,.*,(\S+)$", done.stdout, re.MULTILINE)
        tap.ok(done.returncode == 0 and rows and set(rows) == {"1.00"},
               f"{tool.parts[3]}: -mode=analysis finds {why} with their values", (done.stdout, done.stderr))


def generated(binary, qemu):
    """Benchmarks that llvm-exegesis generates now, with registers of its choice."""
    makers = [tool for tool in tools() if "assemble-measured-code" in
              subprocess.run([tool, "--help"], capture_output=True, text=True, check=False).stdout]
    if not makers:
        tap.skip("benchmarks that llvm-exegesis has just generated", "no llvm-exegesis of version 16 or later")
        return
    text = ""
    for mode in ("duplicate", "loop", "min"):
        text += subprocess.run([makers[-1], "-mode=latency", "--benchmark-phase=assemble-measured-code",
                                "--opcode-name=ADD64rr,IMUL64rr,SHL64ri,ADC64rr,MULSDrr,PADDQrr", "--mcpu=skylake",
                                f"--repetition-mode={mode}", "--benchmarks-file=-"], capture_output=True, text=True,
                               check=False).stdout
    status, documents, said = run("x86_64", text, machine_options=("--qemu", binary), qemu=qemu)
    tap.ok(status == 0 and len(documents) == 18 and all("key: latency, value: 1," in d for d in documents),
           f"{makers[-1].parts[3]}: 18 benchmarks that it generates, in three repetition modes, are measured",
           (status, len(documents), said, documents))
    analysis("".join("---\n" + d for d in documents), "the generated benchmarks")


def x86(binary):
    qemu = ("-cpu", "Skylake-Client,pmu=on")
    config = HERE / "uops.txt"
    config.write_text("C0.00 NumMicroOps\n")
    text = "".join(document("uops", *row[:2]) for row in X86)
    status, documents, said = run("x86_64", text, "-config", config, machine_options=("--qemu", binary), qemu=qemu)
    tap.ok(status == 1 and "3 of 7 benchmarks failed" in said, "x86_64: a failed benchmark: exit status 1", said)
    check("x86_64", X86, documents, "NumMicroOps")
    refused = (
        (text, (), "the mode uops: give -config"),
        (document("latency", ["A"], "90C3", triple="aarch64-linux-gnu"), (), "document 1 is for aarch64"),
        (document("latency", ["A"], "90"), ("-asm", "nop"), "cannot be combined with -asm"),
        ("a: [", (), "in.yaml, line 2: no YAML"),
    )
    for wrong, options, reason in refused:
        status, documents, said = run("x86_64", wrong, *options, machine_options=("--qemu", binary), qemu=qemu)
        tap.ok(status == 126 and reason in said and not documents, f"it is refused: {reason}", (status, said))


def arm():
    text = "".join(document("latency", *row[:2], triple="aarch64-unknown-linux-gnu", cpu="cortex-a76") for row in ARM)
    config = HERE / "arm.txt"
    config.write_text("08 INSTRUCTIONS\n")
    status, documents, said = run("aarch64", text, "-config", config, qemu=("-cpu", "max"), output=False)
    tap.ok(status == 0, "aarch64: the results go to standard output without --output", said)
    check("aarch64", ARM, documents, "latency")


def main():
    binary, why = machine.model("x86_64")
    if why:
        tap.skip("llvm-exegesis's benchmarks on the model of Intel's PMU", why)
    else:
        x86(binary)
        generated(binary, ("-cpu", "Skylake-Client,pmu=on"))
    if machine.missing("qemu-system-aarch64"):
        tap.skip("llvm-exegesis's benchmarks on aarch64", machine.missing("qemu-system-aarch64"))
    else:
        arm()
    tap.finish()


main()
