/* SPDX-License-Identifier: MIT */
/* Intel 8042 as in IBM's PC AT Technical Reference: "Keyboard Controller", scan codes as set 1. */
#include "lib/console/keyboard.h"

#include "arch/arch.h"

#define DATA   0x60
#define STATUS 0x64 /* written: commands */

#define STATUS_OUTPUT 0x01U /* the controller has a byte for us */
#define STATUS_INPUT  0x02U /* the controller has not taken our last byte yet */
#define STATUS_MOUSE  0x20U

#define READ_COMMAND_BYTE  0x20
#define WRITE_COMMAND_BYTE 0x60
#define ENABLE_KEYBOARD    0xae

#define INTERRUPTS     0x03U /* bits of the command byte */
#define KEYBOARD_OFF   0x10U
#define TRANSLATE      0x40U /* translate from set 2, which keyboards send */
#define POLLS          100000U
#define RELEASED       0x80U
#define EXTENDED       0xe0U
#define LEFT_SHIFT     0x2aU
#define RIGHT_SHIFT    0x36U
#define CONTROL        0x1dU
#define CAPS_LOCK      0x3aU
#define KEYPAD_ENTER   0x1cU
#define KEYPAD_DIVIDED 0x35U

static const char plain[] =
    "\0\0331234567890-=\b\tqwertyuiop[]\n\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 \0";
static const char shifted[] =
    "\0\033!@#$%^&*()_+\b\tQWERTYUIOP{}\n\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 \0";
_Static_assert(sizeof(plain) == sizeof(shifted), "a key has both");
_Static_assert(sizeof(plain) - 2 == CAPS_LOCK, "the last one of the table");

static bool keyboard_is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool keyboard_hold(struct keyboard *keyboard, uint8_t key, bool down)
{
	if (key == LEFT_SHIFT || key == RIGHT_SHIFT)
		keyboard->shift = down;
	else if (key == CONTROL)
		keyboard->control = down;
	else if (key == CAPS_LOCK)
		keyboard->capitals ^= down;
	else
		return false;
	return true;
}

char keyboard_decode(struct keyboard *keyboard, uint8_t code)
{
	bool extended = keyboard->extended, down = !(code & RELEASED);
	uint8_t key = code & ~RELEASED;
	char c;

	keyboard->extended = code == EXTENDED;
	if (code == EXTENDED || key >= sizeof(plain) - 1)
		return 0;
	if (extended && key != KEYPAD_ENTER && key != KEYPAD_DIVIDED && key != CONTROL)
		return 0; /* arrow keys and others, with the shifts around them */
	if (keyboard_hold(keyboard, key, down) || !down)
		return 0;
	c = plain[key];
	if (keyboard->control)
		return keyboard_is_letter(c) ? (char)(c - 'a' + 1) : 0;
	return keyboard->shift != (keyboard->capitals && keyboard_is_letter(c)) ? shifted[key] : c;
}

/* Wait until these bits of the status have this value. */
static bool keyboard_await(uint8_t bits, uint8_t are)
{
	for (unsigned polls = 0; polls < POLLS; polls++)
		if ((arch_port_read(STATUS) & bits) == are)
			return true;
	return false;
}

static bool keyboard_command(uint8_t command)
{
	bool taken = keyboard_await(STATUS_INPUT, 0);

	arch_port_write(STATUS, command);
	return taken;
}

bool keyboard_open(void)
{
	uint8_t byte;

	if (arch_port_read(STATUS) == 0xff)
		return false; /* there is no controller */
	for (unsigned i = 0; i < 32 && arch_port_read(STATUS) & STATUS_OUTPUT; i++)
		arch_port_read(DATA);
	if (!keyboard_command(READ_COMMAND_BYTE) || !keyboard_await(STATUS_OUTPUT, STATUS_OUTPUT))
		return false;
	byte = arch_port_read(DATA);
	byte = (byte & ~(INTERRUPTS | KEYBOARD_OFF)) | TRANSLATE;
	if (!keyboard_command(WRITE_COMMAND_BYTE) || !keyboard_await(STATUS_INPUT, 0))
		return false;
	arch_port_write(DATA, byte);
	return keyboard_command(ENABLE_KEYBOARD);
}

char keyboard_get(void)
{
	static struct keyboard keyboard;
	uint8_t status = arch_port_read(STATUS), code;

	if (status == 0xff || !(status & STATUS_OUTPUT))
		return 0;
	code = arch_port_read(DATA);
	return status & STATUS_MOUSE ? 0 : keyboard_decode(&keyboard, code);
}
