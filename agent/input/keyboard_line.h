/* SPDX-License-Identifier: MIT */
#ifndef AGENT_INPUT_KEYBOARD_LINE_H
#define AGENT_INPUT_KEYBOARD_LINE_H

#include <stdbool.h>

#include "command/command.h"

/* Read the machine's own keyboard, with echo: true when Enter ends a line that is not empty, which
 * is then in text. Backspace takes back a character, Ctrl-U, Ctrl-C and Escape all. Characters
 * beyond a command's length are dropped. Exclusive, after keyboard_open(). Thread. */
bool keyboard_line_take(char text[COMMAND_MAX_LENGTH + 1]);

#endif
