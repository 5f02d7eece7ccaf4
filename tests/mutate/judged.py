# SPDX-License-Identifier: MIT
"""The judgements of mutants that no test kills: tests/mutate/judged.txt.

    equivalent ringbuf/ring.c open
        - if (limit > room)
        + if (limit >= room)
        where they are equal, both are the limit

`equivalent`: the program's behaviour does not change. `survives`: it does change, and the reason
says why no unit test detects it. File, function and lines are as the mutator prints them, so lines
that are added elsewhere do not matter; `…` stands for any text. `-` or `+` may be left out: then
any line matches."""

import dataclasses
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parent / "judged.txt"
KINDS = ("equivalent", "survives")


@dataclasses.dataclass
class Judgement:
    kind: str
    file: str
    function: str
    line: int
    before: str = "…"
    after: str = "…"
    why: str = ""

    def __post_init__(self):
        self.pattern = None

    def matches(self, mutant):
        if not self.pattern:
            self.pattern = [pattern(t) for t in (self.file, self.function, self.before, self.after)]
        return all(p.fullmatch(t) for p, t in zip(
            self.pattern, (mutant.file, mutant.function, mutant.before, mutant.after)))


def pattern(text):
    return re.compile(".*".join(re.escape(piece) for piece in text.split("…")))


def read(path=FILE):
    """All judgements; SystemExit names the invalid line."""
    found = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if not line[0].isspace():
            if len(words) != 3 or words[0] not in KINDS:
                raise SystemExit(f"{path.name}:{number}: not KIND FILE FUNCTION: {line}")
            found.append(Judgement(*words, number))
        elif not found:
            raise SystemExit(f"{path.name}:{number}: a line of no judgement")
        elif words[0] == "-" and len(words) > 1:
            found[-1].before = " ".join(words[1:])
        elif words[0] == "+":
            found[-1].after = " ".join(words[1:])
        else:
            found[-1].why = f"{found[-1].why} {' '.join(words)}".strip()
    for judgement in found:
        if not judgement.why:
            raise SystemExit(f"{path.name}:{judgement.line}: no reason")
    return found


def judge(judgements, mutant):
    """The first judgement that matches this mutant, or None."""
    return next((j for j in judgements if j.matches(mutant)), None)


def reason(judgements, mutant):
    """The judgement's text, as a sentence without its end, or None."""
    judgement = judge(judgements, mutant)
    return judgement and judgement.why[0].upper() + judgement.why[1:]
