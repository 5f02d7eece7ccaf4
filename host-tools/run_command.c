/* SPDX-License-Identifier: MIT */
#include "host-tools/run_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/blob.h"
#include "host-tools/event_names.h"
#include "host-tools/mailbox.h"

#define LONGEST 1023 /* characters that the image takes */

static bool is(const char *word, const char *name, const char *alias)
{
	return !strcmp(word, name) || !strcmp(word, alias);
}

/* How many words stand before the command's own "--". */
static int option_words(const struct run_options *options)
{
	int i = 1;

	while (i < options->guest_count && strcmp(options->guest[i], "--") != 0)
		i++;
	return i;
}

/* Whether word i is a list of events. */
static bool is_events(const struct run_options *options, int i)
{
	return i > 1 && i < option_words(options) && is(options->guest[i - 1], "-e", "--event");
}

bool run_command_has_names(const struct run_options *options)
{
	for (int i = 0; i < options->guest_count; i++) {
		if (is_events(options, i) && event_names_any(options->guest[i]))
			return true;
	}
	return false;
}

static bool has_then(const struct run_options *options)
{
	for (int i = 0; i < options->guest_count; i++) {
		if (!strcmp(options->guest[i], "--then"))
			return true;
	}
	return false;
}

/* --then is said behind the command's other options, so that the machine's remarks about columns
 * stay true. */
static int write_words(struct blob *text, const struct run_options *options,
                       const struct event_cpu *cpu, struct error *error)
{
	int place = option_words(options), code = 0;

	for (int i = 0; i < options->guest_count && !code; i++) {
		if (i == place && !has_then(options))
			blob_printf(text, " --then poweroff");
		blob_printf(text, "%s", i ? " " : "");
		if (is_events(options, i) && event_names_any(options->guest[i]))
			code = event_names_resolve(text, options->guest[i], cpu, error);
		else
			blob_printf(text, "%s", options->guest[i]);
	}
	if (place >= options->guest_count && !has_then(options))
		blob_printf(text, " --then poweroff");
	return code;
}

char *run_command_text(const struct run_options *options, const struct event_cpu *cpu,
                       struct error *error)
{
	struct blob text = { 0 };
	int code = 0;

	if (cpu || !run_command_has_names(options))
		code = write_words(&text, options, cpu, error);
	blob_add(&text, "", 1);
	if (!code && text.failed)
		code = error_set(error, -ENOMEM, "no memory for the command");
	if (!code && cpu && text.size > LONGEST + 1)
		code = error_set(error, -E2BIG,
		                 "the command has %zu characters when its events are resolved; the "
		                 "machine takes %d",
		                 text.size - 1, LONGEST);
	if (!code)
		return (char *)text.bytes;
	blob_free(&text);
	return NULL;
}

int run_command_send(const struct run_options *options, struct region *region, uint32_t *request,
                     struct error *error)
{
	struct event_cpu cpu = { .machine = region->header.machine };
	char vendor[sizeof(region->cpus->vendor) + 1] = "";
	int code = region_load(region, error);
	char *text;

	if (code)
		return code;
	if (region->header.cpus.count) {
		memcpy(vendor, region->cpus->vendor, sizeof(vendor) - 1);
		cpu.signature = region->cpus->signature;
	}
	cpu.vendor = vendor;
	text = run_command_text(options, &cpu, error);
	if (!text)
		return -EINVAL;
	*request = mailbox_send(region, text);
	free(text);
	return 0;
}
