/* SPDX-License-Identifier: MIT */
/* How `bareperf run -- stat ...` ends. */
#include "host-tools/run/run_stat.h"

#include <stdlib.h>
#include <string.h>

#include "agent/parse/command.h"
#include "host-tools/ledger/check.h"
#include "host-tools/report/stat.h"
#include "host-tools/util/blob.h"
#include "host-tools/util/exit_status.h"

/* How many of its words are the command's own. */
static int own_words(const struct run_options *options)
{
	return (int)command_own_words((const char *const *)options->guest,
	                              (unsigned)options->guest_count);
}

/* Where the workload begins among the command's words. */
static int workload_word(const struct run_options *options)
{
	int i = own_words(options);

	return i < options->guest_count && !strcmp(options->guest[i], "--") ? i + 1 : i;
}

static bool is_per_cpu(const struct run_options *options)
{
	for (int i = 1; i < own_words(options); i++) {
		if (!strcmp(options->guest[i], "-A") || !strcmp(options->guest[i], "--no-aggr"))
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

int run_stat(const struct machine *machine, const struct run_options *options)
{
	const struct ledger *ledger = &machine->session.ledger;
	struct stat_options how = { .per_cpu = is_per_cpu(options) };
	struct error error = { "" };
	struct blob title = { 0 };
	int code = 0;

	for (int i = workload_word(options); i < options->guest_count; i++)
		blob_printf(&title, "%s%s", title.size ? " " : "", options->guest[i]);
	blob_add(&title, "", 1);
	how.title = title.failed ? "" : (const char *)title.bytes;
	if (options->json)
		code = stat_print_json(ledger, &how, stdout, &error);
	else
		stat_print(ledger, &how, stderr);
	blob_free(&title);
	if (code) {
		error_print(&error);
		return RUN_ERROR;
	}
	return check_conserved(ledger, print_broken, NULL) ? EXIT_OK : RUN_NOT_CONSERVED;
}
