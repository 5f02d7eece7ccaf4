#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Others' programs, unchanged: zlib, cJSON's tests and Lua, compiled with Debian's usual flags, do in a
machine what they do on the host, and are profiled. All of them are one ELF file, each under its own
name, so that a boot an architecture is enough. With PROGRAMS=all in the environment SQLite's shell
as well, which takes a compiler half a minute.

check-timeout: 1200
check-spare: no claim is about time
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zlib

import live
import machine
import mailbox
import region as tr
import talker
import tap

FLAGS = {
    "x86_64": ("-O2", "-fstack-protector-strong", "-march=x86-64-v3"),
    "aarch64": ("-O2", "-fstack-protector-strong"),
}
OBJCOPY = {"x86_64": "objcopy", "aarch64": "aarch64-linux-gnu-objcopy"}
ZLIB = ("adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees "
        "trees uncompr zutil")
# each is a program that has cJSON.c in it
CJSON = ("cjson_add", "misc_tests", "parse_hex4", "parse_number", "print_number", "readme_examples")
MAINS = ("zlib_example", "lua", *CJSON)

DISPATCH = """
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
%s
static int squeeze(void) /* text that repeats itself, and back */
{
	static unsigned char text[1 << 20], small[1 << 20], again[1 << 20];
	unsigned seed = 1;

	for (unsigned i = 0; i < sizeof(text); i++) {
		seed = seed * 1103515245 + 12345;
		text[i] = (unsigned char)('a' + (seed >> 16) %% (i %% 7 + 2));
	}
	for (int i = 0; i < 4; i++) {
		uLongf size = sizeof(small), whole = sizeof(again);

		if (compress2(small, &size, text, sizeof(text), 6) || size > sizeof(text) / 2 ||
		    uncompress(again, &whole, small, size) || memcmp(text, again, sizeof(text)))
			return 1;
	}
	return 0;
}
int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*main)(int argc, char **argv);
	} programs[] = { %s };

	for (unsigned i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, argv[1]))
			return programs[i].main(argc - 1, argv + 1);
	return argc > 1 && !strcmp(argv[1], "squeeze") ? squeeze() : 99;
}
"""

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
SHELL = "a machine"  # what the script finds to be there


def archive(path, files):
    """A cpio archive, as `bareperf run` makes it."""
    out = b""
    for name, data in [*files, ("TRAILER!!!", b"")]:
        head = f"070701{0:08x}{0o100644:08x}" + f"{0:08x}" * 4 + f"{len(data):08x}" + f"{0:08x}" * 4
        out += (head + f"{len(name) + 1:08x}{0:08x}{name}\0").encode()
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    path.write_bytes(out)


def compile_all(compiler, objcopy, flags, sources, here):
    """The one program."""
    here.mkdir()
    objects = []

    def compile_one(source, *more, main=None, only=None):
        to = here / f"{source.parent.name}-{source.stem}.o"
        subprocess.run([compiler, *flags, "-w", *more, *([f"-Dmain={main}"] if main else []), "-c", "-o",
                        to, source], check=True)
        if only:
            subprocess.run([objcopy, f"--keep-global-symbol={only}", to], check=True)
        objects.append(to)

    of_zlib, of_lua, of_cjson = (sources / name for name in ("zlib", "lua5.4/src", "cjson"))
    for name in ZLIB.split():
        compile_one(of_zlib / f"{name}.c", "-DZ_HAVE_UNISTD_H", f"-I{of_zlib}")
    compile_one(of_zlib / "test/example.c", f"-I{of_zlib}", main="zlib_example_main")
    for source in sorted(of_lua.glob("*.c")):
        if source.name != "luac.c":
            compile_one(source, main="lua_main" if source.name == "lua.c" else None)
    unity = (f"-I{of_cjson}/tests/unity/src", f"-I{of_cjson}")
    compile_one(of_cjson / "tests/unity/src/unity.c")
    compile_one(of_cjson / "tests/unity_setup.c", *unity)
    for name in CJSON:
        compile_one(of_cjson / f"tests/{name}.c", *unity, main=f"{name}_main", only=f"{name}_main")
    dispatch = here / "dispatch.c"
    dispatch.write_text(DISPATCH % (
        "\n".join(f"int {name}_main(int argc, char **argv);" for name in MAINS),
        ", ".join(f'{{ "{name}", {name}_main }}' for name in MAINS)))
    subprocess.run([compiler, *flags, f"-I{of_zlib}", "-o", here / "programs", dispatch, *objects, "-lm"],
                   check=True)
    return here / "programs"


def on_host(program, here, *words):
    """What they do here, in a directory of their own."""
    return subprocess.run([program, *words], cwd=here, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=live.PATIENCE)


def hot(tool, here, words, name, claim):
    done = tool(f"record -e cpu-clock -F 2000 -g -- payload {words}", "-o", here / "hot.data")
    text = subprocess.run(["perf", "report", "--stdio", "--no-children", "-g", "none", "-i",
                           here / "hot.data"], capture_output=True, text=True, check=False).stdout
    tops = [line.split()[-1] for line in text.splitlines() if line.rstrip() and line[0] != "#"]
    tap.ok(done.returncode in (0, 5) and name in tops[:3], f"{claim}: {name} is where its time goes",
           (done.stderr, tops[:5]))


def zlib_s(isa, tool, host, here):
    there = here / "foo.gz"
    done = tool("record -e cpu-clock -F 1000 -- payload zlib_example", "-o", here / "x.data", "--fetch",
                f"foo.gz={there}")
    same = on_host(host, here, "zlib_example")
    tap.ok(done.returncode == same.returncode == 0 and done.stdout == same.stdout,
           f"{isa}: zlib's own test does what it does on the host", (done.stdout, done.stderr))
    tap.equal(zlib.decompress(there.read_bytes(), 31) if there.exists() else done.stderr, b"hello, hello!\0",
              f"{isa}: and the file that it writes comes home")
    hot(tool, here, "squeeze", "longest_match", f"{isa}: zlib compresses and expands")


def cjson_s(isa, tool, host, here):
    for name in CJSON:
        done = tool(f"record -e cpu-clock -F 1000 -- payload {name}", "-o", here / "x.data")
        same = on_host(host, here, name)
        tap.ok(done.returncode == same.returncode == 0 and " 0 Failures" in done.stdout and
               done.stdout.splitlines()[-3:] == same.stdout.splitlines()[-3:],
               f"{isa}: cJSON's {name} succeeds, as on the host", (done.stdout[-400:], done.stderr))


def lua_s(isa, tool, host, here):
    done = tool("record -e cpu-clock -F 1000 -- payload lua script.lua word", "-o", here / "x.data")
    (here / "script.lua").write_text(SCRIPT)
    same = on_host(host, here, "lua", "script.lua", "word")
    tap.ok(same.returncode == done.returncode == 5 and
           done.stdout == same.stdout.replace("a shell", SHELL) and done.stdout.count("\n") > 9,
           f"{isa}: a Lua script prints what it prints on the host, and ends as it says",
           (done.stdout, same.stdout, done.stderr))
    hot(tool, here, "lua script.lua word", "luaV_execute", f"{isa}: Lua")


SQLITE = ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_OMIT_WAL",
          "-DSQLITE_MAX_MMAP_SIZE=0")
SQL = """
.headers on
.mode box
PRAGMA journal_mode=DELETE;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
	INSERT INTO t SELECT i, 'row ' || (i * 7919 % 1000), i / 7.0 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), round(avg(c), 6), min(b), max(b) FROM t;
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


def sqlite(isa, sources, where):
    """Its own shell, on a machine of its own: what it prints is what the host's sqlite3 prints."""
    here, source = where / isa, sources / "sqlite3"
    if not (source / "shell.c").exists() or not shutil.which("sqlite3"):
        tap.skip(f"{isa}: SQLite", "not to be had: its source wants tclsh, and the test sqlite3")
        return
    (here / "script.sql").write_text(SQL)
    (here / "host").mkdir()
    subprocess.run([machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc", *FLAGS[isa], "-w", *SQLITE,
                    f"-I{source}", "-o", here / "sqlite.elf", source / "shell.c", source / "sqlite3.c"],
                   check=True)
    run = machine.Recording("record -e cpu-clock -F 2000 -g -- payload test.db", "--arch", isa,
                            "--payload", here / "sqlite.elf", "--stdin", "script.sql", "--fetch",
                            f"test.db={here}/test.db", timeout=300, cwd=here)
    with open(here / "script.sql") as script:
        same = subprocess.run(["sqlite3", "test.db"], stdin=script, capture_output=True, text=True,
                              check=False, cwd=here / "host")
    tap.ok(run.status == same.returncode == 3 and run.out == same.stdout and
           run.out.endswith("\ndone\n") and "made/of/t.txt" in run.out,
           f"{isa}: SQLite's shell prints what the host's sqlite3 prints of the same script, and ends so",
           (run.text[-900:], same))
    wrong = re.findall(r"no such function.*", same.stderr)
    tap.ok(wrong and wrong[0] in run.said, f"{isa}: and what is wrong with it on standard error",
           (run.said, same.stderr))
    asked = [subprocess.run(["sqlite3", path, "SELECT count(*), sum(a), sum(c) FROM t"],
                            capture_output=True, text=True, check=False).stdout
             for path in (here / "test.db", here / "host/test.db")]
    tap.ok(asked[0] == asked[1] != "", f"{isa}: and the host reads the database that comes home", asked)
    leaves = machine.shares(run.chains())
    tap.ok(leaves.get("sqlite3VdbeExec", 0) > 5, f"{isa}: its virtual machine is where its time goes",
           sorted(leaves.items(), key=lambda item: -item[1])[:5])


def boot(isa, sources, host, where):
    here = where / isa
    elf = compile_all(machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc", OBJCOPY[isa], FLAGS[isa], sources,
                      here)
    archive(here / "initrd", [("payload.elf", elf.read_bytes()), ("script.lua", SCRIPT.encode())])
    agent = mailbox.Agent(here, isa, "-initrd", str(here / "initrd"), "-kernel",
                          str(machine.TOP / f"build/{isa}/bareperf.efi"))

    def tool(command, *options):
        return subprocess.run(talker.remote(f"shm:{agent.path}")(command, "--symbols", elf, *options),
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              timeout=live.PATIENCE)

    try:
        tap.ok(agent.until(lambda: agent.state() == tr.IDLE), f"{isa}: a machine waits")
        zlib_s(isa, tool, host, here)
        cjson_s(isa, tool, host, here)
        lua_s(isa, tool, host, here)
    finally:
        agent.process.kill()
        agent.process.wait()


def main():
    found = subprocess.run([machine.TOP / "deps/programs", "--build"], capture_output=True, text=True,
                           check=False)
    if found.returncode:
        tap.skip("zlib, cJSON and Lua as payloads", f"not to be had: {found.stderr.strip()}")
        return
    sources = pathlib.Path(found.stdout.strip())
    with tempfile.TemporaryDirectory(prefix="bareperf-programs-") as directory:
        where = pathlib.Path(directory)
        host = compile_all("gcc", "objcopy", ("-O1",), sources, where / "host")
        for isa in FLAGS:
            if not shutil.which(f"qemu-system-{isa}"):
                tap.skip(f"{isa}: others' programs", f"qemu-system-{isa} is not installed")
                continue
            boot(isa, sources, host, where)
            if os.environ.get("PROGRAMS") == "all":
                sqlite(isa, sources, where)


main()
tap.finish()
