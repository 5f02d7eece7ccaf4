/* SPDX-License-Identifier: MIT */
/* Subcommands that send the machine one command, and those that only look at it. */
#include "host-tools/record/remote/remote_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/events/image_tables.h"
#include "host-tools/record/command/guest_check.h"
#include "host-tools/record/command/guest_image.h"
#include "host-tools/record/command/guest_text.h"
#include "host-tools/record/remote/remote.h"
#include "host-tools/region/mailbox.h"
#include "host-tools/session/progress.h"
#include "host-tools/util/exit_status.h"

#define HEARING_S 1.0 /* s until a machine without a heartbeat counts as hanging */

int remote_await_idle(struct remote_link *link, struct error *error)
{
	int code = remote_link_look(link, error);

	while (!code && region_state(&link->region) != TR_IDLE) {
		if (region_state(&link->region) == TR_RECORDING)
			return error_set(error, -EBUSY,
			                 "the machine is recording: read it with `bareperf "
			                 "attach', or end it with `bareperf stop'");
		remote_link_wait(link);
		code = remote_link_look(link, error);
	}
	return code;
}

int remote_send(struct remote_link *link, struct remote_options *options, uint32_t *request,
                struct error *error)
{
	struct guest *guest = &options->guest;
	struct image_tables tables = { 0 };
	struct error ignored = { "" };
	char path[PATH_MAX];
	bool answered;
	int code = 0;

	guest->machine = link->region.header.machine;
	if (guest_image_of(&link->region, options->image, path) &&
	    !image_tables_load(&tables, path, &ignored))
		guest->tables = &tables.tables;
	else if (options->image)
		code = error_set(error, -ENOENT, "%s is not the image that the machine runs",
		                 options->image);
	if (!code && !guest_check(guest, &answered))
		code = -EINVAL;
	if (!code)
		code = guest_send(guest, &link->region, request, error);
	guest->tables = NULL;
	image_tables_free(&tables);
	return code;
}

bool remote_is_answered(const struct remote_link *link, uint32_t request, int *status,
                        struct error *error)
{
	char message[1024];

	if (!mailbox_answered(&link->region, request, status))
		return false;
	region_message(&link->region, message);
	if (*status < 0)
		error_set(error, *status, "the machine refused or failed the command: %.700s",
		          *message ? message : "it gave no reason");
	return true;
}

static int await_answer(struct remote_link *link, uint32_t request, struct error *error)
{
	int code, status = 0;

	while (!(code = remote_link_look(link, error)) &&
	       !remote_is_answered(link, request, &status, error))
		remote_link_wait(link);
	return code ? code : status;
}

static int status_of(const struct remote_link *link, int code, const struct error *error)
{
	if (!code)
		return EXIT_OK;
	if (*error->text)
		error_print(error);
	if (link->signal)
		return RUN_SIGNAL + link->signal;
	return code == -EINVAL ? RUN_REFUSED : RUN_ERROR;
}

/* Carry out a command that is done once it is answered, and print its output for the user. */
static int ask(const struct remote_usage *usage, const char *command, int argc, char **argv)
{
	struct remote_options options;
	struct remote_link link;
	struct error error = { "" };
	uint32_t request = 0;
	int code, status;

	remote_options_parse(&options, usage, argc, argv);
	code = remote_link_open(&link, &options, &error);
	if (!code)
		code = remote_link_acquire(&link, &error);
	if (!code)
		code = remote_await_idle(&link, &error);
	if (!code)
		code = mailbox_send(&link.region, command, &request, &error);
	if (!code)
		code = await_answer(&link, request, &error);
	if (!code && !strcmp(command, "list"))
		remote_link_print_console(&link, stdout);
	status = status_of(&link, code, &error);
	remote_link_close(&link);
	return status;
}

int command_remote_list(int argc, char **argv)
{
	static const struct remote_usage usage = {
		.name = "list",
		.args = "",
		.doc = "List the events that a machine can record.",
	};

	return ask(&usage, "list", argc, argv);
}

int command_reboot(int argc, char **argv)
{
	static const struct remote_usage usage = {
		.name = "reboot",
		.args = "",
		.doc = "Reset a machine that waits for commands.",
	};

	return ask(&usage, "version --then reboot", argc, argv);
}

int command_console(int argc, char **argv)
{
	static const struct remote_usage usage = {
		.name = "console",
		.args = "[--follow]",
		.doc = "Print a machine's console, also while another process records it.",
	};
	struct remote_options options;
	struct remote_link link;
	struct error error = { "" };
	int code;

	remote_options_parse(&options, &usage, argc, argv);
	code = remote_link_open(&link, &options, &error);
	link.console = 0;
	/* The console's text is there even if the machine no longer runs. */
	if (link.region.channel)
		remote_link_print_console(&link, stdout);
	while (!code && options.follow) {
		fflush(stdout);
		remote_link_wait(&link);
		code = remote_link_look(&link, &error);
		if (!code || code == -EFAULT)
			remote_link_print_console(&link, stdout);
	}
	if ((link.signal && options.follow) || code == -ENODEV)
		code = 0; /* Ctrl-C, the normal end; or the text can no longer grow */
	if (code && *error.text)
		error_print(&error);
	remote_link_close(&link);
	return code ? RUN_ERROR : EXIT_OK;
}

/* ---- Commands to a machine that is recording ---- */

static int stop(struct remote_link *link, struct error *error)
{
	uint64_t run = link->region.header.run;
	uint32_t request;
	struct tr_header header;
	int code;

	if (region_state(&link->region) != TR_RECORDING)
		return error_set(error, -EINVAL, "the machine records nothing");
	code = mailbox_send(&link->region, "stop", &request, error);
	do {
		if (!code)
			code = remote_link_look(link, error);
		region_header(&link->region, &header);
	} while (!code && header.run == run && header.state == TR_RECORDING &&
	         (remote_link_wait(link), true));
	return code;
}

/* Whether its heartbeat changes: by two looks at least, however long they take. */
static bool hears(struct remote_link *link, struct error *error)
{
	double until = progress_now() + HEARING_S;
	struct tr_header header;
	unsigned looks = 0;
	uint64_t beat;
	int code = 0;

	region_header(&link->region, &header);
	beat = header.heartbeat;
	while (code >= 0 && header.heartbeat == beat && !link->signal &&
	       (looks < 2 || progress_now() < until)) {
		remote_link_wait(link);
		code = remote_link_refresh(link, error);
		looks += !code;
		region_header(&link->region, &header);
	}
	return header.heartbeat != beat;
}

/* The machine's ticks obey the request; if it has none, a debugger stops it. */
static int stop_by_force(struct remote_link *link, struct error *error)
{
	const struct region *region = &link->region;
	uint32_t request;
	int code;

	if (region_state(region) != TR_RECORDING)
		return error_set(error, -EINVAL, "the machine records nothing");
	if (hears(link, error))
		return stop(link, error);
	code = mailbox_send(region, "stop", &request, error);
	if (!code)
		code = channel_force_stop(&link->channel, region->images[0].address,
		                          region->images[0].size, error);
	if (!code)
		say("the recording has ended; its workload still hangs, and so does the machine");
	return code;
}

static int snapshot(struct remote_link *link, struct error *error)
{
	const struct region *region = &link->region;
	unsigned asked = 0;
	int code = 0;

	for (uint32_t i = 0; i < region->header.rings.count && !code; i++) {
		if (!region->rings[i].aux_size || region->rings[i].aux_watermark)
			continue;
		code = region_ask_for_snapshot(region, i, error);
		asked++;
	}
	if (code || asked)
		return code;
	return error_set(error, -EINVAL, "the recording has no --snapshot");
}

/* Take no lease: the rings belong to their reader, and the reader gets the result. */
static int say_to(const struct remote_usage *usage,
                  int (*what)(struct remote_link *link, struct error *error), int argc, char **argv)
{
	struct remote_options options;
	struct remote_link link;
	struct error error = { "" };
	int code, status;

	remote_options_parse(&options, usage, argc, argv);
	code = remote_link_open(&link, &options, &error);
	if (!code)
		code = what == stop && options.force ? stop_by_force(&link, &error)
		                                     : what(&link, &error);
	status = status_of(&link, code, &error);
	remote_link_close(&link);
	return status;
}

int command_stop(int argc, char **argv)
{
	static const struct remote_usage usage = {
		.name = "stop",
		.args = "[--force]",
		.doc =
		    "Stop the events of a running recording, and wait for its workload's end. "
		    "Its reader gets all records up to then.",
	};

	return say_to(&usage, stop, argc, argv);
}

int command_snapshot(int argc, char **argv)
{
	static const struct remote_usage usage = {
		.name = "snapshot",
		.args = "",
		.doc =
		    "Request a snapshot of the AUX areas of a recording with --snapshot. Its "
		    "reader gets it.",
	};

	return say_to(&usage, snapshot, argc, argv);
}
