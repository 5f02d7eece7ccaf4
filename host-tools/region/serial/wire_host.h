/* SPDX-License-Identifier: MIT */
/*
 * The host's end of the wire format (docs/wire-format.md), without the line: the caller passes in
 * received bytes and the time, and takes out bytes to send. This code requests pieces of the region
 * and repeats a request whose answer is lost. It sends each store once and in order. It sends HELLO
 * until the other side answers, and again when the other side falls silent.
 *
 * One thread at a time. Times are µs of a monotonic clock.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_WIRE_HOST_H
#define HOST_TOOLS_REGION_SERIAL_WIRE_HOST_H

#include "channel/wire/wire_words.h"
#include "host-tools/region/serial/mirror.h"

#define WIRE_HOST_SILENCE_US 3000000 /* a line without frames for this long is silent */

enum wire_host_state {
	WIRE_HOST_SEEKING, /* sends HELLO */
	/* HELLO with all byte values gets no answer, HELLO with none does: finds the values that
	 * the line does not carry */
	WIRE_HOST_PROBING,
	WIRE_HOST_FRAMED,
	WIRE_HOST_FAILED, /* failed for good: error has the reason */
};

/* A part of a piece to request, or already requested. */
struct wire_want {
	struct mirror_piece *piece; /* NULL: cancelled */
	uint32_t at, size;          /* of the piece */
	uint32_t got;               /* bytes of size that have arrived */
	uint16_t tag;
};

/* An unanswered PUT or CLEAR. */
struct wire_store {
	/* the wire_host_store() call whose last message this is; 0: not a last message */
	uint64_t call;
	uint32_t number; /* 0: not yet sent */
	uint64_t offset;
	uint16_t size;
	uint8_t bytes[WIRE_PUT_MAX];
	struct channel_bell *bells; /* CLEAR: the doorbells; size is their number */
};

struct wire_host_counts {
	uint64_t bytes_in, bytes_out; /* on the line */
	uint64_t frames;              /* frames that arrived undamaged */
	uint64_t damaged;             /* received pieces that were neither frame nor text */
	uint64_t gaps;                /* frames that the sequence numbers show as lost */
	uint64_t repeated;            /* GETs, PUTs and CLEARs that were sent again */
	uint64_t region;              /* bytes of the region that were received */
	uint64_t text;                /* bytes of text */
	uint64_t status;              /* STATUS frames */
};

struct wire_host {
	/* The caller sets these. text: called with received bytes outside frames, which are text.
	 */
	void (*text)(void *of, const char *text, size_t size);
	void *of;
	uint32_t baud; /* the line's rate, if known; 0: unknown */

	enum wire_host_state state;
	struct error error;
	int code; /* WIRE_HOST_FAILED's errno */
	struct wire_host_counts counts;

	/* Session */
	uint64_t nonce;
	struct wire_welcome welcome; /* the last answer to HELLO */
	bool has_welcome;
	unsigned hellos;      /* how many were sent without an answer */
	int64_t hello_us;     /* when the last HELLO was sent */
	int64_t heard_us;     /* when the last frame arrived */
	int64_t said_us;      /* when this end last sent a byte */
	bool heard_all;       /* the line carries all byte values */
	uint16_t sequence_in; /* the number that the next received frame must have */
	bool has_sequence;
	uint32_t baud_wanted; /* the rate to request with BAUD; 0: none */
	uint32_t baud_answer; /* the rate that the other side accepted; 0: no answer */
	int64_t baud_us;      /* when the last BAUD was sent */
	bool has_baud_answer, is_bye;
	struct wire_status status;

	/* The byte values that the line does not carry. */
	unsigned probe_at, probe_tries;
	bool probe_singly, probe_sent;
	uint8_t lost[16];
	unsigned nr_lost;

	/* Receiving */
	struct wire_receiver receiver;
	struct wire_words words;
	char piece[1024]; /* possibly part of text */
	size_t piece_size;
	bool is_inside, piece_is_text;
	uint8_t last_byte;
	int64_t piece_us;

	/* Sending */
	uint8_t out[WIRE_FRAME_MAX];
	size_t out_size, out_at;
	uint16_t sequence_out;
	int64_t burst_us;
	uint32_t burst_left;

	/* The pieces to fetch */
	struct mirror_piece *pieces;
	size_t count, next; /* the next part to request begins in this piece */
	uint32_t next_at;   /* at this offset */
	size_t pieces_left;
	uint32_t *left; /* bytes missing of each piece */
	size_t left_room;
	struct wire_want asked[WIRE_GETS];
	unsigned nr_asked;
	struct wire_want *again; /* parts to request again, last one first */
	uint32_t nr_again, again_room;
	uint16_t tag;
	int64_t progress_us, patience_us;

	/* The words to store */
	struct wire_store *stores;
	uint32_t nr_stores, stores_room,
	    next_store;  /* the first one that was not sent since the last time-out */
	uint32_t number; /* the number of the last one sent */
	uint64_t calls, stored;
	int64_t stores_us;
	int64_t stores_patience_us;
	size_t clears_left;

	int64_t waits_us; /* since when the missing answers have been awaited */
};

/* nonce: any value. The protocol uses only its letters. */
void wire_host_init(struct wire_host *host, uint64_t nonce, uint32_t baud);
void wire_host_free(struct wire_host *host);

/* Call when the line is newly connected or has changed its rate: sends HELLO at once. */
void wire_host_begin(struct wire_host *host, int64_t now);

/* Takes received bytes. */
void wire_host_take(struct wire_host *host, const uint8_t *bytes, size_t size, int64_t now);

/* Returns for how many µs pieces or doorbells have waited since the last answer of any kind; 0:
 * nothing waits. A machine may be dead even if the line works. */
int64_t wire_host_unanswered(const struct wire_host *host, int64_t now);

/* The first returns the bytes to write now in *bytes, and their number. The second reports how many
 * of them were written. */
size_t wire_host_give(struct wire_host *host, const uint8_t **bytes, int64_t now);
void wire_host_gave(struct wire_host *host, size_t size, int64_t now);

/* Call as time passes: detects silence and repeats unanswered requests. Returns the longest time
 * until the next call, in µs. */
int64_t wire_host_pass(struct wire_host *host, int64_t now);

/* Sends the last frame: the line becomes plain text again. */
void wire_host_bye(struct wire_host *host);

/* Fetch these pieces and cancel all earlier ones. 0 pieces: only cancel. -ENOMEM. */
int wire_host_want(struct wire_host *host, struct mirror_piece *pieces, size_t count, int64_t now);

/* Store this after all earlier stores. -ENOMEM. */
int wire_host_store(struct wire_host *host, uint64_t offset, const void *from, size_t size);

/* Clear these doorbells after all earlier stores. The doorbells must stay valid until clears_left
 * is 0. -ENOMEM. */
int wire_host_clear(struct wire_host *host, struct channel_bell *bells, size_t count);
void wire_host_drop_clears(struct wire_host *host);

/* ---- Internal functions of the wire_host files ---- */

int wire_host_fail(struct wire_host *host, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports whether an idle line needs a frame, to show that the host is present. */
bool wire_host_is_due(const struct wire_host *host, int64_t now);
/* Returns a generous bound, in µs, for sending a frame and receiving its answer. */
int64_t wire_host_patience(const struct wire_host *host);
void wire_host_data(struct wire_host *host, const uint8_t *body, size_t size, uint8_t flags,
                    int64_t now);
void wire_host_done(struct wire_host *host, const struct wire_done *done, int64_t now);
void wire_host_welcomed(struct wire_host *host, const struct wire_welcome *welcome, int64_t now);
/* Each builds the body of its kind's next frame; 0: no frame is due. */
size_t wire_host_hello(struct wire_host *host, uint8_t *body, int64_t now);
size_t wire_host_next_get(struct wire_host *host, uint8_t *body, int64_t now);
size_t wire_host_next_store(struct wire_host *host, uint8_t *body, int64_t now);
/* Marks all unanswered requests to be sent again. */
void wire_host_gets_again(struct wire_host *host, int64_t now);
void wire_host_stores_again(struct wire_host *host, int64_t now);
void wire_host_gets_pass(struct wire_host *host, int64_t now);
void wire_host_stores_pass(struct wire_host *host, int64_t now);
/* Handles bytes outside of frames. */
void wire_host_text_byte(struct wire_host *host, uint8_t byte, int64_t now);
void wire_host_text_end(struct wire_host *host, bool was_frame);
void wire_host_text_pass(struct wire_host *host, int64_t now);

#endif
