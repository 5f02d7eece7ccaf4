# SPDX-License-Identifier: MIT
"""A payload that looks at its own C library and registers: argv[1] says at what. Its exit status is how
many checks failed, each of which it prints."""

import pathlib
import subprocess

import machine

# gcc is to use all that the CPUs of the tests have; Debian's usual flag for stacks
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
#include <math.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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
	const struct timespec span = { 0, 3000000 }, bad = { 0, 1000000000 };

	CHECK(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]));
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &a));
	CHECK(!nanosleep(&span, &b) && b.tv_sec == 0 && b.tv_nsec == 0);
	CHECK(!clock_gettime(CLOCK_MONOTONIC, &b));
	CHECK((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec >= 3000000);
	CHECK(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1])); /* sleeping is spinning */
	CHECK((cpu[1].tv_sec - cpu[0].tv_sec) * 1000000000L + cpu[1].tv_nsec - cpu[0].tv_nsec >= 3000000);
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

/* argv[2] is a file of 5000 bytes that count up; what follows came out of another one. */
static void files(int argc, char **argv)
{
	char line[64] = "", text[16] = "";
	struct stat status;
	FILE *file, *other;
	struct flock lock = { .l_type = F_WRLCK };
	struct rusage used;
	unsigned wrong = 0;

	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "first line\n"));
	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "second") && !fgets(line, 9, stdin));
	CHECK(argc == 6 && !strcmp(argv[3], "alpha") && !strcmp(argv[4], "two words"));
	CHECK(!strcmp(argv[5], "q\"@"));
	CHECK(!stat(argv[2], &status) && status.st_size == 5000 && S_ISREG(status.st_mode));
	CHECK((file = fopen(argv[2], "r+")));
	for (int i = 0; file && i < 5000; i++)
		wrong += getc(file) != (i & 0xff);
	CHECK(!wrong && getc(file) == EOF && !fseek(file, 4998, SEEK_SET));
	CHECK(fputs("tail", file) >= 0 && !fclose(file) && !stat(argv[2], &status));
	CHECK(status.st_size == 5002 && labs((long)(status.st_mtime - time(NULL))) < 2);
	CHECK((file = fopen("/new", "w+x")) && !fopen("new", "wx") && errno == EEXIST);
	CHECK(fprintf(file, "%05d", 42) == 5 && fseek(file, 2, SEEK_CUR) == 0 && putc('x', file));
	rewind(file);
	CHECK(fread(text, 1, 16, file) == 8 && !memcmp(text, "00042\0\0x", 8) && !fclose(file));
	CHECK((other = fopen("other", "a")) && fputs("abc", other) >= 0 && !fclose(other));
	CHECK(!rename("new", "other") && stat("new", &status) == -1 && errno == ENOENT);
	CHECK(!stat("./other", &status) && status.st_size == 8 && !access("other", R_OK));
	CHECK((file = fopen("other", "r")) && !remove("other") && !fopen("other", "r"));
	CHECK(getc(file) == '0' && !fclose(file));
	CHECK((file = tmpfile()) && fputs("temporary", file) >= 0 && !fflush(file));
	CHECK(!ftruncate(fileno(file), 4) && !fstat(fileno(file), &status) && status.st_size == 4);
	CHECK(ftruncate(fileno(file), LONG_MAX) == -1 && errno == ENOSPC);
	CHECK(lseek(fileno(file), LONG_MAX - 1, SEEK_SET) == LONG_MAX - 1);
	CHECK(write(fileno(file), "far", 3) == -1 && errno == ENOSPC);
	fclose(file);
	CHECK(open("nowhere", O_RDONLY) == -1 && errno == ENOENT && close(77) == -1 && errno == EBADF);
	CHECK(isatty(1) && !isatty(0) && lseek(1, 0, SEEK_SET) == -1 && errno == ESPIPE);
	for (int i = 0; i < 200; i++)
		CHECK((file = fopen("again", "w")) && !fclose(file));
	CHECK(mkdir("again", 0755) == -1 && errno == EEXIST && geteuid() == 0);
	CHECK(!lstat("again", &status) && S_ISREG(status.st_mode) && !chmod("again", 0600));
	CHECK(readlink("again", text, 9) == -1 && errno == EINVAL && readlink("none", text, 9) == -1);
	CHECK((file = fopen("again", "r")) && !fcntl(fileno(file), F_SETLK, &lock) && !fclose(file));
	CHECK(!fcntl(0, F_GETLK, &lock) && lock.l_type == F_UNLCK && fcntl(0, 77, 0) == -1);
	CHECK(fcntl(77, F_GETFD) == -1 && errno == EBADF && system(NULL) == 0 && system("x") == -1);
	CHECK(fork() == -1 && errno == ENOSYS && !popen("x", "r") && symlink("again", "s") == -1);
	CHECK(!getrusage(RUSAGE_SELF, &used) && used.ru_utime.tv_sec < 600 && !getpwuid(1));
	CHECK(!strcmp(getpwuid(getuid())->pw_dir, "/") && getpwnam("root")->pw_uid == getuid());
}

/* Two descriptors of one place, and a place that is none. */
static void descriptors(void)
{
	char text[32] = "", *line = NULL;
	size_t size = 0;
	int fd = creat("doubled", 0644), other, out;
	FILE *file = NULL;

	CHECK(fd >= 3 && write(fd, "0123456789", 10) == 10 && read(fd, text, 1) == -1 && errno == EBADF);
	CHECK(pwrite(fd, "AB", 2, 3) == 2 && pwrite(fd, "!", 1, -1) == -1 && errno == EINVAL);
	CHECK(pwrite(1, "!", 1, 0) == -1 && errno == ESPIPE && lseek(fd, 0, SEEK_CUR) == 10);
	CHECK((other = dup(fd)) > fd && write(other, "x", 1) == 1 && lseek(fd, 0, SEEK_CUR) == 11);
	CHECK(!close(fd) && write(other, "y", 1) == 1 && close(fd) == -1 && errno == EBADF);
	CHECK(!fdatasync(other) && (fcntl(other, F_GETFL) & O_ACCMODE) == O_WRONLY);
	CHECK(dup2(other, 20) == 20 && dup2(20, 20) == 20 && !close(other) && write(20, "z", 1) == 1);
	CHECK(dup2(77, 3) == -1 && errno == EBADF && dup2(20, 64) == -1 && errno == EBADF);
	CHECK(fcntl(20, F_DUPFD, 30) == 30 && !close(30) && fcntl(20, F_DUPFD, 64) == -1);
	CHECK(!close(20) && (fd = open("doubled", O_RDONLY)) >= 0 && read(fd, text, 3) == 3);
	CHECK(pread(fd, text, 20, 2) == 11 && !memcmp(text, "2AB56789xyz", 11));
	CHECK(pread(fd, text, 20, 99) == 0 && read(fd, text, 1) == 1 && text[0] == 'A');
	CHECK(write(fd, "", 1) == -1 && errno == EBADF && !close(fd));
	CHECK(!truncate("doubled", 4) && (file = fopen("doubled", "a+")) && fputs("x\nlast", file) >= 0);
	rewind(file);
	flockfile(file);
	CHECK(ftrylockfile(file) == 0);
	funlockfile(file);
	funlockfile(file);
	CHECK(getline(&line, &size, file) == 6 && !strcmp(line, "012Ax\n") && size >= 7);
	CHECK(getdelim(&line, &size, 's', file) == 3 && !strcmp(line, "las") && !fclose(file));
	free(line);
	CHECK(truncate("none", 4) == -1 && errno == ENOENT && truncate("/", 0) == -1 && errno == EISDIR);
	fflush(stdout); /* what is printed goes to a file, and back */
	CHECK((out = dup(1)) >= 3 && (fd = creat("printed", 0644)) >= 3 && dup2(fd, 1) == 1);
	printf("not on the console\n");
	fflush(stdout);
	CHECK(dup2(out, 1) == 1 && isatty(1) && !close(out) && !close(fd));
	CHECK((file = fopen("printed", "r")) && fgets(text, 32, file) && !fclose(file));
	CHECK(!strcmp(text, "not on the console\n") && !unlink("printed") && !unlink("doubled"));
	for (fd = 0; dup(1) >= 0; fd++)
		continue;
	CHECK(errno == EMFILE && fd == 61);
	while (fd--)
		close(fd + 3);
	CHECK(getpagesize() == 4096 && !gethostname(text, 32) && text[0] && gethostname(text, 2) == -1);
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

/* What a directory has, sorted, each with its type's letter. */
static const char *listing(const char *path)
{
	static char text[256];
	char names[16][32];
	unsigned count = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return strerror(errno);
	for (const struct dirent *entry; count < 16 && (entry = readdir(dir));)
		snprintf(names[count++], 32, "%.29s%c", entry->d_name,
		         entry->d_type == DT_DIR ? '/' : entry->d_type == DT_REG ? ' ' : '?');
	rewinddir(dir);
	CHECK(readdir(dir) && telldir(dir) == 1 && !closedir(dir));
	qsort(names, count, 32, (int (*)(const void *, const void *))strcmp);
	text[0] = 0;
	for (unsigned i = 0; i < count; i++)
		strcat(text, names[i]);
	return text;
}

static int is_no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void directories(void)
{
	char text[32] = "", longer[300] = "", *path;
	struct dirent **list;
	struct stat status, inner;
	FILE *file;

	CHECK(!mkdir("made", 0750) && mkdir("/made/", 0755) == -1 && errno == EEXIST);
	CHECK(!stat("made", &status) && status.st_mode == (S_IFDIR | 0750));
	CHECK(!strcmp(listing("made"), ".././"));
	CHECK((file = fopen("made/deep/er/file", "w")) && fputs("x", file) >= 0 && !fclose(file));
	CHECK((file = fopen("made//./deep/../other", "w")) && !fclose(file));
	CHECK(!strcmp(listing("/made/."), ".././deep/other "));
	CHECK(!strcmp(listing("made/deep"), ".././er/") && !strcmp(listing("none"), strerror(ENOENT)));
	CHECK(!strcmp(listing("made/other"), strerror(ENOTDIR)) && strstr(listing("/"), "made/"));
	CHECK(scandir("made", &list, is_no_dot, alphasort) == 2 && !strcmp(list[0]->d_name, "deep"));
	CHECK(!strcmp(list[1]->d_name, "other") && scandir("none", &list, NULL, NULL) == -1);
	free(list[0]), free(list[1]), free(list);
	CHECK((path = realpath("made/./deep/../other", NULL)) && !strcmp(path, "/made/other"));
	free(path);
	CHECK(realpath("/", text) == text && !strcmp(text, "/") && !realpath("none", text) && errno == ENOENT);
	CHECK(!fopen("made/deep", "w") && errno == EISDIR && !fopen("made/other/x", "w"));
	CHECK(errno == ENOTDIR && (file = fopen("made", "r")) && getc(file) == EOF && errno == EISDIR);
	CHECK(!fclose(file) && getcwd(text, 32) && !strcmp(text, "/") && !chdir("made/deep"));
	CHECK(getcwd(text, 32) && !strcmp(text, "/made/deep") && !getcwd(text, 10) && errno == ERANGE);
	CHECK(!stat("er/file", &inner) && inner.st_size == 1 && !strcmp(listing("../.."), listing("/")));
	CHECK(!stat("..", &inner) && inner.st_ino == status.st_ino && chdir("er/file") == -1);
	CHECK(rmdir("er") == -1 && errno == ENOTEMPTY && !remove("er/file") && !remove("er"));
	CHECK(rmdir("/made/deep") == -1 && errno == EBUSY && rename("../other", "here") == 0);
	CHECK(!strcmp(listing("."), ".././here ") && unlink("/made") == -1 && errno == EISDIR);
	CHECK(rename("/made", "/maid") == -1 && errno == EBUSY && link("/made", "l") == -1);
	CHECK(!unlink("here") && !chdir("/") && !rmdir("made/deep") && !rmdir("made"));
	CHECK(!strcmp(listing("made"), strerror(ENOENT)) && rmdir("/") == -1 && errno == EBUSY);
	CHECK(pathconf("/", _PC_NAME_MAX) == NAME_MAX && pathconf("none", _PC_NAME_MAX) == -1);
	memset(longer, 'n', 256);
	CHECK(!fopen(longer, "w") && errno == ENAMETOOLONG && mkdir("", 0700) == -1 && errno == ENOENT);
}

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
		directories();
	}
	else if (!strcmp(what, "library")) {
		formats();
		clocks();
		calendar();
		memory();
		options();
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

# newlib's own test programs. Those that do not fit: newlib.iconv/ (iconv() is not built),
# newlib.elix/tmmap (no mmap()), newlib.wctype/twctype (takes a digit of Devanagari for a letter, which
# this newlib does not, on any machine).
NEWLIB_TESTS = ("locale/UTF-8", "search/hsearchtest", "stdio/nulprintf", "stdio/swprintf",
                "stdlib/atexit", "stdlib/size_max", "string/memcpy-1", "string/memmove1",
                "string/strcmp-1", "string/tstring", "wctype/tiswctype", "wctype/twctrans")


def c_name(test):
    return test.replace("/", "_").replace("-", "_")


def build(isa, directory, tests=NEWLIB_TESTS):
    """The payload, built in directory; its path. Of newlib's source some test programs are in it."""
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
        # Each has names of its own: all but main() stay in its file.
        subprocess.run([compiler, "-c", "-O2", "-w", f"-Dmain={c_name(test)}_main",
                        *FLAGS[isa], "-I", suite / "include", "-o", objects[-1],
                        suite / f"newlib.{folder}/{name}.c"], check=True)
        subprocess.run([OBJCOPY[isa], f"--keep-global-symbol={c_name(test)}_main", objects[-1]],
                       check=True)
    return machine.payload(isa, directory / f"{isa}-libc.elf", REGISTERS[isa] + SOURCE,
                           *FLAGS[isa], "-I", str(directory), *objects)


OBJCOPY = {"x86_64": "objcopy", "aarch64": "aarch64-linux-gnu-objcopy"}
