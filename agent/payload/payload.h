/* SPDX-License-Identifier: MIT */
/*
 * The user's own program: an ELF file, or a UEFI image (agent/payload/uefi_image.h). It is found
 * while the firmware still runs, loaded once at the address where it runs, and run for each command
 * that names it.
 *
 *	payload_load()		finds, checks, places and maps it	boot services
 *	payload_describe()	adds it to the region's images		before the first run
 *	payload_program()	runs it					as the traced code
 *
 * Its pages are writable or executable, never both. It calls bareperf only through the table of
 * <bareperf/system.h>.
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_H
#define AGENT_PAYLOAD_PAYLOAD_H

#include <stdbool.h>

#include "abi/trace_region.h"
#include "agent/report/functions.h"
#include "command/command.h"

/* A file, read into memory. */
struct payload_file {
	const char *name; /* for messages */
	void *bytes;      /* page aligned */
	uint64_t size;
};

/* Read the boot loader's initrd (LoadFile2 by Linux's media GUID), or, if there is none,
 * \payload.elf on the volume that our image was loaded from. Returns 0; -ENOENT: neither exists;
 * -ENODATA: it is empty; -EFBIG: more than 256 MiB; -ENOMEM; -EIO. Boot services only. Thread. */
int payload_file_read(struct payload_file *file);

/* Returns whether the command needs the firmware to run: its program is a UEFI image, or it records
 * the firmware's own boot. Reads the payload if the command runs it. Boot services only. Thread. */
bool payload_runs_on_firmware(const struct command *command);

/* Load the payload, if there is one. An error is printed, and payload_missing() returns it later.
 * Before memory_prepare(). Boot services only. Thread. */
void payload_load(void);

/* Returns the reason why there is no payload to run, as a phrase, or NULL if there is one. Thread.
 */
const char *payload_missing(void);

/* Fill at most room entries with the payload's executable segments. Returns the number of entries.
 * Thread. */
uint32_t payload_describe(struct tr_image *images, uint32_t room);

/* Add the functions of the payload's .symtab, with their addresses in memory; none if it is
 * stripped. The names stay in the file's bytes. Thread. */
void payload_name_functions(struct functions *functions);

/* Run the payload with these arguments (argv[argc] is NULL). Returns its exit status. For
 * payload_run() on the boot CPU. */
int payload_program(int argc, char **argv);

#endif
