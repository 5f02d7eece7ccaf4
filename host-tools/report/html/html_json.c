/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writer/util/printable.h"

#define EXACT (1ULL << 53)

json_t *html_text(const char *text)
{
	char *clean = text ? strdup(text) : NULL;
	json_t *json;

	if (!text)
		return json_null();
	if (clean)
		printable_copy(clean, strlen(clean) + 1, clean, SIZE_MAX, '?', "\t");
	json = clean ? json_string(clean) : NULL;
	free(clean);
	return json;
}

json_t *html_number(uint64_t number)
{
	return number <= EXACT ? json_integer((json_int_t)number) : json_real((double)number);
}

json_t *html_exact(uint64_t number)
{
	return json_sprintf("%" PRIu64, number);
}

static int put_escaped(const char *text, size_t size, void *out)
{
	for (size_t i = 0; i < size; i++) {
		if (strchr("<>&", text[i]) && text[i])
			fprintf(out, "\\u%04x", (unsigned)text[i]);
		else
			putc(text[i], out);
	}
	return ferror(out) ? -1 : 0;
}

int html_json(FILE *out, json_t *json)
{
	int code = !json ? -ENOMEM : 0;

	if (!code && json_dump_callback(json, put_escaped, out,
	                                JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY))
		code = ferror(out) ? -EIO : -ENOMEM;
	json_decref(json);
	return code;
}
