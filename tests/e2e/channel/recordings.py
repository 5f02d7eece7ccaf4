# SPDX-License-Identifier: MIT
"""One boot with many recordings, over any channel: one of each kind, and the first kind again. With
RECORDINGS in the environment, as many as that (make soak)."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

RECORDINGS = int(os.environ.get("RECORDINGS", "0"))
REFUSED = 126
KINDS = (
    "record -e cpu-clock -F 2000 -g -- calltree 0.3",
    "stat -e cpu-clock -- noploop 0.2",
    "record -a -e cpu-clock -F 1000 -m 16 -- noploop 0.3",
    "record -e branch-step// -- calltree 0.3",
    "record --overwrite -m 4 -e cpu-clock -F 5000 -- noploop 0.5",
)


def left_behind(directory):
    """The tool's processes in this directory, and journals."""
    found = [path.name for path in pathlib.Path(directory).glob("*.journal")]
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().startswith("bareperf") and \
                    (process / "cwd").samefile(directory):
                found.append(process.name)
        except OSError:
            pass  # the process has ended meanwhile
    return found


def one_boot(target, word, directory, claim, kinds=KINDS):
    """Make recordings of all kinds in turn, with a wrong command after each. target:
    target(command, *options) returns the tool's status and text, target.dump(name) the output of
    dump; word(name) is a word of the header."""
    heap, wrong, count = {}, [], RECORDINGS or len(kinds) + 1
    first = word("run")
    for i in range(count):
        command = kinds[i % len(kinds)]
        options = () if command.startswith("stat") else ("-o", "many")
        status, text = target(command, *options)
        if status or "not conserved" in text:
            wrong.append((command, status, text))
        elif options and target.dump("many")["status"]:
            wrong.append((command, target.dump("many")))
        status, text = target("record -e cyles -- noploop")
        if status != REFUSED or "did you mean cycles" not in text:
            wrong.append((status, text))
        heap.setdefault(command, []).append(word("heap"))
    tap.equal(wrong, [], f"{claim}: {count} recordings of {len(kinds)} kinds in one boot: each "
              "ledger exact, a mistake after each leaves the machine waiting")
    tap.equal(word("run") - first, count,
              f"{claim}: mistakes were found on the host: no run was theirs")
    grown = {command: sizes for command, sizes in heap.items() if sizes[-1] != sizes[0]}
    tap.ok(not grown, f"{claim}: the machine's heap has its old size afterwards", heap)
    tap.equal(left_behind(directory), [], f"{claim}: no process and no journal is left")
