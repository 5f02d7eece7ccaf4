/* SPDX-License-Identifier: MIT */
/* How `bareperf run -- record ...` ends: what was recorded, and what is missing. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_SUMMARY_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_SUMMARY_H

#include "writer/session/session.h"

/* Print perf's closing line; one more for each thing that the recording lacks, with the option that
 * would help; and every equation that does not hold. The session is finished, its file is output
 * (NULL: none is kept, and then a run that has not ended is not checked); replaced: of its readers,
 * how many died. EXIT_OK, or RUN_NOT_CONSERVED. */
int guest_summary(const struct session *session, const char *output, unsigned replaced);

#endif
