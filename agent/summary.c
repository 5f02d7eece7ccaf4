/* SPDX-License-Identifier: MIT */
#include "agent/summary.h"

#include <stdlib.h>
#include <string.h>

#include "agent/payload/payload.h"
#include "agent/report/own_image.h"
#include "agent/report/report.h"
#include "agent/uefi/image_frames.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/hosted.h"

struct summary {
	struct functions functions;
	struct report *report;
};

struct summary *summary_open(const void *region, uint64_t size)
{
	struct summary *summary = calloc(1, sizeof(*summary));
	struct error error = { "no memory" };

	if (summary) {
		own_image_add(&summary->functions, region, size);
		payload_name_functions(&summary->functions);
		functions_sort(&summary->functions);
		if (report_open(&summary->report, region, size, &summary->functions, &error) == 0)
			return summary;
		summary_close(summary);
	}
	console_printf("the recording cannot be summarised: %s\n", error.text);
	return NULL;
}

void summary_close(struct summary *summary)
{
	if (!summary)
		return;
	report_close(summary->report);
	functions_free(&summary->functions);
	free(summary);
}

static void summary_put(void *context, const char *text, size_t length)
{
	(void)context;
	console_write(text, length);
}

void summary_on_screen(const struct summary *summary)
{
	if (summary)
		report_print(summary->report, summary_put, NULL);
}

/* Write the summary to a text file: an argument of volume_write_text(). */
static void summary_write_text(void *report, print_put_fn put, void *context)
{
	report_print(report, put, context);
	if (hosted_misses()) {
		put(context, hosted_misses(), strlen(hosted_misses()));
		put(context, "\n", 1);
	}
	image_frames_write(put, context);
}

void summary_beside(const struct summary *summary, const char *path)
{
	struct error error = { "" };

	if (summary &&
	    volume_write_text(path, ".txt", summary_write_text, summary->report, &error) != 0)
		console_printf("the summary was not written beside the recording: %s\n",
		               error.text);
}

void summary_of_file(const void *region, uint64_t size, const char *path)
{
	struct summary *summary = summary_open(region, size);

	summary_on_screen(summary);
	summary_beside(summary, path);
	summary_close(summary);
}
