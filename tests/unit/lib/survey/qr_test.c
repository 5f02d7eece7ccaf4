/* SPDX-License-Identifier: MIT */
/* QR codes, read back by zbarimg. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/survey/qr.h"
#include "lib/survey/qr_codewords.h"
#include "tests/unit/temporary.h"

#define SCALE 3U
#define MOST  60U /* images that zbarimg reads in one call */

static struct qr qr;

static void versions_hold_the_capacity_of_the_standard(void **state)
{
	static const struct {
		unsigned version, codewords, l, m;
	} known[] = { { 1, 26, 17, 14 },        { 2, 44, 32, 26 },       { 6, 172, 134, 106 },
		      { 7, 196, 154, 122 },     { 9, 292, 230, 180 },    { 10, 346, 271, 213 },
		      { 14, 581, 458, 362 },    { 21, 1156, 929, 711 },  { 27, 1828, 1465, 1125 },
		      { 32, 2465, 1952, 1538 }, { 40, 3706, 2953, 2331 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(qr_codewords(known[i].version), known[i].codewords);
		assert_int_equal(qr_capacity(known[i].version, QR_L), known[i].l);
		assert_int_equal(qr_capacity(known[i].version, QR_M), known[i].m);
	}
}

static void too_many_bytes_are_refused(void **state)
{
	static char bytes[QR_BYTES_MAX + 1];

	(void)state;
	assert_true(qr_encode(&qr, bytes, QR_BYTES_MAX));
	assert_int_equal(qr.version, 40);
	assert_int_equal(qr.size, QR_SIZE_MAX);
	assert_false(qr_encode(&qr, bytes, QR_BYTES_MAX + 1));
	assert_true(qr_encode(&qr, bytes, 0));
	assert_int_equal(qr.version, 1);
}

/* ---- Read back ---- */

static char directory[PATH_MAX];
static char texts[MOST][QR_BYTES_MAX + 1];
static unsigned images;

/* Draw the code with its quiet zone as a portable bitmap. */
static void draw(const char *path)
{
	unsigned width = (qr.size + 2 * QR_QUIET) * SCALE;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "P1\n%u %u\n", width, width);
	for (unsigned y = 0; y < width; y++) {
		for (unsigned x = 0; x < width; x++) {
			unsigned row = y / SCALE - QR_QUIET, column = x / SCALE - QR_QUIET;

			fputs(row < qr.size && column < qr.size && qr_is_dark(&qr, row, column)
			          ? "1 "
			          : "0 ",
			      file);
		}
		fputc('\n', file);
	}
	assert_int_equal(fclose(file), 0);
}

static void add(unsigned length)
{
	char path[PATH_MAX + 16];

	for (unsigned i = 0; i < length; i++)
		texts[images][i] = (char)('!' + rand() % ('~' - '!' + 1));
	texts[images][length] = '\0';
	assert_true(qr_encode(&qr, texts[images], length));
	snprintf(path, sizeof(path), "%s/%02u.pbm", directory, images++);
	draw(path);
}

/* Check that all images so far contain their texts. */
static void read_back(void)
{
	static char line[QR_BYTES_MAX + 16];
	char command[PATH_MAX + 80];
	FILE *pipe;

	snprintf(command, sizeof(command),
	         "zbarimg --nodbus --quiet --raw -Sdisable -Sqrcode.enable %s/*.pbm", directory);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	for (unsigned i = 0; i < images; i++) {
		if (!fgets(line, sizeof(line), pipe))
			fail_msg("zbarimg read %u codes of %u", i, images);
		line[strcspn(line, "\n")] = '\0';
		assert_string_equal(line, texts[i]);
	}
	assert_int_equal(pclose(pipe), 0);
	snprintf(command, sizeof(command), "rm -f %s/*.pbm", directory);
	assert_int_equal(system(command), 0);
	images = 0;
}

static void each_version_is_read_at_each_level(void **state)
{
	(void)state;
	if (system("command -v zbarimg >/dev/null") != 0)
		skip();
	for (unsigned version = 1; version <= QR_VERSIONS; version++) {
		unsigned least = version > 1 ? qr_capacity(version - 1, QR_L) + 1 : 1;

		add(least);
		assert_int_equal(qr.version, version);
		assert_int_equal(qr.level, least <= qr_capacity(version, QR_M) ? QR_M : QR_L);
		add(qr_capacity(version, QR_L));
		assert_int_equal(qr.version, version);
		assert_int_equal(qr.level, QR_L);
		if (version % 20 == 0)
			read_back();
	}
}

static void texts_of_any_length_are_read(void **state)
{
	(void)state;
	if (system("command -v zbarimg >/dev/null") != 0)
		skip();
	srand((unsigned)getpid());
	for (unsigned round = 0; round < 2; round++) {
		while (images < MOST)
			add(1 + (unsigned)rand() % 700);
		read_back();
	}
}

static int set_up(void **state)
{
	(void)state;
	temporary_path(directory, "qr");
	return mkdir(directory, 0700);
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_hold_the_capacity_of_the_standard),
		cmocka_unit_test(too_many_bytes_are_refused),
		cmocka_unit_test(each_version_is_read_at_each_level),
		cmocka_unit_test(texts_of_any_length_are_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
