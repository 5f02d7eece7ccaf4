#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The allowed includes: the table in CONTRIBUTING.md is compared with the files' includes. A
directory may include those of its line, and no other; a line names only directories that have
earlier lines, so there can be no circle. Headers of the compiler, libc and libraries are not
checked, nor is <arch_inline.h>, which each ISA supplies. writer/ may include only those of ISO C's
headers that need no operating system. A folder has about 30 files at most, the files of agent/ do
not call each other in a circle, and boot/main.c is at most a page long.

check-spare: files and objects are read
"""

import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
OBJECTS = TOP / "build/x86_64/obj"
MOST_FILES, MOST_LINES = 34, 80
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


ROW = re.compile(r"^\| `([\w/-]+)/` \| (.*?) \|", re.MULTILINE)
BOTH = re.compile(r"^Both sides link (.*?)\.", re.MULTILINE)
SYSTEM = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
# ISO C's headers that need no operating system
LIBC = {"assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "stdarg.h", "stdbool.h",
        "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}


def order(text):
    """{directory: the directories that it may include}, from the table, in its order."""
    return {name: re.findall(r"`([\w/-]+)/`", known) for name, known in ROW.findall(text)}


def room_of(path, rooms):
    """The nearest directory of the table that contains the path."""
    return next((str(p) for p in pathlib.PurePath(path).parents if str(p) in rooms), None)


def sources():
    names = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.S"], cwd=TOP, check=True,
                           capture_output=True, text=True).stdout.split()
    return {name: (TOP / name).read_text() for name in names
            if not name.startswith("tests/") and (TOP / name).exists()}


def arrows(files, rooms):
    """Each include that its directory's line does not allow, and each file outside all
    directories."""
    for name, text in files.items():
        room = room_of(name, rooms)
        for included in INCLUDE.findall(text) if room else ():
            target = room_of(included, rooms)
            if target != room and target not in rooms[room]:
                yield f"{name}: {room}/ does not know {included}"
        if room is None:
            yield f"{name}: lies in no directory of the table"


def upwards(rooms):
    """The names that occur in a line before their definition."""
    seen = set()
    for room, known in rooms.items():
        yield from (f"{room}/ knows {other}/, which comes later" for other in known
                    if other not in seen)
        seen.add(room)


def linked_by_both(text):
    """The directories in the sentence below the table."""
    return re.findall(r"`([\w/-]+)/`", BOTH.search(text).group(1))


def known_to_host(rooms):
    """The target's rooms that the host's lines name; abi/ is not linked."""
    return {other for room, known in rooms.items() if room.startswith(("host-tools", "writer"))
            for other in known if not other.startswith("host-tools")} - {"abi"}


def strays(files):
    """System headers that files of writer/ include, and that not every side has."""
    for name, text in files.items():
        if name.startswith("writer/"):
            yield from (f"{name}: <{header}> is not everywhere" for header in SYSTEM.findall(text)
                        if header not in LIBC)


def crowded(names, most):
    """The folders with more files than the limit."""
    counts = collections.Counter(str(pathlib.PurePath(name).parent) for name in names)
    return {folder: count for folder, count in counts.items() if count > most}


def calls(objects):
    """{object: the objects that define its undefined symbols}, from {object: nm's lines}."""
    owner = {line.split()[2]: name for name, lines_ in objects.items() for line in lines_
             if len(line.split()) == 3 and line.split()[1] in "TDBRG"}
    return {name: {owner[line.split()[1]] for line in lines_
                   if line.split()[0] == "U" and line.split()[1] in owner} - {name}
            for name, lines_ in objects.items()}


def in_circles(graph):
    """The names that can be reached from themselves."""
    def reached(name):
        seen, left = set(), list(graph[name])
        while left:
            if (one := left.pop()) not in seen:
                seen.add(one)
                left += graph[one]
        return seen
    return sorted(name for name in graph if name in reached(name))


def symbols(folder):
    """nm's lines of each object in the folder whose source exists."""
    return {str(path.relative_to(folder)): subprocess.run(
                ["nm", path], capture_output=True, text=True, check=True).stdout.splitlines()
            for path in sorted(folder.rglob("*.o"))
            if (TOP / path.relative_to(OBJECTS).with_suffix("")).exists()}


def lines(found):
    return "\n".join(found)


TEXT = (TOP / "CONTRIBUTING.md").read_text()
ROOMS = order(TEXT)
FILES = sources()
tap.ok(len(ROOMS) > 20, "CONTRIBUTING.md says which directory knows which", ROOMS)
tap.equal(lines(upwards(ROOMS)), "", "each knows only those above it: there is no circle")
tap.equal(lines(arrows(FILES, ROOMS)), "", "no file includes a room that its own room may not know")
tap.equal(sorted(set(ROOMS) - {room_of(name, ROOMS) for name in FILES}), [],
          "there is no directory in the table that has no file")
tap.equal(sorted(linked_by_both(TEXT)), sorted(known_to_host(ROOMS)),
          "the sentence lists the target's rooms that the host links, and nothing else")
tap.equal(lines(strays(FILES)), "", "writer/ includes no header of an operating system")
NAMES = subprocess.run(["git", "ls-files"], cwd=TOP, check=True, capture_output=True,
                       text=True).stdout.split()
tap.equal(crowded(NAMES, MOST_FILES), {}, "a folder has about 30 files at most")
AGENT = symbols(OBJECTS / "agent")
tap.ok(len(AGENT) > 50, "the agent is built", len(AGENT))
tap.equal(in_circles(calls(AGENT)), [], "no circle of calls between files of agent/")
tap.ok((TOP / "boot/main.c").read_text().count("\n") <= MOST_LINES, "boot/main.c is a page")

# Check that these claims can fail.
tap.equal(list(arrows({"ringbuf/ring.c": '#include "agent/agent.h"\n', "new/a.c": ""}, ROOMS)),
          ["ringbuf/ring.c: ringbuf/ does not know agent/agent.h",
           "new/a.c: lies in no directory of the table"],
          "an include upwards is found, and a file that lies nowhere")
tap.equal(list(upwards({"a": ["b"], "b": ["a"]})), ["a/ knows b/, which comes later"],
          "a circle is found")
PLANTED = "writer/session/drain.c"
tap.equal(list(strays({PLANTED: "#include <unistd.h>\n" + FILES[PLANTED]})),
          [f"{PLANTED}: <unistd.h> is not everywhere"],
          f"a header of an operating system in {PLANTED} is found")
for header, side in (("host-tools/session/reader_process.h", "host"), ("lib/console/console.h", "target")):
    planted = {PLANTED: f'#include "{header}"\n' + FILES[PLANTED]}
    tap.equal(len(list(arrows(planted, ROOMS))), 1, f"a header of the {side} in {PLANTED} is found")
tap.equal(crowded(["a/b", "a/c", "d"], 1), {"a": 2}, "a folder with too many files is found")
CIRCLE = {"a.o": ["00 T a", " U b"], "b.o": ["00 T b", " U c"], "c.o": ["00 D c", " U a", " U d"],
          "d.o": ["00 T d"]}
tap.equal(in_circles(calls(CIRCLE)), ["a.o", "b.o", "c.o"], "a circle of calls is found")
tap.finish()
