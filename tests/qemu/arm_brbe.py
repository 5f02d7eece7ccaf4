# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims of Linux's perf about BRBE, for check-model."""

import guests

tally = guests.tally


def check(tap, got, at, name, depth):
    leaf, calls, spin = at["calls.leaf"], at["calls.calls"], at["spin.spin"]
    call = f"0x{calls:x}/0x{leaf:x}", "CALL"
    back = f"0x{leaf:x}/0x{calls + 4:x}", "RET"
    loop = f"0x{calls + 8:x}/0x{calls:x}", "COND"

    def edges(section):
        every = [text.split("/") for text in tally(got[section])]
        return {("/".join(e[:2]), e[6]) for e in every}

    tap.equal(f"{name}: branch records hold the program's edges, by their types, and no others",
              edges("brbe-any"), {call, back, loop})
    tap.equal(f"{name}: any_call lets only calls through", edges("brbe-any_call"), {call})
    tap.equal(f"{name}: any_ret lets only returns through", edges("brbe-any_ret"), {back})
    tap.equal(f"{name}: cond lets only conditional branches through", edges("brbe-cond"), {loop})
    tap.equal(f"{name}: ind_call lets nothing of the program through", got["brbe-ind_call"], [])
    tap.equal(f"{name}: a stack has {depth} branches",
              {int(line.split()[1]) for line in got["brbe-depth"]} - set(range(depth)), {depth})
    flags = tally(got["brbe-any"])
    missed = sum(n for text, n in flags.items() if "/M/" in text)
    tap.equal(f"{name}: every 16th branch is mispredicted, as the counter counts",
              round(sum(flags.values()) / missed), 16)
    # 0: the first branch after the kernel, where the count is unknown, if a stack goes back so far
    turns = {text.split("/")[5] for text in tally(got["brbe-cycles"])} - {"0"}
    tap.equal(f"{name}: a branch of a loop of two instructions comes after two cycles",
              (turns, {text.split("/")[0] for text in tally(got["brbe-cycles"])}),
              ({"2"}, {f"0x{spin + 4:x}"}))
    half = [text.split("/") for text in tally(got["brbe-half"])]
    # The program's overflows freeze the records at the exception to the kernel.
    half = [text.split("/") for text in tally(got["brbe-half"])]
    tap.claim(f"{name}: without EL0 an exception from there has only a target, its return only a source",
              any(e[0] == "0x0" and e[1][:6] == "0xffff" and e[6] == "IRQ" for e in half) and
              any(e[0][:6] == "0xffff" and e[1] == "0x0" and e[6] == "ERET" for e in half) and
              not any(len(part) < 18 and part != "0x0" for e in half for part in e[:2]),
              *got["brbe-half"][:20])
    ring = [text.split("/") for text in tally(got["brbe-ring"])]
    after = f"0x{at['ring-short.ring'] + 8:x}"
    tap.claim(f"{name}: with both levels it is whole, and the records freeze in the program",
              any(e[0][:6] == "0xffff" and e[1] == after and e[6] == "ERET" for e in ring) and
              not any(e[6] == "IRQ" for e in ring), *got["brbe-ring"][:20])
    tap.claim(f"{name}: the driver refuses a call stack",
              "support branch stack sampling" in " ".join(got["brbe-stack"]), got["brbe-stack"])


def check_all(tap, results, at):
    """In both boots; neither is there without a kernel that has the driver."""
    for boot, name, depth in (("arm-brbe", "arm, BRBE", 32), ("arm-brbe-el2", "arm, BRBE, EL2", 64)):
        if boot in results:
            check(tap, results[boot].sections(), at, name, depth)
