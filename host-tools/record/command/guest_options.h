/* SPDX-License-Identifier: MIT */
/* Picks bareperf's options out of words that also have QEMU's options or the machine's command. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_OPTIONS_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_OPTIONS_H

#include <argp.h>

/* The number of words of the option at argv[0] if it is bareperf's, --help or --usage; otherwise 0.
 * argv ends with NULL. A short option is one letter here, since "-smp" is QEMU's. */
int guest_option_words(const struct argp_option *ours, char **argv);

#endif
