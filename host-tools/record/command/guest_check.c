/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/machine.h"
#include "command/command.h"
#include "command/elf.h"
#include "host-tools/events/event_names.h"
#include "host-tools/record/command/guest_fetch.h"
#include "host-tools/record/command/guest_text.h"
#include "lib/parse/pe_image.h"
#include "writer/util/blob.h"
#include "writer/util/printable.h"

/* The command as the user typed it, a mark under the column, and the reason. */
static void refuse(const struct guest *guest, unsigned column, const char *what, const char *meant)
{
	fprintf(stderr, " ");
	for (int i = 0; i < guest->count; i++) {
		struct blob word = { 0 };

		guest_quote(&word, guest, i);
		fprintf(stderr, " ");
		for (size_t c = 0; c < word.size; c++)
			fputc(printable_char((char)word.bytes[c]), stderr);
		blob_free(&word);
	}
	fprintf(stderr, "\n  %*s^\n", (int)column, "");
	fflush(stderr);
	if (meant && *meant)
		say("%s; did you mean %s?", what, meant);
	else
		say("%s", what);
}

/* The machine gets one line of text. */
static bool check_words(const struct guest *guest)
{
	unsigned column = 0;
	bool good = true;

	for (int i = 0; i < guest->count && good; i++) {
		struct blob word = { 0 };
		size_t c = 0;

		guest_quote(&word, guest, i);
		while (c < word.size && word.bytes[c] >= ' ' && word.bytes[c] <= '~')
			c++;
		good = c == word.size;
		if (!good)
			refuse(guest, column + (unsigned)c, "the machine takes plain ASCII only",
			       NULL);
		column += (unsigned)c + 1;
		blob_free(&word);
	}
	return good;
}

/* The firmware knows only its own event names. Suggest the nearest of the CPU makers' names. */
static void suggest_own(struct blob *meant, const struct guest *guest, const char *text,
                        const struct command_error *error)
{
	char *list = strndup(text + error->column, strcspn(text + error->column, " "));

	if (list && error->what == parse_unknown_event)
		event_names_suggest(meant, list, guest->machine);
	free(list);
	blob_add(meant, "", 1);
}

static __attribute__((format(printf, 1, 2))) void print_answer(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

/* Why a command has no use on a machine that a host reads, or NULL. */
static const char *not_for_guests(const struct guest *guest, const struct command *command,
                                  unsigned *column)
{
	*column = 0;
	if (command->verb == COMMAND_SAVE)
		return "the host has the recording: the machine has nothing to save";
	if (guest->fetch_count && command->verb != COMMAND_RECORD && command->verb != COMMAND_STAT)
		return "--fetch needs `record' or `stat'";
	if (guest->fetch_count && command->workload && !command->workload->takes_words)
		return "a built-in workload has no files to --fetch";
	if (command->nr_fetch)
		return "--fetch must come before the command: --fetch FILE -- COMMAND";
	if (!command->output)
		return NULL;
	for (int i = 0; i < guest->count && strncmp(guest->words[i], "-o", 2) != 0 &&
	                strncmp(guest->words[i], "--output", 8) != 0;
	     i++)
		*column += (unsigned)strlen(guest->words[i]) + 1;
	return "-o names a file of the machine; for a file of the host: -o FILE -- COMMAND";
}

static bool check_command(const struct guest *guest, const char *text, bool *answered)
{
	static struct command command;
	struct command_error reason;
	struct blob meant = { 0 };
	const char *what;
	unsigned column;

	if (!guest->tables)
		return true;
	if (!command_parse(&command, text, guest->tables, &reason)) {
		*answered = command.verb == COMMAND_HELP;
		if (*answered)
			command_print_usage(guest->tables, print_answer);
		what = not_for_guests(guest, &command, &column);
		if (what)
			refuse(guest, column, what, NULL);
		return !what;
	}
	if (!reason.meant)
		suggest_own(&meant, guest, text, &reason);
	refuse(guest, reason.column, reason.what,
	       reason.meant ? reason.meant : (const char *)meant.bytes);
	blob_free(&meant);
	return false;
}

/* A program that the machine's firmware loads: an application or a driver. */
static bool is_uefi_image(const void *bytes, uint64_t size, uint16_t machine)
{
	struct pe_image image;
	const char *why;

	return !pe_parse(&image, bytes, size, PE_FILE, &why) &&
	       image.machine == (machine == EM_X86_64 ? PE_MACHINE_AMD64 : PE_MACHINE_ARM64) &&
	       image.subsystem >= PE_EFI_APPLICATION && image.subsystem <= PE_EFI_RUNTIME_DRIVER;
}

/* Check that the file is a program for this machine, before the costly boot. */
static int check_payload(const struct guest *guest, struct error *error)
{
	int fd = open(guest->payload, O_RDONLY | O_CLOEXEC);
	struct elf_image image = { 0 };
	struct elf_error reason;
	struct stat about;
	void *bytes;
	int code = 0;

	if (fd < 0)
		return error_errno(error, "payload %s", guest->payload);
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || !about.st_size) {
		close(fd);
		return error_set(error, -ENOEXEC, "payload %s is %s", guest->payload,
		                 S_ISREG(about.st_mode) ? "empty" : "no file");
	}
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		code = error_errno(error, "reading payload %s", guest->payload);
	close(fd);
	if (code)
		return code;
	if (!is_uefi_image(bytes, (uint64_t)about.st_size, guest->machine) &&
	    elf_parse(&image, bytes, (uint64_t)about.st_size, guest->machine, &reason))
		code = error_set(error, -ENOEXEC, "payload %s cannot be loaded: %s (0x%" PRIx64 ")",
		                 guest->payload, reason.what, reason.where);
	munmap(bytes, (size_t)about.st_size);
	return code;
}

bool guest_check(const struct guest *guest, bool *answered)
{
	struct error error = { "" };
	char *text = NULL, *whole;
	bool good;

	*answered = false;
	if (!check_words(guest))
		return false;
	whole = guest_text(guest, NULL, &error);
	if (whole)
		text = guest_masked(guest, &error);
	good = text && check_command(guest, text, answered);
	if (!text)
		error_print(&error);
	free(whole);
	free(text);
	if (good && ((guest->payload && check_payload(guest, &error)) ||
	             guest_fetch_check(guest, &error))) {
		error_print(&error);
		good = false;
	}
	return good;
}
