#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mutator: its faults, their results, and that judged mutants exist.

check-spare: programs are built
check-timeout: 1800
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/mutate"))
import judged  # noqa: E402
import operators  # noqa: E402
import programs  # noqa: E402

FUNCTION = """\
/* a + b */
#include "a.h"
static const char *name(void); // c + d
int sum(const int *values, unsigned n)
{
	int total = 0;

	for (unsigned i = 0; i < n; i++) {
		if (values[i] == 7 && !n)
			break;
		total += values[i] * 2;
	}
	arch_fence();
	put(total, "x + y", &n);
	return total;
}
"""

EXPECTED = """\
constant: int total = 0; => int total = 1;
constant: for (unsigned i = 0; i < n; i++) { => for (unsigned i = 1; i < n; i++) {
relation: for (unsigned i = 0; i < n; i++) { => for (unsigned i = 0; i <= n; i++) {
arithmetic: for (unsigned i = 0; i < n; i++) { => for (unsigned i = 0; i < n; i--) {
condition: if (values[i] == 7 && !n) => if (!(values[i] == 7 && !n))
relation: if (values[i] == 7 && !n) => if (values[i] != 7 && !n)
constant: if (values[i] == 7 && !n) => if (values[i] == 6 && !n)
constant: if (values[i] == 7 && !n) => if (values[i] == 8 && !n)
logic: if (values[i] == 7 && !n) => if (values[i] == 7 || !n)
logic: if (values[i] == 7 && !n) => if (values[i] == 7 && n)
statement: break; => ;
statement: total += values[i] * 2; => ;
arithmetic: total += values[i] * 2; => total -= values[i] * 2;
arithmetic: total += values[i] * 2; => total += values[i] / 2;
constant: total += values[i] * 2; => total += values[i] * 1;
constant: total += values[i] * 2; => total += values[i] * 3;
fence: arch_fence(); => ;
statement: put(total, "x + y", &n); => ;
swap: put(total, "x + y", &n); => put("x + y", total, &n);
swap: put(total, "x + y", &n); => put(total, &n, "x + y");
return: return total; => return 0;
""".splitlines()

SOURCE = """\
// SPDX-License-Identifier: MIT
#include "ringbuf/small.h"

unsigned small_middle(unsigned low, unsigned high)
{
	return low + (high - low) / 2;
}

unsigned small_larger(unsigned a, unsigned b)
{
	if (a > b)
		return a;
	return b;
}

unsigned small_unknown(unsigned a)
{
	return a ^ 5;
}

unsigned small_elsewhere(unsigned a)
{
	return a ^ 5;
}

unsigned small_twice(unsigned a)
{
	a = a | a;
	return a + a;
}

unsigned small_endless(unsigned a)
{
	while (a > 8)
		a -= 1;
	return a;
}
"""

HEADER = """\
// SPDX-License-Identifier: MIT
unsigned small_middle(unsigned low, unsigned high);
unsigned small_larger(unsigned a, unsigned b);
unsigned small_unknown(unsigned a);
unsigned small_elsewhere(unsigned a);
unsigned small_twice(unsigned a);
unsigned small_endless(unsigned a);
static inline unsigned small_half(unsigned a)
{
	return a >> 1;
}
"""

TEST = """\
// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ringbuf/small.h"

static void all_is_well(void **state)
{
	(void)state;
	assert_int_equal(small_middle(3, 8), 5);
	assert_int_equal(small_larger(3, 4), 4);
	assert_int_equal(small_larger(4, 3), 4);
	assert_int_equal(small_twice(4), 8);
	assert_int_equal(small_endless(20), 8);
	assert_int_equal(small_half(20), 10);
	small_unknown(20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_is_well) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""

MAKEFILE = """\
mutate-facts:
	@printf 'HOST_CFLAGS\\t-O2 -I. -Wall -Wextra -Werror\\nHOST_LIBS\\t\\n'
	@printf 'LIB_SRCS\\tringbuf/small.c\\nplain\\t\\n'
	@printf 'asan\\t-fsanitize=address,undefined -fno-sanitize-recover=all\\n'
	@printf 'TEST\\ttests/unit/small_test.c\\tasan\\t\\t\\t\\n'
"""

JUDGED = """\
equivalent ringbuf/small.c small_larger
    - if (a > b)
    + if (a >= b)
    where they are equal, either is the larger
survives ringbuf/small.c small_unknown
    + return a ^ 6;
    it is only here to be named
"""


def project(directory):
    """A small source, its test, and the mutator, in a directory."""
    shutil.copytree(TOP / "tests/mutate", directory / "tests/mutate")
    for name, text in (("Makefile", MAKEFILE), ("ringbuf/small.c", SOURCE),
                       ("ringbuf/small.h", HEADER), ("tests/unit/small_test.c", TEST),
                       ("tests/mutate/judged.txt", JUDGED)):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def mutate(directory, *arguments):
    done = subprocess.run([directory / "tests/mutate/mutate", *arguments], capture_output=True,
                          text=True, check=False, cwd="/")
    return done.returncode, done.stdout + done.stderr


def faults():
    made = [f"{m.operator}: {m.before} => {m.after}" for m in operators.mutants("a.c", FUNCTION)]
    tap.equal(sorted(made), sorted(EXPECTED),
              "a function's faults are these, none in comments, texts, declarations, directives")
    moved = operators.mutants("a.c", "\n\n" + FUNCTION)
    tap.equal([m.identity() for m in moved],
              [m.identity() for m in operators.mutants("a.c", FUNCTION)],
              "lines added above change no fault's identity")
    applied = {m.apply(FUNCTION) for m in operators.mutants("a.c", FUNCTION)}
    tap.ok(len(applied) == len(EXPECTED) and FUNCTION not in applied,
           "each of them changes the text, each in its own way")


def outcomes(directory):
    status, text = mutate(directory, "ringbuf/small.c:small_middle")
    tap.ok(status == 0 and "100.0 %" in text and "survived (" not in text,
           "where the test looks, every fault is killed", text)
    status, text = mutate(directory, "ringbuf/small.c:small_larger")
    tap.ok(status == 0 and "100.0 %" in text and "equivalent: 1" in text,
           "a mutant that was judged equivalent does not count", text)
    status, text = mutate(directory, "ringbuf/small.c:small_unknown")
    tap.ok(status == 1 and "+ return a | 5;" in text and "+ return a ^ 4;" in text and
           "+ return a ^ 6;" not in text,
           "a mutant that no test notices survives, and is printed unless it is named", text)
    status, text = mutate(directory, "ringbuf/small.c:small_elsewhere")
    tap.ok(status == 0 and "survived (" not in text and
           "run by no unit test: ringbuf/small.c" in text,
           "a line that no unit test runs is counted separately", text)
    status, text = mutate(directory, "ringbuf/small.c:small_twice")
    tap.ok("+ ;" not in text and "a & a" not in text,
           "a mutant with the same object code is no survivor", text)
    status, text = mutate(directory, "ringbuf/small.c:small_endless")
    tap.ok("+ ;" not in text and "a += 1" not in text, "a test that does not end kills", text)
    status, text = mutate(directory, "ringbuf/small.h")
    tap.ok(status == 0 and "ringbuf/small.h" in text and "100.0 %" in text,
           "a fault in a header's function is noticed as well", text)


def results_are_kept(directory):
    _, text = mutate(directory, "ringbuf/small.c")
    tap.ok(", 0 to run" in text, "a known mutant is not run again", text)
    source = directory / "ringbuf/small.c"
    source.write_text(SOURCE.replace("a ^ 5", "a + 5"))
    _, text = mutate(directory, "ringbuf/small.c")
    tap.ok(", 0 to run" not in text, "but where the source has changed", text)
    one = mutate(directory, "--sample", "4", "ringbuf/small.c")[1]
    tap.ok(one.startswith("4 mutants") or "\n4 mutants" in one, "a sample has so many of a file",
           one)
    status, text = mutate(directory, "nothing.c")
    tap.ok(status == 1 and "nothing.c: no such source" in text,
           "a pattern that nothing matches is an error", text)


def samples_are_fresh(directory):
    drawn = {re.search(r"--seed (\d+)", mutate(directory, "--sample", "2", "ringbuf/small.h")[1])[1]
             for _ in range(3)}
    tap.ok(len(drawn) == 3, "each run draws a sample of its own, and says which", drawn)
    same = [mutate(directory, "--sample", "4", "--seed", "7", "--again", "ringbuf/small.c")
            for _ in range(2)]
    tap.ok(same[0] == same[1] and "--seed 7" in same[0][1], "a seed draws the same sample again", same)
    page = (directory / "build/mutate/table.md").read_text()
    tap.ok("seed 7: 4," in page and "| `ringbuf/small.c` |" in page,
           "the scores and the survivors are kept as a page", page)


def a_file_of_ours():
    """One small file of this tree with one of its tests, for which everything that the mutator
    needs is built."""
    status, text = mutate(TOP, "--test", "ring_wakeup_test", "ringbuf/owner.c")
    tap.ok(status == 0 and re.search(r"^ringbuf/owner.c +[4-9] +0 ", text, re.MULTILINE),
           "ringbuf/owner.c: each fault is noticed", text)


def judgements():
    every = []
    for directory in programs.DIRECTORIES:
        for path in sorted((TOP / directory).rglob("*.[ch]")):
            every += operators.mutants(str(path.relative_to(TOP)), path.read_text())
    stale = [f"judged.txt:{judgement.line}" for judgement in judged.read()
             if not any(judgement.matches(mutant) for mutant in every)]
    tap.equal(stale, [], "each judgement speaks of a mutant that there is")


faults()
judgements()
with tempfile.TemporaryDirectory(prefix="bareperf-mutate-") as NAME:
    project(pathlib.Path(NAME))
    outcomes(pathlib.Path(NAME))
    results_are_kept(pathlib.Path(NAME))
    samples_are_fresh(pathlib.Path(NAME))
a_file_of_ours()
tap.finish()
