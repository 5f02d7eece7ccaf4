/* SPDX-License-Identifier: MIT */
#ifndef AGENT_INPUT_KEYBOARD_LINE_H
#define AGENT_INPUT_KEYBOARD_LINE_H

#include <stdbool.h>

#include "command/command.h"

/* What the machine's own keyboard types, echoed: true when Enter ends a line that is not empty,
 * which is then in text. Backspace takes back a character, Ctrl-U, Ctrl-C and Escape all. What is
 * longer than a command may be is not taken. Exclusive, after keyboard_open(). Thread. */
bool keyboard_line_take(char text[COMMAND_MAX_LENGTH + 1]);

#endif
