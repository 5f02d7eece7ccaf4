/* SPDX-License-Identifier: MIT */
/* Our options among words that are others': QEMU's, or the machine's command. */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_OPTIONS_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_OPTIONS_H

#include <argp.h>

/* How many words the option argv[0] is long if it is one of ours, or --help or --usage; 0 if it is
 * not. argv ends with NULL. Short options are single words here, since "-smp" is QEMU's. */
int guest_option_words(const struct argp_option *ours, char **argv);

#endif
