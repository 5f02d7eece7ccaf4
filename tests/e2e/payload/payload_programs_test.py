#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unchanged programs of other authors: zlib, cJSON's tests, Lua, SQLite's shell and speedtest1, and
the command-line programs of zlib, bzip2, lz4, zstd, xz, giflib and libpng, compiled with Debian's
usual flags. In a machine they behave as on the host, and they are profiled. All of them are one ELF
file, each under its own name, so one boot per architecture is enough.

check-timeout: 1200
check-spare: no claim is about time
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import mailbox
import programs
import region as tr
import talker
import tap

FLAGS = {
    "x86_64": ("-O2", "-fstack-protector-strong", "-march=x86-64-v3"),
    "aarch64": ("-O2", "-fstack-protector-strong"),
}
OBJCOPY = {"x86_64": "objcopy", "aarch64": "aarch64-linux-gnu-objcopy"}

SCRIPT = r"""
local function queens(n)
  local found, at, free = 0, {}, { {}, {}, {} }
  local function place(row)
    if row > n then found = found + 1 return end
    for c = 1, n do
      if not (free[1][c] or free[2][row + c] or free[3][row - c]) then
        free[1][c], free[2][row + c], free[3][row - c] = true, true, true
        at[row] = c
        place(row + 1)
        free[1][c], free[2][row + c], free[3][row - c] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end
print(_VERSION, queens(10), math.pi, 2^53, 10 // 3, -7 % 3, 1e300 * 1e10, 0x7fffffffffffffff + 1)
print(string.format("%5.2f|%-8s|%08x|%q|%g|%a", math.sqrt(2), "left", 48879, "a\nb", 1e-5, 0.5))
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = word end
table.sort(words, function(a, b) return a > b end)
print(table.concat(words, " "), #words, ("x"):rep(3, "-"), ("abc"):reverse(), utf8.char(228, 8364))
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end return "end" end)
print(co(), co(), co(), co())
print(pcall(error, { code = 7 }), select("#", table.unpack({ 1, nil, 3 }, 1, 3)), tostring(nil))
print(setmetatable({}, { __tostring = function() return "an object" end }))
print(pcall(function() local x = nil; return x.field end))
local file = assert(io.open("note.txt", "w"))
for i = 1, 100 do file:write(i, " ", i * i, "\n") end
file:close()
local sum = 0
for line in io.lines("note.txt") do sum = sum + tonumber(line:match("%d+ (%d+)")) end
print(sum, os.rename("note.txt", "kept.txt"), io.open("note.txt"), os.execute() and "a shell" or "a machine")
for i = 1, 3 do collectgarbage() end
print(select(2, load("x = = 1")), arg[1], #arg)
os.exit(5)
"""
SHELL = "a machine"  # the name of the system that the script finds
SQL = """
.headers on
.mode box
PRAGMA journal_mode=DELETE;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
	INSERT INTO t SELECT i, 'row ' || (i * 7919 % 1000), i / 7.0 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), round(avg(c), 6), min(b), max(b) FROM t;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT sum(i * i % 7) FROM n;
SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 2 ORDER BY b LIMIT 5;
SELECT substr(b, 5), printf('%.3f', c), hex(b), upper(b), NULL FROM t WHERE a IN (3, 5, 999) ORDER BY a DESC;
BEGIN; DELETE FROM t WHERE a % 2; SELECT count(*) FROM t; ROLLBACK; SELECT count(*) FROM t;
UPDATE t SET c = c * 2 WHERE b LIKE 'row 1%'; SELECT changes();
SELECT x.a, y.a FROM t x JOIN t y ON x.b = y.b AND x.a < y.a ORDER BY 1, 2 LIMIT 3;
VACUUM; PRAGMA integrity_check;
.mode list
.tables
.schema t
SELECT writefile('made/of/t.txt', group_concat(b, char(10))) FROM t;
SELECT name, mode, length(data), substr(data, 1, 20) FROM fsdir('made') ORDER BY name;
.output made/dump.sql
.dump
.output
SELECT length(readfile('made/dump.sql')), no_such_function(1);
.print done
.exit 3
"""


# Commands with the files that are passed to them and the files that they make.
COMMANDS = (
    ("minigzip -9 text", "text.gz"), ("minigzip -d packed.gz", "packed"),
    ("bzip2 -k text", "text.bz2"), ("bzip2 -dc packed.bz2", None),
    ("lz4 -k -q text text.lz4", "text.lz4"), ("lz4 -dc packed.lz4", None),
    ("zstd -q -k -9 text", "text.zst"), ("zstd -q -dc packed.zst", None),
    ("xz -k -3 text", "text.xz"), ("xz -dc packed.xz", None),
    ("giftext picture.gif", None), ("gif2rgb -1 -o picture.rgb picture.gif", "picture.rgb"),
    ("pngtest picture.png pngout.png", "pngout.png"), ("pngfix --out=fixed.png picture.png", "fixed.png"),
    ("speedtest1 --size 1 --verify", None),
)


class Programs:
    """A machine of an ISA that has the programs, and their runs there."""

    def __init__(self, isa, sources, where):
        self.isa, self.here, self.sources = isa, where / isa, sources
        sdk = machine.TOP / f"build/{isa}/sdk"
        self.elf = programs.link(isa, sdk / "bin/bareperf-cc", OBJCOPY[isa], FLAGS[isa], sources,
                                 self.here, sdk)
        given = [("payload.elf", self.elf), *((name, where / name) for name in (
            "script.lua", "dev/stdin"))]
        of_cjson = sources / "cjson/tests"
        given += [(str(file.relative_to(of_cjson)), file) for part in ("inputs", "json-patch-tests")
                  for file in sorted((of_cjson / part).glob("*"))]
        given += [(path.name, path) for path in sorted((where / "given").iterdir())]
        programs.archive(self.here / "initrd", [(name, file.read_bytes()) for name, file in given])
        self.agent = mailbox.Agent(self.here, isa, "-initrd", str(self.here / "initrd"), "-kernel",
                                   str(machine.TOP / f"build/{isa}/bareperf.efi"))

    def run(self, words, *options):
        """Record a run, sampled at 2 kHz. Returns how it ended."""
        return subprocess.run(
            talker.remote(f"shm:{self.agent.path}")(
                f"record -e cpu-clock -F 2000 -g -- payload {words}", "-o", self.here / "perf.data",
                "--symbols", self.elf, *options),
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
            timeout=live.PATIENCE)

    def hot(self, names, claim):
        """The top functions of the last recording include one of these."""
        done = subprocess.run(["perf", "report", "--stdio", "--no-children", "-g", "none", "-i",
                               self.here / "perf.data"], capture_output=True, text=True, check=False)
        tops = [line.split()[-1] for line in done.stdout.splitlines() if line.rstrip() and line[0] != "#"]
        tap.ok(set(names.split()) & set(tops[:3]),
               f"{self.isa}: {claim}: {names} is where its time goes", (tops[:5], done))


def on_host(here, *words, stdin=subprocess.DEVNULL):
    """Run the scripts in a temporary directory."""
    return subprocess.run(words, cwd=here, capture_output=True, text=True, check=False, stdin=stdin,
                          timeout=live.PATIENCE)


def zlib_s(machine_, host, here):
    isa, there = machine_.isa, here / f"{machine_.isa}.gz"
    done = machine_.run("zlib_example", "--fetch", f"foo.gz={there}")
    same = on_host(here, host, "zlib_example")
    tap.ok(done.returncode == same.returncode == 0 and done.stdout == same.stdout,
           f"{isa}: zlib's own test has the same result as on the host", (done.stdout, done.stderr))
    tap.equal(zlib.decompress(there.read_bytes(), 31) if there.exists() else done.stderr, b"hello, hello!\0",
              f"{isa}: and the file that it writes comes home")
    done = machine_.run("squeeze")
    tap.equal(done.returncode, 0, f"{isa}: zlib compresses and expands a text")
    machine_.hot("longest_match", "zlib compresses and expands")


def cjson_s(machine_, host):
    isa = machine_.isa
    done = machine_.run("cjson")
    same = on_host(machine_.sources / "cjson/tests", host, "cjson")
    seen = [dict(re.findall(r"^== (\w+)\n((?:(?!== ).*\n)*)", each.stdout, re.MULTILINE))
            for each in (done, same)]
    for name in programs.CJSON:
        there, here = (each.get(name, "") for each in seen)
        tap.ok(there == here and " 0 Failures" in there and there.endswith("OK\n"),
               f"{isa}: cJSON's {name} succeeds, and prints the same as on the host",
               (there[-400:], here[-400:], done.stderr))
    tap.ok(done.returncode == same.returncode == 0, f"{isa}: all of cJSON's tests end with 0", done)
    done = machine_.run("spin")
    tap.equal(done.returncode, 0, f"{isa}: cJSON parses its own output")
    machine_.hot("parse_string parse_value print_string_ptr", "cJSON parses and prints")


def lua_s(machine_, here):
    isa = machine_.isa
    done = machine_.run("lua script.lua word")
    same = on_host(here, "lua5.4", "script.lua", "word")
    tap.ok(same.returncode == done.returncode == 5 and
           done.stdout == same.stdout.replace("a shell", SHELL) and done.stdout.count("\n") > 9,
           f"{isa}: a Lua script prints the same as with Debian's lua5.4, and has its exit status",
           (done.stdout, same.stdout, done.stderr))
    machine_.hot("luaV_execute", "Lua")


def sqlite_s(machine_, where):
    isa, here = machine_.isa, machine_.here
    (here / "host").mkdir()
    done = machine_.run("sqlite test.db", "--fetch", f"test.db={here}/test.db")
    with open(where / "dev/stdin") as script:
        same = on_host(here / "host", "sqlite3", "test.db", stdin=script)
    tap.ok(done.returncode == same.returncode == 3 and done.stdout == same.stdout and
           done.stdout.endswith("\ndone\n") and "made/of/t.txt" in done.stdout,
           f"{isa}: SQLite's shell prints the same as the host's sqlite3 for a script, with its exit status",
           (done.stdout[-900:], done.stderr[-900:], same))
    wrong = re.findall(r"no such function.*", same.stderr)
    tap.ok(wrong and wrong[0] in done.stderr, f"{isa}: and the script's errors on standard error",
           (done.stderr, same.stderr))
    asked = [subprocess.run(["sqlite3", path, "SELECT count(*), sum(a), sum(c) FROM t"],
                            capture_output=True, text=True, check=False).stdout
             for path in (here / "test.db", here / "host/test.db")]
    tap.ok(asked[0] == asked[1] != "", f"{isa}: and the host reads the database that comes home", asked)
    machine_.hot("sqlite3VdbeExec", "SQLite")


def give(where, sources, host):
    """The commands' input files, in a temporary directory."""
    given = where / "given"
    given.mkdir()
    for source, name in (("zlib/deflate.c", "text"), ("giflib/pic/treescap-interlaced.gif", "picture.gif"),
                         ("libpng1.6/pngtest.png", "picture.png")):
        shutil.copyfile(sources / source, given / name)
    for command, suffix in (("minigzip text", "gz"), ("bzip2 -k text", "bz2"), ("lz4 -q -k text text.lz4", "lz4"),
                            ("zstd -q -k text", "zst"), ("xz -k text", "xz")):
        shutil.copyfile(sources / "zlib/deflate.c", given / "text")
        on_host(given, host, *command.split())
        (given / f"text.{suffix}").rename(given / f"packed.{suffix}")
    shutil.copyfile(sources / "zlib/deflate.c", given / "text")


def timeless(text):
    """speedtest1's output without the times."""
    return re.sub(r"\.* +\d+\.\d{3}s$", "", text, flags=re.MULTILINE)


def commands(machine_, host, where):
    isa = machine_.isa
    for number, (command, made) in enumerate(COMMANDS):
        there, here = machine_.here / f"made-{number}", machine_.here / f"command-{number}"
        shutil.copytree(where / "given", here)
        done = machine_.run(command, *(("--fetch", f"{made}={there}") if made else ()))
        same = on_host(here, host, *command.split())
        files = [path.read_bytes() if made and path.exists() else None for path in (there, here / str(made))]
        tap.ok(done.returncode == same.returncode == 0 and timeless(done.stdout) == timeless(same.stdout) and
               files[0] == files[1] and (done.stdout or files[0]),
               f"{isa}: {command}: gives the host's result, to the byte",
               (done.stdout[-400:], done.stderr[-400:], same.stdout[-400:], same.stderr[-400:],
                [len(each or b"") for each in files]))


def boot(isa, sources, host, where):
    there = Programs(isa, sources, where)
    try:
        tap.ok(there.agent.until(lambda: there.agent.state() == tr.IDLE), f"{isa}: a machine waits")
        zlib_s(there, host, where)
        cjson_s(there, host)
        lua_s(there, where)
        sqlite_s(there, where)
        commands(there, host, where)
    finally:
        there.agent.process.kill()
        there.agent.process.wait()


def missing(found):
    """The reason why nothing can be tested, or None. Debian has everything that is needed."""
    if found.returncode:
        return found.stderr.strip()
    wanted = [name for name in ("lua5.4", "sqlite3") if not shutil.which(name)]
    return f"{' and '.join(wanted)}: not installed (make deps)" if wanted else None


def main():
    found = subprocess.run([machine.TOP / "deps/programs", "--build"], capture_output=True, text=True,
                           check=False)
    if missing(found):
        tap.skip("others' programs as payloads", missing(found))
        return
    sources = pathlib.Path(found.stdout.strip())
    with tempfile.TemporaryDirectory(prefix="bareperf-programs-") as directory:
        where = pathlib.Path(directory)
        (where / "dev").mkdir()
        (where / "script.lua").write_text(SCRIPT)
        (where / "dev/stdin").write_text(SQL)
        host = programs.link("host", "gcc", "objcopy", ("-O1",), sources, where / "host")
        give(where, sources, host)
        for isa in machine.repeats(FLAGS):
            if not shutil.which(f"qemu-system-{isa}"):
                tap.skip(f"{isa}: others' programs", f"qemu-system-{isa} is not installed")
                continue
            boot(isa, sources, host, where)


main()
tap.finish()
