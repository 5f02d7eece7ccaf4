#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A target installs only its own packages, found by capability, on any distribution. deps/install
runs with a PATH that has no apt, or one that notes its calls; deps/fetch with a list of sources
made by the test.

check-spare: nothing is measured
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
MOST_FOR_DEMO = 25  # the maximum number of Debian packages, besides gcc and make
LISTS = sorted([*TOP.glob("deps/*.txt"), *TOP.glob("packaging/deps.txt"), *TOP.glob("tests/*/deps.txt"), TOP / "tests/debian13.txt"])
KINDS = ("command", "header", "pkg", "file", "python", "sanitizers")
TOOLS = ("sh", "sed", "sort", "cut", "tr", "grep", "mktemp", "rm", "gcc", "dirname", "ls", "python3", "env", "id", "cat",
         "as", "cc1")
APT = '#!/bin/sh\necho "$@" >>"$(dirname "$0")/asked"\n'
POLICY = '#!/bin/sh\n[ "$2" = nowhere ] || echo "  Candidate: 1"\n'


def rows(path):
    lines = [line.split("#")[0].rstrip() for line in path.read_text().splitlines()]
    return [[column.strip() for column in line.split("|")] for line in lines if line]


def demo_lists(arch):
    done = subprocess.run(["make", "-s", "-n", f"ARCH={arch}", "deps-run"], cwd=TOP, capture_output=True, text=True, check=True)
    return [TOP / word for word in done.stdout.split() if word.endswith(".txt")]


def judge_lists():
    for path in LISTS:
        if path.name == "sources.txt":
            continue
        wrong = [row for row in rows(path)
                 if len(row) != 4 or row[0].lstrip("?").split(":")[0] not in KINDS or not all(row)]
        tap.equal(wrong, [], f"{path.relative_to(TOP)}: each line has a capability and three distributions' packages")
    for arch in ("x86_64", "aarch64"):
        packages = {row[1] for path in demo_lists(arch) for row in rows(path)} - {"gcc", "make"}
        tap.ok(10 < len(packages) <= MOST_FOR_DEMO,
               f"make ARCH={arch} demo asks for at most {MOST_FOR_DEMO} packages beyond gcc and make", str(packages))


def machine(place, apt):
    """A PATH with deps/install's programs, with or without apt."""
    bin_ = place / "bin"
    bin_.mkdir(parents=True)
    for tool in TOOLS:
        if shutil.which(tool):
            (bin_ / tool).symlink_to(shutil.which(tool))
    for name, text in (("apt-get", APT), ("apt-cache", POLICY)) if apt else ():
        (bin_ / name).write_text(text)
        (bin_ / name).chmod(0o755)
    copy = place / "deps"
    copy.mkdir()
    shutil.copy(TOP / "deps/install", copy)
    # each user has sbin in the PATH here
    script = (copy / "install").read_text()
    (copy / "install").write_text(script.replace("PATH=$PATH:/usr/sbin:/sbin\n", ""))
    return bin_


def install(bin_, text, *options):
    listed = bin_.parent / "list.txt"
    listed.write_text(text)
    done = subprocess.run([bin_.parent / "deps/install", *options, "list.txt"], cwd=bin_.parent, env={"PATH": str(bin_)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    asked = bin_ / "asked"
    return done.returncode, done.stdout, asked.read_text() if asked.exists() else ""


def judge_without_apt(place):
    bin_ = machine(place, apt=False)
    there = "command:nothing,sh | a | b | c\nheader:stddef.h | d | e | f\nfile:/nowhere,/* | g | h | i\n"
    tap.equal(install(bin_, there), (0, "", ""), "nothing is missing where one of the names is there")
    tap.equal(install(bin_, there, "--state")[1].split(), ["command:nothing,sh", "file:/nowhere,/*", "header:stddef.h"],
              "--state prints the capabilities that are there")
    missing = there + "command:bareperf-absent | deb1/deb2 | fed1 fed2 | arch1\nheader:bareperf/absent.h | deb3 | - | arch2\n"
    status, text, _ = install(bin_, missing)
    tap.ok(status == 1 and "command:bareperf-absent" in text and "header:stddef.h" not in text,
           "without apt the missing capabilities are printed, and it fails", text)
    for words in (r"Debian, Ubuntu\s+apt-get install --no-install-recommends deb1 deb3 *$",
                  r"Fedora\s+dnf install fed1 fed2 *$", r"Arch\s+pacman -S arch1 arch2 *$"):
        tap.ok(re.search(words, text, re.M), f"with the packages' names: {words.split(chr(92))[0]}", text)
    tap.equal(install(bin_, there + "?command:bareperf-absent | x | - | -\n"), (0, "", ""),
              "a capability that not every distribution has may be missing")


def judge_with_apt(place):
    bin_ = machine(place, apt=True)
    status, text, asked = install(bin_, "command:bareperf-absent | nowhere/deb2 | x | x\n?python:bareperf_absent | nowhere | - | -\n"
                                        "command:sh | dash | x | x\n")
    if os.geteuid():
        tap.ok(status == 1 and "apt-get install -y --no-install-recommends deb2" in text and not asked,
               "an ordinary user gets the command to run", text)
    else:
        tap.ok(status == 0 and asked.splitlines()[-1].split()[-1] == "deb2" and "nowhere" not in asked,
               "apt installs the missing packages that it offers", text + asked)


def judge_fetch(place):
    place.mkdir()
    shutil.copy(TOP / "deps/fetch", place)
    (place / "good").write_bytes(b"the source")
    (place / "bad").write_bytes(b"another source")
    digest = hashlib.sha256(b"the source").hexdigest()
    for places, name, claim in (((place / "bad", place / "good"), "second", "the first place with the right bytes is taken"),
                                ((place / "bad",), "none", "other bytes are refused")):
        urls = " ".join(f"file://{at}" for at in places)
        (place / "sources.txt").write_text(f"thing 1.0 {digest} none {urls}\n")
        done = subprocess.run([place / "fetch", "thing", place / name], capture_output=True, text=True, check=False,
                              env={**os.environ, "https_proxy": "http://127.0.0.1:9"})
        if name == "second":
            tap.ok(done.returncode == 0 and (place / name).read_bytes() == b"the source", claim, done.stderr)
        else:
            tap.ok(done.returncode == 1 and "other bytes" in done.stderr and not (place / name).exists(), claim, done.stderr)


def judge_changed_firmware(place):
    """deps/ovmf's own checks; a build takes minutes."""
    for words, status, message in ((("--compile", place), 2, f"{place}/edk2 is no directory: --unpack first"),
                                   (("--unpack",), 2, "which directory?"),
                                   (("--path", "vax"), 2, "vax: neither x86_64 nor aarch64"),
                                   (("--unpack", place, "vax"), 2, "vax: neither x86_64 nor aarch64"),
                                   ((), 2, "--unpack|--compile DIR")):
        done = subprocess.run([TOP / "deps/ovmf", *words], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == status and message in done.stderr and not place.exists(),
               f"deps/ovmf {' '.join(str(word) for word in words[:1])}: {message.split('/')[-1]}", done.stderr)


def main():
    judge_lists()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        judge_without_apt(work / "bare")
        judge_with_apt(work / "debian")
        judge_fetch(work / "fetch")
        judge_changed_firmware(work / "firmware")


main()
tap.finish()
