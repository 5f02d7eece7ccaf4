/* SPDX-License-Identifier: MIT */
/* A machine under QEMU from its start to its end, read all the time. */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_MACHINE_H
#define HOST_TOOLS_RECORD_QEMU_RUN_MACHINE_H

#include <stdbool.h>

#include "host-tools/ledger/check.h"
#include "host-tools/record/drive.h"
#include "host-tools/record/qemu/qemu.h"
#include "host-tools/record/qemu/run_options.h"
#include "host-tools/region/region_lease.h"
#include "host-tools/region/shm/ivshmem_server.h"
#include "host-tools/session/reader_process.h"
#include "writer/region/channel.h"

struct machine {
	struct drive drive;
	const struct run_options *options;
	struct qemu qemu;
	int region_fd;
	int archive_fd; /* the program and its files; -1: none */
	int rom_fd;     /* the driver that records a boot; -1: none */
	struct channel channel;
	struct region region;
	struct ivshmem_server doorbells;
	struct reader_process reader;
	struct region_lease lease;
	char *append;          /* the command as QEMU passes it */
	uint32_t request;      /* its number if it is sent by the mailbox; 0: not yet, or not by the
	                        * mailbox */
	uint64_t serial_shown; /* bytes of the serial line that were shown, with -v */
	uint64_t log_shown;    /* bytes of QEMU's own messages that were shown */
	int signals;           /* signalfd */
	bool by_mailbox;       /* the command has event names to resolve */
	bool has_region;       /* the magic was there */
	bool has_more;         /* the channel has not yet brought all that was requested */
	bool is_last;          /* QEMU had ended before the last look */
	bool show_console;     /* the console's text has the reason of the failure */
	bool sees_serial;      /* the serial line's text comes to this process */
	bool refused;          /* the machine refused the command, and nothing ran */
	double seen;           /* when the region was first seen waiting, s; 0: not yet */
	bool died;             /* QEMU ended before the command was done */
	int signal;            /* the signal that ends the run; 0: none came */
	bool snapshot_wanted;  /* SIGUSR2 came, and was not yet passed to the machine */
};

/* Part of machine_run(): a machine that was not started. machine_free() frees it. */
void machine_init(struct machine *machine, struct run_options *options, const char *const *command,
                  int command_words);

/* Part of machine_run(): open the output, announce a reader, start QEMU. 0, or a negative errno and
 * the reason. */
int machine_start(struct machine *machine, const struct run_options *options, struct error *error);

/* Boot, record, stop. 0, or a negative errno and the reason. The records until then are in the file
 * in any case (machine->drive.recorded). The machine has ended when this returns; its region,
 * ledger and logs stay until machine_free(). command: the tool's command line, for the file. */
int machine_run(struct machine *machine, struct run_options *options, const char *const *command,
                int command_words, struct error *error);

void machine_free(struct machine *machine);

#endif
