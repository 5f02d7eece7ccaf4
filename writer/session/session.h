/* SPDX-License-Identifier: MIT */
/*
 * One recording, whatever channel it comes through: region and rings on one
 * side, perf.data and the ledger on the other.
 */
#ifndef WRITER_SESSION_SESSION_H
#define WRITER_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "ringbuf/reader/ring_reader.h"
#include "writer/host.h"
#include "writer/ledger/ledger.h"
#include "writer/perfdata/perf_writer.h"
#include "writer/region/channel.h"
#include "writer/region/region.h"
#include "writer/session/images.h"

struct session_options {
	const struct writer_host *host; /* the side that the writer runs on; never NULL */
	const char *output;             /* path of perf.data */
	uint64_t preallocate;           /* bytes of it, before anything is written */
	struct perf_writer *writer; /* the same, opened already, for the session to take; or NULL */
	const char *symbols;        /* --symbols, or NULL */
	const char *payload;        /* the payload's file, or NULL */
	const char *booted;         /* the image's file, or NULL */
	const char *const *command; /* our own, for perf.data's header; NULL: the machine's */
	int command_words;
	bool e_machine;     /* E_MACHINE, too, which only the newest perfs know */
	bool buildid_cache; /* put the images' files into perf's cache */
	bool journal;       /* in a file beside the output, so that others can go on with it */
	/* Shown each record when it is counted, with its event's index in the ledger; NULL: nobody
	 * looks. Not by a reader's process. */
	void (*see)(void *context, const struct perf_event_header *record, uint32_t event);
	void *see_context;
	bool join; /* the run may have gone on for long: others' part of it is told */
};

/* Of the times that the machine stood still to be read (channel_stop()). */
struct session_stops {
	struct channel_stop last;        /* not in the file yet */
	bool clock_runs;                 /* the machine's own clock does not stand with it */
	uint64_t count, length, longest; /* ns */
};

/* The counts of the records in the rings; journals have the same form. */
struct session_found {
	uint64_t samples;
	uint64_t records;
	uint64_t first_time, last_time; /* ns, of samples and traces */
};

/* Of the AUX areas. */
struct session_aux {
	uint64_t *tails;     /* how far each was read */
	uint64_t index_size; /* {file offset, size} of the AUXTRACE records, in the journal */
	uint32_t index_sum;  /* crc32_add() of these */
	uint8_t *copy;       /* of a piece that perf cannot read as it is */
	uint64_t copy_size;
};

/* Of a stream's (session_end_round()). */
struct session_rounds {
	uint64_t size; /* of the stream, when the last one ended */
	uint64_t at;   /* ms, when that was */
	unsigned left; /* that are still to be told, until perf has all */
};

/* Each part is written by one file, and read by all: what is not told apart, by session.c. */
struct session {
	struct session_options options;
	struct region region;
	struct ledger ledger; /* by its own functions, but for found and before */
	struct perf_writer writer;
	struct image_file *files;
	struct ring_reader *readers; /* one a ring */
	struct channel_bell *bells;  /* the same; those of broken rings are left alone */
	bool *broken;                /* rings that are read no more */
	uint8_t *scratch;            /* drain.c's */
	bool is_ready;               /* the machine was told that its rings are read */
	bool has_more;               /* the channel has yet to bring what it was asked for */
	bool by_reader; /* a reader's session: whatever goes wrong is left to the supervisor */
	bool leaves;    /* we end before the run does, and leave the journal to whoever comes */
	bool is_gone;   /* the machine is at another run, or boot: nothing is to be read any more */
	int trouble;    /* first error of a ring, a negative errno */
	struct error first_trouble;
	struct session_found found;   /* drain.c's */
	struct session_aux aux;       /* aux_drain.c's */
	struct journal *journal;      /* the host's; NULL: not open */
	struct session_stops stops;   /* session_stops.c's */
	struct session_rounds rounds; /* session_stream.c's */
};

/* Begin recording: the region's state is RECORDING or later. Loads the tables and creates the
 * file. On failure nothing is left behind. */
int session_begin(struct session *session, const struct region *region,
                  const struct session_options *options, struct error *error);

/* Clear the rings' doorbells, have the channel bring what there is, and read it. If it leaves
 * session->has_more, the channel is still at that and nothing was read: call again. The first time
 * it lets the machine, which waits for that, begin its run. A ring that makes no sense is left
 * alone from then on (session->trouble); others go on. *got: bytes read. After a write that failed
 * (session->writer.failed) nothing is given back to the machine any more. */
int session_drain(struct session *session, uint64_t *got, struct error *error);

/*
 * A stream's reader sorts by time, and cannot wait for the end. Tell it, if it is time, that a
 * round is over (FINISHED_ROUND): every ring was read to a head that was taken after all that the
 * last round brought was there. Later records are not older than that, so perf can print it. Call
 * it behind a session_drain() that went well; of a file it does nothing. now: ms of any clock that
 * goes on.
 */
void session_end_round(struct session *session, uint64_t now);

/* Append what a file has behind its records as records of a stream, in front of all others. */
void session_stream_features(const struct session *session, struct blob *blob);

/* Make certain what was read: in the file, in the journal. 0, or the file's error; nothing may be
 * given back to the firmware after one. */
int session_save(struct session *session);

/*
 * Before a file is ended. If a write has failed, become what the last session_save() was: what was
 * read since is not in the file, and stays in the rings. True if a journal is there by which others
 * can go on with the file: nothing of it that was given back to the firmware is cut then, and if it
 * cannot be ended, the journal stays.
 */
bool session_keep(struct session *session);

/* Become what the last session_save() of any process was, and give that back to the firmware. */
void session_restore(struct session *session);

/*
 * Go on with a session that a process began which is no more: its file is options->output, and has
 * a journal beside it. Everything that it gave back to the machine is in the file, once. The
 * machine must still be at that run. -ENOENT: no journal is there, or nothing was given back;
 * -ESTALE: it is of another run, or boot, or another reader has read since. On failure the file is
 * as it was.
 */
int session_resume(struct session *session, const struct region *region,
                   const struct session_options *options, struct error *error);

/* Parts of session_begin() and session_resume(). */
int session_prepare(struct session *session, const struct region *region,
                    const struct session_options *options, struct error *error);
void session_begin_rings(struct session *session);

/* Forget the channel's stops so far; put those since then into the file, but for the last, whose
 * end by the machine's clock the next one tells; and that one. */
void session_begin_stops(struct session *session);
void session_take_stops(struct session *session);
void session_end_stops(struct session *session);

/* Read the journal of the file, which is open: the size of its records, bytes. */
int session_journal_resume(struct session *session, uint64_t *file_size, struct error *error);

/* Find the ledger's counts that this session will not read: see session_join.c. */
int session_join(struct session *session, struct error *error);

/* As perf on SIGUSR2: have the AUX areas in snapshot mode told as they are now; the readers get
 * them. */
void session_ask_for_snapshot(struct session *session);

/* The process is a reader: from here on whatever goes wrong is left to its supervisor. */
void session_become_reader(struct session *session);

/*
 * Why the session is to end before its run does, a negative errno. -ESTALE: the machine is at
 * another run; -EBUSY: another reader has its rings: nothing is read of them any more. -EBUSY,
 * -EINTR, -ETIMEDOUT: the run goes on, and the journal stays for whoever comes back. Whatever else,
 * 0 included, changes nothing. session_finish() comes next.
 */
void session_leave(struct session *session, int reason);

/* The last drain, then everything that ends the file. interrupted: the machine has not ended
 * by itself. Returns the first failure of file or rings; the file is closed and readable. The
 * journal goes, unless session->leaves. */
int session_finish(struct session *session, bool interrupted, struct error *error);

/* Free what session_begin() took. The ledger stays readable until then. */
void session_end(struct session *session);

#endif
