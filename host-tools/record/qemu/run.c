/* SPDX-License-Identifier: MIT */
/* `bareperf run`: boot the image in QEMU and write its recording to a file. */
#include "host-tools/record/qemu/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/events/image_tables.h"
#include "host-tools/record/command/guest_check.h"
#include "host-tools/record/command/guest_image.h"
#include "host-tools/record/qemu/kvm.h"
#include "host-tools/record/qemu/run_machine.h"
#include "host-tools/record/qemu/run_options.h"
#include "host-tools/session/images.h"
#include "host-tools/util/exit_status.h"

/* The image: from --image, or from the build tree of this tool. */
static int find_image(const struct run_options *options, char path[PATH_MAX], struct error *error)
{
	char directory[PATH_MAX];

	if (options->image) {
		snprintf(path, PATH_MAX, "%s", options->image);
		return access(path, R_OK) ? error_errno(error, "image %s", path) : 0;
	}
	for (unsigned i = 0; guest_image_place(options->arch, i, path); i++) {
		if (!access(path, R_OK))
			return 0;
	}
	tool_directory(directory);
	return error_set(error, -ENOENT,
	                 "no bareperf.efi for %s near %s: build it with `make ARCH=%s`, or name it "
	                 "with --image",
	                 options->arch, directory, options->arch);
}

/* Print the machine's console: all of it for commands that record nothing, and the reason of a
 * failure. */
static void print_console(const struct machine *machine, FILE *out)
{
	uint64_t from = 0;
	char *text = machine->has_region ? region_console(&machine->region, &from)
	                                 : qemu_read_log(machine->qemu.serial_fd, &from);

	if (text && *text)
		fprintf(out, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
}

/* The machine-readable line of a self-test. */
static void print_json_line(const struct machine *machine, FILE *out)
{
	uint64_t from = 0;
	char *text = region_console(&machine->region, &from);

	for (char *line = text; line && *line;) {
		size_t length = strcspn(line, "\n");

		if (*line == '{')
			fprintf(out, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	free(text);
}

/* The exit status for an error. */
static int failure_status(const struct machine *machine)
{
	uint32_t state = machine->has_region ? region_state(&machine->region) : TR_BOOTING;

	if (machine->signal)
		return RUN_SIGNAL + machine->signal;
	if (!machine->drive.recorded)
		return machine->refused ? RUN_REFUSED : RUN_ERROR;
	if (state >= TR_PANIC || machine->died) /* exit codes above this one have other meanings */
		return RUN_UNFINISHED;
	return state == TR_FAILED && region_status(&machine->region) == -EFAULT
	           ? RUN_SIGNAL + SIGSEGV
	           : RUN_ERROR;
}

static int report(struct machine *machine, const struct run_options *options,
                  const struct error *error, int code)
{
	FILE *out = output_is_stream(&options->output) ? stderr : stdout;
	int status = drive_summary(&machine->drive, machine->reader.replaced);
	unsigned failed = machine->drive.failed;

	if (!code && !machine->drive.recorded && options->json)
		print_json_line(machine, out);
	else if (!code && !machine->drive.recorded)
		print_console(machine, out);
	if (machine->drive.quits && !machine->signal)
		return status ? status : failed ? RUN_ERROR : EXIT_OK;
	if (!code && !status && machine->drive.recorded &&
	    !ledger_ended(&machine->drive.session.ledger)) {
		say("the machine did not complete the run: its state became %s",
		    region_state_name(machine->drive.session.ledger.head.state));
		return RUN_UNFINISHED;
	}
	if (!code && machine->signal) /* the state was read after QEMU had ended */
		return RUN_SIGNAL + machine->signal;
	if (!code)
		return status ? status : failed ? RUN_ERROR : region_exit_status(&machine->region);
	if (machine->show_console && !options->verbose) {
		fprintf(stderr, "The machine's console:\n");
		print_console(machine, stderr);
	}
	error_print(error);
	return failure_status(machine);
}

/* Check the command before the boot, and answer help, if the image's file has the tables. */
static bool check_command(struct run_options *options, const char *image,
                          struct image_tables *tables, bool *answered)
{
	struct error error = { "" };
	int code = image_tables_load(tables, image, &error);

	if (!code)
		options->guest.tables = &tables->tables;
	else if (*error.text)
		say("image %s: %s; its commands are not checked before it boots", image,
		    error.text);
	return guest_check(&options->guest, answered);
}

/* Print the same command with emulation. Emulated x86 CPUs have no counters. */
static void offer_emulation(const char *const *command, int words, const char *arch)
{
	char *text = kvm_emulated(command, words);

	if (text)
		fprintf(stderr, "The same command with emulation%s:\n  %s\n",
		        strcmp(arch, "x86_64")
		            ? ""
		            : " (without hardware counters: -e cpu-clock samples)",
		        text);
	free(text);
}

/* Returns 0, or the exit status, with the reason printed. */
static int check_kvm(struct run_options *options)
{
	char *device = kvm_device_option(options->qemu_options, options->qemu_option_count);
	struct kvm_host host = kvm_this_host(device);
	struct error error = { "" };
	int status = 0;

	if (kvm_check_request(&host, options->arch, options->qemu_options,
	                      options->qemu_option_count, &error))
		status = RUN_REFUSED;
	else if (kvm_check_host(&host, &error))
		status = RUN_ERROR;
	if (status)
		error_print(&error);
	else
		options->lbr_format = kvm_lbr_format(&host);
	free(device);
	return status;
}

/* Boot the machine, carry out the command, and report. */
static int run(struct run_options *options, const char *const *command, int words)
{
	struct machine machine;
	struct error error = { "" };
	int status = options->kvm ? check_kvm(options) : 0;
	bool failed = status;

	if (!failed) {
		int code = machine_run(&machine, options, command, words, &error);

		status = report(&machine, options, &error, code);
		failed = code && !machine.has_region && !machine.signal;
		machine_free(&machine);
	}
	if (failed && options->kvm)
		offer_emulation(command, words, options->arch);
	return status;
}

int command_run(int argc, char **argv)
{
	const char *const *command = (const char *const *)(argv - 1);
	struct image_tables tables;
	struct run_options options;
	struct error error = { "" };
	char image[PATH_MAX];
	bool answered;
	int code;

	run_options_parse(&options, argc, argv);
	code = find_image(&options, image, &error);
	if (code) {
		error_print(&error);
		return RUN_ERROR;
	}
	options.image = image;
	code = check_command(&options, image, &tables, &answered) ? 0 : RUN_REFUSED;
	if (code || answered || options.dry_run) {
		image_tables_free(&tables);
		return code;
	}
	code = run(&options, command, argc + 1);
	image_tables_free(&tables);
	return code;
}
