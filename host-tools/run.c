/* SPDX-License-Identifier: MIT */
/* `bareperf run`: boot the image in QEMU and bring home what it records. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/commands.h"
#include "host-tools/images.h"
#include "host-tools/run_machine.h"
#include "host-tools/run_options.h"
#include "host-tools/run_stat.h"

/* The image: as said, or from where this tool was built. */
static int find_image(const struct run_options *options, char path[PATH_MAX], struct error *error)
{
	static const char *const places[] = { "../%s/bareperf.efi", "%s/bareperf.efi",
		                              "../lib/bareperf/%s/bareperf.efi" };
	char directory[PATH_MAX], relative[128];

	if (options->image) {
		snprintf(path, PATH_MAX, "%s", options->image);
		return access(path, R_OK) ? error_errno(error, "image %s", path) : 0;
	}
	tool_directory(directory);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int length;

		/* Each place has one %s, for the architecture. */
		snprintf(relative, sizeof(relative), places[i], options->arch);
		length = snprintf(path, PATH_MAX, "%s/%s", directory, relative);
		if (length > 0 && length < PATH_MAX && !access(path, R_OK))
			return 0;
	}
	return error_set(error, -ENOENT,
	                 "no bareperf.efi for %s near %s: build it with `make ARCH=%s`, or name it "
	                 "with --image",
	                 options->arch, directory, options->arch);
}

static void print_check(void *context, bool holds, const char *line)
{
	(void)context;
	if (!holds)
		fprintf(stderr, "  not conserved: %s\n", line);
}

static void report_nameless(const struct session *session)
{
	for (uint32_t i = 0; i < session->region.header.images.count; i++) {
		if (!session->files[i].found)
			say("no ELF with the build-id of image %s was found: perf will show its "
			    "addresses without names. Say --symbols DIR",
			    session->files[i].path);
	}
}

/* Bytes of the AUX areas that are in the file. */
static uint64_t traced(const struct session *session)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < session->ledger.head.ring_count; i++)
		bytes += session->ledger.rings[i].found.aux_delivered;
	return bytes;
}

/* perf's closing line, and what perf does not know. */
static int summarise(const struct machine *machine, const struct run_options *options)
{
	const struct session *session = &machine->session;
	char trace[64] = "";

	report_nameless(session);
	if (traced(session))
		snprintf(trace, sizeof(trace), ", %" PRIu64 " bytes of trace", traced(session));
	fprintf(stderr,
	        "[ bareperf record: Captured and wrote %.3f MB %s (%" PRIu64 " samples%s) ]\n",
	        (double)machine->file_size / 1e6, options->output, session->samples, trace);
	if (machine->reader.replaced)
		fprintf(stderr,
		        "[ bareperf record: %u readers died and were replaced; no record is lost "
		        "by that ]\n",
		        machine->reader.replaced);
	if (session->lost)
		fprintf(stderr,
		        "[ bareperf record: lost %" PRIu64
		        " records: give the rings more pages "
		        "(-m), or sample less ]\n",
		        session->lost);
	if (check_conserved(&session->ledger, NULL, NULL))
		return EXIT_OK;
	say("the recording is not conserved:");
	check_conserved(&session->ledger, print_check, NULL);
	return RUN_NOT_CONSERVED;
}

/* What the machine printed: all it has to say for commands that record nothing, and the reason
 * where it failed. */
static void print_console(const struct machine *machine, FILE *out)
{
	uint64_t from = 0;
	char *text = machine->has_region ? region_console(&machine->region, &from)
	                                 : qemu_read_log(machine->qemu.serial_fd, &from);

	if (text && *text)
		fprintf(out, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
}

/* What stands in our exit status where something went wrong. */
static int failure_status(const struct machine *machine)
{
	uint32_t state = machine->has_region ? region_state(&machine->region) : TR_BOOTING;

	if (machine->signal)
		return RUN_SIGNAL + machine->signal;
	if (!machine->recorded)
		return state == TR_FAILED || state == TR_IDLE ? RUN_REFUSED : RUN_ERROR;
	if (state == TR_PANIC || machine->died)
		return RUN_UNFINISHED;
	return state == TR_FAILED && region_status(&machine->region) == -EFAULT
	           ? RUN_SIGNAL + SIGSEGV
	           : RUN_ERROR;
}

static int report(const struct machine *machine, const struct run_options *options,
                  const struct error *error, int code)
{
	int status = EXIT_OK;

	/* What the user's own program printed. */
	if (machine->recorded && options->payload && !code && !options->verbose)
		print_console(machine, stdout);
	if (machine->recorded && options->stat && !code)
		status = run_stat(machine, options);
	else if (machine->recorded)
		status = summarise(machine, options);
	else if (!code)
		print_console(machine, stdout);
	if (!code)
		return status || !machine->recorded ? status : region_exit_status(&machine->region);
	if (machine->show_console && !options->verbose) {
		fprintf(stderr, "The machine's console:\n");
		print_console(machine, stderr);
	}
	error_print(error);
	return failure_status(machine);
}

int command_run(int argc, char **argv)
{
	const char *const *command = (const char *const *)(argv - 1);
	struct run_options options;
	struct machine machine;
	struct error error = { "" };
	char image[PATH_MAX];
	int code, status;

	run_options_parse(&options, argc, argv);
	code = find_image(&options, image, &error);
	if (code) {
		error_print(&error);
		return RUN_ERROR;
	}
	options.image = image;
	code = machine_run(&machine, &options, command, argc + 1, &error);
	status = report(&machine, &options, &error, code);
	machine_free(&machine);
	return status;
}
