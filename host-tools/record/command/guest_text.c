/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "host-tools/events/event_names.h"
#include "host-tools/record/command/guest_fetch.h"
#include "host-tools/region/mailbox.h"
#include "lib/parse/shell_word.h"
#include "writer/util/blob.h"

#define THEN "--then poweroff"

/* The event names that a command may use: those of the image, if its file is known. */
static const struct pmu_source *const *sources(const struct guest *guest)
{
	return guest->tables ? guest->tables->sources.list : NULL;
}

/* The number of words that belong to the command itself; the workload's follow. */
static int own_words(const struct guest *guest)
{
	return (int)command_own_words((const char *const *)guest->words, (unsigned)guest->count);
}

/* Where a list of events begins in word i, which may be an option's argument, or a short option
 * with its argument; -1: it has none. */
static int events_of(const struct guest *guest, int i)
{
	const char *word = guest->words[i], *before = i ? guest->words[i - 1] : "";

	if (i >= own_words(guest))
		return -1;
	if (!strcmp(before, "-e") || !strcmp(before, "--event"))
		return 0;
	if (!strncmp(word, "--event=", 8))
		return 8;
	return !strncmp(word, "-e", 2) && word[2] ? 2 : -1;
}

bool guest_has_names(const struct guest *guest)
{
	for (int i = 0; i < guest->count; i++) {
		int at = events_of(guest, i);

		if (at >= 0 && event_names_any(guest->words[i] + at, sources(guest)))
			return true;
	}
	return false;
}

static bool has_option(const struct guest *guest, const char *name)
{
	for (int i = 0; i < own_words(guest); i++) {
		if (!strncmp(guest->words[i], name, strlen(name)))
			return true;
	}
	return false;
}

bool guest_boots(const struct guest *guest)
{
	return guest->count && !strcmp(guest->words[0], "record") && has_option(guest, "--boot");
}

/* Whether word i is an argument of a UEFI application, which the machine cuts by its shell's rules.
 */
static bool is_applications(const struct guest *guest, int i)
{
	static const char ending[] = ".efi";
	int name = own_words(guest);
	size_t length;

	if (name < guest->count && !strcmp(guest->words[name], "--"))
		name++;
	if (i <= name || name >= guest->count)
		return false;
	length = strlen(guest->words[name]);
	return length >= sizeof(ending) - 1 &&
	       !strcasecmp(guest->words[name] + length - (sizeof(ending) - 1), ending);
}

static void quote_for_shell(struct blob *text, const char *word)
{
	const char *quote = *word && !strpbrk(word, SHELL_WORD_QUOTED) ? "" : "\"";

	blob_printf(text, "%s", quote);
	for (; *word; word++)
		blob_printf(text, "%s%c", strchr(SHELL_WORD_ESCAPED, *word) ? "^" : "", *word);
	blob_printf(text, "%s", quote);
}

static void quote(struct blob *text, const char *word)
{
	size_t plain = strcspn(word, " '\"\\");

	if (plain && plain == strlen(word)) {
		blob_printf(text, "%s", word);
		return;
	}
	if (!strchr(word, '\'')) {
		blob_printf(text, "'%s'", word);
		return;
	}
	blob_printf(text, "\"");
	for (; *word; word++)
		blob_printf(text, "%s%c", *word == '"' || *word == '\\' ? "\\" : "", *word);
	blob_printf(text, "\"");
}

void guest_quote(struct blob *text, const struct guest *guest, int i)
{
	if (is_applications(guest, i))
		quote_for_shell(text, guest->words[i]);
	else
		quote(text, guest->words[i]);
}

/* Word i with its event names resolved for cpu; without a cpu they are masked, for the parser. */
static int write_word(struct blob *text, const struct guest *guest, int i,
                      const struct event_cpu *cpu, struct error *error)
{
	int at = events_of(guest, i);
	const char *word = guest->words[i], *events = word + (at > 0 ? at : 0);

	if (at < 0 || !event_names_any(events, sources(guest))) {
		guest_quote(text, guest, i);
		return 0;
	}
	blob_add(text, word, (size_t)(events - word));
	if (cpu)
		return event_names_resolve(text, events, sources(guest), cpu, error);
	event_names_mask(text, events, sources(guest), guest->machine);
	return 0;
}

/* The commands that the tool's own options add. */
static void write_ours(struct blob *text, const struct guest *guest)
{
	for (unsigned i = 0; i < guest->fetch_count; i++) {
		size_t length;
		char *name;

		guest_fetch_local(guest->fetch[i], &length);
		name = strndup(guest->fetch[i], length);
		text->failed |= !name;
		blob_printf(text, " --fetch ");
		quote(text, name ? name : "");
		free(name);
	}
	if (guest->poweroff && !has_option(guest, "--then") && !guest_boots(guest))
		blob_printf(text, " " THEN);
}

/* These go before the workload, whose words are its own, and behind the command's options, so that
 * the columns in the machine's messages stay right. */
static int write_words(struct blob *text, const struct guest *guest, bool ours,
                       const struct event_cpu *cpu, struct error *error)
{
	int place = own_words(guest), code = 0;

	for (int i = 0; i < guest->count && !code; i++) {
		if (i == place && ours)
			write_ours(text, guest);
		blob_printf(text, "%s", i ? " " : "");
		code = write_word(text, guest, i, cpu, error);
	}
	if (place >= guest->count && ours)
		write_ours(text, guest);
	return code;
}

char *guest_masked(const struct guest *guest, struct error *error)
{
	struct blob text = { 0 };

	write_words(&text, guest, false, NULL, error);
	blob_add(&text, "", 1);
	if (!text.failed)
		return (char *)text.bytes;
	error_set(error, -ENOMEM, "no memory for the command");
	blob_free(&text);
	return NULL;
}

char *guest_text(const struct guest *guest, const struct event_cpu *cpu, struct error *error)
{
	struct blob text = { 0 };
	int code = 0;

	if (cpu || !guest_has_names(guest))
		code = write_words(&text, guest, true, cpu, error);
	blob_add(&text, "", 1);
	if (!code && text.failed)
		code = error_set(error, -ENOMEM, "no memory for the command");
	if (!code && text.size > COMMAND_MAX_LENGTH + 1)
		code = error_set(
		    error, -E2BIG, "the command has %zu characters%s; the machine takes %u",
		    text.size - 1, cpu ? " when its events are resolved" : "", COMMAND_MAX_LENGTH);
	if (!code)
		return (char *)text.bytes;
	blob_free(&text);
	return NULL;
}

int guest_send(const struct guest *guest, struct region *region, uint32_t *request,
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
	text = guest_text(guest, &cpu, error);
	if (!text)
		return -EINVAL;
	code = mailbox_send(region, text, request, error);
	free(text);
	return code;
}
