# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims of Linux's perf about AMD's instruction-based sampling, for check-model."""

import guests

tally = guests.tally


def check_raw(tap, got, at, name):
    calls, leaf = at["calls.calls"], at["calls.leaf"]
    branches = tally(got["calls-raw"])
    tap.claim(f"{name}: branches of ops are told apart: taken ones, and returns",
              branches.get("OpReturn 0 OpBrnTaken 1 OpBrnMisp 0 BrnRet 1", 0) > 150 and
              branches.get("OpReturn 1 OpBrnTaken 1 OpBrnMisp 0 BrnRet 1", 0) > 75 and
              not any("OpReturn 1 OpBrnTaken 0" in text for text in branches), branches)
    targets = {int(text.split()[1], 16) for text in tally(got["calls-targets"])}
    tap.claim(f"{name}: the targets of branches are the program's",
              {calls, leaf, calls + 5} <= targets and len(targets) <= 5, targets)
    tap.equal(f"{name}: all fetches are valid and complete", set(tally(got["fetch-raw"])),
              {"Val 1 Comp 1"})


def check_memory(tap, got, at, name, zen):
    stream, source, target = (at[f"stream.{label}"] for label in ("stream", "source", "target"))
    accesses = {(fields[0], fields[3].partition("|")[0], int(fields[-1], 16) - stream)
                for fields in (line.split() for line in tally(got["loads"])) if fields[0] != "0"}
    tap.equal(f"{name}: each load and store has its own address and instruction",
              accesses, {(f"{source:x}", "LOAD", 0), (f"{target:x}", "STORE", 7)})
    physical = dict(text.split() for text in tally(got["loads-physical"]))
    tap.claim(f"{name}: and the physical address in its page",
              all(int(physical[f"{va:x}"], 16) & 0xfff == 0 for va in (source, target)) and
              physical[f"{source:x}"] != physical[f"{target:x}"], physical)
    tap.claim(f"{name}: perf mem record and report name the caches", "L1 hit" in got["mem"],
              got["mem"])
    only = tally(got["l3missonly"])
    loads = [text for text in only if "OP LOAD" in text]
    if zen < 5:
        tap.equal(f"{name}: perf offers no l3missonly", only, {})
    else:
        tap.claim(f"{name}: l3missonly samples nothing but accesses that miss L3",
                  loads and all("RAM hit" in text and text.endswith(" 200") for text in loads) and
                  not any("OP N/A" in text for text in only), only)


def check(tap, got, at, zen):
    """Check all claims of this file. zen: the generation that the model shows."""
    name = f"x86, AMD's IBS of Zen {zen}"
    tap.claim(f"{name}: Linux's driver finds it, with its features and its LVT entry",
              f"AMD IBS detected (0x{0x1bff if zen == 5 else 0x3ff:08x})" in "\n".join(got["driver"])
              and any("LVT offset 0 assigned" in line for line in got["driver"]), got["driver"])
    spin = at["spin.spin"]
    for section, what in (("spin", "ops"), ("fetch", "fetches"), ("precise", "cycles:p")):
        samples = tally(got[section])
        # The counter that starts at up to 127 makes an interval of ops that much shorter.
        tap.claim(f"{name}: {what}: a sample each period, on the loop's two instructions",
                  set(samples) == {f"{spin:x}", f"{spin + 2:x}"} and
                  195 <= sum(samples.values()) <= 220, samples)
    random = tally(got["fetch-random"])
    tap.claim(f"{name}: fetches at random intervals are the loop's, too",
              set(random) == {f"{spin:x}", f"{spin + 2:x}"} and min(random.values()) > 50, random)
    tap.equal(f"{name}: perf gives each sample the whole period",
              set(tally(got["spin-periods"])), {"10000"})
    check_raw(tap, got, at, name)
    check_memory(tap, got, at, name, zen)
