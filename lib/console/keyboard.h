/* SPDX-License-Identifier: MIT */
/*
 * A PC's keyboard behind an i8042, or what a chipset makes of a USB one while nobody drives USB:
 * polled, US layout. Where there is none, as on other ISAs, nothing is ever typed.
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

/* A byte of scan code set 1: the character that is typed by it, '\n' and '\b' included, or 0.
 * Pure. */
char keyboard_decode(struct keyboard *keyboard, uint8_t code);

/* Have the controller send set 1. Not while it is the firmware's, who has done so himself. false:
 * there is none. Thread. */
bool keyboard_open(void);

/* The character that was typed next, or 0: none yet. One byte of the controller's is looked at. Any
 * context, one CPU at a time. */
char keyboard_get(void);

#endif
