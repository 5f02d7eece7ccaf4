/* SPDX-License-Identifier: MIT */
/* The exit statuses of bareperf's subcommands. */
#ifndef HOST_TOOLS_UTIL_EXIT_STATUS_H
#define HOST_TOOLS_UTIL_EXIT_STATUS_H

/* Exit statuses of all subcommands except `run`. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_ERROR = 1,         /* an error; a message names it and the reason */
	EXIT_USAGE = 2,         /* the command line is wrong */
	EXIT_NOT_CONSERVED = 3, /* records or bytes are unaccounted for */
	EXIT_UNFINISHED = 4,    /* the machine's run, or the file's writer, did not complete */
	EXIT_GROWN = 5,         /* diff: a function takes more than was allowed */
};

/*
 * Exit statuses of `run`: the program's own, 0 to 255, like perf's and env's; 0 for a built-in
 * workload. Errors outside the program have statuses that few programs use; 126 to 192 have the
 * same meaning as in a shell.
 */
enum run_status {
	RUN_ERROR = 125,   /* an error: no QEMU, a broken machine, a full disk */
	RUN_REFUSED = 126, /* the request is impossible here; nothing ran */
	/* + the signal's number: Ctrl-C; SIGSEGV: the program caused an exception */
	RUN_SIGNAL = 128,
	RUN_UNFINISHED = 253,    /* recorded, but the machine did not reach its end */
	RUN_NOT_CONSERVED = 254, /* recorded, but records or bytes are unaccounted for */
};

#endif
