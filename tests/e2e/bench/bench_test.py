#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf bench`: counts of snippets that are known from their text, nanoBench's options, and
snippets that fail.

check-timeout: 900
check-spare: machines count instructions
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import machine
import smi
import snippets
import tap

def one_event_options(session, isa, config, name):
    """Options, by instructions alone: in every form the count of one copy is the same."""
    nop3 = "nop; nop; nop"
    for options in (("-basic_mode",), ("-no_mem",), ("-df",), ("-median",), ("-min",), ("-max",), ("-avg",),
                    ("-alignment_offset", "4"), ("-initial_warm_up_count", "2"),
                    ("-loop_count", "1000", "-unroll", "10"), ("-asm_late_init", "nop; nop"),
                    ("-asm_one_time_init", "nop"), ("-l", "10", "-u", "7", "-w", "0", "-n", "1", "-al", "8")):
        seen = session.counts(nop3, config, *options)
        tap.equal(seen.get(name), bench.hundredths(3), f"{isa}: {' '.join(options)}: three instructions are 3.00")
    tap.equal(session.counts("", config).get(name), "0.00", f"{isa}: an empty snippet has no overhead")
    tap.equal(session.counts(nop3, config, "-no_normalization").get(name), "3000",
              f"{isa}: -no_normalization: a thousand copies are 3000")
    tap.equal(session.counts(nop3, config, "-range").get(name), "3.00 [3.00;3.00]",
              f"{isa}: -range adds the least and the greatest value")
    tap.ok("run  9:" in session.ask(["-asm", nop3, "-config_text", config, "-verbose"])["output"],
           f"{isa}: -verbose prints each measurement")


def faults(session, isa, config, name, undefined, unmapped):
    """An exception ends the snippet alone."""
    for code, text in (undefined, unmapped):
        seen = session.counts(code, config)
        tap.ok(text in seen.get("error", "") and "copy 1 of 1000" in seen["error"] and not seen["fatal"],
               f"{isa}: {code}: the error names the exception and its place", seen)
    tap.equal(session.counts("nop", config).get(name), "1.00", f"{isa}: the machine goes on")
    for options, text in ((("-unroll_count", "50000000"), "do not fit"), (("-n", "0"), "number from 1"),
                          (("-m",), "may be"), (("-quick",), "unknown option"), (("-cpu", "2"), "CPUs are 0 to 1")):
        seen = session.counts("nop", config, *options)
        tap.ok(text in seen.get("error", ""), f"{isa}: {' '.join(options)}: the error says '{text}'", seen)
    seen = session.counts("foo bar", config)
    tap.ok("-asm: the assembler refuses it" in seen.get("error", ""),
           f"{isa}: the assembler's complaint is passed on", seen)


def endless(session, isa, config, name, loop):
    """A snippet that does not end is ended, wherever it loops, and so on each CPU."""
    for options in ((loop,), ("nop", "-asm_init", loop), ("nop", "-asm_one_time_init", loop, "-warm_up_count", "0"),
                    (loop, "-cpu", "1", "-warm_up_count", "0"), (f"nop; {loop}", "-loop_count", "3")):
        seen = session.counts(options[0], config, *options[1:])
        tap.ok("did not end within 200 ms" in seen.get("error", "") and not seen["fatal"],
               f"{isa}: {' '.join(options)}: ended, with its place", seen)
    for cpu in ("0", "1"):
        tap.equal(session.counts("nop; nop", config, "-cpu", cpu).get(name), "2.00",
                  f"{isa}: the machine goes on on CPU {cpu}")


def x86(binary):
    config = bench.configuration(("C0.00", "INSTRUCTIONS"), ("C4.00", "BRANCHES"), ("C4.20", "TAKEN"))
    session = bench.Session("x86_64", "--qemu", binary, "--limit", "0.2",
                            qemu=("-cpu", "Skylake-Client,pmu=on", "-smp", "2"))
    bench.table(session, "x86_64", snippets.X86, config)
    one_event_options(session, "x86_64", config, "INSTRUCTIONS")
    faults(session, "x86_64", config, "INSTRUCTIONS", ("ud2", "#UD invalid opcode"),
           ("mov rax, [0]", "#PF page fault, read"))
    endless(session, "x86_64", config, "INSTRUCTIONS", "1: jmp 1b")
    seen = session.counts("xor esp, esp; push rax", config)
    tap.ok("#DF double fault" in seen.get("error", ""), "x86_64: a lost stack pointer is no harm", seen)
    fixed = session.ask(["-asm", "nop; nop", "-fixed_counters"])["output"]
    tap.equal(fixed, "RDTSC: 32.00\nInstructions retired: 2.00\nCore cycles: 2.00\n"
              "Reference cycles: 32.00\n", "x86_64: -fixed_counters prints nanoBench's four lines")
    many = bench.configuration(*((f"C0.00{ctr}", f"I{i}") for i, ctr in
                                 enumerate(("", ".CTR=3", "", ".TakenAlone", "", "", "", "", ""))))
    tap.equal(set(session.counts("nop; nop", many).values()), {"2.00"},
              "x86_64: more events than counters are counted in further runs, each whole")
    tap.equal(list(session.counts("nop", many)), [f"I{i}" for i in range(9)],
              "x86_64: they are printed in the configuration's order")
    paused = "nop; .quad 0xF0B513B1C2813F04; nop; nop; nop; .quad 0xE0B513B1C2813F04"
    few, more = (session.counts(paused.replace("nop; nop; nop;", "nop;" * n),
                                "C0.00 I\n", "-no_mem").get("I") for n in (3, 30))
    tap.equal(few, more, "x86_64: instructions behind the number that pauses the counters are not counted")
    msr = session.ask(["-asm", "nop; nop", "-msr_config_text", "msr_186=4300c0.msr_38f=1 msr_c1 BY_RDMSR\n"])
    tap.equal(msr.get("output"), "BY_RDMSR: 2.00\n",
              "x86_64: -msr_config: registers are set, and another one is read by RDMSR")
    latency = session.ask(["-asm", "mov rax, [rax]", "-asm_init",
                           "mov RAX, R14; sub RAX, 8; mov [RAX], RAX", "-fixed_counters", "-remove_empty"])
    tap.ok("Instructions retired: 1.00" in latency.get("output", ""),
           "x86_64: nanoBench's example of a load's latency runs", latency)
    about = session.ask("about")["machine"]
    tap.ok(about["general_counters"] == 4 and about["addresses"]["R14"].startswith("0x"),
           "x86_64: the session describes the machine", about)
    tap.equal(session.ask("nonsense").get("fatal"), False, "x86_64: a wrong request ends nothing")
    tap.equal(session.end(), 0, "x86_64: the session ends with its input")


def spoiled(binary):
    """Noise makes exactly those figures void during whose measurement it came."""
    session = bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "Skylake-Client,pmu=on"))
    options = ("-fixed_counters", "-unroll_count", "10", "-n_measurements", "3", "-warm_up_count", "2")

    def ask(code, *more):
        return session.ask(["-asm", code, *more, *options])

    session.ask(["-asm", "nop", "-asm_one_time_init", smi.PREPARE, *options])
    seen = ask(smi.RAISE)
    tap.ok(f"Instructions retired: {smi.INSTRUCTIONS + 2}.00\n" in seen.get("output", ""),
           f"an SMI of {smi.INSTRUCTIONS} instructions has its exact length in the counts", seen)
    tap.equal(seen.get("warning"), "bareperf: 90 system management interrupts came during the measurements: void: "
              "RDTSC, Instructions retired, Core cycles, Reference cycles\n",
              "each of 3 measurements of 10 and of 20 SMIs is counted, and the figures are void")
    tap.ok("warning" not in ask("nop") and "warning" not in ask("nop", "-asm_one_time_init", smi.RAISE),
           "SMIs before the measurements make nothing void")
    config = "".join(f"C0.00 I{i}\n" for i in range(8)) + "C4.00.MSR_3F6H=1 B\n"
    once = "cmp byte ptr [r14+64], 0; jne 1f; inc byte ptr [r14+64]; mov al, 0x10; out 0xb2, al; 1: nop"
    seen = session.ask(["--json", "-asm", "nop", "-asm_init", once, "-config_text", config, "-unroll_count", "10",
                        "-n_measurements", "3", "-warm_up_count", "0"]).get("result", {})
    tap.equal([r["void"] for r in seen.get("results", ())], [["smis"]] * 9,
              "JSON: an SMI in one measurement of each group voids all figures of the group")
    tap.equal([seen["noise"][name] for name in ("smis", "hit_measurements", "interrupts", "machine_checks")],
              [3, 3, 0, 0], "JSON: the number of hit measurements")
    written = ["-asm", "mov ecx, 0x409; mov eax, -1; mov edx, -1; wrmsr", "-config_text", "C0.00 I\nC4.00 B\n",
               "-unroll_count", "1", "-n_measurements", "3", "-warm_up_count", "0"]
    tap.equal(session.ask(written).get("warning"),
              "bareperf: 1 banks of machine checks changed during the measurements: void: I, B\n",
              "a machine check that is logged makes all figures void")
    tap.ok("warning" not in session.ask(written), "an old machine check makes nothing void")
    session.end()


def amd(binary):
    """The same generated code on AMD's six counters."""
    config = bench.configuration(("C0.00", "INSTRUCTIONS"), ("C2.00", "BRANCHES"), ("C4.00", "TAKEN"))
    session = bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "EPYC,pmu=on"))
    bench.table(session, "x86_64, AMD", snippets.X86, config)
    many = bench.configuration(*((f"0C0.00{ctr}", f"I{i}") for i, ctr in
                                 enumerate(("", ".CTR=5", "", "", "", "", "", "", ""))))
    tap.equal(set(session.counts("nop; nop", many).values()), {"2.00"}, "AMD: nine events on six counters")
    tap.equal(session.ask(["-asm", "nop", "-fixed_counters"]).get("output"), "RDTSC: 16.00\n",
              "AMD: without MPERF and APERF, -fixed_counters is the TSC alone")
    tap.equal(session.counts("nop; nop", "C0.00 I\n", "-no_mem").get("I"), "2.00", "AMD: -no_mem")
    session.end()


def arm(binary):
    config = bench.configuration(("08", "INSTRUCTIONS"), ("21", "BRANCHES"))
    rows = [(code, instructions, branches) for code, instructions, branches, _ in snippets.ARM]
    session = bench.Session("aarch64", "--qemu", binary, qemu=("-cpu", "cortex-a76,pmu-instructions=on"))
    bench.table(session, "aarch64, the model", rows, config)
    session.end()


def stock_arm():
    config = bench.configuration(("08", "INSTRUCTIONS"))
    rows = [row[:2] for row in snippets.ARM]
    session = bench.Session("aarch64", "--limit", "0.2", qemu=("-cpu", "max", "-smp", "2"))
    bench.table(session, "aarch64, EL1", rows, config)
    one_event_options(session, "aarch64, EL1", config, "INSTRUCTIONS")
    faults(session, "aarch64, EL1", config, "INSTRUCTIONS", (".inst 0", "undefined instruction"),
           ("mov x0, #0; ldr x1, [x0]", "data abort, read"))
    endless(session, "aarch64, EL1", config, "INSTRUCTIONS", "1: b 1b")
    fixed = session.ask(["-asm", "nop; nop", "-fixed_counters"])["output"]
    tap.equal(fixed, "CNTVCT: 2.00\nCore cycles: 32.00\n", "aarch64: -fixed_counters: the clock and the cycle counter")
    session.end()
    session = bench.Session("aarch64", "--limit", "0.2",
                            qemu=("-cpu", "max", "-machine", "virt,gic-version=3,virtualization=on", "-smp", "2"))
    endless(session, "aarch64, EL2", config, "INSTRUCTIONS", "1: b 1b")
    bench.table(session, "aarch64, EL2", rows, config)
    session.end()


def command_line(binary):
    """One call, as nanoBench's."""
    words = machine.run_words("--qemu", binary)
    with tempfile.TemporaryDirectory() as directory:
        config = pathlib.Path(directory, "cfg.txt")
        config.write_text("# two events\nC0.00 INST\n\nC4.00 BRANCH.ALL\n")
        code = pathlib.Path(directory, "code.bin")
        code.write_bytes(b"\x90\x90\xeb\x00")  # nop, nop, jmp +0

        def call(*options):
            done = subprocess.run([words[0], "bench", *options, *words[2:], "--", "-cpu", "Skylake-Client,pmu=on",
                                   *bench.ICOUNT], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        status, out, said = call("-code", code, "-config", config)
        tap.equal((status, out), (0, "INST: 3.00\nBRANCH.ALL: 1.00\n"),
                  "-code and -config are files, and the output is nanoBench's text")
        status, out, said = call("-asm", "ud2", "-config", config)
        tap.ok(status == 1 and "#UD" in said and not out, "a snippet that fails: exit status 1", (status, out, said))
        config.write_text("C0.00 A\nC0.GG B\n")
        status, out, said = call("-asm", "nop", "-config", config)
        tap.ok(status == 126 and "cfg.txt, line 2" in said, "a wrong configuration: its line", said)
    status = subprocess.run([words[0], "bench"], capture_output=True, text=True, check=False)
    tap.ok(status.returncode == 126 and "no code to measure" in status.stderr, "no snippet: exit status 126",
           status.stderr)


def main():
    binary, why = machine.model("x86_64")
    if why:
        tap.skip("snippets on the model of Intel's PMU", why)
    else:
        x86(binary)
        spoiled(binary)
        amd(binary)
        command_line(binary)
    if machine.missing("qemu-system-aarch64"):
        tap.skip("snippets on aarch64", machine.missing("qemu-system-aarch64"))
    else:
        stock_arm()
    binary, why = machine.model("aarch64")
    if why:
        tap.skip("branches on aarch64", why)
    else:
        arm(binary)
    tap.finish()


main()
