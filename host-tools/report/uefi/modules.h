/* SPDX-License-Identifier: MIT */
/* Prints the time of each module (a UEFI image or another file with code) and of each function in
 * it: first the work, then the waiting. */
#ifndef HOST_TOOLS_REPORT_UEFI_MODULES_H
#define HOST_TOOLS_REPORT_UEFI_MODULES_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/histogram.h"

/* Print a sorted histogram of {file, function, line}. file is the module's name. function is NULL
 * for all code without a name. line is the service in which the module waits (waits.h), NULL for
 * work; entries that wait are printed last. is_clock: weights are ns and are printed as seconds.
 * Functions whose share is below limit (%) are left out; modules below limit are summed in one row,
 * so that the rows' sum is the total. 0 or -ENOMEM. */
int modules_print(const struct histogram *histogram, const char *event, bool is_clock, double limit,
                  FILE *out);

#endif
