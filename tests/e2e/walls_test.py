#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may know whom: the table in CONTRIBUTING.md, held against what the files include.

A directory sees those that its line names, and no other; a line names only directories that have had
theirs, so that there can be no circle. Headers of the compiler, libc and libraries are not ours, and
neither is <arch_inline.h>, which each ISA brings. Within five rooms of host-tools/ there is a wall as
well: what both sides link, the Makefile's WRITER, knows nothing of what is the host's alone.

check-spare: files are read
"""

import pathlib
import re
import subprocess

import tap

TOP = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


ROW = re.compile(r"^\| `([\w/-]+)/` \| (.*?) \|", re.MULTILINE)
BOTH = re.compile(r"^Both sides link (.*?), and of `host-tools/`", re.MULTILINE)
SEAMS = re.compile(r"^Both sides link .* is declared in (.*?), and defined twice", re.MULTILINE)
SYSTEM = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
# of ISO C's headers, those of no operating system
LIBC = {"assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "stdarg.h", "stdbool.h",
        "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}
WRITER = subprocess.run(["make", "-s", "print-writer"], cwd=TOP, capture_output=True, text=True,
                        check=True).stdout.split()


def order(text):
    """{directory: those that it may include} of the table, in its order."""
    return {name: re.findall(r"`([\w/-]+)/`", known) for name, known in ROW.findall(text)}


def room_of(path, rooms):
    """The nearest directory of the table that it lies in."""
    return next((str(p) for p in pathlib.PurePath(path).parents if str(p) in rooms), None)


def sources():
    names = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.S"], cwd=TOP, check=True,
                           capture_output=True, text=True).stdout.split()
    return {name: (TOP / name).read_text() for name in names
            if not name.startswith("tests/") and (TOP / name).exists()}


def arrows(files, rooms):
    """Each include that the line of its directory does not allow, each file outside of all."""
    for name, text in files.items():
        room = room_of(name, rooms)
        for included in INCLUDE.findall(text) if room else ():
            target = room_of(included, rooms)
            if target != room and target not in rooms[room]:
                yield f"{name}: {room}/ does not know {included}"
        if room is None:
            yield f"{name}: lies in no directory of the table"


def upwards(rooms):
    """What a line names before it has had one."""
    seen = set()
    for room, known in rooms.items():
        yield from (f"{room}/ knows {other}/, which comes later" for other in known
                    if other not in seen)
        seen.add(room)


def linked_by_both(text):
    """What the sentence below the table says."""
    return re.findall(r"`([\w/-]+)/`", BOTH.search(text).group(1))


def known_to_host(rooms):
    """What the host's lines name of the target's; of abi/ there is nothing to link."""
    return {other for room, known in rooms.items() if room.startswith("host-tools")
            for other in known if not other.startswith("host-tools")} - {"abi"}


def seams(text, files):
    """The headers that are named as what the writer asks of where it runs."""
    named = re.findall(r"`(\w+\.h)`", SEAMS.search(text).group(1))
    return {path for path in files if path.startswith("host-tools/")
            and pathlib.PurePath(path).name in named}


def is_writers(header, files, writer, asked):
    """A seam, or what declares a file of the writer's, or has nothing behind it."""
    source = header.removesuffix(".h") + ".c"
    return header in asked or source in writer or source not in files


def strays(files, writer, asked):
    """What the writer's files in host-tools/, and the headers that they include there, know of the
    host alone."""
    seen = {name for name in writer if name.startswith("host-tools/")}
    left = sorted(seen)
    while left:
        name = left.pop()
        yield from (f"{name}: <{h}> is not everywhere" for h in SYSTEM.findall(files[name])
                    if h not in LIBC)
        for header in INCLUDE.findall(files[name]):
            if header.startswith(("abi/", "ringbuf/reader/")) or header in seen:
                continue
            if header.startswith("host-tools/") and is_writers(header, files, writer, asked):
                seen.add(header)
                left.append(header)
            else:
                yield f"{name}: {header} is the host's alone"


def lines(found):
    return "\n".join(found)


TEXT = (TOP / "CONTRIBUTING.md").read_text()
ROOMS = order(TEXT)
FILES = sources()
tap.ok(len(ROOMS) > 20, "CONTRIBUTING.md says which directory knows which", ROOMS)
tap.equal(lines(upwards(ROOMS)), "", "each knows only those above it: there is no circle")
tap.equal(lines(arrows(FILES, ROOMS)), "", "no file includes what its directory does not know")
tap.equal(sorted(set(ROOMS) - {room_of(name, ROOMS) for name in FILES}), [],
          "there is no directory in the table that has no file")
tap.equal(sorted(linked_by_both(TEXT)), sorted(known_to_host(ROOMS)),
          "both sides are said to link what the host knows of the target, and nothing else")
ASKED = seams(TEXT, FILES)
tap.ok(len(ASKED) == 4, "CONTRIBUTING.md names four headers by which the writer asks", ASKED)
tap.equal(lines(strays(FILES, WRITER, ASKED)), "",
          "what both sides link of host-tools/ includes itself, abi/, ringbuf/reader/ and libc")

# That these can fail
tap.equal(list(arrows({"ringbuf/ring.c": '#include "agent/agent.h"\n', "new/a.c": ""}, ROOMS)),
          ["ringbuf/ring.c: ringbuf/ does not know agent/agent.h",
           "new/a.c: lies in no directory of the table"],
          "an include upwards is found, and a file that lies nowhere")
tap.equal(list(upwards({"a": ["b"], "b": ["a"]})), ["a/ knows b/, which comes later"],
          "a circle is found")
PLANTED = "host-tools/session/drain.c"
for line, what in (('#include "host-tools/session/reader_process.h"\n', "a header of the host's"),
                   ('#include "lib/console/console.h"\n', "one of the target's"),
                   ("#include <unistd.h>\n", "one of an operating system's")):
    planted = {**FILES, PLANTED: line + FILES[PLANTED]}
    tap.equal(len(list(strays(planted, WRITER, ASKED))), 1, f"{what} in {PLANTED} is found")
inner = "host-tools/perfdata/perf_file.h"
planted = {**FILES, inner: '#include "host-tools/perfdata/perf_reader.h"\n' + FILES[inner]}
tap.equal(list(strays(planted, WRITER, ASKED)),
          [f"{inner}: host-tools/perfdata/perf_reader.h is the host's alone"],
          "one in a header that the writer includes is found")
tap.finish()
