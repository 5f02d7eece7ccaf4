/* SPDX-License-Identifier: MIT */
/* A self-test's JSON, the text of a QR code or a report of `bench --uefi' with any content: it is
 * refused, or shown as text and as a page; a report's quartiles are in order. Input: the text. A QR
 * code's checksum is not corrected, but its mark is enough to reach its fields. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/diff/services_json.h"
#include "host-tools/report/selftest/selftest_html.h"
#include "host-tools/report/selftest/selftest_json.h"
#include "lib/survey/survey_json.h"
#include "lib/survey/survey_pack.h"
#include "lib/survey/survey_text.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;
static struct survey survey;
static struct services_file services;
static unsigned lines;

/* Append text to a seed. */
static char seed[65536];
static size_t seed_size;

__attribute__((format(printf, 1, 2))) static void append(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	seed_size +=
	    (size_t)vsnprintf(seed + seed_size, sizeof(seed) - seed_size, format, arguments);
	va_end(arguments);
}

static int seed_services(int argc, char **argv)
{
	static const char text[] =
	    "{\"uefi_services\":1,\"bareperf\":\"1\",\"architecture\":\"x\",\"cpu\":\"c\","
	    "\"firmware\":\"f\",\"revision\":1,\"uefi\":131142,\"hz\":1000000000,"
	    "\"counts_instructions\":true,\"services\":[{\"service\":\"Stall\",\"detail\":\"\","
	    "\"calls\":2,\"ns\":{\"min\":1.000,\"p25\":1.000,\"median\":1.500,\"p75\":2.000,"
	    "\"p99\":2.000,\"max\":2.000,\"mean\":1.500},\"instructions\":{\"min\":1,\"p25\":1,"
	    "\"median\":2,\"p75\":2,\"p99\":2,\"max\":2,\"mean\":1.500}},"
	    "{\"service\":\"GetTime\",\"detail\":\"x\",\"error\":3}],"
	    "\"left\":{\"handles\":0,\"pages\":0,\"level\":4}}\n";
	struct error error = { "" };

	fuzz_seed(argc, argv, "services", text, sizeof(text) - 1);
	return services_json_read(&services, text, sizeof(text) - 1, &error);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct error error = { "" };

	nowhere = fopen("/dev/null", "w");
	survey = (struct survey){ .producer = "1",
		                  .hz = 1000000000,
		                  .cpus = 3,
		                  .nr_failures = 1,
		                  .failures = { { "gaps", "" } },
		                  .nr_points = 2,
		                  .points = { { 4096, 1000 }, { 6144, 1000 } },
		                  .skid = { 1, 2, 2, 2, 2, 2 },
		                  .pairs = { 50000, 50000, 90000 } };
	seed_size = survey_pack(&survey, seed, sizeof(seed));
	fuzz_seed(*argc, *argv, "qr", seed, seed_size);
	seed_size = 0;
	append(
	    "{\"selftest\":1,\"bareperf\":\"1\",\"architecture\":\"x\",\"pass\":1,\"fail\":0,"
	    "\"absent\":0,\"checks\":[],\"survey\":");
	survey_json(&survey, append);
	append("}");
	fuzz_seed(*argc, *argv, "json", seed, seed_size);
	return nowhere && !selftest_json_read(seed, &survey, &error) && !seed_services(*argc, *argv)
	           ? 0
	           : -1;
}

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
}

static void show(void)
{
	if (survey.cpus > SURVEY_CPUS || survey.nr_points > SURVEY_SIZES ||
	    survey.nr_failures > SURVEY_FAILURES)
		abort();
	lines = 0;
	survey_text(&survey, print);
	if (lines > SURVEY_TEXT_LINES)
		abort();
	survey_json(&survey, print);
	selftest_html(&survey, nowhere);
}

static void read_services(const uint8_t *data, size_t size)
{
	struct error error = { "" };

	if (services_json_read(&services, (const char *)data, size, &error)) {
		if (!*error.text)
			abort();
		return;
	}
	if (services.count > SERVICES_MOST || !services.hz)
		abort();
	for (unsigned i = 0; i < services.count; i++) {
		const struct services_row *row = &services.rows[i];

		if (strlen(row->name) >= sizeof(row->name) ||
		    (!row->error && (!row->calls || row->ns.p25 > row->ns.p75 ||
		                     row->instructions.p25 > row->instructions.p75)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error error = { "" };
	static char again[65536];

	if (!text)
		return 0;
	read_services(data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	if (!selftest_json_read(text, &survey, &error))
		show();
	/* Fields are read before the checksum, and must be within bounds without it. */
	survey_unpack(&survey, text, size);
	show();
	if (survey_pack(&survey, again, sizeof(again)) &&
	    survey_unpack(&survey, again, strlen(again)))
		abort();
	free(text);
	return 0;
}
