/* SPDX-License-Identifier: MIT */
/*
 * The loop that drives a recording, from the first look at the machine to the finished file and its
 * closing lines: for a machine under QEMU (host-tools/record/qemu/run_machine.c), and for a machine
 * that is already running (host-tools/record/remote/remote_record.c). Thread: the one that opened
 * it.
 */
#ifndef HOST_TOOLS_RECORD_DRIVE_H
#define HOST_TOOLS_RECORD_DRIVE_H

#include <stdbool.h>

#include "host-tools/record/command/guest_fetch.h"
#include "host-tools/record/command/guest_output.h"
#include "host-tools/session/output_options.h"
#include "host-tools/session/progress.h"
#include "host-tools/top/top.h"
#include "writer/session/session.h"

/* The result of one turn of the loop. */
enum turn {
	TURN_ON,   /* the run continues */
	TURN_DONE, /* the command is done, and all records are read */
	TURN_FAIL, /* the run has failed; error, and perhaps drive->code, have the reason */
};

struct drive;

/* The operations of a kind of machine. */
struct drive_machine {
	/* Look at the machine once: begin a session if it records, and read the records that are
	 * there. */
	enum turn (*look)(struct drive *drive, struct error *error);

	/* The user sent a signal, or quit top; called at each turn from then on. 0: the loop
	 * continues; a negative errno ends it. */
	int (*interrupt)(struct drive *drive, struct error *error);

	/* Sleep until the next look may find something new, or until a signal. */
	void (*wait)(struct drive *drive);

	/* The loop has ended with a session. From here on only a machine that continues without the
	 * tool may write to the rings. Called before the file is finished. */
	void (*leave)(struct drive *drive, enum turn turn);
};

struct drive {
	const struct drive_machine *machine;
	void *context;         /* owned by the kind of machine */
	struct region *region; /* may not be open yet */
	const char *waiting;   /* the progress line until a session begins; NULL: none */

	/* The user's command line */
	struct output_options *output_options;
	const struct guest *guest;
	const char *image; /* NULL: unknown */
	bool stat, json;
	const char *const *command;
	int command_words;

	struct perf_writer output; /* open, and not yet taken by the session */
	struct session session;
	struct progress progress;
	struct guest_output printed; /* bytes that the program printed */
	struct guest_fetch fetch;
	struct top *top; /* NULL: nothing is shown live */

	int code;              /* a negative errno for TURN_FAIL */
	int *signal;           /* the signal that ends the loop; 0: none came */
	bool *snapshot_wanted; /* SIGUSR2 */
	unsigned failed;       /* parts of the result that could not be written; drive_summary() */
	bool quits;            /* the user has quit top */
	bool has_session;
	bool recorded; /* the session was finished: file and ledger are there */
	bool hurries;  /* a file is being copied, and its machine waits for room */
};

/* Fill in the session's settings from the command line. */
struct session_options drive_session_options(struct drive *drive);

/* A session has begun: show the program's output, copy its files, and show the recording live if
 * the user asked for that. 0 or -ENOMEM. */
int drive_begin_output(struct drive *drive, struct error *error);

/* Show and copy what has arrived. 0, or a negative errno and the reason. */
int drive_take_output(struct drive *drive, struct error *error);

/* Turn until the run is over. Never returns TURN_ON. */
enum turn drive_loop(struct drive *drive, struct error *error);

/* Finish the file, whatever the reason for the loop's end; no effect without a session. 0, or a
 * negative errno and the reason. */
int drive_finish(struct drive *drive, enum turn turn, struct error *error);

/* Print the result: the counts of stat, or the closing lines of a recording, and a crash's
 * backtrace. replaced: readers that died and were replaced. Returns the exit status. */
int drive_summary(struct drive *drive, unsigned replaced);

/* Free all that the drive holds. */
void drive_close(struct drive *drive);

#endif
