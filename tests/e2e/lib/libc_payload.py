# SPDX-License-Identifier: MIT
"""A payload that tests its own C library and registers; argv[1] selects the test. Its exit status
is the number of failed checks, and it prints each of them."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import libc_payload_files
import libc_payload_widths
import machine

# gcc may use all features of the tests' CPUs; the flag for stacks is Debian's default
FLAGS = {
    "x86_64": ("-march=x86-64-v3", "-fstack-protector-strong"),
    "aarch64": ("-march=armv8.2-a+sve", "-fstack-protector-strong"),
}

REGISTERS = {
    "x86_64": r"""
#define ALL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
static void keep(const char *in, char *out, unsigned long turns)
{
	__asm__ volatile(".irp r," ALL "\n"
	                 "	vmovdqu \\r*32(%1), %%ymm\\r\n"
	                 ".endr\n"
	                 "	lea -128(%%rsp), %%rax\n"
	                 "2:	mov %%rax, (%%rax)\n" /* the red zone */
	                 "	add $8, %%rax\n"
	                 "	cmp %%rsp, %%rax\n"
	                 "	jne 2b\n"
	                 "1:	dec %0\n"
	                 "	jnz 1b\n"
	                 "	lea -128(%%rsp), %%rax\n"
	                 "3:	cmp %%rax, (%%rax)\n"
	                 "	je 4f\n"
	                 "	vpxor %%xmm0, %%xmm0, %%xmm0\n"
	                 "4:	add $8, %%rax\n"
	                 "	cmp %%rsp, %%rax\n"
	                 "	jne 3b\n"
	                 ".irp r," ALL "\n"
	                 "	vmovdqu %%ymm\\r, \\r*32(%2)\n"
	                 ".endr\n"
	                 : "+r"(turns)
	                 : "r"(in), "r"(out)
	                 : "rax", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
	                   "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
	                   "xmm14", "xmm15");
}
static unsigned kept_bytes(void)
{
	return 16 * 32;
}
""",
    "aarch64": r"""
#define ALL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define UPPER "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
static void keep(const char *in, char *out, unsigned long turns)
{
	unsigned long length;

	__asm__("rdvl %0, #1" : "=r"(length));
	__asm__ volatile(".irp r," ALL "," UPPER "\n"
	                 "	ldr z\\r, [%1, #\\r, mul vl]\n"
	                 ".endr\n"
	                 ".irp r," ALL "\n"
	                 "	ldr p\\r, [%3, #\\r, mul vl]\n"
	                 ".endr\n"
	                 "1:	subs %0, %0, #1\n"
	                 "	b.ne 1b\n"
	                 ".irp r," ALL "," UPPER "\n"
	                 "	str z\\r, [%2, #\\r, mul vl]\n"
	                 ".endr\n"
	                 ".irp r," ALL "\n"
	                 "	str p\\r, [%4, #\\r, mul vl]\n"
	                 ".endr\n"
	                 : "+r"(turns)
	                 : "r"(in), "r"(out), "r"(in + 32 * length), "r"(out + 32 * length)
	                 : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
	                   "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
	                   "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
	                   "v29", "v30", "v31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
	                   "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15");
}
static unsigned kept_bytes(void)
{
	unsigned long length;

	__asm__("rdvl %0, #1" : "=r"(length));
	return 32 * length + 16 * length / 8;
}
""",
}

SOURCE = r"""
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static unsigned failed;
#define CHECK(what)                                                  \
	do {                                                         \
		if (!(what)) {                                       \
			printf("FAILED %d: %s\n", __LINE__, #what);  \
			__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED); \
		}                                                    \
	} while (0)

/* ---- Registers and thread-local variables ---- */

#define CONVERSIONS 200U

static __thread int five = 5;
static __thread char zeroed[40];
static __thread __attribute__((aligned(256))) char aligned_more[3] = "ab";
__thread long shared = -1;

/* Its operands pass through the red zone of libgcc's function. */
static unsigned wrong_conversions(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < CONVERSIONS; i++) {
		volatile unsigned long high = i * 0x9e3779b97f4a7c15UL >> 2, low = ~high;
		long double sum = (long double)(((__int128)high << 64) + low);

		wrong += sum != high * 0x1p64L + low;
	}
	return wrong;
}

static int registers(void *argument)
{
	static char in[2][9216], out[2][9216];
	unsigned me = bareperf_cpu() != 0, turns = *(unsigned *)argument;

	CHECK(five == 5 && !zeroed[39] && shared == -1 && !strcmp(aligned_more, "ab"));
	CHECK((unsigned long)aligned_more % 256 == 0);
	five += 10 * me;
	shared = 100 + me;
	for (unsigned i = 0; i < sizeof(in[me]); i++)
		in[me][i] = (char)(i * 7 + i / 256 + me);
	for (unsigned i = 0; i < turns; i++) {
		keep(in[me], out[me], 500);
		if (memcmp(in[me], out[me], kept_bytes())) {
			CHECK(!"vector registers or red zone");
			break;
		}
		if (wrong_conversions()) {
			CHECK(!"libgcc's conversion");
			break;
		}
		zeroed[i % 40]++;
	}
	CHECK(five == 5 + 10 * (int)me && shared == 100 + me);
	for (unsigned i = 0; i < 40; i++)
		CHECK(zeroed[i] == (char)(turns / 40 + (i < turns % 40)));
	return 0;
}

static int on_both(int (*fn)(void *argument), void *argument)
{
	int result = -1, cpu = bareperf_thread_start(BAREPERF_ANY_CPU, fn, argument);

	CHECK(cpu >= 0 || bareperf_cpus() == 1);
	fn(argument);
	if (cpu >= 0)
		CHECK(!bareperf_thread_join(cpu, &result) && result == 0);
	return 0;
}

/* A second thread on the same CPU finds its variables as they were linked. */
static void both_registers(unsigned turns)
{
	unsigned few = 40;

	on_both(registers, &turns);
	if (bareperf_cpus() > 1) {
		int cpu = bareperf_thread_start(BAREPERF_ANY_CPU, registers, &few);

		CHECK(!bareperf_thread_join(cpu, NULL));
	}
}

/* ---- The C library ---- */

static void formats(void)
{
	char text[256];
	long double third;

	snprintf(text, sizeof(text), "%zu %td %jd %hhd %hd %lld %" PRIu64, (size_t)-1, (ptrdiff_t)-2,
	         (intmax_t)-3, 260, 65537, -4LL, UINT64_MAX);
	CHECK(!strcmp(text, "18446744073709551615 -2 -3 4 1 -4 18446744073709551615"));
	snprintf(text, sizeof(text), "%a %.2f %g", 1.5, 2.0625, 1e100);
	CHECK(!strcmp(text, "0x1.8p+0 2.06 1e+100"));
	snprintf(text, sizeof(text), "%.1Lf %Lg %Le", 0x1p70L + 1.5L, 1e4000L, -1.25L);
	CHECK(!strcmp(text, __LDBL_MANT_DIG__ == 113
	                        ? "1180591620717411303425.5 1e+4000 -1.250000e+00"
	                        : "1180591620717411303424.0 1e+4000 -1.250000e+00"));
	CHECK(isinf(strtold("1e5000", NULL)) && strtold("-0x1.8p-3", NULL) == -0.1875L);
	CHECK(strtold("0x1p-16400", NULL) * 0x1p8200L * 0x1p8200L == 1 && isnan(strtold("nan", NULL)));
	third = strtold("0.333333333333333333333333333333333333", NULL);
	snprintf(text, sizeof(text), "%.40Lg", third);
	CHECK(strtold(text, NULL) == third && third != (double)third);
	CHECK(sscanf("12 34 5.5", "%zu %hhd %Lf", &(size_t){ 0 }, &(signed char){ 0 }, &third) == 3);
	CHECK(third == 5.5L);
}

/* Each thread has its own: errno, strtok()'s place. */
static int own_part(void *unused)
{
	unsigned me = bareperf_cpu() != 0;

	for (int i = 0; i < 2000; i++) {
		char words[] = "one two three four";
		unsigned count = 0;

		errno = 40 + (int)me;
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
			count++;
		if (count != 4 || errno != 40 + (int)me) {
			CHECK(!"errno or strtok()");
			break;
		}
	}
	for (int i = 0; i < 150; i++)
		printf("<thread %u line %d of many, none of them cut>\n", me, i);
	return unused ? 1 : 0;
}

static void clocks(void)
{
	struct timespec a, b, real, cpu[2];
	struct rusage used;
	const struct timespec span = { 0, 3000000 }, bad = { 0, 1000000000 };

	CHECK(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]));
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &a));
	CHECK(!nanosleep(&span, &b) && b.tv_sec == 0 && b.tv_nsec == 0);
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &b));
	CHECK((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec >= 3000000);
	CHECK(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1])); /* sleeping is spinning */
	CHECK((cpu[1].tv_sec - cpu[0].tv_sec) * 1000000000L + cpu[1].tv_nsec - cpu[0].tv_nsec >= 3000000);
	CHECK(cpu[1].tv_sec < b.tv_sec || (cpu[1].tv_sec == b.tv_sec && cpu[1].tv_nsec < b.tv_nsec));
	CHECK((uint64_t)clock() * (1000000000 / CLOCKS_PER_SEC) < (uint64_t)b.tv_sec * 1000000000 + b.tv_nsec);
	CHECK(!getrusage(RUSAGE_SELF, &used) && used.ru_utime.tv_sec < b.tv_sec + 1);
	CHECK(used.ru_utime.tv_sec - cpu[1].tv_sec <= 1); /* since the program began */
	CHECK(bareperf_clock() >= (uint64_t)b.tv_sec * 1000000000 + (uint64_t)b.tv_nsec);
	CHECK(!clock_gettime(CLOCK_REALTIME, &real) && labs((long)(real.tv_sec - time(NULL))) < 2);
	CHECK(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
	CHECK(clock_gettime(77, &a) == -1 && errno == EINVAL);
	CHECK(!clock_getres(CLOCK_MONOTONIC, &a) && a.tv_sec == 0 && a.tv_nsec == 1);
	CHECK(!usleep(1000));
}

/* Days that calendars are known to go wrong at. */
static void calendar(void)
{
	static const time_t times[] = { 0, -1, 951782400, 951868800, 4107542400, -2203891200,
		                        253402300799, -62167219200 };
	struct tm tm = { .tm_year = 124, .tm_mon = 25, .tm_mday = 30, .tm_hour = -1 };
	struct timespec now, later;

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct tm its = *gmtime(&times[i]);

		CHECK(timegm(&its) == times[i]);
	}
	CHECK(timegm(&tm) == 1772406000 && tm.tm_year == 126 && tm.tm_mon == 2 && tm.tm_mday == 1);
	CHECK(tm.tm_hour == 23 && tm.tm_wday == 0);
	CHECK(timespec_get(&now, TIME_UTC) == TIME_UTC && timespec_get(&now, 77) == 0);
	CHECK(labs((long)(now.tv_sec - time(NULL))) < 2);
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
	later = (struct timespec){ now.tv_sec + (now.tv_nsec + 3000000) / 1000000000,
		                   (now.tv_nsec + 3000000) % 1000000000 };
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL) == 0);
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &now));
	CHECK((now.tv_sec - later.tv_sec) * 1000000000L + now.tv_nsec - later.tv_nsec >= 0);
	CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){ 1, 0 }, NULL) == 0);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 1000 }, NULL) == 0);
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, -1 }, NULL) == EINVAL);
	CHECK(clock_nanosleep(77, 0, &(struct timespec){ 0, 1000 }, NULL) == EINVAL);
}

static void memory(void)
{
	for (size_t align = sizeof(void *); align <= 65536; align *= 2) {
		void *block = NULL;

		CHECK(!posix_memalign(&block, align, 100) && (uintptr_t)block % align == 0);
		memset(block, 1, 100);
		free(block);
	}
	CHECK(posix_memalign(&(void *){ NULL }, 24, 8) == EINVAL);
	CHECK(posix_memalign(&(void *){ NULL }, 64, SIZE_MAX / 2) == ENOMEM);
	void *block = aligned_alloc(4096, 8192);
	CHECK(block && (uintptr_t)block % 4096 == 0);
	free(block);
	CHECK(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) == bareperf_cpus());
	errno = 0;
	CHECK(sysconf(_SC_OPEN_MAX) == 64 && sysconf(_SC_THREAD_KEYS_MAX) == 128);
	CHECK(sysconf(_SC_THREADS) == 200809 && sysconf(_SC_THREAD_THREADS_MAX) == bareperf_cpus());
	CHECK(sysconf(_SC_TIMERS) == -1 && sysconf(_SC_ARG_MAX) == -1 && errno == 0);
	CHECK(sysconf(12345) == -1 && errno == EINVAL);
}

static void options(void)
{
	char *words[] = { "program", "-a", "-bvalue", "--long=x", "rest", NULL };
	const struct option known[] = { { "long", required_argument, NULL, 'l' }, { 0 } };
	char seen[8] = "";
	int letter;

	while ((letter = getopt_long(5, words, "ab:", known, NULL)) != -1)
		seen[strlen(seen)] = (char)letter;
	CHECK(!strcmp(seen, "abl") && !strcmp(optarg, "x") && optind == 4);
}

static __attribute__((noinline, noclone)) void smash(const char *with)
{
	char small[8];

	memcpy(small, with, strlen(with) + 1);
	printf("%s\n", small);
}

""" + libc_payload_files.SOURCE + libc_payload_widths.SOURCE + r"""
#define NEWLIB(name) int name##_main(int argc, char **argv);
#include "newlib_tests.h"
#undef NEWLIB

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned turns = argc > 2 ? atoi(argv[2]) : 100;

	if (!strcmp(what, "registers"))
		both_registers(turns);
	else if (!strcmp(what, "files")) {
		on_both(own_part, NULL);
		files(argc, argv);
		descriptors();
		paths();
		room();
		directories();
		times_of_files();
		on_both(pipes, NULL);
	}
	else if (!strcmp(what, "library")) {
		formats();
		clocks();
		calendar();
		memory();
		options();
		generators();
		radix();
		rounded();
		totals();
		far();
		years();
	} else if (!strcmp(what, "smash"))
		smash("longer than the array that it is copied to, by far");
#define NEWLIB(name)                    \
	else if (!strcmp(what, #name))  \
		return name##_main(1, argv);
#include "newlib_tests.h"
	else
		return 99;
	if (!failed)
		printf("all is well\n");
	return (int)failed;
}
"""

# newlib's own test programs, without those that do not apply: newlib.iconv/ (iconv() is not built),
# newlib.elix/tmmap (no mmap()), newlib.wctype/twctype (expects a digit of Devanagari to be a
# letter, which it is not in this newlib on any machine).
NEWLIB_TESTS = ("locale/UTF-8", "search/hsearchtest", "stdio/nulprintf", "stdio/swprintf",
                "stdlib/atexit", "stdlib/size_max", "string/memcpy-1", "string/memmove1",
                "string/strcmp-1", "string/tstring", "wctype/tiswctype", "wctype/twctrans")


def c_name(test):
    return test.replace("/", "_").replace("-", "_")


def build(isa, directory, tests=NEWLIB_TESTS):
    """Builds the payload in the directory, with some of newlib's test programs. Returns its
    path."""
    directory = pathlib.Path(directory)
    tarball = max(pathlib.Path("/usr/src/newlib").glob("newlib-*.tar.xz"))
    suite = directory / "newlib/testsuite"
    if tests and not suite.exists():
        subprocess.run(["tar", "-xf", tarball, "-C", directory, "--strip-components=1",
                        "--wildcards", "*/newlib/testsuite"], check=True)
    (directory / "newlib_tests.h").write_text(
        "".join(f"NEWLIB({c_name(test)})\n" for test in tests))
    objects = []
    compiler = machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc"
    for test in tests:
        folder, name = test.split("/")
        objects.append(directory / f"{isa}-{c_name(test)}.o")
        # All symbols of each program except main() stay local to its object file.
        subprocess.run([compiler, "-c", "-O2", "-w", f"-Dmain={c_name(test)}_main",
                        *FLAGS[isa], "-I", suite / "include", "-o", objects[-1],
                        suite / f"newlib.{folder}/{name}.c"], check=True)
        subprocess.run([OBJCOPY[isa], f"--keep-global-symbol={c_name(test)}_main", objects[-1]],
                       check=True)
    return machine.payload(isa, directory / f"{isa}-libc.elf", REGISTERS[isa] + SOURCE,
                           *FLAGS[isa], "-I", str(directory), *objects)


OBJCOPY = {"x86_64": "objcopy", "aarch64": "aarch64-linux-gnu-objcopy"}
