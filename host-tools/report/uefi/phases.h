/* SPDX-License-Identifier: MIT */
/*
 * The phases of a recording. A phase begins with a mark "phase NAME", written by the firmware
 * (agent/uefi/uefi_phases.h) or by a program, and ends when the next phase begins. Thread: the
 * thread that created the phases.
 */
#ifndef HOST_TOOLS_REPORT_UEFI_PHASES_H
#define HOST_TOOLS_REPORT_UEFI_PHASES_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/histogram.h"
#include "host-tools/report/recording_file.h"

/* All phases of one name; a phase may begin more than once. */
struct phase {
	const char *name;
	uint64_t begins; /* ns, when it began first */
	uint64_t times;
};

struct phase_start {
	uint64_t time; /* ns */
	const char *name;
};

/* The sources of times that the firmware measured before, or beside, the recording. */
enum phase_source { PHASE_FPDT, PHASE_COREBOOT, PHASE_BOOTSTAGE, PHASE_SOURCES };

/* The source's name, as its marks have it. */
const char *phases_source_name(enum phase_source source);

/* A time that the firmware measured, as text "SECONDS s: NAME". */
struct phase_note {
	enum phase_source source;
	uint64_t reported;
	bool has_time;    /* the text is as it should be */
	int64_t ns;       /* since the reset, by the firmware's clock */
	const char *what; /* NAME */
	const char *text;
};

/* A device that a UEFI driver manages, as the firmware writes its device path. */
struct phase_device {
	const char *module; /* the driver's name, perhaps with .efi */
	const char *path;
};

struct phases {
	void *texts; /* a tree of texts.h */
	struct phase_start *starts;
	size_t count;
	struct phase *all; /* by first begin; all[0]: the time before the first phase */
	size_t nr_all;
	struct phase_note *notes;
	size_t nr_notes;
	const char *wrong[PHASE_SOURCES]; /* the reason why a source was not read; NULL: none */
	struct phase_device *devices;
	size_t nr_devices;
	/* A time of the source that would be later than its report if the source counted the CPU's
	 * counter; its text is NULL: there is none. */
	struct phase_note late[PHASE_SOURCES];
	bool has_counter;
	int64_t counter; /* the CPU's counter, in ns, at the recording's 0 */
};

/* Read the phases from all marks of the file. *phases must be all 0 before, and must be freed in
 * all cases. 0, or a negative errno; -ENODATA: the file has no phases. */
int phases_read(struct phases *phases, struct recording_file *file, struct error *error);

/* The name of the phase at time (ns). The pointer is the name in phases->all, the same each time.
 */
const char *phases_at(const struct phases *phases, uint64_t time);

void phases_free(struct phases *phases);

/* Print each phase with its modules and their functions, from a sorted histogram of {command, file,
 * function, line}. command is a name from phases_at(); the other fields are as for modules_print().
 * Rows whose share is below limit (%) are summed in one row, so that the rows' sum is the total.
 * is_clock: weights are ns and are printed as seconds. 0 or -ENOMEM. */
int phases_print(const struct phases *phases, const struct histogram *histogram, const char *event,
                 bool is_clock, double limit, FILE *out);

/* A time of the firmware's as time of the recording, if its source counts the CPU's counter. False:
 * unknown, or a time of this source would then be later than the moment of its report. */
bool phases_place(const struct phases *phases, const struct phase_note *note, int64_t *at);

/* Print the firmware's own times, if the recording has any. If the firmware's clock seems to be the
 * CPU's counter, also print the recording's time of each. */
void phases_print_firmware(const struct phases *phases, FILE *out);

#endif
