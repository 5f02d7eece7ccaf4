#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The SDK's errors, without a machine: code that does not compile, and functions that are declared
but do not link, which docs/payloads.md lists (`tests/e2e/payload/payload_sdk_test.py --write`
writes the list).

check-spare: nothing is booted
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

MARKS = """
#include <bareperf/mark.h>
void mark(char *text, const unsigned char *bytes, long double number, short few, int *pointer);
void mark(char *text, const unsigned char *bytes, long double number, short few, int *pointer)
{
	bareperf_mark(%s);
	(void)text, (void)bytes, (void)number, (void)few, (void)pointer;
}
"""
NO_STRING = "a string is no value of a mark"
NO_LONG_DOUBLE = "a long double is no value of a mark"
WRONG = (('"%s", text', NO_STRING), ('"%d %s", 1, (const char *)text', NO_STRING),
         ('"%s", "literal"', NO_STRING), ('"%s", bytes', NO_STRING), ('"%p", text', NO_STRING),
         ('"%Lf", number', NO_LONG_DOUBLE), ('"%u %Lg", 1u, number', NO_LONG_DOUBLE))
RIGHT = ('"%p", (const void *)text', '"%p", (void *)pointer', '"%f", (double)number',
         '"%hd %c %g %g", few, \'c\', 2.5f, 2.5')


def compiled(isa, source, *flags):
    """(whether it compiled, the compiler's messages)."""
    with tempfile.NamedTemporaryFile(suffix=".o") as to:
        done = subprocess.run([machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc", "-c", "-Wall",
                               "-Wextra", "-Werror", *flags, "-", "-o", to.name],
                              input=source, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr


def marks(isa, *flags):
    wrong = [(values, said) for values, why in WRONG
             for good, said in (compiled(isa, MARKS % values, *flags),) if good or why not in said]
    tap.equal(wrong, [], f"{isa}, {flags}: strings and long doubles in marks do not compile, and it says why")
    wrong = [(values, said) for values in RIGHT
             for good, said in (compiled(isa, MARKS % values, *flags),) if not good]
    tap.equal(wrong, [], f"{isa}, {flags}: all else does")


# ---- Declared and missing functions ----

PAGE = machine.TOP / "docs/payloads.md"
BEGIN, END = "<!-- payload_sdk_test: begin -->\n", "<!-- payload_sdk_test: end -->\n"
INTERNAL = ("bits/", "c++/", "machine/", "rpc/", "ssp/", "bareperf/", "sys/_", "_")
# These need headers of systems that newlib does not support.
NOT_COMPILED = ["regdef.h", "sys/custom_file.h", "termios.h", "utmp.h"]
FIRST = "".join(f"#include <{name}>\n" for name in ("stddef.h", "stdint.h", "sys/types.h", "stdio.h"))


def preprocessed(isa, *arguments, source):
    return subprocess.run([machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc", "-D_GNU_SOURCE", "-w",
                           *arguments, "-xc", "-"], input=source, capture_output=True, text=True,
                          check=False)


def declared(isa, header, directory):
    """{function: the header that declares it}, without functions that are macros as well; None if
    the header does not compile."""
    listed = pathlib.Path(directory) / "aux"
    source = f"{FIRST}#include <{header}>\n"
    if preprocessed(isa, "-fsyntax-only", "-aux-info", listed, source=source).returncode:
        return None
    macros = re.findall(r"^#define (\w+)\(", preprocessed(isa, "-E", "-dM", source=source).stdout, re.M)
    found = re.findall(r"^/\* \S*/sdk/include/(\S+):\d+:N\w+ \*/ extern .*?(\w+) \(", listed.read_text(),
                       re.M)
    return {name: where for where, name in found if name not in macros and name[0] != "_"}


def defined(isa):
    text = "".join(subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix",
                                   machine.TOP / f"build/{isa}/sdk/lib/{name}"], check=True,
                                  capture_output=True, text=True).stdout
                   for name in ("libc.a", "libm.a", "libbareperf.a"))
    return set(re.findall(r"^(\S+) [A-TV-Z] ", text, re.M))


def missing(isa):
    """({header: [functions that do not link]}, [headers that do not compile])."""
    include = machine.TOP / f"build/{isa}/sdk/include"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    functions, refused, there = {}, [], defined(isa)
    with tempfile.TemporaryDirectory(prefix="bareperf-sdk-") as directory:
        for header in headers:
            if header.startswith(INTERNAL):
                continue
            names = declared(isa, header, directory)
            if names is None:
                refused.append(header)
            functions.update({name: where for name, where in (names or {}).items()
                              if name not in there and not where.startswith("bareperf/")})
    by_header = {}
    for name, where in sorted(functions.items()):
        where = {"sys/unistd.h": "unistd.h", "sys/signal.h": "signal.h",
                 "sys/_default_fcntl.h": "fcntl.h"}.get(where, where)
        by_header.setdefault(where, []).append(name)
    return by_header, refused


def table(by_header):
    return "".join(("| header | |\n|---|---|\n",
                    *(f"| `<{header}>` | {', '.join(f'`{name}`' for name in names)} |\n"
                      for header, names in sorted(by_header.items()))))


def listed():
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


if sys.argv[1:] == ["--write"]:
    before, after = PAGE.read_text().partition(BEGIN)[0], PAGE.read_text().partition(END)[2]
    PAGE.write_text(before + BEGIN + table(missing("x86_64")[0]) + END + after)
    sys.exit()

for name in ("x86_64", "aarch64"):
    for language in ("-xc", "-xc++"):
        for level in ("-O0", "-O2"):
            marks(name, language, level)
    unlinked, uncompiled = missing(name)
    tap.equal(table(unlinked), listed(),
              f"{name}: docs/payloads.md lists the functions that headers declare and no library has")
    tap.equal(uncompiled, NOT_COMPILED, f"{name}: all headers compile but those of other systems")
tap.finish()
