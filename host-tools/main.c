/* SPDX-License-Identifier: MIT */
/* bareperf, the host tool: finds the subcommand. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/bench/bench.h"
#include "host-tools/bench/noise.h"
#include "host-tools/events/list.h"
#include "host-tools/import/import.h"
#include "host-tools/merge/merge.h"
#include "host-tools/record/outside/outside.h"
#include "host-tools/record/qemu/run.h"
#include "host-tools/record/remote/remote.h"
#include "host-tools/report/annotate/annotate.h"
#include "host-tools/report/diff/diff.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/report/export/export.h"
#include "host-tools/report/flame/flamegraph.h"
#include "host-tools/report/report.h"
#include "host-tools/report/selftest/selftest.h"
#include "host-tools/util/exit_status.h"
#include "writer/util/error.h"

/* The events of a machine, or of a CPU by its table in this tool. */
static int list(int argc, char **argv)
{
	return remote_is_meant(argc, argv) ? command_remote_list(argc, argv)
	                                   : command_list(argc, argv);
}

/* Our image in QEMU, or a guest without a line of ours. */
static int run(int argc, char **argv)
{
	return outside_is_meant(argc, argv) ? command_outside(argc, argv) : command_run(argc, argv);
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "run", run, "boot the image in QEMU and record" },
	{ "record", command_record, "record on a machine that already runs (--channel)" },
	{ "stat", command_record, "count events on such a machine" },
	{ "attach", command_attach, "join a running recording" },
	{ "top", command_top, "show live where a machine's events happen" },
	{ "stop", command_stop, "end a running recording" },
	{ "snapshot", command_snapshot, "announce the present content of its AUX areas" },
	{ "console", command_console, "print such a machine's console" },
	{ "reboot", command_reboot, "reset such a machine" },
	{ "list", list, "list or encode CPUs' event names; list a machine's events" },
	{ "import", command_import, "write the recording in a memory dump as perf.data" },
	{ "merge", command_merge, "join recordings of several machines in one file" },
	{ "dump", command_dump, "print a recording or a trace region and check it" },
	{ "report", command_report, "print functions with their share, or make an HTML page" },
	{ "annotate", command_annotate, "print hot functions in source and assembly" },
	{ "diff", command_diff, "compare recordings by function" },
	{ "export", command_export, "write a recording for other tools: CSV, pprof, CTF, ..." },
	{ "flamegraph", command_flamegraph, "draw a recording's callchains as an SVG" },
	{ "bench", command_bench, "measure a snippet as nanoBench does" },
	{ "noise", command_noise, "measure the time that something takes from CPUs" },
	{ "selftest", command_selftest, "show the result of a machine's self-test again" },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	fprintf(out,
	        "Usage: bareperf COMMAND [OPTIONS...]\n\n"
	        "perf for a machine with no operating system.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "  %-12s explain a command (also: man bareperf-COMMAND)\n\n", "help");
	fprintf(
	    out,
	    "Exit status: 0 done, 1 error, 2 wrong usage, 3 records are unaccounted for, 4 not\n"
	    "finished; of run, and with --channel, the program's, or 125 and up (see its --help).\n"
	    "`bareperf run -- help' shows the image's own commands.\n");
}

static int dispatch(int argc, char **argv)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].run(argc, argv);
	}
	fprintf(stderr, "bareperf: there is no command '%s'; see `bareperf --help'\n", argv[0]);
	return EXIT_USAGE;
}

/* `bareperf help CMD` is `bareperf CMD --help`. */
static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *words[] = { argc > 1 ? argv[1] : NULL, option, NULL };

	if (argc > 1)
		return dispatch(2, words);
	usage(stdout);
	return EXIT_OK;
}

static int start(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		puts("bareperf " BAREPERF_VERSION);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "help"))
		return help(argc - 1, argv + 1);
	return dispatch(argc - 1, argv + 1);
}

/* If a standard file is closed, a newly opened file could get its number, and messages would go
 * into the recording. So the closed numbers are opened in the wrong direction, and using them
 * remains an error. */
static void keep_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

int main(int argc, char **argv)
{
	int status;

	keep_standard_files();
	status = start(argc, argv);
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	say("standard output cannot be written");
	return argc > 1 && !strcmp(argv[1], "run") ? RUN_ERROR : EXIT_ERROR;
}
