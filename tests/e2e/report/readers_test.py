#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other tools read our perf.data: a matrix of readers and files; and perf's cache of the recorded
files, by which the readers find them after a rebuild.

check-spare: files are read
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import perf_file
import tap

LOADED = 0x40000000
SOURCE = """
int %s(volatile int *p) { for (int i = 0; i < 9; i++) *p += i; return *p; }
int main(void) { int x = 0; return %s(&x); }
"""
RIG = fake_run.Rig()
HERE, TOOL = RIG.here, fake_run.TOOL
HOME = HERE / "home"
IMAGE = HERE / "image.sym"
ENVIRONMENT = dict(os.environ, HOME=str(HOME), LC_ALL="C.UTF-8")
ENVIRONMENT.pop("PERF_BUILDID_DIR", None)
PERF = re.search(r"\d+\.\d+|$", subprocess.run(["perf", "--version"], capture_output=True, text=True,
                                              check=False).stdout).group()
HOTSPOT = next(iter(pathlib.Path("/usr/lib").glob("*/libexec/hotspot-perfparser")), None)


def run(*command, **more):
    return RIG.command(*command, env=ENVIRONMENT, **more)


def build(function):
    """Another build of the image, with code at other addresses; and the fake machine's settings for
    it."""
    padding = "int padding(int x) { return x * 3; }" if function == "other" else ""
    subprocess.run(["gcc", "-O1", "-fno-inline", "-Wl,--build-id=sha1", "-o", IMAGE, "-xc", "-"],
                   input=padding + SOURCE % (function, function), text=True, check=True)
    address = next(int(line.split()[0], 16) for line in run("nm", IMAGE).stdout.splitlines()
                   if line.endswith(f" {function}"))
    build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", IMAGE).stdout).group(1)
    text = re.search(r"LOAD\s+0x\w+ 0x(\w+) 0x\w+ 0x\w+ 0x(\w+) R E",
                     run("readelf", "-lW", IMAGE).stdout)
    link = int(text.group(1), 16)
    return {"FAKE_BUILD_ID": build_id, "FAKE_IMAGE": f"{LOADED},{0x1000},{link}",
            "FAKE_IPS": f"{LOADED + address - link + 9},{LOADED + address - link + 4}"}


def record(name, scenario, fake, *options):
    done = run(*RIG.words("record", "-g", "--", "fake", scenario, "300", options=options,
                          out=HERE / name), **fake)
    tap.ok(done.returncode == 0 and "bareperf: " not in done.stderr,
           f"{name} is recorded, and nothing is complained of", done.stderr)
    return HERE / name


# Reader, its command line, its output, and its allowed messages.
READERS = [
    ("perf report", ("perf", "report", "--stdio", "--header", "-i"), "", ""),
    ("perf report --sort", ("perf", "report", "--stdio", "--sort", "comm,pid,sym", "-i"), "test",
     ""),
    ("perf script", ("perf", "script", "--itrace=b", "-i"), "leaf", ""),
    ("perf script -F tod", ("perf", "script", "-F", "tod", "-i"), "2023-11-14", ""),
    ("perf evlist", ("perf", "evlist", "-v", "-i"), "exclude_guest: 1", ""),
    ("perf buildid-list", ("perf", "buildid-list", "-i"), "image.sym", ""),
    ("perf data convert --to-json",
     ("perf", "data", "convert", "--force", "--to-json", "json", "-i"), "",
     r"\[ perf data convert: .*"),
]


def report_by_source_line(claim, file):
    """perf 6.1 passes each mapped file to addr2line, and dies if addr2line cannot read one."""
    mapped = perf_file.PerfFile()
    mapped.image("app.efi", 0x100000, 0x10000, 0)
    for i in range(5):
        mapped.sample(0x101000 + i, 1000 + i)
    mapped.write(file)
    for words in (("script", "-F", "+srcline"), ("report", "--stdio", "-s", "srcline")):
        done = run("sh", "-c", "trap '' PIPE; exec perf \"$@\"", "sh", *words, "-i", file)
        tap.ok(done.returncode == 0 and "app.efi[100" in done.stdout,
               f"{claim}: perf {' '.join(words)}", (done.returncode, done.stdout, done.stderr))


def without(text, allowed):
    return [line for line in text.splitlines() if line and not (allowed and
                                                                re.fullmatch(allowed, line))]


def readers_read(data):
    for name, command, expected, allowed in READERS:
        if data.name == "branches" and "json" in name and PERF == "6.1":
            tap.skip(f"{data.name}: {name} reads it", "not to be had: perf 6.1 "
                     "dies of any branch trace")
            continue
        if data.name == "branches" and "tod" in name:
            continue  # records without a time
        done = run(*command, data)
        tap.ok(done.returncode == 0 and expected in done.stdout and
               not without(done.stderr, allowed), f"{data.name}: {name} reads it, without a warning",
               f"{done.returncode}\n{done.stdout[:1500]}\n{done.stderr}")


def report_is_perfs(data):
    """Compare line by line, except for the headers, which differ by tool."""
    for options in ((), ("--sort", "cpu"), ("--sort", "dso"), ("--sort", "comm")):
        theirs = run("perf", "report", "--stdio", "--no-children", "-g", "none", "-n", *options,
                     "-i", data).stdout
        ours = run(TOOL, "report", "--stdio", "-n", *options, data).stdout
        lines = [[line.rstrip() for line in text.splitlines() if line and line[0] != "#"]
                 for text in (ours, theirs)]
        tap.ok(lines[0] == lines[1] != [],
               " ".join((f"{data.name}: bareperf report prints the same as perf report", *options)),
               ours + theirs)


def inject_keeps_all(data):
    done = run("perf", "inject", "-b", "-i", data, "-o", f"{data}.injected")
    fields = (("--itrace=b", "-F", "comm,tid,ip,addr,sym") if data == BRANCHES else
              ("-F", "comm,tid,time,event,period,ip,sym"))
    same = (run("perf", "script", *fields, "-i", data).stdout ==
            run("perf", "script", *fields, "-i", f"{data}.injected").stdout != "")
    tap.ok(done.returncode == 0 and not done.stderr and same,
           f"{data.name}: perf inject -b rewrites it with the same contents", done.stderr)
    done = run(TOOL, "dump", "-s", f"{data}.injected")
    tap.ok(done.returncode == 0 and "Another tool has rewritten this file" in done.stdout,
           f"{data.name}: its recorder is recognized", done.stdout + done.stderr)


def disk_was_full(fake):
    """The trace continues after the file has reached its size limit."""
    done = run("prlimit", f"--fsize={3 << 20}",
               *RIG.words("record", "fake", "branches", "160000", out=HERE / "full",
                          options=("--region-size", "2")), **fake)
    said = re.search(r"(\d+) bytes of trace\) ", done.stderr)
    seen = run("perf", "script", "--itrace=b", "-i", HERE / "full")
    tap.ok(done.returncode == 125 and said and int(said.group(1)) and seen.returncode == 0 and
           24 * len(seen.stdout.splitlines()) == int(said.group(1)),
           "a branch trace that met a full disk: perf script reads the branches that were reported",
           f"{done.stderr}\n{seen.returncode} {seen.stdout[-200:]} {seen.stderr}")


def convert_to_ctf(data):
    """babeltrace reads the output of perf data convert --to-ctf."""
    claim = f"{data.name}: babeltrace2 reads perf's conversion to CTF"
    done = run("perf", "data", "convert", "--to-ctf", "ctf", "-i", data)
    if "not supported" in done.stderr or "No conversion support" in done.stderr:
        tap.skip(claim, "not to be had: this perf has no libbabeltrace")
    elif not shutil.which("babeltrace2"):
        tap.skip(claim, "babeltrace2 is not installed")
    else:
        seen = run("babeltrace2", HERE / "ctf")
        tap.equal((seen.returncode, len(seen.stdout.splitlines())), (0, 300), claim)


def hotspot_parses(data):
    claim = f"{data.name}: Hotspot's parser ends well"
    if not HOTSPOT:
        tap.skip(claim, "not to be had: hotspot, which comes with a hundred packages")
        return
    done = run(HOTSPOT, "--input", data, "--output", HERE / "parsed")
    tap.ok(done.returncode == 0 and b"leaf" in (HERE / "parsed").read_bytes(), claim, done.stderr)


def header_tells_of_the_machine(data):
    text = run("perf", "report", "--header-only", "-I", "-i", data).stdout
    for line in ("node0 meminfo  : total = 524288 kB", "node0 cpu list : 0", "sibling sockets : 0",
                 "CPU 0: Core ID 0, Die ID 0, Socket ID 0", "total memory : 524288 kB",
                 "pmu mappings: software = 1", "clockid: monotonic_raw",
                 "reference time: 2023-11-14", "os release : 0.0-test"):
        tap.ok(line in text, f"the header has: {line}", text)


def tree(top):
    """A directory's content: paths, and the targets of links."""
    return sorted((str(path.relative_to(top)), os.readlink(path) if path.is_symlink() else "")
                  for path in top.rglob("*") if path.name != "probes")


def cache_is_perfs(data, fake):
    build_id = fake["FAKE_BUILD_ID"]
    tap.equal(run("perf", "buildid-cache", "-l").stdout, f"{build_id} {IMAGE.resolve()}\n",
              "perf buildid-cache -l lists the recorded build")
    run("perf", "buildid-cache", "-a", IMAGE.resolve(), HOME=str(HERE / "home2"))
    tap.equal(tree(HOME / ".debug"), tree(HERE / "home2/.debug"),
              "it lies where perf buildid-cache -a puts it")
    tap.equal((HOME / f".debug/.build-id/{build_id[:2]}/{build_id[2:]}/elf").read_bytes(),
              IMAGE.read_bytes(), "a copy of the file")
    done = run("perf", "archive", data)
    listed = run("tar", "tf", f"{data}.tar.bz2").stdout
    tap.ok(f".build-id/{build_id[:2]}/{build_id[2:]}" in listed and "/elf" in listed,
           "perf archive packs it", done.stdout + done.stderr + listed)


def folded(data):
    done = run(TOOL, "flamegraph", "--folded", data)
    return done.stdout, done.stderr


def rebuilt(data):
    """The image's file has been rebuilt in the meantime."""
    before = folded(data)
    fake = build("other")
    tap.equal(folded(data), before, "flamegraph names the functions that were recorded, not those "
              "that the file has after a rebuild")
    report = run("perf", "report", "--stdio", "-i", data).stdout
    tap.ok("] leaf" in report and "] other" not in report, "so does perf report", report)
    again = record("again", "complete", fake)
    seen = run("perf", "diff", data, again)
    tap.ok(re.search(r"image\.sym +\[\.\] leaf\b", seen.stdout) and
           re.search(r"image\.sym +\[\.\] other\b", seen.stdout),
           "perf diff over the rebuild names both", seen.stdout + seen.stderr)
    shutil.rmtree(HOME / ".debug")
    text, said = folded(data)
    tap.ok("leaf" not in text and "other" not in text and "image.sym+0x" in text and
           "is of another build" in said, "without the cache no name is given, and why is reported",
           text + said)
    record("homeless", "complete", {**fake, "HOME": ""})
    record("uncached", "complete", fake, "--no-buildid-cache")
    tap.ok(not (HOME / ".debug").exists(), "--no-buildid-cache keeps nothing")


HOME.mkdir()
FIRST = build("leaf")
SAMPLES = record("samples", "complete", FIRST)
BRANCHES = record("branches", "branches", FIRST)
for DATA in (SAMPLES, BRANCHES):
    readers_read(DATA)
    inject_keeps_all(DATA)
report_is_perfs(SAMPLES)
report_by_source_line("with SIGPIPE ignored an image without an ELF file is no end of perf", HERE / "efi.data")
disk_was_full(FIRST)
convert_to_ctf(SAMPLES)
hotspot_parses(SAMPLES)
header_tells_of_the_machine(SAMPLES)
cache_is_perfs(SAMPLES, FIRST)
rebuilt(SAMPLES)
tap.finish()
