/* SPDX-License-Identifier: MIT */
#include "agent/told.h"

#include <stdlib.h>
#include <string.h>

#include "agent/payload/payload.h"
#include "agent/report/own_image.h"
#include "agent/report/report.h"
#include "agent/uefi/image_frames.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/hosted.h"

struct told {
	struct functions functions;
	struct report *report;
};

struct told *told_open(const void *region, uint64_t size)
{
	struct told *told = calloc(1, sizeof(*told));
	struct error error = { "there is no memory" };

	if (told) {
		own_image_add(&told->functions, region, size);
		payload_name_functions(&told->functions);
		functions_sort(&told->functions);
		if (report_open(&told->report, region, size, &told->functions, &error) == 0)
			return told;
		told_close(told);
	}
	console_printf("the recording cannot be looked at: %s\n", error.text);
	return NULL;
}

void told_close(struct told *told)
{
	if (!told)
		return;
	report_close(told->report);
	functions_free(&told->functions);
	free(told);
}

static void told_put(void *context, const char *text, size_t length)
{
	(void)context;
	console_write(text, length);
}

void told_on_screen(const struct told *told)
{
	if (told)
		report_print(told->report, told_put, NULL);
}

/* As volume_write_text()'s. */
static void told_tell(void *report, print_put_fn put, void *context)
{
	report_print(report, put, context);
	if (hosted_misses()) {
		put(context, hosted_misses(), strlen(hosted_misses()));
		put(context, "\n", 1);
	}
	image_frames_tell_again(put, context);
}

void told_beside(const struct told *told, const char *path)
{
	struct error error = { "" };

	if (told && volume_write_text(path, ".txt", told_tell, told->report, &error) != 0)
		console_printf("what is told of it is not beside it: %s\n", error.text);
}

void told_of_file(const void *region, uint64_t size, const char *path)
{
	struct told *told = told_open(region, size);

	told_on_screen(told);
	told_beside(told, path);
	told_close(told);
}
