/* SPDX-License-Identifier: MIT */
/*
 * The user's own program: an ELF file, or an image of UEFI's (agent/payload/uefi_image.h). It is
 * found while the firmware still runs, loaded where it is executed, and run as often as commands
 * ask for it.
 *
 *	payload_load()		finds, checks, places and maps it	boot services
 *	payload_describe()	tells the host				before the first run
 *	payload_program()	runs it					as the traced code
 *
 * Its pages are writable or executable, never both. It talks to us through the table of
 * <bareperf/system.h> alone.
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_H
#define AGENT_PAYLOAD_PAYLOAD_H

#include <stdbool.h>

#include "abi/trace_region.h"
#include "agent/report/functions.h"
#include "command/command.h"

/* A file that was read whole. */
struct payload_file {
	const char *name; /* for messages */
	void *bytes;      /* page aligned */
	uint64_t size;
};

/* Read what the boot loader hands over as an initrd (LoadFile2 by Linux's media GUID), else
 * \payload.elf on the volume that we were loaded from. 0; -ENOENT: neither is there; -ENODATA:
 * it is empty; -EFBIG: more than 256 MiB; -ENOMEM; -EIO. Boot services only. Thread. */
int payload_file_read(struct payload_file *file);

/* Whether the command runs on the firmware, which loads and starts its program: an image of UEFI's,
 * or the firmware's own boot. Reads the payload if that is what the command runs. Boot services
 * only. Thread. */
bool payload_runs_on_firmware(const struct command *command);

/* Load the payload if there is one. What is wrong with it is said on the console and, later, by
 * payload_missing(). Before memory_prepare(), boot services only. Thread. */
void payload_load(void);

/* Why there is no payload to run, as a phrase; NULL if there is one. Thread. */
const char *payload_missing(void);

/* Fill at most room entries with the payload's executable segments; returns how many. Thread. */
uint32_t payload_describe(struct tr_image *images, uint32_t room);

/* Take in the functions that its .symtab names, where they lie in memory; none if it is stripped.
 * The names are in the file's bytes, which stay. Thread. */
void payload_name_functions(struct functions *functions);

/* Run it with these arguments (argv[argc] is NULL): the exit status. As payload_run()'s entry on
 * the boot CPU. */
int payload_program(int argc, char **argv);

#endif
