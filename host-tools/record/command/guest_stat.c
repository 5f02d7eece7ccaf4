/* SPDX-License-Identifier: MIT */
/* The result of `bareperf run -- stat ...`. */
#include "host-tools/record/command/guest_stat.h"

#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "host-tools/ledger/check.h"
#include "host-tools/report/stat/stat.h"
#include "host-tools/util/exit_status.h"
#include "writer/perfdata/mark_text.h"
#include "writer/util/blob.h"

/* The number of words that belong to the command itself. */
static int own_words(const struct guest *guest)
{
	return (int)command_own_words((const char *const *)guest->words, (unsigned)guest->count);
}

/* The column of the workload in the command. */
static int workload_word(const struct guest *guest)
{
	int i = own_words(guest);

	return i < guest->count && !strcmp(guest->words[i], "--") ? i + 1 : i;
}

static bool is_per_cpu(const struct guest *guest)
{
	for (int i = 1; i < own_words(guest); i++) {
		if (!strcmp(guest->words[i], "-A") || !strcmp(guest->words[i], "--no-aggr"))
			return true;
	}
	return false;
}

static void print_broken(void *context, bool holds, const char *line)
{
	(void)context;
	if (!holds)
		fprintf(stderr, "  not conserved: %s\n", line);
}

/* Whether it counts marks. */
static bool has_marks(const struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (mark_text_is(&ledger->events[i].event.attr))
			return true;
	}
	return false;
}

int guest_stat(const struct ledger *ledger, const struct region *region, const struct guest *guest,
               bool json)
{
	struct stat_options how = { .per_cpu = is_per_cpu(guest) };
	struct stat_regions regions = { .count = 0 };
	struct error error = { "" };
	struct blob title = { 0 };
	int code = 0;

	for (int i = workload_word(guest); i < guest->count; i++)
		blob_printf(&title, "%s%s", title.size ? " " : "", guest->words[i]);
	blob_add(&title, "", 1);
	how.title = title.failed ? "" : (const char *)title.bytes;
	if (has_marks(ledger)) {
		code = stat_regions_read(&regions, region, ledger, &error);
		how.regions = &regions;
	}
	if (!how.per_cpu && !json)
		stat_regions_sum(&regions);
	if (!code && json)
		code = stat_print_json(ledger, &how, stdout, &error);
	else if (!code)
		stat_print(ledger, &how, stderr);
	blob_free(&title);
	stat_regions_free(&regions);
	if (code) {
		error_print(&error);
		return RUN_ERROR;
	}
	return check_conserved(ledger, print_broken, NULL) ? EXIT_OK : RUN_NOT_CONSERVED;
}
