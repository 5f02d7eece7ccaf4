/* SPDX-License-Identifier: MIT */
#include "agent/input/keyboard_line.h"

#include <string.h>

#include "lib/console/console.h"
#include "lib/console/keyboard.h"

#define CONTROL_U 0x15

static char line[COMMAND_MAX_LENGTH + 1];
static unsigned length;

static void keyboard_line_take_back(unsigned count)
{
	for (; count > 0 && length > 0; count--) {
		length--;
		console_write("\b \b", 3);
	}
}

static void keyboard_line_add(char c)
{
	if (c < ' ' || length == COMMAND_MAX_LENGTH)
		return;
	line[length++] = c;
	console_write(&c, 1);
}

static bool keyboard_line_end(char *text)
{
	bool any = length > 0;

	console_write("\n", any);
	memcpy(text, line, length);
	text[length] = 0;
	length = 0;
	return any;
}

bool keyboard_line_take(char text[COMMAND_MAX_LENGTH + 1])
{
	char c = keyboard_get();

	switch (c) {
	case 0:
		return false;
	case '\n':
		return keyboard_line_end(text);
	case '\b':
		keyboard_line_take_back(1);
		return false;
	case CONTROL_U:
	case KEY_BREAK:
	case KEY_ESCAPE:
		keyboard_line_take_back(length);
		return false;
	default:
		keyboard_line_add(c);
		return false;
	}
}
