/* SPDX-License-Identifier: MIT */
/*
 * A PC's keyboard behind an i8042, or a USB keyboard for which the chipset emulates an i8042 while
 * no driver uses USB: polled, US layout. On machines without one, such as other ISAs, no key is
 * ever reported.
 */
#ifndef LIB_CONSOLE_KEYBOARD_H
#define LIB_CONSOLE_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

#define KEY_ESCAPE 0x1b
#define KEY_BREAK  0x03 /* Ctrl-C */

/* The keys that are held down. {0}: none. */
struct keyboard {
	bool shift, control, capitals, extended;
};

/* Decode a byte of scan code set 1: returns the typed character ('\n' and '\b' included), or 0.
 * Pure. */
char keyboard_decode(struct keyboard *keyboard, uint8_t code);

/* Make the controller send scan code set 1. Not while the firmware uses it; the firmware has set it
 * up itself. Returns false if there is no controller. Thread. */
bool keyboard_open(void);

/* The next typed character, or 0: none yet. Reads at most one byte from the controller. Any
 * context, one CPU at a time. */
char keyboard_get(void);

#endif
