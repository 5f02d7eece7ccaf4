/* SPDX-License-Identifier: MIT */
#include "host-tools/report/diff/services_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HZ_MOST    100000000000ULL
#define CALLS_MOST 1000000000ULL
#define VALUE_MOST 1e18

/* The first wrong field ends the reading. */
struct reading {
	struct error *error;
	int code;
};

static void refuse(struct reading *r, const char *field, const char *what)
{
	if (!r->code)
		r->code = error_set(r->error, -EINVAL, "no report of `bench --uefi': \"%s\" %s",
		                    field, what);
}

static uint64_t whole_of(struct reading *r, const json_t *of, const char *name, uint64_t most)
{
	const json_t *field = json_object_get(of, name);
	json_int_t value = json_integer_value(field);

	if (!json_is_integer(field) || value < 0 || (uint64_t)value > most)
		refuse(r, name, "is no whole number, or too large");
	return r->code ? 0 : (uint64_t)value;
}

static double number_of(struct reading *r, const json_t *of, const char *name)
{
	const json_t *field = json_object_get(of, name);
	double value = json_number_value(field);

	if (!json_is_number(field) || !(value >= 0) || value > VALUE_MOST)
		refuse(r, name, "is no number, or too large");
	return r->code ? 0 : value;
}

/* Printable ASCII; other characters become '?'. A longer text is cut. */
static void text_of(struct reading *r, const json_t *of, const char *name, char *to, size_t size)
{
	const char *text = json_string_value(json_object_get(of, name));
	size_t i = 0;

	if (!text)
		refuse(r, name, "is no text");
	for (; text && text[i] && i + 1 < size; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[i] = '\0';
}

static void spread_of(struct reading *r, const json_t *of, const char *name,
                      struct services_spread *spread)
{
	const json_t *field = json_object_get(of, name);

	if (!json_is_object(field))
		refuse(r, name, "is missing");
	*spread = (struct services_spread){ number_of(r, field, "p25"),
		                            number_of(r, field, "median"),
		                            number_of(r, field, "p75") };
	if (spread->p25 > spread->median || spread->median > spread->p75)
		refuse(r, name, "has quartiles that are not in order");
}

static void read_row(struct reading *r, const json_t *of, struct services_file *file)
{
	struct services_row *row = &file->rows[file->count++];
	char service[48], detail[40];

	text_of(r, of, "service", service, sizeof(service));
	text_of(r, of, "detail", detail, sizeof(detail));
	snprintf(row->name, sizeof(row->name), "%s%s%s%s", service, *detail ? " (" : "", detail,
	         *detail ? ")" : "");
	if (json_object_get(of, "error")) {
		row->error = whole_of(r, of, "error", INT64_MAX);
		return;
	}
	row->calls = whole_of(r, of, "calls", CALLS_MOST);
	if (!row->calls)
		refuse(r, "calls", "is 0");
	spread_of(r, of, "ns", &row->ns);
	if (file->counts)
		spread_of(r, of, "instructions", &row->instructions);
}

static void read_report(struct reading *r, const json_t *root, struct services_file *file)
{
	const json_t *list = json_object_get(root, "services");

	if (whole_of(r, root, "uefi_services", INT64_MAX) != 1)
		refuse(r, "uefi_services", "is not 1: another version");
	text_of(r, root, "architecture", file->architecture, sizeof(file->architecture));
	text_of(r, root, "firmware", file->firmware, sizeof(file->firmware));
	file->revision = whole_of(r, root, "revision", UINT32_MAX);
	file->hz = whole_of(r, root, "hz", HZ_MOST);
	if (!file->hz)
		refuse(r, "hz", "is 0");
	file->counts = json_is_true(json_object_get(root, "counts_instructions"));
	if (!json_is_array(list) || json_array_size(list) > SERVICES_MOST)
		refuse(r, "services", "is no array of at most 256 services");
	for (size_t i = 0; !r->code && i < json_array_size(list); i++)
		read_row(r, json_array_get(list, i), file);
}

int services_json_read(struct services_file *file, const char *bytes, size_t size,
                       struct error *error)
{
	struct reading r = { .error = error };
	json_error_t wrong;
	json_t *root = json_loadb(bytes, size, 0, &wrong);

	memset(file, 0, sizeof(*file));
	if (!root)
		return error_set(error, -EINVAL, "no JSON: line %d: %s", wrong.line, wrong.text);
	read_report(&r, root, file);
	json_decref(root);
	return r.code;
}
