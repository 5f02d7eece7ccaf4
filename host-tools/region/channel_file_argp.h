/* SPDX-License-Identifier: MIT */
/* The options of every command that takes a memory dump. */
#ifndef HOST_TOOLS_REGION_CHANNEL_FILE_ARGP_H
#define HOST_TOOLS_REGION_CHANNEL_FILE_ARGP_H

#include <argp.h>

/* The options --base and --nonce, as a child of a command's argp. The child's input is a struct
 * channel_file_options (channel.h) with CHANNEL_ANY_FILE. A malformed number ends the program. Main
 * thread. */
extern const struct argp channel_file_argp;

#endif
