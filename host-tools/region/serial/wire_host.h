/* SPDX-License-Identifier: MIT */
/*
 * The host's end of the wire format (docs/wire-format.md), without the line itself: bytes that came
 * are taken, bytes to be written are given, the time is told. It asks for what it is to bring, and
 * again for what did not come; it stores in order what it is to store, each once; it says HELLO
 * until it is answered, and when the other side has fallen silent, again.
 *
 * One thread at a time. Times are µs of a clock that goes on.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_WIRE_HOST_H
#define HOST_TOOLS_REGION_SERIAL_WIRE_HOST_H

#include "channel/wire/wire_words.h"
#include "host-tools/region/serial/mirror.h"

#define WIRE_HOST_SILENCE_US 3000000 /* without a frame: the line is silent */

enum wire_host_state {
	WIRE_HOST_SEEKING, /* says HELLO */
	WIRE_HOST_PROBING, /* HELLO with all bytes is not answered, one with none is: which are not?
	                    */
	WIRE_HOST_FRAMED,
	WIRE_HOST_FAILED, /* for good: error says why */
};

/* Bytes of a piece that are wanted, or asked for. */
struct wire_want {
	struct mirror_piece *piece; /* NULL: not any more */
	uint32_t at, size;          /* of the piece */
	uint32_t got;               /* of size, that came */
	uint16_t tag;
};

/* A PUT or a CLEAR that was not answered. */
struct wire_store {
	uint64_t call;   /* which call of wire_host_store() it ends; 0: it ends none */
	uint32_t number; /* 0: not sent yet */
	uint64_t offset;
	uint16_t size;
	uint8_t bytes[WIRE_PUT_MAX];
	struct channel_bell *bells; /* CLEAR: these; size is their number */
};

struct wire_host_counts {
	uint64_t bytes_in, bytes_out; /* on the line */
	uint64_t frames;              /* that came whole */
	uint64_t damaged;             /* pieces that came and were neither frame nor text */
	uint64_t gaps;                /* frames that are missing in the sequence */
	uint64_t repeated;            /* GETs, PUTs and CLEARs that were sent again */
	uint64_t region;              /* bytes of the region that were brought */
	uint64_t text;                /* bytes of text */
	uint64_t status;              /* STATUS frames */
};

struct wire_host {
	/* The caller's; text: bytes between frames that are text. */
	void (*text)(void *of, const char *text, size_t size);
	void *of;
	uint32_t baud; /* of the line, as far as it is known; 0: unknown */

	enum wire_host_state state;
	struct error error;
	int code; /* of WIRE_HOST_FAILED */
	struct wire_host_counts counts;

	/* Session */
	uint64_t nonce;
	struct wire_welcome welcome; /* the last one */
	bool has_welcome;
	unsigned hellos;      /* unanswered */
	int64_t hello_us;     /* of the last one */
	int64_t heard_us;     /* the last frame */
	int64_t said_us;      /* our last byte */
	bool heard_all;       /* all byte values came back */
	uint16_t sequence_in; /* expected next */
	bool has_sequence;
	uint32_t baud_wanted; /* BAUD is to be sent; 0: no */
	uint32_t baud_answer; /* the rate that the other side will have; 0: none came */
	int64_t baud_us;      /* of the last BAUD */
	bool has_baud_answer, is_bye;
	struct wire_status status;

	/* Which bytes the line does not carry */
	unsigned probe_at, probe_tries;
	bool probe_singly, probe_sent;
	uint8_t lost[16];
	unsigned nr_lost;

	/* In */
	struct wire_receiver receiver;
	struct wire_words words;
	char piece[1024]; /* of text, perhaps */
	size_t piece_size;
	bool is_inside, piece_is_text;
	uint8_t last_byte;
	int64_t piece_us;

	/* Out */
	uint8_t out[WIRE_FRAME_MAX];
	size_t out_size, out_at;
	uint16_t sequence_out;
	int64_t burst_us;
	uint32_t burst_left;

	/* The pieces to fetch */
	struct mirror_piece *pieces;
	size_t count, next; /* the next piece that was not asked for, */
	uint32_t next_at;   /* from here */
	size_t pieces_left;
	uint32_t *left; /* of each piece, bytes */
	size_t left_room;
	struct wire_want asked[WIRE_GETS];
	unsigned nr_asked;
	struct wire_want *again; /* to be asked for again, the last first */
	size_t nr_again, again_room;
	uint16_t tag;
	int64_t progress_us, patience_us;

	/* The words to store */
	struct wire_store *stores;
	size_t nr_stores, stores_room,
	    next_store;  /* the first one not sent since the last time-out */
	uint32_t number; /* of the last one sent */
	uint64_t calls, stored;
	int64_t stores_us;
	int64_t stores_patience_us;
	size_t clears_left;

	int64_t waits_us; /* since when the answers that are missing have been waited for */
};

/* nonce: any; only its letters are used. */
void wire_host_init(struct wire_host *host, uint64_t nonce, uint32_t baud);
void wire_host_free(struct wire_host *host);

/* The line is new, or has another rate: HELLO at once. */
void wire_host_begin(struct wire_host *host, int64_t now);

/* These came. */
void wire_host_take(struct wire_host *host, const uint8_t *bytes, size_t size, int64_t now);

/* µs for which pieces or doorbells have been waited for since the last answer to anything; 0:
 * nothing is waited for. A line that works need not lead to a machine that answers. */
int64_t wire_host_unanswered(const struct wire_host *host, int64_t now);

/* Get the bytes to write now: *bytes, and their number. Then report how many were written. */
size_t wire_host_give(struct wire_host *host, const uint8_t **bytes, int64_t now);
void wire_host_gave(struct wire_host *host, size_t size, int64_t now);

/* Time passes: silence, unanswered questions. When this is due again at the latest, in µs from now.
 */
int64_t wire_host_pass(struct wire_host *host, int64_t now);

/* The line is to be plain text again: the last frame. */
void wire_host_bye(struct wire_host *host);

/* Bring these pieces; what was asked before is not wanted any more. Their number is 0: nothing is.
 * -ENOMEM. */
int wire_host_want(struct wire_host *host, struct mirror_piece *pieces, size_t count, int64_t now);

/* Store this after all before. -ENOMEM. */
int wire_host_store(struct wire_host *host, uint64_t offset, const void *from, size_t size);

/* Clear these doorbells after all that was stored: until clears_left is 0 they must stay. -ENOMEM.
 */
int wire_host_clear(struct wire_host *host, struct channel_bell *bells, size_t count);
void wire_host_drop_clears(struct wire_host *host);

/* ---- Among its files ---- */

int wire_host_fail(struct wire_host *host, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Is it time to say that we are there? */
bool wire_host_is_due(const struct wire_host *host, int64_t now);
/* How long a frame takes there and an answer back, generously. */
int64_t wire_host_patience(const struct wire_host *host);
void wire_host_data(struct wire_host *host, const uint8_t *body, size_t size, uint8_t flags,
                    int64_t now);
void wire_host_done(struct wire_host *host, const struct wire_done *done, int64_t now);
void wire_host_welcomed(struct wire_host *host, const struct wire_welcome *welcome, int64_t now);
/* Body of the next frame of each kind; 0: none is due. */
size_t wire_host_hello(struct wire_host *host, uint8_t *body, int64_t now);
size_t wire_host_next_get(struct wire_host *host, uint8_t *body, int64_t now);
size_t wire_host_next_store(struct wire_host *host, uint8_t *body, int64_t now);
/* All that is unanswered is asked for again. */
void wire_host_gets_again(struct wire_host *host, int64_t now);
void wire_host_stores_again(struct wire_host *host, int64_t now);
void wire_host_gets_pass(struct wire_host *host, int64_t now);
void wire_host_stores_pass(struct wire_host *host, int64_t now);
/* Bytes outside of frames. */
void wire_host_text_byte(struct wire_host *host, uint8_t byte, int64_t now);
void wire_host_text_end(struct wire_host *host, bool was_frame);
void wire_host_text_pass(struct wire_host *host, int64_t now);

#endif
