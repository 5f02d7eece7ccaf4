# SPDX-License-Identifier: MIT
"""A program that prints text and writes files, and its output as the host receives it over a
channel."""

import subprocess

import live
import machine
import tap

# talk(): prints argv[2] lines, each tenth on standard error as well; writes files of argv[3] bytes,
# and small ones
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int talk(int argc, char **argv);
int talk(int argc, char **argv)
{
	FILE *file = fopen("made.bin", "w");
	unsigned lines = (unsigned)atoi(argv[2]);
	size_t size = (size_t)atol(argv[3]);
	unsigned char *bytes = malloc(size);
	unsigned state = 12345;

	for (unsigned i = 0; i < lines; i++) {
		printf("line %u of many\n", i);
		if (i % 10 == 0)
			fprintf(stderr, "remark %u\n", i);
	}
	for (size_t i = 0; i < size; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(state >> 24);
	}
	if (!file || fwrite(bytes, 1, size, file) != size)
		return 1;
	fclose(file);
	file = fopen("/text/empty", "w"); /* and never closed */
	file = fopen("/text/small", "w");
	fprintf(file, "small\n");
	printf("no end of a line");
	return argc == 4 ? 7 : 1;
}
"""
MAIN = SOURCE + "int main(int argc, char **argv)\n{\n\treturn talk(argc, argv);\n}\n"


def made(size):
    """The expected content of made.bin."""
    state, out = 12345, bytearray(size)
    for i in range(size):
        state = (state * 1664525 + 1013904223) & 0xffffffff
        out[i] = state >> 24
    return bytes(out)


def printed(lines):
    return "".join(f"line {i} of many\n" for i in range(lines)) + "no end of a line"


def remarks(lines):
    return "".join(f"remark {i}\n" for i in range(0, lines, 10))


def check(tool, directory, claim, lines, size):
    """tool(command, *options) returns words for subprocess. A program's output and files."""
    there = {name: directory / f"talked-{name}" for name in ("made.bin", "empty", "small")}
    for path in there.values():
        path.unlink(missing_ok=True)
    done = subprocess.run(
        tool(f"record -e cpu-clock -F 100 -- payload talk {lines} {size}", "-o",
             directory / "talked.data", "--fetch", f"made.bin={there['made.bin']}", "--fetch",
             f"text/small={there['small']}", "--fetch", f"./text/empty={there['empty']}"),
        capture_output=True, text=True, timeout=live.PATIENCE, stdin=subprocess.DEVNULL, check=False)
    tap.equal(done.returncode, 7, f"{claim}: a program that prints and writes ends as it likes")
    if not tap.ok(done.stdout == printed(lines),
                  f"{claim}: its standard output is ours, every byte and nothing else"):
        tap.note(f"{len(done.stdout)} bytes, {done.stdout[:200]!r} … {done.stdout[-200:]!r}")
    said = "".join(line for line in done.stderr.splitlines(True) if line.startswith("remark"))
    tap.ok(said == remarks(lines) and "LOST" not in done.stderr,
           f"{claim}: its standard error is on ours, told apart",
           (len(said), len(remarks(lines)),
            [line for line in done.stderr.splitlines() if not line.startswith("remark")]))
    got = {name: path.read_bytes() if path.exists() else None for name, path in there.items()}
    tap.ok(got["made.bin"] == made(size) and got["small"] == b"small\n" and got["empty"] == b"",
           f"{claim}: the files that it wrote come home", (done.stderr[-1000:],
           {name: data if data is None else len(data) for name, data in got.items()}))
    left = [path.name for path in directory.glob("talked-*") if path not in there.values()]
    tap.equal(left, [], f"{claim}: and nothing beside them")


def remote(url):
    """The tool's words for a machine behind a channel."""
    def words(command, *options):
        verb, *rest = command.split()
        return [machine.TOOL, verb, "--channel", url, *options, *rest]
    return words
