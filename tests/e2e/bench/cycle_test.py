#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf bench -cycle_by_cycle`: counts after each core cycle, on a model whose every instruction takes
one cycle; and machines that cannot do it.

check-timeout: 600
check-spare: machines count instructions
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import machine
import tap

EVENTS = bench.configuration(("C0.00", "INST"), ("C4.00", "BRANCH"), ("C4.20", "TAKEN"))
HEAD, TAIL = 5, 9  # instructions that restore three registers; that stop the counters


def lines(session, code, *options, config=EVENTS):
    """{event: its numbers}; or the answer that has none."""
    answer = session.ask(["-cycle_by_cycle", "-unroll", "1", "-n", "3", "-w", "1", "-asm", code, "-config_text", config,
                          *options])
    if "output" not in answer:
        return answer
    return {name: [int(field) for field in fields]
            for name, *fields in (line.split(",") for line in answer["output"].splitlines())}


def stairs(count):
    """The instructions that have retired after cycles 0, 1, …; in the last one nothing retires any more."""
    return [*range(1, count + 1), count]


def x86(binary):
    session = bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "Skylake-Client,pmu=on"))
    for code, total, branch, taken in (("", 0, 0, 0), ("nop", 1, 0, 0), ("nop; nop; jmp 1f; 1: nop; nop", 5, 3, 3),
                                       ("xor eax, eax; jnz 1f; 1: nop", 3, 2, 0),
                                       ("mov ecx, 2; 1: dec ecx; jnz 1b", 5, 3, 3)):
        seen = lines(session, code, "-end_to_end")
        whole = HEAD + total + 1 + TAIL
        tap.equal(seen.get("INST"), [HEAD, HEAD + 1, *stairs(whole)],
                  f"{code or 'no code'}: an instruction more in each cycle, from the start of the counters to their end")
        steps = seen.get("TAKEN", [])[2:]
        at = HEAD + taken - 1 if taken else None
        tap.ok(len(steps) == whole + 1 and (steps.index(1) if 1 in steps else None) == at,
               f"{code or 'no code'}: its first taken branch is in its own cycle", (at, seen.get("TAKEN")))
        tap.equal(bool(branch), seen.get("BRANCH", [0])[-1] > 0, f"{code or 'no code'}: branches, if it has any")
    seen = lines(session, "nop; nop; nop")
    tap.equal(seen.get("INST"), [HEAD, HEAD + 1, *range(1, HEAD + 3 + 2)],
              "without -end_to_end the counts end with the LFENCE's cycle")
    many = "".join(f"C0.00 I{i}\n" for i in range(7))
    seen = lines(session, "nop", "-end_to_end", config=many)
    tap.ok(list(seen) == [f"I{i}" for i in range(7)] and len({tuple(v) for v in seen.values()}) == 1,
           "more events than counters: the same line each", seen)
    seen = lines(session, "nop", "-end_to_end", "-range", config="C0.00 I\n")
    tap.equal(seen.get("I"), [HEAD, HEAD + 1] + [n for n in stairs(HEAD + 2 + TAIL) for _ in range(3)],
              "-range adds the least and the greatest value of each count")
    seen = lines(session, "nop", "-loop_count", "3", "-end_to_end", config="C4.20 T\n")
    tap.equal(seen.get("T", [0])[-1], 2, "a loop of three turns takes two branches")
    for code, options, reason in (("ud2", (), "#UD"), ("nop", ("-unroll", "10001"), "10000 can be measured"),
                                  ("nop", ("-fixed_counters",), "cannot be combined"), ("foo", (), "refuses it")):
        seen = lines(session, code, *options)
        tap.ok(reason in seen.get("error", ""), f"{code} {' '.join(options)}: the error says '{reason}'", seen)
    seen = session.ask(["-cycle_by_cycle", "-asm", "nop"])
    tap.ok("needs events" in seen.get("error", ""), "without events: the error names -config", seen)
    seen = session.ask(["--user", "-cycle_by_cycle", "-asm", "nop", "-config_text", "C0.00 I\n"])
    tap.ok("runs at ring 0 alone" in seen.get("error", ""), "at ring 3 it is refused", seen)
    tap.equal(session.counts("nop; nop", "C0.00 I\n"), {"I": "2.00"}, "afterwards the counters count as before")
    session.end()
    session = bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "EPYC,pmu=on"))
    seen = lines(session, "nop", config="C0.00 I\n")
    tap.ok("FREEZE_PERFMON_ON_PMI" in seen.get("error", ""), "AMD: it is refused by the name of the missing feature", seen)
    session.end()


def arm():
    session = bench.Session("aarch64", qemu=("-cpu", "max"))
    seen = lines(session, "nop", config="08 I\n")
    tap.ok("FREEZE_PERFMON_ON_PMI" in seen.get("error", ""), "aarch64: so it is", seen)
    session.end()


def main():
    binary, why = machine.model("x86_64")
    if why:
        tap.skip("cycle by cycle on the model of Intel's PMU", why)
    else:
        x86(binary)
    if machine.missing("qemu-system-aarch64"):
        tap.skip("cycle by cycle on aarch64", machine.missing("qemu-system-aarch64"))
    else:
        arm()
    tap.finish()


main()
