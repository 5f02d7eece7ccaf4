/* SPDX-License-Identifier: MIT */
/* The closing lines of `bareperf run -- record ...`: what was recorded, and what is missing. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_SUMMARY_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_SUMMARY_H

#include "writer/session/session.h"

/* Print perf's closing line, one line for each kind of loss with the option that would help, and
 * each equation that does not hold. The session is finished. output: its file; NULL: no file is
 * kept, and a run that has not ended is then not checked. replaced: how many of its readers died.
 * Returns EXIT_OK or RUN_NOT_CONSERVED. */
int guest_summary(const struct session *session, const char *output, unsigned replaced);

#endif
