/* SPDX-License-Identifier: MIT */
/* The texts of the HTML page: missing records, accounts, counts, the machine. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_FACTS_H
#define HOST_TOOLS_REPORT_HTML_HTML_FACTS_H

#include <jansson.h>

#include "host-tools/report/recording_file.h"

/* Get, if the file has a ledger: {missing: [text], advice, conserved: true, false or null,
 * accounts: [text], checks: [[holds, text]], counts: [{event, cpu, clock, count, enabled, running,
 * samples, lost, throttled}], cpus: [traced CPUs]}. Always has machine: [[name, text]], with the
 * machine's clock and the recorded command. NULL: memory ran out. */
json_t *html_facts(const struct recording_file *file);

#endif
