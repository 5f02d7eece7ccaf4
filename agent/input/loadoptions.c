/* SPDX-License-Identifier: MIT */
#include "agent/input/loadoptions.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define NAME_MAX_LENGTH 512U /* bytes of an image's path with its NUL, as a shell passes it */

/* Characters in one of two encodings. */
struct source {
	const uint8_t *bytes;
	size_t count; /* characters */
	bool wide;    /* UCS-2, little-endian, at any alignment */
};

static unsigned loadoptions_char_at(const struct source *source, size_t i)
{
	if (!source->wide)
		return source->bytes[i];
	return source->bytes[2 * i] | (unsigned)source->bytes[2 * i + 1] << 8;
}

static bool loadoptions_is_blank(unsigned c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool loadoptions_is_printable(unsigned c)
{
	return (c >= 0x20 && c <= 0x7e) || c == '\t';
}

static bool loadoptions_equals_ignoring_case(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i]) != b[i])
			return false;
	return true;
}

/* Copy characters [from, to), without the blanks around them, as text. On an error text ends before
 * the bad character. */
static int loadoptions_copy_trimmed(const struct source *source, size_t from, size_t to, char *text,
                                    size_t capacity)
{
	size_t length = 0;

	while (from < to && loadoptions_is_blank(loadoptions_char_at(source, from)))
		from++;
	while (to > from && loadoptions_is_blank(loadoptions_char_at(source, to - 1)))
		to--;
	for (; length < to - from && length < capacity - 1; length++) {
		unsigned c = loadoptions_char_at(source, from + length);

		text[length] = 0;
		if (!loadoptions_is_printable(c))
			return -EINVAL;
		text[length] = (char)c;
	}
	text[length] = 0;
	return length < to - from ? -E2BIG : (int)length;
}

/* Length of the first word, quotes included, if it names an EFI image; else 0. */
static size_t loadoptions_image_name_length(const char *text)
{
	size_t end = 0, name_end;

	if (text[0] == '"') {
		for (end = 1; text[end] != 0 && text[end] != '"'; end++)
			;
		if (text[end] == 0)
			return 0;
		name_end = end++;
	} else {
		while (text[end] != 0 && !loadoptions_is_blank((unsigned char)text[end]))
			end++;
		name_end = end;
	}
	if (name_end < 4 || !loadoptions_equals_ignoring_case(text + name_end - 4, ".efi", 4))
		return 0;
	return end;
}

static size_t loadoptions_drop_first_word(char *text, size_t length, size_t word)
{
	while (loadoptions_is_blank((unsigned char)text[word]))
		word++;
	memmove(text, text + word, length - word + 1);
	return length - word;
}

static size_t loadoptions_drop_initrd(char *text, size_t length)
{
	static const char initrd[] = "initrd=initrd";
	const size_t size = sizeof(initrd) - 1;

	if (length < size || memcmp(text + length - size, initrd, size) != 0)
		return length;
	if (length > size && !loadoptions_is_blank((unsigned char)text[length - size - 1]))
		return length;
	length -= size;
	while (length > 0 && loadoptions_is_blank((unsigned char)text[length - 1]))
		length--;
	text[length] = 0;
	return length;
}

bool loadoptions_name_image(const void *options, size_t size)
{
	const struct source source = { options, size / 2, true };
	char name[NAME_MAX_LENGTH];
	size_t from = 0, to;

	if (!options || size % 2 != 0)
		return false;
	while (from < source.count && loadoptions_is_blank(loadoptions_char_at(&source, from)))
		from++;
	to = source.count - from < sizeof(name) - 1 ? source.count : from + sizeof(name) - 1;
	for (size_t i = from; i < to; i++)
		if (loadoptions_char_at(&source, i) == 0)
			to = i;
	loadoptions_copy_trimmed(&source, from, to, name, sizeof(name));
	return loadoptions_image_name_length(name) != 0;
}

int loadoptions_to_text(const void *options, size_t size, char *text, size_t capacity)
{
	struct source source = { options, size / 2, true };
	size_t end = 0, length;
	int code;

	text[0] = 0;
	if (!options || size == 0)
		return 0;
	if (size % 2 != 0)
		return -EINVAL;
	while (end < source.count && loadoptions_char_at(&source, end) != 0)
		end++;
	code = loadoptions_copy_trimmed(&source, 0, end, text, capacity);
	length =
	    loadoptions_drop_first_word(text, strlen(text), loadoptions_image_name_length(text));
	return code < 0 ? code : (int)loadoptions_drop_initrd(text, length);
}

bool loadoptions_are_parameters(const char *text)
{
	while (*text != 0 && *text != '=' && !loadoptions_is_blank((unsigned char)*text))
		text++;
	return *text == '=';
}

static struct source loadoptions_config_source(const uint8_t *file, size_t size)
{
	if (size >= 2 && file[0] == 0xff && file[1] == 0xfe)
		return (struct source){ file + 2, (size - 2) / 2, true };
	if (size >= 3 && file[0] == 0xef && file[1] == 0xbb && file[2] == 0xbf)
		return (struct source){ file + 3, size - 3, false };
	return (struct source){ file, size, false };
}

int config_to_text(const void *file, size_t size, char *text, size_t capacity)
{
	struct source source = loadoptions_config_source(file, size);
	size_t start = 0;

	text[0] = 0;
	while (start < source.count) {
		size_t end = start, first;

		while (end < source.count && loadoptions_char_at(&source, end) != '\n')
			end++;
		for (first = start;
		     first < end && loadoptions_is_blank(loadoptions_char_at(&source, first));
		     first++)
			;
		if (first < end && loadoptions_char_at(&source, first) != '#')
			return loadoptions_copy_trimmed(&source, first, end, text, capacity);
		start = end + 1;
	}
	return 0;
}
