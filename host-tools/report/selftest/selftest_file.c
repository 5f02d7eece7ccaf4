/* SPDX-License-Identifier: MIT */
#include "host-tools/report/selftest/selftest_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/selftest/selftest_json.h"
#include "lib/survey/survey_pack.h"

#define MOST  (8U << 20) /* bytes; the JSON of a machine with 256 CPUs has a fifth of that */
#define BEGIN 64U        /* bytes that show a file's kind */

/* Skip the blanks before a text. */
static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static bool is_packed(const char *text)
{
	return !strncmp(skip_blanks(text), SURVEY_PACK_MARK, strlen(SURVEY_PACK_MARK));
}

/* Whether the text begins with {"selftest": */
static bool is_json(const char *text)
{
	text = skip_blanks(text);
	return *text == '{' && !strncmp(skip_blanks(text + 1), "\"selftest\"", 10);
}

static int read_text(const char *text, const char *from, struct survey *s, struct error *error)
{
	const char *wrong;

	if (is_json(text)) {
		int code = selftest_json_read(text, s, error);

		return code ? error_prefix(error, code, "%s", from) : 0;
	}
	if (!is_packed(text))
		return error_set(error, -EINVAL,
		                 "%s: this is neither the JSON of a self-test nor the text of its "
		                 "QR code, which begins with " SURVEY_PACK_MARK,
		                 from);
	wrong = survey_unpack(s, text, strlen(text));
	if (wrong)
		return error_set(error, -EINVAL,
		                 "%s: the text of a self-test's QR code: %s; copy it again, or "
		                 "take another photograph",
		                 from, wrong);
	return 0;
}

static int read_stream(FILE *in, char *text, const char *from, struct error *error)
{
	size_t size = fread(text, 1, MOST, in);

	if (ferror(in))
		return error_errno(error, "reading %s", from);
	if (size == MOST)
		return error_set(error, -EFBIG, "%s: too long for a self-test: more than %u MiB",
		                 from, MOST >> 20);
	text[size] = '\0';
	return 0;
}

int selftest_file_read(const char *from, struct survey *s, struct error *error)
{
	bool is_stdin = !strcmp(from, "-");
	char *text;
	FILE *in;
	int code;

	if (is_packed(from))
		return read_text(from, "the given text", s, error);
	in = is_stdin ? stdin : fopen(from, "re");
	if (!in)
		return error_errno(error, "opening %s", from);
	text = malloc(MOST + 1);
	code = text ? read_stream(in, text, from, error)
	            : error_set(error, -ENOMEM, "reading %s: no memory", from);
	if (!code)
		code = read_text(text, is_stdin ? "standard input" : from, s, error);
	free(text);
	if (!is_stdin)
		fclose(in);
	return code;
}

bool selftest_file_is(const char *path)
{
	char begin[BEGIN + 1];
	FILE *in = fopen(path, "re");
	size_t size = in ? fread(begin, 1, BEGIN, in) : 0;

	begin[size] = '\0';
	if (in)
		fclose(in);
	return is_json(begin) || is_packed(begin);
}
