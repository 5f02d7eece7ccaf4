#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf bench --user`: the same snippets at ring 3 and EL0, with counts of that level alone, and
instructions that this level may not execute.

check-timeout: 900
check-spare: machines count instructions
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import machine
import snippets
import tap

# Instructions of the higher level, by their beginnings; rdmsr's row has an init code.
PRIVILEGED_X86 = ("mov rax, cr", "cli", "invlpg", "wbinvd", "mov rax, dr", "swapgs", "rdmsr")
PRIVILEGED_ARM = ("mrs x0, midr_el1", "msr daifset")


def split(rows, beginnings):
    return ([row for row in rows if not row[0].startswith(beginnings)],
            [row for row in rows if row[0].startswith(beginnings)])


def refused(session, isa, rows, config, cause):
    """Each privileged instruction ends with its exception."""
    wrong = []
    for row in rows:
        init = row[-1] if isinstance(row[-1], str) else ""
        seen = session.counts(row[0], config, init=init)
        if cause not in seen.get("error", "") or "byte 0 of the code, copy 1" not in seen["error"] or seen["fatal"]:
            wrong.append((row[0], seen))
    tap.ok(rows and not wrong, f"{isa}: {len(rows)} instructions of the higher level end with '{cause}' and their "
           "place", wrong)


def options(session, isa, config, name, loop, image):
    """The other options hold at this level too, and each way out of a snippet leads back."""
    for words in (("-basic_mode",), ("-no_mem",), ("-df",), ("-loop_count", "100", "-unroll", "10"),
                  ("-asm_init", "nop"), ("-asm_late_init", "nop"), ("-asm_one_time_init", "nop"), ("-cpu", "1")):
        seen = session.counts("nop; nop; nop", config, *words)
        tap.equal(seen.get(name), "3.00", f"{isa}: {' '.join(words)}: three instructions are 3.00")
    seen = session.counts(loop, config)
    tap.ok("did not end within 200 ms" in seen.get("error", ""), f"{isa}: an endless snippet is ended", seen)
    for code, cause in image:
        seen = session.counts(code, config)
        tap.ok(cause in seen.get("error", "") and not seen["fatal"], f"{isa}: {code}: ends with '{cause}'", seen)
    tap.equal(session.counts("nop", config).get(name), "1.00", f"{isa}: the machine goes on")


def both_levels(session, isa, code, config, name, count):
    """In one machine, one request at each level."""
    seen = [session.ask([*level, "-asm", code, "-config_text", config]) for level in ((), ("--user",))]
    tap.equal([answer.get("output") for answer in seen], [f"{name}: {count}.00\n"] * 2,
              f"{isa}: a session measures one snippet at both levels")


def x86(binary):
    config = bench.configuration(("C0.00", "INSTRUCTIONS"), ("C4.00", "BRANCHES"), ("C4.20", "TAKEN"))
    allowed, denied = split(snippets.X86, PRIVILEGED_X86)
    session = bench.Session("x86_64", "--qemu", binary, "--limit", "0.2", "--user",
                            qemu=("-cpu", "Skylake-Client,pmu=on", "-smp", "2"))
    bench.table(session, "x86_64, ring 3", allowed, config)
    refused(session, "x86_64, ring 3", denied, config, "#GP general protection fault")
    about = session.ask("about")["machine"]
    options(session, "x86_64, ring 3", config, "INSTRUCTIONS", "1: jmp 1b",
            ((f"mov rax, {about['code']}; sub rax, 4096; mov [rax], al", "#PF page fault"),
             ("ud2", "#UD invalid opcode"), ("xor esp, esp; push rax", "#PF page fault"),
             ("in al, 0x80", "#GP general protection fault"), ("syscall", "#UD invalid opcode")))
    fixed = session.ask(["-asm", "nop; nop", "-fixed_counters"])
    tap.equal(fixed.get("output"), "RDTSC: 32.00\nInstructions retired: 2.00\nCore cycles: 2.00\n"
              "Reference cycles: 32.00\n", "x86_64, ring 3: -fixed_counters")
    msr = session.ask(["-asm", "nop", "-msr_config_text", "msr_186=0 msr_c1 X\n"])
    tap.ok("cannot be combined with --user" in msr.get("error", ""), "x86_64, ring 3: -msr_config is refused", msr)
    session.end()
    session = bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "EPYC,pmu=on"))
    both_levels(session, "AMD", "push rax; pop rbx; nop", "C0.00 I\n", "I", 3)
    session.end()


def arm(level, *machine_options):
    config = bench.configuration(("08", "INSTRUCTIONS"))
    allowed, denied = split([row[:2] for row in snippets.ARM], PRIVILEGED_ARM)
    session = bench.Session("aarch64", "--limit", "0.2", "--user", qemu=("-cpu", "max", "-smp", "2", *machine_options))
    bench.table(session, f"aarch64, EL0 below {level}", allowed, config)
    refused(session, f"aarch64, EL0 below {level}", denied, config, "trapped")
    about = session.ask("about")["machine"]
    options(session, f"aarch64, EL0 below {level}", config, "INSTRUCTIONS", "1: b 1b",
            ((f"ldr x0, ={about['code']}; ldr x0, [x0]; .ltorg", "data abort"), (".inst 0", "undefined instruction"),
             ("mov x0, #0; mov sp, x0; ldr x0, [sp]", "data abort"), ("svc #0", "SVC")))
    session.end()
    session = bench.Session("aarch64", qemu=("-cpu", "max", *machine_options))
    both_levels(session, level, "add x0, x1, x2; ldr x0, [x28]", config, "INSTRUCTIONS", 2)
    session.end()


def main():
    binary, why = machine.model("x86_64")
    if why:
        tap.skip("snippets at ring 3", why)
    else:
        x86(binary)
    if machine.missing("qemu-system-aarch64"):
        tap.skip("snippets at EL0", machine.missing("qemu-system-aarch64"))
    else:
        arm("EL1")
        arm("EL2", "-machine", "virt,gic-version=3,virtualization=on")
    tap.finish()


main()
