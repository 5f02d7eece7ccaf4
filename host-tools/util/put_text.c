/* SPDX-License-Identifier: MIT */
#include "host-tools/util/put_text.h"

#include <string.h>

#include "writer/util/printable.h"

void put_text(FILE *out, const char *text, size_t size, char instead, const char *also)
{
	size_t length = strnlen(text, size);

	for (size_t i = 0, bad; i < length;) {
		size_t good = printable_length(text + i, length - i, &bad);

		if (!good || strchr(also, text[i]))
			putc(instead, out);
		else
			fwrite(text + i, 1, good, out);
		i += good ? good : bad;
	}
}
