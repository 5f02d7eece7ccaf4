/* SPDX-License-Identifier: MIT */
/* How bareperf's subcommands end. */
#ifndef HOST_TOOLS_UTIL_EXIT_STATUS_H
#define HOST_TOOLS_UTIL_EXIT_STATUS_H

/* Exit statuses of all subcommands but `run`. */
enum exit_status {
	EXIT_OK = 0,
	EXIT_ERROR = 1,         /* an error; a message names it and the reason */
	EXIT_USAGE = 2,         /* the command line makes no sense */
	EXIT_NOT_CONSERVED = 3, /* records or bytes are unaccounted for */
	EXIT_UNFINISHED = 4,    /* the machine's run, or the file's writer, did not complete */
	EXIT_GROWN = 5,         /* diff: a function takes more than was allowed */
};

/*
 * Exit statuses of `run`: 0 to 255 the program's, as perf's and env's are, and 0 of a workload that
 * is none. Errors outside the program have a status that few programs use; 126 to 192 have the same
 * meaning as in a shell.
 */
enum run_status {
	RUN_ERROR = 125,         /* it did not work: no QEMU, a broken machine, a full disk */
	RUN_REFUSED = 126,       /* the request is impossible here; nothing ran */
	RUN_SIGNAL = 128,        /* + its number: Ctrl-C; SIGSEGV: the program made an exception */
	RUN_UNFINISHED = 253,    /* recorded, but the machine did not come to its end */
	RUN_NOT_CONSERVED = 254, /* recorded, but records or bytes are unaccounted for */
};

#endif
