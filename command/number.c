/* SPDX-License-Identifier: MIT */
/* The numbers of a command. */
#include <string.h>

#include "command/words.h"

static int number_check(struct words *w, const char *text, uint64_t least, uint64_t most,
                        uint64_t value)
{
	if (value < least)
		return command_fail(w, "number is too small", text);
	if (value > most)
		return command_fail(w, "number is too large", text);
	return 0;
}

int command_number(struct words *w, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value)
{
	const char *end = text;

	if (parse_number(&end, value) || (*end && !strchr("KMG", *end)))
		return command_fail(w, "not a whole number of 64 bits", text);
	if (*end) {
		unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;

		if (end[1])
			return command_fail(w, "unexpected text after the number", end + 1);
		if (*value << shift >> shift != *value)
			return command_fail(w, "number is too large", text);
		*value <<= shift;
	}
	return number_check(w, text, least, most, *value);
}

int command_amount(struct words *w, const char *text, const struct workload_usage *usage,
                   uint64_t *value)
{
	uint64_t unit = usage->unit;
	const char *end = text;

	if (!unit)
		return command_number(w, text, usage->least, usage->most, value);
	if (parse_number(&end, value) || (*end && *end != '.'))
		return command_fail(w, "not a number", text);
	if (__builtin_mul_overflow(*value, unit, value))
		return command_fail(w, "number is too large", text);
	for (end += *end == '.'; *end; end++) {
		if (*end < '0' || *end > '9')
			return command_fail(w, "not a number", text);
		unit /= 10;
		if (!unit)
			return command_fail(w, "too many decimals", text);
		if (__builtin_add_overflow(*value, (uint64_t)(*end - '0') * unit, value))
			return command_fail(w, "number is too large", text);
	}
	return number_check(w, text, usage->least, usage->most, *value);
}
