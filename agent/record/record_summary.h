/* SPDX-License-Identifier: MIT */
/* Reports on the console and to the host when all traced CPUs have stopped. */
#ifndef AGENT_RECORD_RECORD_SUMMARY_H
#define AGENT_RECORD_RECORD_SUMMARY_H

#include "agent/record/recording.h"

/* Returns the name of an event that no traced CPU counts, or NULL. A hybrid machine's CPUs do not
 * all have the same events. Call it when all traced CPUs have started. Thread. */
const char *recording_uncounted(const struct recording *r);

/* Report counters that the firmware left running or still uses. Call it when all traced CPUs have
 * stopped, so that the report itself is not recorded. Thread. */
void recording_report_counters(const struct recording *r);

/* Print counts or numbers of samples, the losses, and the option that avoids them. This is for the
 * user at the machine's console; a host reads the ledgers. Call it when all traced CPUs have
 * stopped. Thread. */
void recording_summarise(const struct recording *r);

#endif
