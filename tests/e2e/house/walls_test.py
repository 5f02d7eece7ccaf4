#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may know whom: the table in CONTRIBUTING.md, held against what the files include.

A directory sees those that its line names, and no other; a line names only directories that have had
theirs, so that there can be no circle. Headers of the compiler, libc and libraries are not ours, and
neither is <arch_inline.h>, which each ISA brings. Of ISO C's headers writer/ may include those that
need no operating system, and no other system header.

check-spare: files are read
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


ROW = re.compile(r"^\| `([\w/-]+)/` \| (.*?) \|", re.MULTILINE)
BOTH = re.compile(r"^Both sides link (.*?)\.", re.MULTILINE)
SYSTEM = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
# of ISO C's headers, those of no operating system
LIBC = {"assert.h", "ctype.h", "errno.h", "inttypes.h", "limits.h", "stdarg.h", "stdbool.h",
        "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"}


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
    return {other for room, known in rooms.items() if room.startswith(("host-tools", "writer"))
            for other in known if not other.startswith("host-tools")} - {"abi"}


def strays(files):
    """The system headers that files of writer/ include, and that are not on every side."""
    for name, text in files.items():
        if name.startswith("writer/"):
            yield from (f"{name}: <{header}> is not everywhere" for header in SYSTEM.findall(text)
                        if header not in LIBC)


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
tap.equal(lines(strays(FILES)), "", "writer/ includes no header of an operating system")

# That these can fail
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
tap.finish()
