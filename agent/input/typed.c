/* SPDX-License-Identifier: MIT */
#include "agent/input/typed.h"

#include <string.h>

#include "lib/console/console.h"
#include "lib/console/keyboard.h"

#define CONTROL_U 0x15

static char line[COMMAND_MAX_LENGTH + 1];
static unsigned length;

static void typed_take_back(unsigned count)
{
	for (; count > 0 && length > 0; count--) {
		length--;
		console_write("\b \b", 3);
	}
}

static void typed_add(char c)
{
	if (c < ' ' || length == COMMAND_MAX_LENGTH)
		return;
	line[length++] = c;
	console_write(&c, 1);
}

static bool typed_end(char *text)
{
	bool any = length > 0;

	console_write("\n", any);
	memcpy(text, line, length);
	text[length] = 0;
	length = 0;
	return any;
}

bool typed_take(char text[COMMAND_MAX_LENGTH + 1])
{
	char c = keyboard_get();

	switch (c) {
	case 0:
		return false;
	case '\n':
		return typed_end(text);
	case '\b':
		typed_take_back(1);
		return false;
	case CONTROL_U:
	case KEY_BREAK:
	case KEY_ESCAPE:
		typed_take_back(length);
		return false;
	default:
		typed_add(c);
		return false;
	}
}
