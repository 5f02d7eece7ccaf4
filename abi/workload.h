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
	const char *name;        /* "*.efi": any that ends so, in letters of either case */
	const char *arguments;   /* for usage: "SECONDS" */
	const char *description; /* one line */
	uint64_t standard;       /* the argument's value where none is given */
	uint64_t least, most;    /* its bounds */
	uint64_t takes_words;    /* not 0: instead of the argument */
	uint64_t unit;           /* a 1 in the command is so much, and has decimals; 0: a whole 1 */
};

#endif
