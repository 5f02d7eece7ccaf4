/* SPDX-License-Identifier: MIT */
/* The texts of the page: missing records, accounts, counts, the machine. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_FACTS_H
#define HOST_TOOLS_REPORT_HTML_HTML_FACTS_H

#include <jansson.h>

#include "host-tools/report/recording_file.h"

/* By the file's ledger, if it has one: {missing: [text], advice, conserved: true, false or null,
 * accounts: [text], checks: [[holds, text]], counts: [{event, cpu, clock, count, enabled, running,
 * samples, lost, throttled}], cpus: [those that were traced]}; and machine: [[what, text]], its
 * clock and the command among them. NULL: no memory. */
json_t *html_facts(const struct recording_file *file);

#endif
