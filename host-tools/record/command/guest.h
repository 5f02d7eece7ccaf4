/* SPDX-License-Identifier: MIT */
/*
 * A command for a machine, in the user's words. It does not matter which process started the
 * machine. The firmware's parser reads it in guest_check.c; guest_text.c makes its text;
 * guest_summary.c and guest_stat.c report the result.
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
	const struct command_tables *tables; /* the image's event tables; NULL: unknown */
	const char *payload; /* the program's file; NULL: none, or not on this host */
	char **files;        /* files that the program can open */
	unsigned file_count;
	char **fetch; /* files of the program to copy to the host: FILE or FILE=LOCAL */
	unsigned fetch_count;
	const char *input; /* the file for its standard input; NULL: none */
	bool poweroff;     /* without another command the machine is told to power off afterwards */
};

#endif
