/* SPDX-License-Identifier: MIT */
/* Where the machine's own command line comes from. */
#ifndef AGENT_INPUT_COMMAND_LINE_H
#define AGENT_INPUT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The command line: LoadOptions if they are ours, else \bareperf.cfg on the volume that the image
 * was loaded from. Ours is what somebody typed (it begins with an image's name) or what begins like
 * a command, in a wrong spelling as well. Returns its length, 0 if there is none; -EINVAL or -E2BIG
 * if the file is there, or load options begin with a command's name, but are of no use. That, and
 * load options that are not ours, is said on the console. text is a valid string in any case;
 * capacity >= 1. Boot services only.
 */
int command_line_read(char *text, size_t capacity);

/* Whether the last one was \bareperf.cfg's. */
bool command_line_is_of_volume(void);

#endif
