/* SPDX-License-Identifier: MIT */
#include "lib/parse/quoted.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool quoted_is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool quoted_is_blank(char c)
{
	return quoted_is_one_of(c, " \t\n\r");
}

/* Whether this backslash escapes the next character. */
static bool quoted_is_escape(const char *at, char quote)
{
	if (*at != '\\' || quote == '\'')
		return false;
	return quoted_is_one_of(at[1], quote ? "\"\\$`\n" : "\"'\\ \t\n\r");
}

static bool quoted_is_continued(const char *at, char quote)
{
	return quoted_is_escape(at, quote) && at[1] == '\n';
}

static char *quoted_begin(char *at)
{
	while (quoted_is_blank(*at) || quoted_is_continued(at, 0))
		at += 1 + (*at == '\\');
	return at;
}

/* A place in a text, and the quote that is open there. */
struct quoted_place {
	char *at;
	char quote; /* 0: none */
};

/* Whether the character there opens or closes quotes. */
static bool quoted_is_quote(struct quoted_place *place)
{
	char c = *place->at;

	if (place->quote ? c != place->quote : c != '\'' && c != '"')
		return false;
	place->quote = place->quote ? 0 : c;
	return true;
}

/* The quote in this word that is not closed, or NULL. */
static const char *quoted_open(char *word)
{
	const char *opened = word;
	struct quoted_place place = { word, 0 };

	for (; *place.at && (place.quote || !quoted_is_blank(*place.at)); place.at++) {
		if (quoted_is_quote(&place))
			opened = place.at;
		else
			place.at += quoted_is_escape(place.at, place.quote);
	}
	return place.quote ? opened : NULL;
}

char *quoted_word(char **text, const char **open)
{
	char *word = quoted_begin(*text), *to = word;
	struct quoted_place place = { word, 0 };

	*text = word;
	*open = quoted_open(word);
	if (*open || !*word)
		return NULL;
	for (; *place.at && (place.quote || !quoted_is_blank(*place.at)); place.at++) {
		if (quoted_is_quote(&place))
			continue;
		if (quoted_is_continued(place.at, place.quote)) {
			place.at++;
		} else {
			place.at += quoted_is_escape(place.at, place.quote);
			*to++ = *place.at;
		}
	}
	*text = place.at + (*place.at != 0);
	*to = '\0';
	return word;
}
