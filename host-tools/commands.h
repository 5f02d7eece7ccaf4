/* SPDX-License-Identifier: MIT */
/* The subcommands of bareperf. Each gets its own argv, argv[0] being its name. */
#ifndef HOST_TOOLS_COMMANDS_H
#define HOST_TOOLS_COMMANDS_H

/* Exit statuses, the same for all subcommands. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_ERROR = 1,         /* it did not work; a message says what and why */
	EXIT_USAGE = 2,         /* the command line makes no sense */
	EXIT_NOT_CONSERVED = 3, /* records or bytes are unaccounted for */
};

int command_run(int argc, char **argv);
int command_list(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_flamegraph(int argc, char **argv);

#endif
