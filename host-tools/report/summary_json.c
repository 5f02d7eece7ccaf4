/* SPDX-License-Identifier: MIT */
#include "host-tools/report/summary_json.h"

#include <errno.h>

#include "writer/region/region.h"

json_t *summary_number(uint64_t number)
{
	return json_integer((json_int_t)number);
}

json_t *summary_text(const char *text, size_t size)
{
	char clean[1100];

	region_printable(clean, sizeof(clean), text, size);
	return json_string(clean);
}

int summary_print(json_t *json, FILE *out, const char *what, struct error *error)
{
	int code = 0;

	if (json_dumpf(json, out, JSON_INDENT(2)) || fputc('\n', out) == EOF || fflush(out))
		code = error_set(error, -EIO, "writing %s failed", what);
	json_decref(json);
	return code;
}
