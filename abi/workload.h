/* SPDX-License-Identifier: MIT */
/*
 * A workload as data: its name and arguments in a command. The image's parser reads it, and the
 * host tool finds it in the image's file. Its operations are struct workload
 * (workload/workload.h), which begins with this.
 */
#ifndef ABI_WORKLOAD_H
#define ABI_WORKLOAD_H

#include <stdint.h>

struct workload_usage {
	const char *name;        /* "*.efi": any name with this ending, in upper or lower case */
	const char *arguments;   /* for usage: "SECONDS" */
	const char *description; /* one line */
	uint64_t standard;       /* the argument's default */
	uint64_t least, most;    /* limits of the argument */
	uint64_t takes_words;    /* not 0: takes words instead of a number */
	/* internal units per 1 in the command, which may have decimals; 0: no decimals */
	uint64_t unit;
};

#endif
