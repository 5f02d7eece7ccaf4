#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the SDK says before there is a machine: what does not compile.

check-spare: nothing is booted
"""

import subprocess
import tempfile

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
    """(it was, what the compiler said)."""
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


for name in ("x86_64", "aarch64"):
    for language in ("-xc", "-xc++"):
        for level in ("-O0", "-O2"):
            marks(name, language, level)
tap.finish()
