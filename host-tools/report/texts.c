/* SPDX-License-Identifier: MIT */
#include "host-tools/report/texts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *one, const void *other)
{
	return strcmp(one, other);
}

const char *texts_keep(void **tree, char *text)
{
	char *const *found = text ? tsearch(text, tree, compare_texts) : NULL;

	if (!found || *found != text)
		free(text);
	return found ? *found : NULL;
}
