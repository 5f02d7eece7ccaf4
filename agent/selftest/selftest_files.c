/* SPDX-License-Identifier: MIT */
#include "agent/selftest/selftest_files.h"

#include <stdio.h>

#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/print.h"

/* The output of the printer below, which writes one file at a time. */
static struct {
	print_put_fn put;
	void *context;
} file;

__attribute__((format(printf, 1, 2))) static void print_to_file(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_format(file.put, file.context, format, arguments);
	va_end(arguments);
}

static void selftest_put_text(void *context, print_put_fn put, void *put_context)
{
	file.put = put;
	file.context = put_context;
	selftest_print_text(context, print_to_file);
}

static void selftest_put_json(void *context, print_put_fn put, void *put_context)
{
	file.put = put;
	file.context = put_context;
	selftest_print_json(context, print_to_file);
}

int selftest_write_files(struct selftest_report *report)
{
	struct error error = { "" };
	char path[VOLUME_PATH_MAX];
	unsigned number;
	int code = volume_next_number(&number, &error);

	snprintf(path, sizeof(path), "\\bareperf\\%04u-selftest", number);
	if (!code)
		code = volume_write_text(path, ".txt", selftest_put_text, report, &error);
	if (!code)
		code = volume_write_text(path, ".json", selftest_put_json, report, &error);
	if (code)
		console_printf("bareperf: no file was written: %s\n", error.text);
	else
		console_printf("written: %s.txt and .json\n", path);
	return code;
}
