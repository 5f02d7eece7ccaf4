/* SPDX-License-Identifier: MIT */
/*
 * The words of a program: those of the command, with @FILE replaced by the words of that file,
 * which may be more than fit into a command. The file's words are split and quoted as in a command.
 * A word that begins with @ but names no file is kept as it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/parse/quoted.h"
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

/* Read a whole file of this size. Returns 0, -ENOMEM or -EIO. */
static int arguments_load(int fd, size_t size, char **text)
{
	size_t length = 0;
	ssize_t got = 1;

	*text = malloc(size + 1);
	if (!*text)
		return -ENOMEM;
	while (length < size && got > 0) {
		got = read(fd, *text + length, size - length);
		length += got > 0 ? (size_t)got : 0;
	}
	(*text)[length] = 0;
	if (length == size)
		return 0;
	free(*text);
	return -EIO;
}

/* Returns 0, with *text NULL if there is no such file; or arguments_load()'s error. */
static int arguments_read(const char *path, char **text)
{
	int fd = open(path, O_RDONLY), code = 0;
	struct stat about;

	*text = NULL;
	if (fd < 0)
		return 0;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
		code = arguments_load(fd, (size_t)about.st_size, text);
	close(fd);
	return code;
}

static void arguments_say(const char *text, size_t length)
{
	sdk_system->write_to(BAREPERF_STDERR, text, length);
}

/* Does not use printf(), which would then be linked into every program. */
static int arguments_refuse(const char *word, const char *open)
{
	static const char what[] = ": this quote is not closed: ";

	arguments_say(word, strlen(word));
	arguments_say(what, sizeof(what) - 1);
	arguments_say(open, strcspn(open, "\n"));
	arguments_say("\n", 1);
	return -EINVAL;
}

static int arguments_take(struct arguments *a, char *word)
{
	char *text = NULL, *part;
	const char *open = NULL;
	bool good = true;
	int code = word[0] == '@' ? arguments_read(word + 1, &text) : 0;

	if (code)
		return code;
	if (!text)
		return arguments_add(a, word) ? 0 : -ENOMEM;
	while (good && (part = quoted_word(&text, &open)))
		good = arguments_add(a, part);
	if (open)
		return arguments_refuse(word, open);
	return good ? 0 : -ENOMEM;
}

int sdk_arguments(int argc, char **argv, char ***words)
{
	struct arguments a = { 0 };
	int code = 0;

	for (int i = 0; i < argc && !code; i++)
		code = i ? arguments_take(&a, argv[i]) : arguments_add(&a, argv[i]) ? 0 : -ENOMEM;
	if (code) {
		free(a.words);
		return code;
	}
	*words = a.words;
	return a.count;
}
