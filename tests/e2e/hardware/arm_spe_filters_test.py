#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SPE's filters by SIMD, floating point and masks (FEAT_SPE_EFT) and by data source (FEAT_SPE_FDS)
on the hardware model: of a loop of known instructions exactly those records remain that fit, and
the ledger counts those that were removed.

check-spare: machines count instructions
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import spe
import tap

# An instruction of the loop, and its kinds on the model
LOOP = [
    ("ldr d0, [x0]", {"load", "float"}),
    ("ldr q1, [x0, #16]", {"load", "simd"}),
    ("ldr x10, [x0]", {"load"}),
    ("fadd d2, d0, d0", {"float"}),
    ("fadd v3.2d, v1.2d, v1.2d", {"simd", "float"}),
    ("add v4.4s, v1.4s, v1.4s", {"simd"}),
    ("add x10, x10, #1", set()),
    ("str d2, [x0, #32]", {"store", "float"}),
    ("str q4, [x0, #48]", {"store", "simd"}),
    ("str x10, [x0, #64]", {"store"}),
    ("nop", set()),
    ("subs x1, x1, #1", set()),
    ("b.ne loop", {"branch"}),
    ("ret", {"branch"}),
]
PROGRAM = """
#include <stdint.h>

__asm__(".text\\n\\t.global loop\\n\\t.type loop, %%function\\n"
        "loop:\\n\\t%s\\n\\t.size loop, . - loop");
void loop(uint64_t *memory, uint64_t turns);

static uint64_t memory[16] __attribute__((aligned(16)));

int main(void)
{
	loop(memory, 200000);
	return 0;
}
""" % "\\n\\t".join(code for code, _ in LOOP)
COMMAND = "record -e arm_spe/period=1024,ts_enable=1%s/ -m,1024 -- payload"

# The terms, and the kinds that fit
KINDS = [
    ("simd_filter=1", lambda kinds: "simd" in kinds),
    ("float_filter=1", lambda kinds: "float" in kinds),
    ("simd_filter=1,float_filter=1", lambda kinds: kinds & {"simd", "float"}),
    ("load_filter=1,float_filter=1", lambda kinds: kinds & {"load", "float"}),
    ("load_filter=1,load_filter_mask=1,float_filter=1,float_filter_mask=1",
     lambda kinds: {"load", "float"} <= kinds),
    ("store_filter=1,store_filter_mask=1,simd_filter_mask=1",
     lambda kinds: "store" in kinds and "simd" not in kinds),
    ("simd_filter=1,simd_filter_mask=1,float_filter_mask=1",
     lambda kinds: "simd" in kinds and "float" not in kinds),
    ("load_filter=1,store_filter=1,simd_filter_mask=1",
     lambda kinds: kinds & {"load", "store"} and "simd" not in kinds),
    ("branch_filter_mask=1,float_filter_mask=1", lambda kinds: not kinds & {"branch", "float"}),
]
# The data sources that do not pass; operations without one do.
SOURCES = [("0x1", {0}), ("0x100", {8}), ("0x4100", {8, 14})]


def record(binary, program, terms="", features=",spe-eft=on,spe-fds=on"):
    return machine.Recording(
        COMMAND % (terms and "," + terms), "--arch", "aarch64", "--qemu", binary, "--payload",
        program, qemu=("-machine", spe.EL2, "-cpu", spe.CPU + features, *machine.EXACT))


def everything(binary, program):
    """[(record, kinds)] without a filter. Outside of the loop there are no vectors."""
    run = record(binary, program)
    spe.good(run, "without a filter")
    found = spe.records(run)
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "event,ip,sym,symoff")
    places = [re.search(r"(\w+) (\S+?)(?:\+0x(\w+))?$", line.strip()).groups()
              for line in text.splitlines() if "instructions:" in line]
    seen = [LOOP[int(offset or "0", 16) // 4][1] for _, name, offset in places if name == "loop"]
    of_loop = iter(seen)
    result = [(r, next(of_loop) if name == "loop" else set(re.findall("load|store|branch",
                                                                      r.operation)))
              for r, (_, name, _) in zip(found, places)]
    tap.ok(len(found) == len(places) and len(seen) > 0.98 * len(found) > 1000 and
           all(kinds in seen for _, kinds in LOOP),
           "without a filter each kind of instruction is sampled", (len(found), len(seen)))
    tap.ok(all((r.source is not None) == (r.operation == "load") for r in found) and
           {r.source for r in found if r.operation == "load"} == {0, 8, 14},
           "loads have a data source, other operations none")
    return result, run.summary()


def expect(binary, program, terms, expected, population):
    run = record(binary, program, terms)
    account = spe.good(run, terms)["rings"][0]["operations"]
    seen = [r[1:-1] for r in spe.records(run)]
    tap.ok(seen == [r[1:-1] for r in expected] and expected,
           f"{terms}: exactly those records that fit", (len(seen), len(expected)))
    tap.equal((account["population"], account["sampled"], account["kept"], account["filtered"]),
              (population["population"], population["sampled"], len(expected),
               population["sampled"] - len(expected)),
              f"{terms}: what it removed is counted")


def refusals(binary, program):
    for terms, register in (("simd_filter=1", "PMSIDR_EL1.EFT"),
                            ("load_filter_mask=1", "PMSIDR_EL1.EFT"),
                            ("inv_data_src_filter=0x1", "PMSIDR_EL1.FDS")):
        run = record(binary, program, terms, "")
        tap.ok(run.status != 0 and register in run.text,
               f"{terms} is refused on a CPU without it, with the reason", run.text)


def main():
    if machine.missing("qemu-system-aarch64"):
        tap.skip("SPE's filters", machine.missing("qemu-system-aarch64"))
        return
    binary, reason = machine.model("aarch64")
    if reason:
        tap.skip("SPE's filters", reason)
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-filters-") as directory:
        program = machine.payload("aarch64", pathlib.Path(directory) / "loop.elf", PROGRAM)
        found, summary = everything(binary, program)
        population = summary["rings"][0]["operations"]
        for terms, fits in KINDS:
            expect(binary, program, terms,
                   [r for r, kinds in found if fits(kinds)], population)
        for mask, excluded in SOURCES:
            expect(binary, program, f"inv_data_src_filter={mask}",
                   [r for r, _ in found if r.source not in excluded], population)
        refusals(binary, program)


main()
tap.finish()
