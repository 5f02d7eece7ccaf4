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
	/* bytes of the file to reserve, before anything is written */
	uint64_t preallocate;
	struct perf_writer *writer; /* an opened perf.data that the session takes over; or NULL */
	const char *symbols;        /* --symbols, or NULL */
	const char *payload;        /* the payload's file, or NULL */
	const char *booted;         /* the image's file, or NULL */
	/* the host tool's command for perf.data's header; NULL: the machine's */
	const char *const *command;
	int command_words;
	bool e_machine;     /* E_MACHINE and CLN_SIZE, for the newest versions of perf */
	bool buildid_cache; /* put the images' files into perf's cache */
	/* keep it in a file beside the output, so that another process can resume */
	bool journal;
	/* Called with each record when it is counted, and its event's index in the ledger; may be
	 * NULL. A reader process does not call it. */
	void (*see)(void *context, const struct perf_event_header *record, uint32_t event);
	void *see_context;
	bool
	    others_read; /* the run may have begun earlier: the ledger gets other readers' counts */
};

/* The times at which the machine was stopped to be read (channel_stop()). */
struct session_stops {
	struct channel_stop last;        /* not in the file yet */
	bool clock_runs;                 /* the machine's clock continues during a stop */
	uint64_t count, length, longest; /* ns */
};

/* The counts of the records in the rings; journals have the same form. */
struct session_found {
	uint64_t samples;
	uint64_t records;
	uint64_t first_time, last_time; /* ns, of samples and traces */
};

/* The progress in the AUX areas. */
struct session_aux {
	uint64_t *tails;     /* the read position in each area */
	uint64_t index_size; /* {file offset, size} of the AUXTRACE records, in the journal */
	uint32_t index_sum;  /* crc32_add() of these entries */
	uint8_t *copy;       /* copy of a piece that must be changed for perf */
	uint64_t copy_size;
};

/* The rounds of a stream (session_end_round()). */
struct session_rounds {
	uint64_t size; /* size of the stream at the end of the last round */
	uint64_t at;   /* ms, the end of the last round */
	unsigned left; /* rounds to write until perf has all records */
};

/* One file writes each part, and all files read it. Parts without a file's name are session.c's. */
struct session {
	struct session_options options;
	struct region region;
	struct ledger ledger; /* its own functions write it, except found and before */
	struct perf_writer writer;
	struct image_file *files;
	struct ring_reader *readers; /* one a ring */
	struct channel_bell *bells;  /* one a ring; those of broken rings are not cleared */
	bool *broken;                /* rings that are no longer read */
	uint8_t *scratch;            /* drain.c's */
	bool is_ready;               /* the machine knows that its rings are read */
	bool has_more;               /* the channel's refresh is not complete */
	bool by_reader;              /* a reader process's session: the supervisor handles errors */
	bool leaves;  /* we end before the run, and leave the journal for a later process */
	bool is_gone; /* the machine is in another run or boot: nothing more is read */
	int trouble;  /* first error of a ring, a negative errno */
	struct error first_trouble;
	struct session_found found;   /* drain.c's */
	struct session_aux aux;       /* written by aux_drain.c */
	struct journal *journal;      /* the host's; NULL: not open */
	struct session_stops stops;   /* written by session_stops.c */
	struct session_rounds rounds; /* written by session_stream.c */
};

/* Begin recording: the region's state is RECORDING or later. Loads the tables and creates the
 * file. On failure nothing is left behind. */
int session_begin(struct session *session, const struct region *region,
                  const struct session_options *options, struct error *error);

/* Clear the rings' doorbells, refresh the channel, and read the rings. If session->has_more is set
 * afterwards, the refresh is not complete and nothing was read: call again. The first call lets the
 * waiting machine begin its run. A damaged ring is not read again (session->trouble); the other
 * rings are. *got: bytes read. After a failed write (session->writer.failed) no room is released to
 * the machine. */
int session_drain(struct session *session, uint64_t *got, struct error *error);

/*
 * The reader of a stream sorts records by time, and cannot wait for the end of the stream. If it is
 * time, write the end of a round (FINISHED_ROUND): every ring was read up to a head that is newer
 * than all records of the previous round. Later records are newer than those, so perf can print
 * them. Call it after a successful session_drain(); for a file it does nothing. now: ms of any
 * monotonic clock.
 */
void session_end_round(struct session *session, uint64_t now);

/* Append the features of a file as records of a stream, before all other records. */
void session_stream_features(const struct session *session, struct blob *blob);

/* Write the records that were read to the file, and the progress to the journal. 0, or the file's
 * error, after which no room may be released to the firmware. */
int session_save(struct session *session);

/*
 * Call it before the file is ended. After a failed write, restore the state of the last
 * session_save(): the records that were read since then are not in the file, and stay in the rings.
 * True if a journal exists by which another process can resume the file. Then records whose room
 * was released to the firmware are not cut off, and the journal stays if the file cannot be ended.
 */
bool session_keep(struct session *session);

/* Restore the state of the last session_save() of any process, and release its room to the firmware
 * again. */
void session_restore(struct session *session);

/*
 * Resume the session of a process that has ended: its file is options->output, and a journal lies
 * beside the file. All records whose room was released to the machine are in the file, once. The
 * machine must still be in that run. -ENOENT: there is no journal, or no room was released;
 * -ESTALE: the journal is of another run or boot, or another reader has read since then. On failure
 * the file is unchanged.
 */
int session_resume(struct session *session, const struct region *region,
                   const struct session_options *options, struct error *error);

/* Parts of session_begin() and session_resume(). */
int session_prepare(struct session *session, const struct region *region,
                    const struct session_options *options, struct error *error);
void session_begin_rings(struct session *session);

/* Discard the channel's earlier stops; write the later ones to the file, except the last one, whose
 * end by the machine's clock is known at the next stop; write the last one. */
void session_begin_stops(struct session *session);
void session_take_stops(struct session *session);
void session_end_stops(struct session *session);

/* Read the journal of the open file. Returns the size of the file's records, bytes. */
int session_journal_resume(struct session *session, uint64_t *file_size, struct error *error);

/* Find the counts of the records that this session will not read: see session_join.c. */
int session_join(struct session *session, struct error *error);

/* As perf on SIGUSR2: ask for a snapshot of each AUX area in snapshot mode; the readers read it. */
void session_ask_for_snapshot(struct session *session);

/* The process is a reader: from here on its supervisor handles errors. */
void session_become_reader(struct session *session);

/*
 * Set the reason for which the session ends before its run, a negative errno. -ESTALE: the machine
 * is in another run; -EBUSY: another reader has its rings; the rings are not read again. -EBUSY,
 * -EINTR, -ETIMEDOUT: the run continues, and the journal stays for a later process. Other values,
 * 0 included, change nothing. session_finish() comes next.
 */
void session_leave(struct session *session, int reason);

/* The last drain, then the end of the file. interrupted: the machine has not ended by itself.
 * Returns the first failure of file or rings; the file is closed and readable. The journal is
 * deleted, unless session->leaves. */
int session_finish(struct session *session, bool interrupted, struct error *error);

/* Free what session_begin() took. The ledger stays readable until then. */
void session_end(struct session *session);

#endif
