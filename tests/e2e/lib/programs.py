# SPDX-License-Identifier: MIT
"""Others' programs (deps/programs fetches their sources), compiled as they are for one ISA and linked
as one ELF file, each under its own name: zlib, cJSON's tests, Lua and SQLite's shell."""

import contextlib
import hashlib
import os
import pathlib
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "bareperf"
ZLIB = ("adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees "
        "trees uncompr zutil")
# each is a program that has cJSON.c in it
CJSON = tuple("""cjson_add compare_tests json_patch_tests minify_tests misc_tests misc_utils_tests
    old_utils_tests parse_array parse_examples parse_hex4 parse_number parse_object parse_string
    parse_value parse_with_opts print_array print_number print_object print_string print_value
    readme_examples""".split())
SQLITE = ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_OMIT_WAL",
          "-DSQLITE_MAX_MMAP_SIZE=0")

# `cjson` is all of its tests, one after the other; `squeeze` and `spin` are for profiles.
DISPATCH = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cJSON.h>
#include <zlib.h>
%s
static const struct program {
	const char *name;
	int (*main)(int argc, char **argv);
} tests[] = { %s }, programs[] = { %s };

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

static int spin(void) /* a large text, parsed and printed again and again */
{
	static char text[1 << 20], word[400];
	cJSON *made = cJSON_CreateArray();

	memset(word, 'x', sizeof(word) - 1);
	for (int i = 0; i < 399; i++) {
		cJSON *object = cJSON_CreateObject();

		word[i] = i & 1 ? '"' : '\\';
		cJSON_AddStringToObject(object, "text", word);
		cJSON_AddItemToArray(made, object);
	}
	if (!cJSON_PrintPreallocated(made, text, sizeof(text), 1))
		return 1;
	for (int i = 0; i < 10; i++) {
		cJSON *parsed = cJSON_Parse(text);
		char *printed = cJSON_Print(parsed);

		if (!printed || strcmp(printed, text) || !cJSON_Compare(parsed, made, 1))
			return 1;
		free(printed);
		cJSON_Delete(parsed);
	}
	return 0;
}

static int all_tests(int argc, char **argv)
{
	int failed = 0;

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		printf("== %%s\n", tests[i].name);
		failed += tests[i].main(argc, argv) != 0;
	}
	return failed;
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(programs[i].name, argv[1]))
			return programs[i].main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "cjson"))
		return all_tests(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "squeeze"))
		return squeeze();
	return argc > 1 && !strcmp(argv[1], "spin") ? spin() : 99;
}
"""


def archive(path, files):
    """A cpio archive, as `bareperf run` makes it."""
    out = b""
    for name, data in [*files, ("TRAILER!!!", b"")]:
        head = f"070701{0:08x}{0o100644:08x}" + f"{0:08x}" * 4 + f"{len(data):08x}" + f"{0:08x}" * 4
        out += (head + f"{len(name) + 1:08x}{0:08x}{name}\0").encode()
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    path.write_bytes(out)


def sources_of(sources, with_sqlite):
    """What is compiled: source, its options, what main() is called, and whether that is all of it that
    others see."""
    of_zlib, of_lua, of_cjson, of_sqlite = (
        sources / name for name in ("zlib", "lua5.4/src", "cjson", "sqlite3"))
    unity = (f"-I{of_cjson}/tests/unity/src", f"-I{of_cjson}")
    found = [(of_zlib / f"{name}.c", ("-DZ_HAVE_UNISTD_H", f"-I{of_zlib}"), None, False)
             for name in ZLIB.split()]
    found += [(of_zlib / "test/example.c", (f"-I{of_zlib}",), "zlib_example_main", False),
              (of_cjson / "cJSON.c", (), None, False), (of_cjson / "cJSON_Utils.c", (), None, False),
              (of_cjson / "tests/unity/src/unity.c", (), None, False),
              (of_cjson / "tests/unity_setup.c", unity, None, False)]
    found += [(of_cjson / f"tests/{name}.c", unity, f"{name}_main", True) for name in CJSON]
    found += [(source, (), "lua_main" if source.name == "lua.c" else None, False)
              for source in sorted(of_lua.glob("*.c")) if source.name != "luac.c"]
    if with_sqlite:
        found += [(of_sqlite / "sqlite3.c", SQLITE, None, False),
                  (of_sqlite / "shell.c", (*SQLITE, f"-I{of_sqlite}"), "sqlite_main", False)]
    return found


def key(compiler, flags, what, sdk):
    """A hash of what objects depend on: compiler and flags, sources by name (deps/programs gives their
    directory another name with what is in it), and the SDK's headers and wrapper."""
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    out = hashlib.sha1(repr((version, flags, what)).encode())
    for file in sorted(path for part in ("bin", "include") if sdk for path in (sdk / part).rglob("*")
                       if path.is_file()):
        out.update(repr((str(file.relative_to(sdk)), file.read_bytes())).encode())
    return out.hexdigest()[:12]


def objects(name, compiler, objcopy, flags, what, sdk):
    """Their object files, kept in the user's cache as newlib is: SQLite takes a compiler half a
    minute."""
    kept = CACHE / f"programs-{name}-{key(compiler, flags, what, sdk)}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(prefix="programs.", dir=CACHE) as directory:
            made = pathlib.Path(directory) / "made"
            made.mkdir()
            for source, options, main, is_alone in what:
                to = made / f"{source.parent.name}-{source.stem}.o"
                subprocess.run([compiler, *flags, "-w", *options, *([f"-Dmain={main}"] if main else []),
                                "-c", "-o", to, source], check=True)
                if is_alone:
                    subprocess.run([objcopy, f"--keep-global-symbol={main}", to], check=True)
            with contextlib.suppress(OSError):  # another one was quicker
                made.rename(kept)
    return sorted(kept.glob("*.o"))


def link(name, compiler, objcopy, flags, sources, here, sdk=None):
    """The one program, in here: with SQLite where an SDK says what it is for."""
    what = sources_of(sources, sdk is not None)
    of_zlib, of_cjson = sources / "zlib", sources / "cjson"
    programs = ("zlib_example", "lua", *(("sqlite",) if sdk else ()))
    here.mkdir()
    (here / "dispatch.c").write_text(DISPATCH % (
        "\n".join(f"int {name}_main(int argc, char **argv);" for name in (*programs, *CJSON)),
        *(", ".join(f'{{ "{name}", {name}_main }}' for name in names) for names in (CJSON, programs))))
    subprocess.run([compiler, *flags, f"-I{of_zlib}", f"-I{of_cjson}", "-o", here / "programs",
                    here / "dispatch.c", *objects(name, compiler, objcopy, flags, what, sdk), "-lm"],
                   check=True)
    return here / "programs"
