/* SPDX-License-Identifier: MIT */
#ifndef AGENT_INPUT_KEYBOARD_LINE_H
#define AGENT_INPUT_KEYBOARD_LINE_H

#include <stdbool.h>

#include "command/command.h"

/* Take a key from the machine's own keyboard, if one was pressed, and echo it. Returns true when
 * Enter ends a line that is not empty; text is then that line. Backspace deletes a character;
 * Ctrl-U, Ctrl-C and Escape delete the line. Characters beyond COMMAND_MAX_LENGTH are dropped.
 * Exclusive mode, after keyboard_open(). Thread. */
bool keyboard_line_take(char text[COMMAND_MAX_LENGTH + 1]);

#endif
