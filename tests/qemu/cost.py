#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of the model: processor time of QEMU without our patches and with them, same guest.

    tests/qemu/cost.py [ROUNDS [SETS]]

Three guests of a kind live side by side: on QEMU without the patches, with the model off, and with
the instructions and branches of its one CPU being counted. They do the same work in turns, a part
of a second each, so that whatever else the host does meets all of them alike; the order changes
from round to round. The processor time is the whole process's. A round gives two ratios, and a set
of guests the medians of its rounds. Where its code and memory happen to lie makes one process up to
a sixth faster than the next for its whole life, so there are many sets; the figures are the medians
of theirs.

Prints a line of tests/bench/run for each figure.
"""

import pathlib
import statistics
import sys

import guests

# ISA: (CPU, the same with the model on, the counted events)
CPUS = {
    "x86_64": ("Skylake-Client,-rdrand,-rdseed", ",pmu=on", "instructions,branches"),
    "aarch64": ("cortex-a76", ",pmu-instructions=on", "instructions,r21"),
}
GOALS = {"off": 1.01, "counting": 1.10}


class Worker:
    """A guest that works a round at a time."""

    def __init__(self, binary, isa, directory, cpu, events):
        self.guest = guests.Guest(binary, isa, directory, cpu, "cost.test")
        self.wait()
        self.tell(events)

    def wait(self):
        for line in self.guest.process.stdout:
            if line.strip() == "@ready":
                return
        raise SystemExit("cost.py: a guest ended too early")

    def tell(self, line):
        self.guest.process.stdin.write(line + "\n")
        self.guest.process.stdin.flush()
        self.wait()

    def seconds(self):
        """CPU time of all threads so far."""
        tasks = pathlib.Path(f"/proc/{self.guest.process.pid}/task").iterdir()
        return sum(int((t / "schedstat").read_text().split()[0]) for t in tasks) / 1e9

    def round(self):
        """CPU time of one more round."""
        before = self.seconds()
        self.tell("go")
        return self.seconds() - before

    def end(self):
        self.guest.process.kill()
        self.guest.finish()


def measure(isa, binaries, directory, rounds):
    """{kind: the median of its ratios to stock} for one set of guests, and the seconds of the stock
    one."""
    cpu, on, events = CPUS[isa]
    stock, ours = binaries
    workers = {"stock": Worker(stock, isa, directory, cpu, "-"),
               "off": Worker(ours, isa, directory, cpu, "-"),
               "counting": Worker(ours, isa, directory, cpu + on, events)}
    kinds, found = list(workers), []
    for worker in workers.values():
        worker.round()  # this round translates the guest's code
    for i in range(rounds):
        order = kinds[i % 3:] + kinds[:i % 3]
        found.append({kind: workers[kind].round() for kind in order})
    for worker in workers.values():
        worker.end()
    ratios = {kind: statistics.median(r[kind] / r["stock"] for r in found) for kind in GOALS}
    return ratios, statistics.median(r["stock"] for r in found)


def report(isa, sets, rounds):
    base = statistics.median(stock for _, stock in sets)
    print(f"# {isa}: {len(sets)} sets of {rounds} rounds, {base:.3f} s each on stock QEMU")
    for kind, goal in GOALS.items():
        ratios = sorted(found[kind] for found, _ in sets)
        ratio = statistics.median(ratios)
        print(f"# {isa}, {kind}: {' '.join(f'{r:.3f}' for r in ratios)}")
        print(f"bench model-{kind}-{isa} {ratio:.3f} times-stock goal {goal} "
              f"{'ok' if ratio <= goal else 'short'}", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    try:
        stock, ours = guests.qemu_binaries("--stock"), guests.qemu_binaries()
        for isa in CPUS:
            directory = guests.guest_directory(isa)
            sets = [measure(isa, (stock[isa], ours[isa]), directory, rounds) for _ in range(count)]
            report(isa, sets, rounds)
    except guests.Unavailable as reason:
        print(f"bench model-off skip {reason}")


if __name__ == "__main__":
    main()
