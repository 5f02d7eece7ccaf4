/* SPDX-License-Identifier: MIT */
/* `bareperf diff` of two reports of `bench --uefi` (docs/examples/uefi-services.md). Main thread.
 */
#ifndef HOST_TOOLS_REPORT_DIFF_DIFF_SERVICES_H
#define HOST_TOOLS_REPORT_DIFF_DIFF_SERVICES_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/diff/services_json.h"

struct diff_services_options {
	const char *unit; /* "ns" or "instructions"; NULL: instructions if both reports have them */
	const char *separator; /* NULL: columns are padded */
	double confidence;     /* between 0 and 1 */
	double limit;          /* of growth, as a share; < 0: none */
};

/* Whether the file begins like a JSON object. A file that cannot be read does not. */
bool diff_services_is_report(const char *path);

/* Compare paths[1] with the baseline paths[0], and print the table. *grown: the number of services
 * that grew by more than the limit, not by chance, which are reported. 0, or a negative errno and
 * the reason. */
int diff_services(const struct diff_services_options *options, char *const paths[2], FILE *out,
                  unsigned *grown, struct error *error);

#endif
