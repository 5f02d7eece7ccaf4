# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims about machines of two CPUs, for check-model."""

from guests import each_count, tally

ITERATIONS = 1000000
SHORT = 1000


def per_cpu(lines, event):
    """{CPU: count} of one event in perf stat -A -x, lines"""
    fields = (line.split(",") for line in lines)
    return {f[0]: int(f[1]) for f in fields if f[3] == event}


def check_two_cpus(tap, got, name, spin, around, branches):
    """spin: the two instructions of the program; around: how many there are but for its loop;
    branches: the events of its branches."""
    tap.equal(f"{name}: the guest has two CPUs", got["cpus"], ["2"])
    for event, turn in (("instructions:u", 2), *((b, 1) for b in branches)):
        short, long = (per_cpu(got[section], event) for section in ("per-cpu-short", "per-cpu"))
        # taskset's own last steps on the CPU, which spell the program's name
        tap.claim(f"{name}: {event} counts the program's loop on the CPU that it runs on",
                  abs(long["CPU1"] - short["CPU1"] - turn * (ITERATIONS - SHORT)) <= 100 and
                  0 <= long["CPU1"] - turn * ITERATIONS < 10000, short, long)
        tap.claim(f"{name}: ... and not on the other",
                  0 < long["CPU0"] < ITERATIONS // 4, short, long)
    tap.equal(f"{name}: programs on both at the same time are counted exactly",
              each_count(got["together"]),
              [("instructions:u", 2 * ITERATIONS + around)] * 2)
    samples = {tuple(text.split()): n for text, n in tally(got["record"]).items()}
    tap.claim(f"{name}: perf record -a samples it there, each period",
              abs(sum(samples.get(("[001]", ip), 0) for ip in spin) -
                  2 * ITERATIONS // 10007) <= 1 and
              not any(("[000]", ip) in samples for ip in spin), got["record"])


def check(tap, results, x86_at, arm_at):
    name = "x86, two CPUs"
    got = results["x86-smp"].sections()
    spin = x86_at["spin.spin"]
    check_two_cpus(tap, got, name, [f"{spin:x}", f"{spin + 2:x}"], 4, ("branches:u", "r00c4:u"))
    spin = x86_at["spin-short.spin"]
    tap.equal(f"{name}: the second one's branch trace of a loop is its back edges",
              {edge: n for edge, n in tally(got["bts"]).items() if "ffffffff" not in edge},
              {f"{spin + 2:x} => {spin:x}": SHORT - 1})
    name = "arm, two CPUs"
    got = results["arm-smp"].sections()
    spin = arm_at["spin.spin"]
    check_two_cpus(tap, got, name, [f"{spin:x}", f"{spin + 4:x}"], 5, ("r21:u",))
    # PE 1 has a buffer of 512 records, which are there however late perf is
    load = f"PC {arm_at['stream.stream']:#x} el0 ns=1"
    tap.claim(f"{name}: SPE samples the load of a loop on the second one",
              400 <= tally(got["spe"]).get(load, 0) <= ITERATIONS // 1024 + 1, got["spe"])
    came = [[int(n) for n in line.split()[1:3]] for line in got["spe"] if "arm_spe" in line]
    tap.claim(f"{name}: and interrupts that one",
              len(came) == 2 and came[1][0] == came[0][0] and came[1][1] > came[0][1], got["spe"])
