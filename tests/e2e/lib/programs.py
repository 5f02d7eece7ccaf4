# SPDX-License-Identifier: MIT
"""Programs of other authors (deps/programs fetches their sources), compiled unchanged for one ISA
and linked as one ELF file, each under its own name: zlib, cJSON's tests, Lua, SQLite's shell and
speedtest1, and command-line programs that compress, and that read GIF and PNG files."""

import concurrent.futures
import fcntl
import hashlib
import os
import pathlib
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "bareperf"
ZLIB = ("adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees "
        "trees uncompr zutil")
# each test is a program that includes cJSON.c
CJSON = tuple("""cjson_add compare_tests json_patch_tests minify_tests misc_tests misc_utils_tests
    old_utils_tests parse_array parse_examples parse_hex4 parse_number parse_object parse_string
    parse_value parse_with_opts print_array print_number print_object print_string print_value
    readme_examples""".split())
SQLITE = ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_OMIT_WAL",
          "-DSQLITE_MAX_MMAP_SIZE=0")

# The macros that the CMakeLists.txt of XZ Utils defines on a system with POSIX threads, clocks and
# file times.
XZ = tuple(f"-D{name}" for name in """HAVE_CHECK_CRC32 HAVE_CHECK_CRC64 HAVE_CHECK_SHA256 HAVE_DECODERS
    HAVE_ENCODERS HAVE_MF_BT2 HAVE_MF_BT3 HAVE_MF_BT4 HAVE_MF_HC3 HAVE_MF_HC4 HAVE_LZIP_DECODER
    HAVE_STDBOOL_H HAVE__BOOL HAVE_STDINT_H HAVE_INTTYPES_H HAVE_CLOCK_GETTIME HAVE_CLOCK_MONOTONIC
    MYTHREAD_POSIX HAVE_PTHREAD_CONDATTR_SETCLOCK TUKLIB_CPUCORES_SYSCONF TUKLIB_PHYSMEM_SYSCONF
    HAVE_FUTIMENS HAVE_VISIBILITY=0 HAVE_GETOPT_H HAVE_GETOPT_LONG TUKLIB_FAST_UNALIGNED_ACCESS
    ASSUME_RAM=128 PACKAGE_NAME="XZ" PACKAGE_BUGREPORT="" PACKAGE_URL="" LOCALEDIR="/"
    """.split()) + tuple(f"-DHAVE_{way}CODER_{name}" for way in ("EN", "DE") for name in (
        "ARM", "ARMTHUMB", "ARM64", "DELTA", "IA64", "LZMA1", "LZMA2", "POWERPC", "SPARC", "X86"))
XZ_FILES = ("common/tuklib_*.c", "liblzma/check/crc??_fast.c", "liblzma/check/crc??_table.c",
            "liblzma/check/check.c", "liblzma/check/sha256.c",
            *(f"liblzma/{name}/*.c" for name in ("common", "delta", "lz", "lzma", "rangecoder", "simple")),
            "xz/*.c")
PNG = """png pngerror pngget pngmem pngpread pngread pngrio pngrtran pngrutil pngset pngtrans pngwio
    pngwrite pngwtran pngwutil"""
GIF = "getarg qprintf quantize dgif_lib egif_lib gifalloc gif_err gif_font gif_hash openbsd-reallocarray"

# `cjson` runs all of its tests, one after the other; `squeeze` and `spin` are for profiles.
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
    """A cpio archive in the form that `bareperf run` makes."""
    out = b""
    for name, data in [*files, ("TRAILER!!!", b"")]:
        head = f"070701{0:08x}{0o100644:08x}" + f"{0:08x}" * 4 + f"{len(data):08x}" + f"{0:08x}" * 4
        out += (head + f"{len(name) + 1:08x}{0:08x}{name}\0").encode()
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    path.write_bytes(out)


def commands_of(sources):
    """{command: (its sources, options)}: each is a separate program, of which only main() is
    visible to the others."""
    def listed(folder, names):
        return [sources / folder / f"{name}.c" for name in names.split()]

    def found(folder, *patterns):
        return [path for pattern in patterns for path in sorted((sources / folder).glob(pattern))
                if not path.name.endswith(("_small.c", "tablegen.c"))]

    of_zlib, xz = (f"-I{sources}/zlib", "-DZ_HAVE_UNISTD_H"), sources / "xz-utils/src"
    png = ("-DPNG_INTEL_SSE_OPT=0", "-DPNG_ARM_NEON_OPT=0", f"-I{sources}/libpng1.6", *of_zlib)
    with_png = listed("libpng1.6", PNG) + listed("zlib", ZLIB)
    return {
        "minigzip": (listed("zlib", f"test/minigzip {ZLIB}"), of_zlib),
        "bzip2": (listed("bzip2", "blocksort huffman crctable randtable compress decompress bzlib bzip2"), ()),
        "lz4": (found("lz4", "lib/*.c", "programs/*.c"), (f"-I{sources}/lz4/lib", "-DXXH_NAMESPACE=LZ4_")),
        "zstd": (found("libzstd", "lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c",
                       "lib/dictBuilder/*.c", "programs/*.c"),
                 (f"-I{sources}/libzstd/lib", f"-I{sources}/libzstd/lib/common", "-DZSTD_DISABLE_ASM")),
        "xz": (found("xz-utils/src", *XZ_FILES),
               (*XZ, f"-I{xz}/common", *(f"-I{xz}/liblzma/{name}" for name in (
                   "api", "check", "common", "delta", "lz", "lzma", "rangecoder", "simple")))),
        **{name: (listed("giflib", f"{name} {GIF}"), (f"-I{sources}/giflib",))
           for name in ("giftext", "gif2rgb")},
        "pngtest": (listed("libpng1.6", "pngtest") + with_png, png),
        "pngfix": (listed("libpng1.6", "contrib/tools/pngfix") + with_png, png),
    }


def sources_of(sources):
    """A compilation: the source, its options, the new name of main(), and whether only main() is
    visible to other objects."""
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
    found += [(of_sqlite / "sqlite3.c", SQLITE, None, False),
              (of_sqlite / "test/speedtest1.c", (*SQLITE, f"-I{of_sqlite}"), "speedtest1_main", True),
              (of_sqlite / "shell.c", (*SQLITE, f"-I{of_sqlite}"), "sqlite_main", False)]
    return found


def key(compiler, flags, what, sdk):
    """A hash of everything on which the objects depend: the compiler and its flags, the names of
    the sources (deps/programs renames their directory when the content changes), and the SDK's
    headers and wrapper."""
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    out = hashlib.sha1(repr((version, flags, what)).encode())
    for file in sorted(path for part in ("bin", "include") if sdk for path in (sdk / part).rglob("*")
                       if path.is_file()):
        out.update(repr((str(file.relative_to(sdk)), file.read_bytes())).encode())
    return out.hexdigest()[:12]


def compile_all(jobs):
    """Run these command lines, [(word, …), …], as many at a time as there are CPUs."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(lambda job: subprocess.run(job, check=False), jobs):
            done.check_returncode()


def join(name, sources, options, compiler, objcopy, flags, made):
    """Compile a program to one object file in which only NAME_main() is visible to others."""
    with tempfile.TemporaryDirectory(prefix="programs.", dir=CACHE) as directory:
        parts = [f"{directory}/{number}.o" for number in range(len(sources))]
        compile_all([compiler, *flags, "-w", *options, f"-Dmain={name}_main", "-c", "-o", part, source]
                    for part, source in zip(parts, sources))
        whole = made / f"command-{name}.o"
        linker = objcopy.replace("objcopy", "ld")
        subprocess.run([linker, "-r", "-o", whole, *parts], check=True)
        subprocess.run([objcopy, f"--keep-global-symbol={name}_main", whole], check=True)


def objects(name, compiler, objcopy, flags, what, commands, sdk):
    """The object files of the programs. They are kept in the user's cache, like newlib, because
    SQLite takes half a minute to compile. Of two tests, the second one waits for them."""
    kept = CACHE / f"programs-{name}-{key(compiler, flags, (what, commands), sdk)}"
    with open(CACHE / f"programs-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.exists():
            return sorted(kept.glob("*.o"))
        with tempfile.TemporaryDirectory(prefix="programs.", dir=CACHE) as directory:
            made = pathlib.Path(directory) / "made"
            made.mkdir()
            objects_of = {source: made / f"{source.parent.name}-{source.stem}.o" for source, *_ in what}
            compile_all([compiler, *flags, "-w", *options, *([f"-Dmain={main}"] if main else []), "-c", "-o",
                         objects_of[source], source] for source, options, main, _ in what)
            for source, _, main, is_alone in what:
                if is_alone:
                    subprocess.run([objcopy, f"--keep-global-symbol={main}", objects_of[source]], check=True)
            for command, (sources, options) in commands.items():
                join(command, sources, options, compiler, objcopy, flags, made)
            made.rename(kept)
    return sorted(kept.glob("*.o"))


def link(name, compiler, objcopy, flags, sources, here, sdk=None):
    """Build the one program in this directory."""
    what, commands = sources_of(sources), commands_of(sources)
    of_zlib, of_cjson = sources / "zlib", sources / "cjson"
    programs = ("zlib_example", "lua", "sqlite", "speedtest1", *commands)
    here.mkdir()
    (here / "dispatch.c").write_text(DISPATCH % (
        "\n".join(f"int {name}_main(int argc, char **argv);" for name in (*programs, *CJSON)),
        *(", ".join(f'{{ "{name}", {name}_main }}' for name in names) for names in (CJSON, programs))))
    subprocess.run([compiler, *flags, f"-I{of_zlib}", f"-I{of_cjson}", "-o", here / "programs",
                    here / "dispatch.c",
                    *objects(name, compiler, objcopy, flags, what, commands, sdk), "-lm"],
                   check=True)
    return here / "programs"
