/* SPDX-License-Identifier: MIT */
#include "writer/util/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The length of a UTF-8 sequence by its first byte, and that byte's bits of the character; 0: no
 * sequence begins with it. */
static size_t printable_sequence(uint8_t first, uint32_t *character)
{
	if (first < 0x80) {
		*character = first;
		return 1;
	}
	if (first >= 0xc2 && first < 0xe0) {
		*character = first & 0x1fU;
		return 2;
	}
	if (first >= 0xe0 && first < 0xf0) {
		*character = first & 0x0fU;
		return 3;
	}
	*character = first & 0x07U;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

static bool printable_is_shown(uint32_t character, size_t length)
{
	static const uint32_t least[] = { 0, ' ', 0xa0, 0x800, 0x10000 };

	return character >= least[length] && character != 0x7f && character <= 0x10ffff &&
	       (character < 0xd800 || character > 0xdfff) && (character & 0xfffe) != 0xfffe;
}

size_t printable_length(const char *text, size_t size, size_t *bad)
{
	uint32_t character = 0;
	size_t length = printable_sequence((uint8_t)text[0], &character);

	*bad = 1;
	if (!length || length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (((uint8_t)text[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | ((uint8_t)text[i] & 0x3fU);
	}
	*bad = length;
	return printable_is_shown(character, length) ? length : 0;
}

char printable_char(char c)
{
	return c >= ' ' && c < 0x7f ? c : '?';
}

size_t printable_copy(char *to, size_t to_size, const char *text, size_t size, char instead,
                      const char *kept)
{
	size_t used = 0, length = strnlen(text, size);

	for (size_t i = 0, bad; i < length;) {
		bool is_kept = strchr(kept, text[i]);
		size_t good = is_kept ? 1 : printable_length(text + i, length - i, &bad);

		if (used + (good ? good : 1) >= to_size)
			break;
		if (good)
			memmove(to + used, text + i, good);
		else
			to[used] = instead;
		used += good ? good : 1;
		i += good ? good : bad;
	}
	to[used] = 0;
	return used;
}

size_t printable_whole(const char *text, size_t size)
{
	for (size_t back = 1; back <= 3 && back <= size; back++) {
		uint32_t character;
		uint8_t byte = (uint8_t)text[size - back];

		if (byte >= 0xc0)
			return printable_sequence(byte, &character) > back ? size - back : size;
		if (byte < 0x80)
			break;
	}
	return size;
}

void printable_make(char *text)
{
	size_t length = strlen(text);

	printable_copy(text, length + 1, text, length, '?', "");
}
