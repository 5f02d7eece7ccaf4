/* SPDX-License-Identifier: MIT */
/*
 * `bareperf report --boot`: a recorded boot in at most 30 lines that can be pasted, and the same as
 * JSON. Thread: the thread that opened the recording.
 */
#ifndef HOST_TOOLS_REPORT_UEFI_BOOT_H
#define HOST_TOOLS_REPORT_UEFI_BOOT_H

#include <jansson.h>
#include <stdio.h>

#include "host-tools/report/intern.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/report/uefi/phases.h"

#define BOOT_TOP   10U  /* rows of waits and of functions */
#define BOOT_LINES 30U  /* of the text */
#define BOOT_WIDTH 110U /* bytes of a line, without its newline */

/* The samples of a phase, a module, a function, or a place that waits. */
struct boot_sum {
	const char *name;     /* the phase or the module */
	const char *function; /* NULL: none, or unknown */
	const char *in;       /* the service in which it waits; NULL: it works */
	uint64_t work, waiting;
	uint64_t samples;
	uint64_t first, last; /* ns, of the samples */
};

/* Heaviest first. */
struct boot_sums {
	struct intern keys;
	struct boot_sum *all;
	size_t count;
};

struct boot {
	const char *path;
	const struct perf_reader_event *event;
	bool is_clock; /* weights are ns */
	struct phases phases;
	struct boot_sums by_phase, by_module, functions, waits;
	uint64_t work, waiting, samples;
	uint64_t first, last;
	char *ledger;  /* a line: the missing records, or that there are none */
	bool is_whole; /* by the ledger nothing is missing */
};

/* Read the boot. event NULL: the event with the most samples that are not marks. *boot must be all
 * 0 before, and must be freed in all cases. 0, or a negative errno; -ENODATA: the recording has no
 * phases, or no such samples. */
int boot_read(struct boot *boot, struct recording_file *file, const char *event,
              struct error *error);

void boot_free(struct boot *boot);

/* The weight of a sum. */
uint64_t boot_weight(const struct boot_sum *sum);

/* Get device number `number` of a module; NULL: it has no more. */
const char *boot_device(const struct boot *boot, const char *module, size_t number);

/* The sources without any time, with `wrong` NULL. */
bool boot_has_source(const struct boot *boot, enum phase_source source);

/* Print at most BOOT_LINES lines of at most BOOT_WIDTH bytes. */
void boot_print(const struct boot *boot, FILE *out);

/* docs/man/bareperf-report.1 describes the members. NULL: memory ran out. */
json_t *boot_json(const struct boot *boot);

#endif
