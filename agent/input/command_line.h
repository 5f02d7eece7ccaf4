/* SPDX-License-Identifier: MIT */
/* Reads the machine's own command line. */
#ifndef AGENT_INPUT_COMMAND_LINE_H
#define AGENT_INPUT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Read the command line from LoadOptions if they are for bareperf, otherwise from \bareperf.cfg on
 * the image's volume. A driver has its command in its own file (abi/rom_command.h) instead, or
 * records the boot. Load options are for bareperf if they begin with an image's name (a shell
 * passed them on), or like a command, even a misspelt one. Ignored load options are reported on the
 * console.
 *
 * Returns the length, or 0 if there is no command; -EINVAL or -E2BIG, and a message, if the file or
 * load options that begin with a command's name cannot be used. text is a valid string in any case;
 * capacity >= 1. Boot services only.
 */
int command_line_read(char *text, size_t capacity);

/* Returns whether the last command line came from \bareperf.cfg. */
bool command_line_is_of_volume(void);

#endif
