/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_ANNOTATE_H
#define HOST_TOOLS_REPORT_ANNOTATE_H

/* `bareperf annotate [-i FILE] [SYMBOL]`: its exit status. */
int command_annotate(int argc, char **argv);

#endif
