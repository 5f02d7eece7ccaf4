# SPDX-License-Identifier: MIT
"""The unit tests in the mutator's form: compiled without optimization, each source separately, so
that a mutant needs one compilation and one link; and the lines that each test runs.

Flags and sources come from the Makefile (`make mutate-facts`). Everything is in build/mutate/."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
WORK = TOP / "build/mutate"
# Directories whose sources unit tests are linked with.
DIRECTORIES = ("ringbuf", "pmu", "command", "writer", "host-tools", "abi", "lib", "agent", "plugin")
ENVIRONMENT = dict(
    os.environ,
    CMOCKA_MESSAGE_OUTPUT="TAP",
    ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:hard_rss_limit_mb=2000",
    UBSAN_OPTIONS="halt_on_error=1",
    LC_ALL="C",
)
RESULT = re.compile(r"^\s*(not )?ok\b", re.MULTILINE)
COVERAGE = "coverage"
TOO_LONG = 15
KEPT = ("key", "ran", "cpu", "seconds", "results", "lines")


# ccache does not notice that a header in the overlay precedes the one that it knows.
UNCACHED = dict(ENVIRONMENT, CCACHE_DISABLE="1")


def command(words, environment=None):
    return subprocess.run(words, cwd=TOP, env=environment or ENVIRONMENT, capture_output=True,
                          text=True, errors="replace", check=False)


@dataclasses.dataclass
class Test:
    """A unit test program. results: the number of results when all is well."""

    source: str
    variant: str
    cflags: list
    sources: list  # besides its own source
    libs: list
    seconds: float = 0
    cpu: float = 0
    results: int = 0
    key: str = ""  # a hash of the test's own inputs
    ran: str = ""  # a hash of the files whose lines it runs
    lines: dict = dataclasses.field(default_factory=dict)  # {file: the lines that it runs}

    @property
    def name(self):
        return pathlib.Path(self.source).stem

    def all_sources(self):
        return [self.source, *self.sources]

    def runs(self, file):
        return any(self.lines.get(file, {}).values())


class Facts:
    """Values of the Makefile."""

    def __init__(self):
        done = command(["make", "-s", "mutate-facts"])
        if done.returncode:
            raise SystemExit(f"make mutate-facts: {done.stderr}")
        self.flags, self.tests = {}, []
        for line in done.stdout.splitlines():
            name, *rest = line.strip(" ").split("\t")
            rest = [shlex.split(words) for words in rest]
            if name == "TEST":
                self.tests.append(Test(rest[0][0], rest[1][0], *rest[2:5]))
            elif name:
                self.flags[name] = rest[0]
        self.flags[COVERAGE] = ["--coverage", "-fno-sanitize=all", "-Wno-error"]
        self.flags["HOST_CFLAGS"] = [f for f in self.flags["HOST_CFLAGS"] if f != "-g"]
        self.library = self.flags["LIB_SRCS"]


class Builder:
    """Compile and link whatever is not up to date."""

    def __init__(self, facts, jobs):
        self.facts, self.jobs = facts, jobs

    def flags(self, test, variant):
        """test None: the library's flags."""
        common = [*self.facts.flags["HOST_CFLAGS"], *self.facts.flags[variant], "-O0", "-g0"]
        return common + (test.cflags if test else [])

    @staticmethod
    def object_of(source, test, variant):
        return WORK / variant / (test.name if test else "lib") / f"{source}.o"

    def compile(self, source, flags, out, overlay=None):
        """None, or the compiler's message. Headers of overlay precede those of the tree."""
        out.parent.mkdir(parents=True, exist_ok=True)
        text = overlay / source if overlay and (overlay / source).exists() else source
        include = [f"-I{overlay}"] if overlay else []
        done = command(["gcc", *include, *flags, "-MMD", "-MF", f"{out}.d", "-c", "-o", str(out),
                        str(text)], UNCACHED if overlay else None)
        return done.stderr if done.returncode else None

    @staticmethod
    def headers_of(out):
        """The files that an object was compiled from, its source included."""
        try:
            words = pathlib.Path(f"{out}.d").read_text().replace("\\\n", " ").split()[1:]
        except OSError:
            return []
        return [word for word in words if not word.startswith("/")]

    def is_fresh(self, out, flags):
        stamp = pathlib.Path(f"{out}.flags")
        if not out.exists() or not stamp.exists() or stamp.read_text() != " ".join(flags):
            return False
        made = out.stat().st_mtime
        return all((TOP / name).exists() and (TOP / name).stat().st_mtime < made
                   for name in self.headers_of(out))

    def compile_base(self, item):
        source, test, variant = item
        out, flags = self.object_of(source, test, variant), self.flags(test, variant)
        if self.is_fresh(out, flags):
            return
        wrong = self.compile(source, flags, out)
        if wrong:
            raise SystemExit(f"{source} ({variant}): {wrong}")
        pathlib.Path(f"{out}.flags").write_text(" ".join(flags))

    def build(self, tests, variant_of):
        """Compile all objects of these tests, for variant_of(test)."""
        variants = {variant_of(test) for test in tests}
        items = [(source, None, v) for v in variants for source in self.facts.library]
        items += [(source, test, variant_of(test)) for test in tests
                  for source in test.all_sources()]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for _ in pool.map(self.compile_base, items):
                pass
        for variant in variants:
            objects = [self.object_of(source, None, variant) for source in self.facts.library]
            archive = WORK / variant / "lib.a"
            archive.unlink(missing_ok=True)
            command(["ar", "rcs", str(archive), *map(str, objects)])

    def link(self, test, variant, out, replaced=None):
        """replaced: {source: its object}; they precede the library's objects."""
        replaced = dict(replaced or {})
        objects = [replaced.pop(s, None) or self.object_of(s, test, variant)
                   for s in test.all_sources()]
        out.parent.mkdir(parents=True, exist_ok=True)
        done = command(["gcc", *self.facts.flags[variant], *test.cflags, "-o", str(out),
                        *map(str, objects), *map(str, replaced.values()),
                        str(WORK / variant / "lib.a"), *test.libs,
                        *self.facts.flags["HOST_LIBS"], "-lcmocka"])
        return done.stderr if done.returncode else None


def execute(binary, scratch, seconds, cpu):
    """Run a test: (exit status or None if it took too long, results, seconds, CPU seconds)."""
    scratch.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    process = subprocess.Popen(
        ["prlimit", f"--cpu={cpu}", "--fsize=2000000000", "--core=0", str(binary)], cwd=TOP,
        env=dict(ENVIRONMENT, TMPDIR=str(scratch)), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        out, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        out, status = b"", None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    shutil.rmtree(scratch, ignore_errors=True)
    return status, len(RESULT.findall(out.decode(errors="replace"))), time.monotonic() - started


def passes(test, binary, scratch):
    """Whether a mutant's program gives the same results as the unchanged one. On a busy machine it
    must not fail, so the limit is CPU time; the clock's limit is far higher."""
    status, results, _ = execute(binary, scratch, 60 + 30 * test.seconds, int(2 + 6 * test.cpu))
    return status == 0 and results == test.results


def measure(builder, test):
    """Run the unchanged test, for at most TOO_LONG seconds of CPU time."""
    binary = WORK / test.variant / test.name / "unchanged"
    wrong = builder.link(test, test.variant, binary)
    if wrong:
        raise SystemExit(f"{test.name}: {wrong}")
    before = os.times()
    status, test.results, test.seconds = execute(binary, WORK / "scratch", 600, TOO_LONG)
    after = os.times()
    test.cpu = (after.children_user + after.children_system -
                before.children_user - before.children_system)
    if status != 0:
        test.results = 0


# ---- Which lines a test runs ----


def fingerprint(names):
    digest = hashlib.sha256()
    for name in sorted(names):
        path = TOP / name
        digest.update(name.encode() + (path.read_bytes() if path.exists() else b""))
    return digest.hexdigest()


def own_files(builder, test):
    """The test's sources, and the headers of its own that they include."""
    names = set(test.all_sources())
    for source in test.all_sources():
        headers = builder.headers_of(builder.object_of(source, test, test.variant))
        names |= {name for name in headers if name.startswith("tests/")}
    return names


def files_run(test):
    return {file for file, lines in test.lines.items() if any(lines.values())}


def gcov(directory):
    """{file: {line: runs}} since the coverage data were last removed."""
    data = sorted(str(p) for p in directory.rglob("*.gcda"))
    lines = {}
    if not data:
        return lines
    done = command(["gcov", "--json-format", "--stdout", *data])
    for text in done.stdout.splitlines():
        try:
            files = json.loads(text)["files"]
        except (ValueError, KeyError):
            continue
        for file in files:
            known = lines.setdefault(file["file"], {})
            for line in file["lines"]:
                number = line["line_number"]
                known[number] = known.get(number, 0) + line["count"]
    for path in data:
        os.unlink(path)
    return lines


def examine(builder, test):
    """Run the test, and find the lines that it runs."""
    measure(builder, test)
    if not test.results:
        return  # and coverage would take too long
    binary = WORK / COVERAGE / test.name / "program"
    wrong = builder.link(test, COVERAGE, binary)
    if wrong:
        raise SystemExit(f"{test.name}: {wrong}")
    gcov(WORK / COVERAGE)  # remove the data of an interrupted run
    execute(binary, WORK / "scratch", 600, 300)
    test.lines = gcov(WORK / COVERAGE)
    test.ran = fingerprint(files_run(test))


def remember(test, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({name: getattr(test, name) for name in KEPT}))


def recall(test, path):
    """Whether nothing that the test runs has changed since it was examined; if so, fills in the
    results."""
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    if known.get("key") != test.key:
        return False
    for name in KEPT:
        setattr(test, name, known[name])
    test.lines = {f: {int(n): c for n, c in l.items()} for f, l in test.lines.items()}
    if not test.results:
        return test.cpu >= TOO_LONG - 2  # the failure may be the machine's fault
    return test.ran == fingerprint(files_run(test))


def prepare(builder, tests, slowest):
    """The tests that mutants can be run against: those that pass unchanged within so many seconds
    of CPU time, with the results of their examination."""
    builder.build(tests, lambda test: test.variant)
    path = {test.name: WORK / "tests" / f"{test.name}.json" for test in tests}
    for test in tests:
        test.key = fingerprint(own_files(builder, test))
    stale = [test for test in tests if not recall(test, path[test.name])]
    if stale:
        print(f"examining {len(stale)} tests", flush=True)
        builder.build(stale, lambda test: COVERAGE)
    for test in stale:
        examine(builder, test)
        remember(test, path[test.name])
    for test in tests:
        if test.cpu > slowest or test.cpu >= TOO_LONG - 2:
            print(f"{test.name}: takes {test.cpu:.0f} s of CPU, if not more: left out")
        elif not test.results:
            print(f"{test.name}: fails unchanged, without optimization: left out")
    return [test for test in tests if test.results and test.cpu <= slowest]
