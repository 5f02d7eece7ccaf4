/* SPDX-License-Identifier: MIT */
/*
 * The words of a program: those of the command, and in place of @FILE the words of that file, which
 * may be more than a command has room for. There words are cut at blanks and line ends, and quoted
 * as in a shell. What begins with @ and is no file stands for itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload/sdk/sdk.h"

struct arguments {
	char **words; /* the last is NULL */
	int count;
};

static bool arguments_add(struct arguments *a, char *word)
{
	char **words = realloc(a->words, ((size_t)a->count + 2) * sizeof(*words));

	if (!words)
		return false;
	a->words = words;
	words[a->count++] = word;
	words[a->count] = NULL;
	return true;
}

static bool arguments_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The word at *at loses its quotes where it is; *at moves on behind it. */
static char *arguments_word(char **at)
{
	char *word = *at, *to = word, quote = 0;
	char *from = word;

	for (; *from && (quote || !arguments_is_blank(*from)); from++) {
		if (!quote && (*from == '\'' || *from == '"')) {
			quote = *from;
		} else if (quote && *from == quote) {
			quote = 0;
		} else {
			if (*from == '\\' && quote != '\'' && from[1])
				from++;
			*to++ = *from;
		}
	}
	*at = from + (*from != 0);
	*to = 0;
	return word;
}

static char *arguments_read(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat about;
	char *text;

	if (fd < 0)
		return NULL;
	fstat(fd, &about);
	text = malloc((size_t)about.st_size + 1);
	if (text)
		text[read(fd, text, (size_t)about.st_size)] = 0;
	close(fd);
	return text;
}

static bool arguments_take(struct arguments *a, char *word)
{
	char *at = word[0] == '@' ? arguments_read(word + 1) : NULL;
	bool good = true;

	if (!at)
		return arguments_add(a, word);
	while (good) {
		while (arguments_is_blank(*at))
			at++;
		if (!*at)
			break;
		good = arguments_add(a, arguments_word(&at));
	}
	return good;
}

int sdk_arguments(int argc, char **argv, char ***words)
{
	struct arguments a = { 0 };

	for (int i = 0; i < argc; i++) {
		if (i ? arguments_take(&a, argv[i]) : arguments_add(&a, argv[i]))
			continue;
		free(a.words);
		return -ENOMEM;
	}
	*words = a.words;
	return a.count;
}
