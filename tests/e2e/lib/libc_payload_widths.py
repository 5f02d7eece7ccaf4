# SPDX-License-Identifier: MIT
"""The part of libc_payload.py that tests 64-bit arguments: the functions of newlib that are wrong,
as docs/payloads.md lists them, and similar ones that are right. The expected results are
glibc's."""

SOURCE = r"""
static void generators(void)
{
	unsigned short seed[3] = { 0xffff, 0x8000, 0xfedc };

	CHECK(jrand48(seed) == 2110359424 && nrand48(seed) == 259536155);
	CHECK(erand48(seed) == 0x1.ee01b7f1291p-1);
	srand48(0x1234567);
	CHECK(mrand48() == -1525777993 && lrand48() == 90409056 && drand48() == 0x1.51897bd05446p-1);
	CHECK(mrand48() == -677141511 && lrand48() == 423033238 && drand48() == 0x1.a43bac29dff8p-1);
	CHECK(mrand48() == 2019605206);
	for (int i = 0; i < 1000; i++) {
		long value = i & 1 ? jrand48(seed) : mrand48(), other = random();

		CHECK(value == (int32_t)value && other == (other & 0x7fffffff));
	}
}

static void radix(void)
{
	CHECK(a64l("") == 0 && a64l("/") == 1 && a64l("./") == 64 && a64l("k9z") == 258800);
	CHECK(a64l("zzzzz/") == 0x7fffffff && a64l("zzzzz1") == -1 && a64l("zzzzzz") == -1);
	CHECK(a64l("zzzzz/z") == 0x7fffffff && !strcmp(l64a(-1), "zzzzz1") && !strcmp(l64a(1L << 32), ""));
}

static void rounded(void)
{
	static const double large[] = { 0x1p51 + 0.5, 0x1p52 + 1, 0x1p53 + 2, 1e18, -1e18, 9.2e18, -0x1p63,
		                        0x1p63 - 1024, 2147483648.5, -4294967297.5 };

	CHECK(lround(0x1p51 + 0.5) == (1L << 51) + 1 && lround(2.5) == 3 && lround(-2.5) == -3);
	CHECK(llround(0.49999999999999994) == 0 && lround(-0.5) == -1 && llround(2147483648.5) == 2147483649);
	for (unsigned i = 1; i < sizeof(large) / sizeof(large[0]) - 2; i++)
		CHECK(lround(large[i]) == (long)large[i] && llround(large[i]) == (long)large[i] &&
		      lrint(large[i]) == (long)large[i] && llrint(large[i]) == (long)large[i]);
	CHECK(scalbln(1.5, 1L << 32) == HUGE_VAL && scalbln(1.5, LONG_MIN) == 0);
}

static void totals(void)
{
	struct mallinfo before = mallinfo(), now;
	static void *volatile kept[64], *volatile large;

	CHECK(before.arena > 0 && before.arena < 64UL << 20 && before.fordblks <= before.arena);
	CHECK(before.uordblks + before.fordblks == before.arena && before.keepcost <= before.fordblks);
	CHECK(!before.hblks && !before.hblkhd && !before.smblks && !before.usmblks && !before.fsmblks);
	for (unsigned i = 0; i < 64; i++)
		CHECK((kept[i] = malloc(5000)));
	large = malloc(3 << 20);
	now = mallinfo();
	CHECK(now.uordblks - before.uordblks >= 64 * 5000 + (3 << 20));
	CHECK(now.uordblks - before.uordblks < 64 * 5032 + (3 << 20) + 64);
	CHECK(now.arena >= now.uordblks && now.uordblks + now.fordblks == now.arena);
	for (unsigned i = 0; i < 64; i += 2)
		free(kept[i]);
	before = now;
	now = mallinfo();
	CHECK(before.uordblks - now.uordblks >= 32 * 5000 && now.ordblks >= before.ordblks + 31);
	for (unsigned i = 1; i < 64; i += 2)
		free(kept[i]);
	free(large);
	CHECK(mallopt(1, 1) == 0 || mallopt(1, 1) == 1);
	malloc_stats();
}

/* read() and write() return an int, so one call moves at most INT_MAX bytes. */
static void far(void)
{
	int fd = open("/dev/null", O_WRONLY);
	volatile size_t all = SIZE_MAX;

	CHECK(write(fd, "", (size_t)3 << 30) == 0x7ffff000 && pwrite(fd, "", SIZE_MAX, 0) == 0x7ffff000);
	CHECK(!close(fd) && ftell(stdout) == -1);
	CHECK(strtol("-9223372036854775808", NULL, 10) == LONG_MIN && strnlen("four", SIZE_MAX) == 4);
	CHECK(!calloc(all / 2, 3) && !malloc(all - 100) && !reallocarray(NULL, all >> 31, all >> 31));
}

static void years(void)
{
	struct tm tm = { .tm_year = 2200, .tm_mday = 1 };
	time_t late = 253402300800;

	CHECK(mktime(&tm) == 67216348800 && gmtime(&late)->tm_year == 8100 && timegm(&tm) == 67216348800);
	tm.tm_year = 20000;
	CHECK(mktime(&tm) == -1); /* newlib's limit: years from -8100 to 11900 */
}
"""
