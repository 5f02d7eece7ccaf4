#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make install` into a folder of its own, and the tool run from there.

check-spare: programs are built
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
PAGES = sorted(page.name for page in (TOP / "docs/man").glob("*.1"))
SHARED_PAGES = [f"bareperf-{name}.1" for name in ("attach", "console", "reboot", "snapshot", "stop")]

COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_bareperf
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*words, **keywords):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False,
                          stdin=subprocess.DEVNULL, **keywords)


def installed(usr):
    tap.equal(sorted(page.name for page in (usr / "share/man/man1").iterdir()),
              sorted([*PAGES, *SHARED_PAGES]),
              "all manual pages are installed")
    tap.equal(sorted(file.name for file in (usr / "share/bareperf/labgrid").iterdir()),
              ["bareperf_driver.py", "farm.yaml"], "so is the driver for labgrid")
    tap.ok((usr / "share/bareperf/nanobench/kernelNanoBench.py").is_file(), "so is nanoBench's Python module")
    tap.ok((usr / "libexec/bareperf/bareperf-outside.so").is_file(), "so is the plugin of `run --outside`")
    for arch in ("x86_64", "aarch64"):
        there = usr / "lib/bareperf" / arch
        tap.ok(all((there / f"bareperf.{end}").is_file() for end in ("efi", "elf", "sym")) and
               (there / "sdk/bin/bareperf-cc").is_file(), f"{arch}: image, symbols and SDK are",
               there)


def works(usr, directory):
    tool = usr / "bin/bareperf"
    for arch in ("x86_64", "aarch64"):
        done = run(tool, "run", "--arch", arch, "--", "record", "--", "caltree", cwd=directory)
        tap.ok(done.returncode == 126 and "did you mean calltree?" in done.stderr,
               f"{arch}: the tool finds its image where it is installed", done.stderr)
    source = pathlib.Path(directory) / "p.c"
    source.write_text("int main(void) { return 0; }")
    payload = source.with_suffix(".elf")
    done = run(usr / "lib/bareperf/x86_64/sdk/bin/bareperf-cc", "-o", payload, source)
    tap.equal((done.returncode, done.stderr), (0, ""), "the SDK compiles from there")
    done = run(tool, "run", "--payload", payload, "--dry-run", "--", "record", "payload",
               cwd=directory)
    tap.equal(done.returncode, 0, "a payload that the image can run")


def completes(usr):
    script = usr / "share/bash-completion/completions/bareperf"
    environment = dict(os.environ, PATH=f"{usr}/bin:{os.environ['PATH']}")

    def words(*typed):
        return run("bash", "-c", COMPLETE, "bash", script, "bareperf", *typed,
                   env=environment).stdout.split()

    tap.equal(words("fl"), ["flamegraph"], "bash completes commands")
    tap.equal(words("run", "--region"), ["--region", "--region-size"], "their options")
    tap.equal(words("run", "-smp", "2", "--", "st"), ["stat"], "the machine's commands behind --")
    tap.equal(words("run", "--outside", "--cou"), ["--count"], "the options of run --outside")
    tap.equal([words("run", "--", "reg"), words("run", "--", "register", ""),
               words("run", "--", "register", "record", "--bo")], [["register"], ["record"], ["--boot"]],
              "behind register the command that it registers")
    tap.equal([words("run", "--", "record", "--boot", "--until", ""), words("record", "--boot", "--until", "k")],
              [["ready-to-boot", "key", "30s"], ["key"]], "behind --until what may end a boot's recording")
    text = "".join((TOP / "command/options.c").read_text().split("const struct command_option")[1:])
    lists = dict(zip(("record", "stat"), text.split("[] = {")[1:]))
    for verb, table in lists.items():
        ours = set(re.findall(r'"(--?[a-zA-Z-]+)"', table))
        tap.equal(sorted(ours - set(words("run", "--", verb, "-"))), [],
                  f"and each option of {verb}")


with tempfile.TemporaryDirectory(prefix="bareperf-install-test-") as DIRECTORY:
    DESTINATION = pathlib.Path(DIRECTORY) / "root"
    result = run("make", "install", f"DESTDIR={DESTINATION}", "PREFIX=/usr", cwd=TOP,
                 env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})
    tap.equal((result.returncode, result.stderr), (0, ""), "make install succeeds")
    tap.equal(sorted(path.name for path in DESTINATION.iterdir()), ["usr"], "all of it below PREFIX")
    installed(DESTINATION / "usr")
    works(DESTINATION / "usr", DIRECTORY)
    completes(DESTINATION / "usr")
tap.finish()
