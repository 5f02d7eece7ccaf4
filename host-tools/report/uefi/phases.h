/* SPDX-License-Identifier: MIT */
/*
 * A recording's phases: each begins with a mark "phase NAME" (a firmware's by agent/uefi/uefi_phases.h,
 * or a program's own) and lasts until the next one. Thread: the one that made it.
 */
#ifndef HOST_TOOLS_REPORT_UEFI_PHASES_H
#define HOST_TOOLS_REPORT_UEFI_PHASES_H

#include <stdio.h>

#include "host-tools/report/histogram.h"
#include "host-tools/report/recording_file.h"

/* All of one name, which may have begun more than once. */
struct phase {
	const char *name;
	uint64_t begins; /* ns, the first time */
	uint64_t times;
};

struct phase_start {
	uint64_t time; /* ns */
	const char *name;
};

/* Of the firmware's own, "SECONDS s: WHAT"; when that was told, ns. */
struct phase_note {
	uint64_t told;
	const char *text;
};

struct phases {
	void *texts; /* texts.h */
	struct phase_start *starts;
	size_t count, room;
	struct phase *all; /* in the order in which they began first; before them, what has none */
	size_t nr_all;
	struct phase_note *notes;
	size_t nr_notes, notes_room;
	const char
	    *counter; /* one that says what the CPU's counter was at 0 ns; NULL: nobody does */
};

/* Those of all marks in the file, into phases, which is all 0, and is to be freed in any case. 0,
 * or a negative errno; -ENODATA: there are none. */
int phases_read(struct phases *phases, struct recording_file *file, struct error *error);

/* The name of the one that was then (ns): phases->all's, the same pointer each time. */
const char *phases_at(const struct phases *phases, uint64_t time);

void phases_free(struct phases *phases);

/* Print a histogram of {command, file, function, line}, sorted, whose commands are phases_at()'s
 * and the others as modules_print() has them: of each phase its modules, and of these their
 * functions. Those whose share is below limit (%) are one row: the rows' sum is the whole.
 * is_clock: weights are ns, and shown as seconds. 0 or -ENOMEM. */
int phases_print(const struct phases *phases, const struct histogram *histogram, const char *event,
                 bool is_clock, double limit, FILE *out);

/* Print the firmware's own times, if there are any; and when in the recording that was, if its
 * clock is the CPU's counter, as far as nothing speaks against that. */
void phases_print_firmware(const struct phases *phases, FILE *out);

#endif
