/* SPDX-License-Identifier: MIT */
/* Checks by the recording's ledger whether a trace of all branches is whole. */
#include <errno.h>
#include <stdio.h>

#include "host-tools/ledger/missing.h"
#include "host-tools/report/export/export_format.h"

static void note_first(void *context, const struct missing *missing)
{
	char *text = context;

	if (!*text && missing->kind != MISSING_THROTTLED && missing->kind != MISSING_COLLISIONS)
		missing_text(missing, text, 256);
}

/* Describe the gaps of the trace according to its ledger; "": no gaps. */
static void find_gaps(const struct ledger *ledger, char text[256])
{
	missing_list(ledger, note_first, text);
	for (uint32_t i = 0; !*text && i < ledger->head.ring_count; i++) {
		if (ledger->rings[i].ledger.aux_overwritten ||
		    (ledger->before && ledger->before[i].aux))
			snprintf(text, 256, "it has the end of the trace only");
	}
	if (!*text && !ledger_ended(ledger))
		snprintf(text, 256, "the machine did not come to the end of the run");
}

int export_check_whole(const struct export *export, struct error *error)
{
	struct ledger ledger = { 0 };
	char text[256] = "";
	int code;

	if (export->partial)
		return 0;
	code = recording_file_ledger(export->file, &ledger, error);
	if (code == PERF_LEDGER_WHOLE)
		find_gaps(&ledger, text);
	else if (code >= 0)
		snprintf(text, sizeof(text), "it has no ledger that tells what is missing");
	ledger_free(&ledger);
	if (code >= 0 && !*text)
		return 0;
	return error_set(error, -ENODATA,
	                 "%s: %s: counts would be too low. Record with --lossless or a larger "
	                 "-m; or --partial counts what is there",
	                 export->file->reader.path, code < 0 ? error->text : text);
}
