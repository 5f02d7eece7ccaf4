/* SPDX-License-Identifier: MIT */
/*
 * A command for a machine, in its own words, whoever started that machine: guest_check.c has the
 * firmware's parser read it, guest_text.c makes its text, guest_summary.c and guest_stat.c tell how
 * it ended.
 */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "command/tables.h"

struct guest {
	char **words;
	int count;
	uint16_t machine;                    /* ELF's e_machine */
	const struct command_tables *tables; /* the image's; NULL: not known */
	const char *payload; /* the program's file; NULL: none, or not ours to hand over */
	char **files;        /* what the program finds as files */
	unsigned file_count;
	char **fetch; /* what it has written, to be brought home: FILE or FILE=LOCAL */
	unsigned fetch_count;
	const char *input; /* and as its standard input; NULL: nothing */
	bool poweroff;     /* it is told to power off afterwards, if it is told nothing */
};

#endif
