#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The image understands every command of the docs that a reader may type.

check-spare: files are read
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md")), *sorted((TOP / "docs/examples").glob("*.md")),
         *sorted((TOP / "docs/man").glob("*.1"))]


def plain(path):
    """A page's text, without a manual page's escapes, and with continued lines joined."""
    text = path.read_text()
    if path.suffix == ".1":
        text = text.replace("\\-", "-").replace("\\e", "\\")
    text = re.sub(r'"\$\([^"]*\)"', "PROGRAM", text)
    return re.sub(r"\s*\\\n\s*", " ", text)


def examples(text):
    """The words of each `bareperf run` up to the shell's redirections. Commands with brackets or
    names in capitals, which the reader must fill in, are left out."""
    commands = re.findall(r"bareperf run ([^`\n]* -- [^`\n]*)", text)
    commands += ["-- " + own for own in re.findall(r"(?:^ +|`)((?:record|stat) [^`\n]*)", text, re.M)]
    for found in commands:
        command = re.split(r" && | \| | >| 2>|;|\s#|\s{3,}", found)[0].strip()
        if command.count("'") % 2:  # the quotation mark belongs to the page
            command = command[: command.rindex("'")]
        if not re.search(r"\[|\.\.\.|…|\b(COMMAND|ARGS|OPTIONS|FILE)\b", command):
            yield shlex.split(command)


def prepared(words, arch):
    """Replace the files of a reader by files that exist here, such as the payload."""
    words = [str(TOP / f"build/{arch}/sdk/example.elf") if word.endswith(".elf") else word
             for word in words]
    return [TOOL, "run", "--dry-run", *words]


def arch_of(words):
    text = " ".join(words)
    return "aarch64" if re.search(r"(-a|--arch)[ =]aarch64", text) else "x86_64"


def of_its_machine(words):
    """A machine's own command by itself; commands for SPE need Arm."""
    arm = words[0] == "--" and any(word.startswith("arm_") for word in words)
    return ["--arch", "aarch64", *words] if arm else words


checked = 0
for page in PAGES:
    for words in map(of_its_machine, examples(plain(page))):
        done = subprocess.run(prepared(words, arch_of(words)), capture_output=True, text=True,
                              timeout=300, check=False, env=dict(os.environ, LC_ALL="C"))
        checked += 1
        tap.ok(done.returncode == 0, f"{page.name}: bareperf run {shlex.join(words)}", done.stderr)
configured = 0
for line in (TOP / "boot/bareperf.cfg").read_text().splitlines():
    command = line.lstrip("#")
    if not re.match(r"(record|stat|list)\b", command):
        continue
    configured += 1
    done = subprocess.run([TOOL, "run", "--dry-run", "--", *command.split()], capture_output=True,
                          text=True, timeout=300, check=False)
    tap.ok(done.returncode == 0, f"bareperf.cfg: {command}", done.stderr)
tap.ok(checked >= 20 and configured >= 3, "there are examples to look at, in bareperf.cfg as well",
       (checked, configured))
tap.finish()
