# SPDX-License-Identifier: MIT
"""Recordings of firmware on a volume, as stock perf reads them."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine

LINE = re.compile(r"^\s*([\d.]+)%\s+(\d+)\s+(.*?)\s*$", re.MULTILINE)


def but_marks(said):
    """A report's tables of all events except marks."""
    return "".join(part for part in said.split("# Samples: ") if "of event 'marks'" not in part.split("\n", 1)[0])


def function(isa, name):
    """[start, end) of a function of spinner.efi, relative to the image's start."""
    said = subprocess.run(["nm", "-S", machine.TOP / f"build/{isa}/tests/spinner.elf"],
                          capture_output=True, text=True, check=True).stdout
    start, size = re.search(rf"^(\w+) (\w+) t {name}", said, re.MULTILINE).groups()
    return range(int(start, 16), int(start, 16) + int(size, 16))


def within(taken, isa, name, file="spinner.efi"):
    """Samples within one of its functions, also in a copy of the file."""
    base = next((at for at, _, image in taken.maps() if image.endswith(file)), 0)
    places = function(isa, name)
    return sum(ip - base in places for ip, _ in taken.samples())


class Taken:
    """A recording on the volume, as stock perf reads it."""

    def __init__(self, disk, name):
        self.file = self.path = disk.directory / f"{disk.path.stem}-{name}"
        self.path.write_bytes(disk.read(name))

    def perf(self, *words):
        cache = self.path.parent / "cache"  # a cache for this test alone
        done = subprocess.run(["perf", "--buildid-dir", cache, *words, "-i", self.path],
                              capture_output=True, text=True)
        return done.stdout

    def look_for_names(self, *symbols):
        """Our own report {function: samples}; it also puts the functions into the cache for
        perf."""
        done = subprocess.run([machine.TOOL, "report", "-n", "-t", "|", "--sort", "sym",
                               *(f"--symbols={place}" for place in symbols), self.path],
                              capture_output=True, text=True,
                              env=os.environ | {"PERF_BUILDID_DIR": str(self.path.parent / "cache")})
        rows = [line.split("|") for line in but_marks(done.stdout).splitlines() if line.count("|") == 2]
        return {row[2].split("] ", 1)[1]: int(row[1]) for row in rows if "] " in row[2]}, done.stderr

    def rows(self, symbols):
        """[(image, function, samples)] from our own report, which searches that directory for
        names."""
        done = subprocess.run([machine.TOOL, "report", "-n", "-t", "|", "--sort", "dso,sym",
                               f"--symbols={symbols}", self.path], capture_output=True, text=True,
                              env=os.environ | {"PERF_BUILDID_DIR": str(self.path.parent / "cache-of-rows")})
        rows = [line.split("|") for line in done.stdout.splitlines() if line.count("|") == 3]
        return [(row[2], row[3].split("] ", 1)[-1], int(row[1])) for row in rows if row[1].strip().isdigit()]

    def modules(self, *symbols):
        """{module: samples} of working and of waiting modules, from our own summary, the most
        first; and its text."""
        done = subprocess.run([machine.TOOL, "report", "--modules", *(f"--symbols={place}" for place in symbols),
                               self.path], capture_output=True, text=True,
                              env=os.environ | {"PERF_BUILDID_DIR": str(self.path.parent / "cache")})
        parts = [{name: int(count) for count, name in re.findall(r"% +(\d+)  (\S.*)$", part, re.MULTILINE)}
                 for part in done.stdout.split("Module that waits")]
        return parts[0], parts[-1], done.stdout

    def functions_of(self, *symbols):
        """[(module, function, samples)] of working and of waiting functions, from the same summary,
        the most first."""
        parts = []
        for part in self.modules(*symbols)[2].split("Module that waits"):
            rows, module = [], None
            for count, depth, name in re.findall(r"% +(\d+)  ( *)(\S.*)$", part, re.MULTILINE):
                module = module if depth else name
                rows += [(module, name, int(count))] if depth else []
            parts.append(sorted(rows, key=lambda row: -row[2]))
        return parts[0], parts[-1]

    def marks(self):
        """[(seconds, text)]"""
        said = self.perf("script", "-F", "time,event,bpf-output")
        return [(float(time), text) for time, text in
                re.findall(r"([\d.]+): +(?:\d+ +)?marks:.*?BPF string: \"(.*?)\"", said, re.DOTALL)]

    def times(self, event):
        """The time of each of its samples, seconds."""
        said = self.perf("script", "-G", "-F", "time,event")
        return [float(time) for time in re.findall(rf"([\d.]+): +{event}:", said)]

    def phases(self):
        """{phase: ({module: samples}, seconds of work, of waiting, samples)} from our own summary;
        and its text."""
        done = subprocess.run([machine.TOOL, "report", "--phases", self.path], capture_output=True, text=True,
                              env=os.environ | {"PERF_BUILDID_DIR": str(self.path.parent / "cache")})
        found = {}
        for work, waiting, samples, depth, name in re.findall(
                r"^[ \d.]{13} +([\d.]+) +([\d.]+) +[\d.]+% +(\d+)  ( *)(\S.*)$", done.stdout, re.MULTILINE):
            if not depth:
                modules = {}
                name = re.sub(r", \d+ times$", "", name)
                found[name] = modules, float(work), float(waiting), int(samples)
            elif len(depth) == 2:
                modules[name] = int(samples)
        return found, done.stdout + done.stderr

    def functions(self):
        """{(image, function): samples}, from one sample per line."""
        found = {}
        for name, image in re.findall(r"^\s*[0-9a-f]+ (\S+) \((.*)\)$",
                                      self.perf("script", "-F", "ip,sym,dso"), re.MULTILINE):
            key = pathlib.PurePosixPath(image).name, name
            found[key] = found.get(key, 0) + 1
        return found

    def images(self):
        """{image: samples}"""
        said = self.perf("report", "--stdio", "--no-children", "-g", "none", "-F", "overhead,sample,dso",
                         "--full-source-path")
        found = {}
        for _, samples, name in LINE.findall(but_marks(said)):
            name = pathlib.PurePosixPath(name).name
            found[name] = found.get(name, 0) + int(samples)
        return found

    def samples(self):
        """[(address, image)]"""
        said = self.perf("script", "-F", "ip,dso")
        return [(int(ip, 16), pathlib.PurePosixPath(dso).name) for ip, dso in
                re.findall(r"^\s*([0-9a-f]+)\s+\((.*)\)$", said, re.MULTILINE)]

    def chains(self):
        """[[image, newest first]], one list per sample"""
        said = self.perf("script", "--max-stack", "127", "-F", "event,ip,dso")
        return [[pathlib.PurePosixPath(dso).name for dso in re.findall(r"^\s*[0-9a-f]+\s+\((.*)\)$", sample,
                                                                      re.MULTILINE)]
                for sample in re.sub(r"^ *marks:.*\n", "", said, flags=re.MULTILINE).split("\n\n")
                if sample.strip()]

    def calls(self):
        """[[(function, image), newest first]], one list per sample"""
        said = self.perf("script", "--max-stack", "127", "-F", "ip,sym,dso")
        return [[(name, pathlib.PurePosixPath(dso).name) for name, dso in
                 re.findall(r"^\s*[0-9a-f]+ (\S+) \((.*)\)$", sample, re.MULTILINE)]
                for sample in said.split("\n\n") if sample.strip()]

    def maps(self):
        """[(address, size, name)] in the order of the records."""
        return [(at, size, name) for _, at, size, name in self.timed_maps()]

    def timed_maps(self):
        """The same, with the time in seconds before each entry: 0 for images that were loaded
        before."""
        said = self.perf("script", "--show-mmap-events")
        return [(float(time), int(at, 16), int(size, 16), name) for time, at, size, name in
                re.findall(r"([\d.]+): PERF_RECORD_MMAP2 \S+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\)[^\]]*\]: r-xp (.*)",
                           said)]

    def unloaded(self, place):
        """Whether everything that was mapped at an address is mapped over as "//anon" in the end;
        and when."""
        maps = [(time, size, name) for time, at, size, name in self.timed_maps() if at == place]
        return len(maps) > 1 and maps[-1][2] == "//anon" and maps[-1][1] == maps[-2][1], maps

    def dump(self):
        return subprocess.run([machine.TOOL, "dump", self.path], capture_output=True, text=True)
