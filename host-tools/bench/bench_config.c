/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/array.h"

#define LINE_ROOM 1024U /* characters of a line that has a meaning */

/* The registers behind the parts of an event that set them: SDM volume 4, table 2-2 and others. */
static const struct {
	const char *name;
	uint32_t reg;
} registers[] = {
	{ "MSR_3F6H=", 0x3f6 }, /* MSR_PEBS_LD_LAT_THRESHOLD */
	{ "MSR_PF=", 0x3f7 },   /* MSR_PEBS_FRONTEND */
	{ "MSR_RSP0=", 0x1a6 }, /* MSR_OFFCORE_RSP_0 */
	{ "MSR_RSP1=", 0x1a7 }, /* MSR_OFFCORE_RSP_1 */
};

struct config {
	const char *file;
	unsigned line;
	bool is_arm;
	struct error *error;
};

static int refuse(const struct config *config, const char *what, const char *word)
{
	return error_set(config->error, -EINVAL, "%s, line %u: %s: '%.60s'", config->file,
	                 config->line, what, word);
}

/* A whole word as a number; base 0: as C writes it. */
static bool number(const char *word, int base, uint64_t most, uint64_t *value)
{
	char *end;

	if (!*word || strchr(" \t+-", *word))
		return false;
	errno = 0;
	*value = strtoull(word, &end, base);
	return !*end && !errno && *value <= most;
}

static bool add_write(struct bench_event *event, uint32_t reg, uint64_t value)
{
	if (event->nr_writes == BENCH_WRITES)
		return false;
	event->writes[event->nr_writes++] = (struct bench_write){ reg, value };
	return true;
}

static int set_register(const struct config *config, struct bench_event *event, const char *part)
{
	uint64_t value;

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		size_t length = strlen(registers[i].name);

		if (strncmp(part, registers[i].name, length) != 0)
			continue;
		if (!number(part + length, 0, UINT64_MAX, &value))
			return refuse(config, "this is no number", part + length);
		return add_write(event, registers[i].reg, value)
		           ? 0
		           : refuse(config, "an event sets at most 32 registers", part);
	}
	return refuse(config,
	              "unknown part of an event; there are CMSK=, AnyT, EDG, INV, TakenAlone, "
	              "CTR=, MSR_3F6H=, MSR_PF=, MSR_RSP0= and MSR_RSP1=",
	              part);
}

static int set_part(const struct config *config, struct bench_event *event, const char *part)
{
	uint64_t value;

	if (!strcmp(part, "AnyT"))
		event->any = true;
	else if (!strcmp(part, "EDG"))
		event->edge = true;
	else if (!strcmp(part, "INV"))
		event->inverted = true;
	else if (!strcmp(part, "TakenAlone"))
		event->alone = true;
	else if (!strncmp(part, "CTR=", 4) && number(part + 4, 0, 31, &value))
		event->counter = (int)value;
	else if (!strncmp(part, "CMSK=", 5) && number(part + 5, 0, 255, &value))
		event->cmask = (uint32_t)value;
	else if (!strncmp(part, "CTR=", 4) || !strncmp(part, "CMSK=", 5))
		return refuse(config, "want a counter of 0 to 31, or a mask of 0 to 255", part);
	else
		return set_register(config, event, part);
	return 0;
}

/* word: the event's parts, separated by dots; it is changed. */
static int parse_event(const struct config *config, struct bench_event *event, char *word)
{
	char *part = strsep(&word, ".");
	uint64_t value;
	int code = 0;

	if (!number(part, 16, config->is_arm ? 0xffff : 0xfff, &value))
		return refuse(config, "this is no event number in hexadecimal", part);
	event->event = (uint32_t)value;
	if (config->is_arm)
		return word ? refuse(config, "an event of PMUv3 has a number alone", word) : 0;
	part = strsep(&word, ".");
	if (!part || !number(part, 16, 0xff, &value))
		return refuse(config, "want EVENT.UMASK, both in hexadecimal", part ? part : "");
	event->umask = (uint32_t)value;
	while (!code && (part = strsep(&word, ".")))
		code = set_part(config, event, part);
	return code;
}

static bool msr_number(const char *word, uint32_t *reg)
{
	uint64_t value;

	if (strncmp(word, "msr_", 4) != 0 || !number(word + 4, 16, UINT32_MAX, &value))
		return false;
	*reg = (uint32_t)value;
	return true;
}

/* word: msr_N=VALUE, separated by dots; it is changed. */
static int parse_writes(const struct config *config, struct bench_event *event, char *word)
{
	char *part;

	while ((part = strsep(&word, "."))) {
		char *value_text = strchr(part, '=');
		uint64_t value;
		uint32_t reg;

		if (value_text)
			*value_text++ = 0;
		if (!value_text || !msr_number(part, &reg) ||
		    !number(value_text, 16, UINT64_MAX, &value))
			return refuse(config, "want msr_N=VALUE, both in hexadecimal", part);
		if (!add_write(event, reg, value))
			return refuse(config, "an event sets at most 32 registers", part);
	}
	return 0;
}

static char *next_word(char **text)
{
	char *word;

	*text += strspn(*text, " \t");
	word = strsep(text, " \t");
	if (!*text)
		*text = word + strlen(word);
	*text += strspn(*text, " \t");
	return word;
}

static int parse_msr(const struct config *config, struct bench_event *event, char **text)
{
	char *word = next_word(text);
	int code = 0;

	event->is_msr = true;
	if (strchr(word, '=')) {
		code = parse_writes(config, event, word);
		word = next_word(text);
	}
	if (!code && !msr_number(word, &event->read))
		return refuse(config, "want msr_N, the register to read, in hexadecimal", word);
	return code;
}

/* Parse one line of a configuration file. It changes the line. */
static int parse_line(const struct config *config, struct bench_event *event, char *line,
                      bool is_msr)
{
	char first[LINE_ROOM], *text = line;
	int code;

	*event = (struct bench_event){ .counter = -1 };
	text += strspn(text, " \t");
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, " \t"), text);
	code = is_msr ? parse_msr(config, event, &text)
	              : parse_event(config, event, next_word(&text));
	if (code)
		return code;
	for (size_t end = strlen(text); end && strchr(" \t\r", text[end - 1]); end--)
		text[end - 1] = 0;
	snprintf(event->name, sizeof(event->name), "%.*s", (int)sizeof(event->name) - 1,
	         *text ? text : first);
	return 0;
}

int bench_config_parse(struct bench_events *events, const char *text, bool is_msr, bool is_arm,
                       const char *file, struct error *error)
{
	struct config config = { .file = file, .is_arm = is_arm, .error = error };
	int code = 0;

	while (*text && !code) {
		size_t length = strcspn(text, "\n");
		char line[LINE_ROOM];

		config.line++;
		snprintf(line, sizeof(line), "%.*s", (int)(length < LINE_ROOM ? length : LINE_ROOM),
		         text);
		line[strcspn(line, "\r")] = 0;
		if (length >= LINE_ROOM)
			return refuse(&config, "the line has more than 1023 characters", line);
		text += length + (text[length] == '\n');
		if (!line[strspn(line, " \t")] || *line == '#')
			continue;
		if (!ARRAY_ROOM(events->list, events->count))
			return error_set(error, -ENOMEM, "no memory for the events of %s", file);
		code = parse_line(&config, &events->list[events->count], line, is_msr);
		events->count += !code;
	}
	return code;
}

static char *read_file(const char *file, struct error *error)
{
	FILE *in = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;

	if (!in) {
		error_errno(error, "configuration file %s", file);
		return NULL;
	}
	if (getdelim(&text, &room, '\0', in) < 0) {
		free(text);
		text = ferror(in) ? NULL : strdup(""); /* an empty file */
		if (!text)
			error_errno(error, "reading %s", file);
	}
	fclose(in);
	return text;
}

int bench_config_read(struct bench_events *events, const char *file, bool is_msr, bool is_arm,
                      struct error *error)
{
	char *text = read_file(file, error);
	int code = text ? bench_config_parse(events, text, is_msr, is_arm, file, error) : -EIO;

	free(text);
	return code;
}

void bench_config_free(struct bench_events *events)
{
	free(events->list);
	*events = (struct bench_events){ 0 };
}

uint64_t bench_config_select(const struct bench_event *event, uint32_t vendor)
{
	uint64_t select = event->event & 0xff;

	if (vendor == BENCH_ARM)
		return event->event;
	if (vendor == BENCH_AMD) /* PERF_CTL: bits 35:32 are the event's upper ones */
		select |= (uint64_t)(event->event & 0xf00) << 24;
	return select | (uint64_t)event->umask << 8 | (uint64_t)event->edge << 18 |
	       (uint64_t)event->any << 21 | (uint64_t)event->inverted << 23 |
	       (uint64_t)event->cmask << 24;
}
