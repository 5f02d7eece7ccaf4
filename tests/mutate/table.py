# SPDX-License-Identifier: MIT
"""The number of mutants that each file's tests kill: as text, and as a page in Markdown."""

import collections
import math


def interval(killed, judged):
    """Wilson's confidence interval (95 %) for a share that is known from a sample; in percent."""
    if not judged:
        return 0, 100
    z, share = 1.96, killed / judged
    middle = share + z * z / (2 * judged)
    half = z * math.sqrt(share * (1 - share) / judged + z * z / (4 * judged * judged))
    return tuple(100 * (middle + s * half) / (1 + z * z / judged) for s in (-1, 1))


class Scores:
    """Outcomes by file and for all files."""

    def __init__(self, outcomes, why):
        """why(mutant): the known reason of a survivor, or None."""
        self.survivors = [(mutant, why(mutant)) for mutant in sorted(
            outcomes, key=lambda m: (m.file, m.start)) if outcomes[mutant] in ("named", "survived")]
        self.files = collections.defaultdict(collections.Counter)
        for mutant, outcome in outcomes.items():
            self.files[mutant.file][outcome] += 1
        self.all = sum(self.files.values(), collections.Counter())

    @staticmethod
    def row(counts):
        """killed, survived (named ones included), killed in percent; None if there are none."""
        survived = counts["survived"] + counts["named"]
        judged = counts["killed"] + survived
        return counts["killed"], survived, 100 * counts["killed"] / judged if judged else None

    def elsewhere(self):
        """Files in which no unit test runs a line that could be mutated."""
        return sorted(file for file, counts in self.files.items()
                      if counts["uncovered"] and self.row(counts)[2] is None)

    def rows(self):
        for file, counts in sorted(self.files.items()):
            killed, survived, score = self.row(counts)
            if score is not None:
                yield file, killed, survived, counts, score

    def text(self):
        lines = [f"{'':40}  killed survived uncovered  score"]
        lines += [f"{file:40} {killed:7} {survived:8} {counts['uncovered']:9} {score:5.1f} %"
                  for file, killed, survived, counts, score in self.rows()]
        killed, survived, score = self.row(self.all)
        if score is not None:
            low, high = interval(killed, killed + survived)
            lines.append(f"{'all':40} {killed:7} {survived:8} {self.all['uncovered']:9} {score:5.1f} % "
                         f"(95 % confidence, of a sample: {low:.1f} to {high:.1f} %)")
        lines.append(f"refused by the compiler: {self.all['refused']}, equivalent: "
                     f"{self.all['equivalent'] + self.all['same']}")
        if self.elsewhere():
            lines.append(f"run by no unit test: {', '.join(self.elsewhere())}")
        return "\n".join(lines)


def markdown(scores, kind, is_sample):
    killed, survived, score = scores.row(scores.all)
    low, high = interval(killed, killed + survived)
    confidence = f" (95 % confidence: {low:.1f} to {high:.1f} %)" if is_sample else ""
    lines = [
        f"{kind}: {sum(scores.all.values())}, of which the compiler refuses "
        f"{scores.all['refused']}, {scores.all['same'] + scores.all['equivalent']} are equivalent, "
        f"and {scores.all['uncovered']} are in lines that no unit test runs. Of the "
        f"{killed + survived} others {killed} are killed: **{score or 0:.1f} %**{confidence}.",
        "",
        "| file | killed | survived | not run | score |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| `{file}` | {killed} | {survived} | {counts['uncovered']} | {score:.0f} % |"
              for file, killed, survived, counts, score in scores.rows()]
    if scores.survivors:
        lines += ["", "The survivors, and why:", ""]
        lines += [f"- `{m.file}`, `{m.function}`: `{m.before}` became `{m.after}`. "
                  f"{why or 'Not looked at yet'}." for m, why in scores.survivors]
    if scores.elsewhere():
        names = ", ".join(f"`{file}`" for file in scores.elsewhere())
        lines += ["", f"Of these no mutant of the sample is run by a unit test, only end to end: {names}."]
    return "\n".join([*lines, ""])
