/* SPDX-License-Identifier: MIT */
/*
 * The loop that drives a recording from its first look at the machine to its file and its closing
 * lines: for a machine under QEMU (host-tools/record/qemu/run_machine.c), and for one that we did
 * not start (host-tools/record/remote/remote_record.c). Thread: the one that opened it.
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

/* What one turn of the loop found. */
enum turn {
	TURN_ON,   /* the run continues */
	TURN_DONE, /* the command is done, and all of it is read */
	TURN_FAIL, /* it is over; error, and perhaps drive->code, say why */
};

struct drive;

/* The operations of a kind of machine. */
struct drive_machine {
	/* Look at the machine once: begin a session when it records, and read what there is. */
	enum turn (*look)(struct drive *drive, struct error *error);

	/* The user sent a signal, or quit top; called at each turn from then on. 0: the loop
	 * continues; or a negative errno, which ends it. */
	int (*interrupt)(struct drive *drive, struct error *error);

	/* Sleep until the next look may find something new, or until a signal. */
	void (*wait)(struct drive *drive);

	/* The loop has ended with a session: nothing may write to the rings any more but a machine
	 * that continues without us. Before the file is finished. */
	void (*leave)(struct drive *drive, enum turn turn);
};

struct drive {
	const struct drive_machine *machine;
	void *context;         /* the machine's own */
	struct region *region; /* may not be open yet */
	const char *waiting;   /* the progress line until a session begins; NULL: none */

	/* The user's command line */
	struct output_options *output_options;
	const struct guest *guest;
	const char *image; /* NULL: unknown */
	bool stat, json;
	const char *const *command;
	int command_words;

	struct perf_writer output; /* opened, and not the session's yet */
	struct session session;
	struct progress progress;
	struct guest_output printed; /* by the program */
	struct guest_fetch fetch;
	struct top *top; /* NULL: nothing is shown live */

	int code;              /* a negative errno, where TURN_FAIL has one */
	int *signal;           /* the signal that ends the loop; 0: none came */
	bool *snapshot_wanted; /* SIGUSR2 */
	unsigned failed;       /* parts of the result that could not be written; drive_summary() */
	bool quits;            /* the user of top wants no more of it */
	bool has_session;
	bool recorded; /* the session was finished: file and ledger are there */
	bool hurries;  /* a file is being fetched, and its machine waits for room */
};

/* Fill in what a session needs of the command line. */
struct session_options drive_session_options(struct drive *drive);

/* A session has begun: show what the program prints, take the files that it writes, and show live
 * what is recorded, if that is asked for. 0 or -ENOMEM. */
int drive_begin_output(struct drive *drive, struct error *error);

/* Show and take what there is of that. 0, or a negative errno and the reason. */
int drive_take_output(struct drive *drive, struct error *error);

/* Turn until the run is over. Not TURN_ON. */
enum turn drive_loop(struct drive *drive, struct error *error);

/* Finish the file, whatever ended the loop; no effect without a session. 0, or a negative errno and
 * the reason. */
int drive_finish(struct drive *drive, enum turn turn, struct error *error);

/* Print the result of what was recorded: the counts of stat, or the closing lines of a recording,
 * and a crash's backtrace. replaced: readers that died and were replaced. The exit status. */
int drive_summary(struct drive *drive, unsigned replaced);

/* Free what it holds. */
void drive_close(struct drive *drive);

#endif
