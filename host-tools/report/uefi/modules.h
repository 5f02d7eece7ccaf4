/* SPDX-License-Identifier: MIT */
/* Where the time went by modules (UEFI images, or whatever files the code is of), and of each by
 * functions: first who worked, then who waited. */
#ifndef HOST_TOOLS_REPORT_UEFI_MODULES_H
#define HOST_TOOLS_REPORT_UEFI_MODULES_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/histogram.h"

/* Print a histogram of {file, function, line}, sorted, whose files are the modules' names; a
 * function of NULL stands for all that has no name. line: what those who wait wait in (waits.h),
 * who stand behind all others; NULL: they do not. is_clock: weights are ns, and shown as seconds.
 * Functions whose share is below limit (%) are left out, modules of less are one row: the rows' sum
 * is the whole. 0 or -ENOMEM. */
int modules_print(const struct histogram *histogram, const char *event, bool is_clock, double limit,
                  FILE *out);

#endif
