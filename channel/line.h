/* SPDX-License-Identifier: MIT */
/*
 * The target's end of a serial line: bytes in, bytes out, whatever carries them. Plain text until a
 * host says HELLO (console out, typed commands in), frames afterwards (docs/wire-format.md), text
 * again behind BYE or when no frame came for WIRE_SILENCE_MS. The host reads and writes the trace
 * region by it; nothing is sent twice, since the region keeps it and the host asks again.
 *
 * No call waits, and each does a bounded amount of work: at most a frame is read, and as many built
 * as fit what is asked for. General registers only, no libc. Any context; a line is one caller's at
 * a time, but for what says otherwise.
 */
#ifndef CHANNEL_LINE_H
#define CHANNEL_LINE_H

#include "abi/trace_region.h"
#include "channel/stop_key.h"
#include "channel/wire/wire.h"
#include "channel/wire/wire_words.h"
#include "lib/uart/uart.h"

#define LINE_COMMAND_MAX 1023U /* characters of a typed command */
/* Bytes that one frame encodes, all in one call of a tick (docs/benchmarks.md, pump-of-...): with
 * four times as many samples would take 60 % of what they do on the line, and a call 4 times. */
#define LINE_RAW_MAX     2048U
#define LINE_ECHO        64U /* bytes of echo that wait for their turn; a power of two */

/* The trace region, as its writer knows it: nothing here is read back from the region, in which the
 * host may write where it likes if it sees it by another way as well. */
struct line_region {
	uint8_t *memory; /* NULL: there is none */
	uint64_t size, address, nonce;
	uint16_t machine;
	uint64_t mailbox;   /* offset of its struct tr_mailbox */
	uint64_t doorbells; /* offset of the first struct tr_doorbell */
	uint64_t console;   /* offset of its struct tr_console */
	uint64_t streams;   /* offset of the first of TR_STREAMS struct tr_stream; 0: none */
	/* Of the run: how many rings there are, and each one's control page. nr_rings is stored
	 * with release, and is 0 while they change. */
	uint32_t nr_rings;
	uint64_t controls[TR_MAX_RINGS];
};

/* The console's text: as much of it as fits `to`, from the place *at on, which moves on; text that
 * is there no more is passed over. How much that was. Any context. */
typedef unsigned (*line_text_fn)(uint64_t *at, char *to, unsigned size);

struct line_get {
	struct wire_get get;
	uint32_t at; /* bytes sent already */
	bool encode;
};

struct line {
	const struct line_region *region;
	line_text_fn text;
	uint64_t text_at; /* of the console: sent, or not to be sent */
	uint64_t now;     /* ns that passed while somebody looked */
	/* The answer to a host's HELLO */
	uint32_t burst, burst_us, baud, baud_max;
	struct wire_words *words;   /* to encode with; NULL: frames are raw */
	const struct uart *uart;    /* BAUD may change its rate; NULL: none */
	uint32_t damaged, overruns; /* since boot; overruns is the UART's */
	uint64_t faults;            /* since boot: requests that were refused, or made no sense */
	bool framed;

	/* In */
	struct wire_receiver receiver;
	bool inside;    /* of what may be a frame, while the line is text */
	uint64_t heard; /* the last byte, ns */
	uint64_t host;  /* the last frame of a host that has said HELLO, ns */
	struct wire_hello hello;
	bool has_hello;       /* that waits for its answer */
	uint32_t baud_wanted; /* the rate of BAUD and of its answer, to be set after that
	                         answer; 0: none */
	bool has_baud;        /* an answer to BAUD is to be sent */
	uint32_t baud_answer;

	/* Stores: results[number % WIRE_STORES] */
	uint64_t host_nonce;
	uint32_t last_store; /* number of the last one that was carried out */
	uint32_t unanswered; /* bit number % WIRE_STORES */
	struct wire_done results[WIRE_STORES];

	/* Gets, in the order of their coming */
	struct line_get gets[WIRE_GETS];
	uint32_t nr_gets;

	/* The last STATUS, and the pending doorbells that it announced */
	struct wire_status said;
	uint64_t said_at;
	bool status_due;
	uint64_t told[TR_MAX_RINGS / 64], rung[TR_MAX_RINGS / 64];

	/* Out: a frame under way */
	uint8_t out[WIRE_FRAME_MAX];
	uint16_t out_size, out_sent;
	uint16_t sequence;
	uint8_t body[WIRE_BODY_MAX];

	/* Typed */
	char typed[LINE_COMMAND_MAX + 1];
	uint32_t typed_size;
	bool typed_whole; /* a command waits in typed; set with release */
	bool last_was_cr; /* of what came */
	bool cr_sent;     /* of the '\n' at text_at */
	char echo[LINE_ECHO];
	uint32_t echo_head, echo_tail;
	bool listens; /* for a key that ends a recording */
	bool pressed; /* one was; set with release */
	struct stop_key stop_key;
};

/* A line that is plain text, from the console's text at text_at on. The burst and the rates are the
 * caller's to set. */
void line_init(struct line *line, const struct line_region *region, line_text_fn text,
               uint64_t text_at);

/* Time has passed, ns: at most LINE_LOOK_NS of it count, so that neither a machine that was stopped
 * nor one that did not look takes its host for gone. To be called before the other two. */
#define LINE_LOOK_NS 2000000U
void line_pass(struct line *line, uint64_t ns);

/* Takes received bytes; at most one frame's work per WIRE_HEAD + 4 bytes. */
void line_receive(struct line *line, const uint8_t *bytes, unsigned count);

/* Up to size bytes that are to go out now; how many there are. */
unsigned line_send(struct line *line, uint8_t *bytes, unsigned size);

/* Is there nothing to send but what a host asks for next? */
bool line_is_quiet(const struct line *line);

/* A rate that the host asked for is to be set now, its answer's bytes being handed out: the rate,
 * or 0. It is asked once. */
uint32_t line_take_baud(struct line *line);

/* Forget a frame that is half out or half in: a panic has interrupted who was at it. */
void line_break(struct line *line);

/* Is a command typed of exactly this text? It stays. Any context, any CPU. */
bool line_has_typed(const struct line *line, const char *text);

/* From now on, or no longer, a key that is pressed alone ends a recording. Thread, while nobody
 * else has the line. */
void line_listen(struct line *line, bool listens);

/* Was one pressed since? Any context, any CPU. */
bool line_is_pressed(const struct line *line);

/* Take the command that was typed, into LINE_COMMAND_MAX + 1 bytes. False: there is none. Thread.
 */
bool line_take_typed(struct line *line, char *text);

/* ---- For line.c, line_requests.c, line_answers.c and line_text.c ---- */

/* A body that came whole; the host's, whatever it is. */
void line_request(struct line *line, const uint8_t *body, unsigned size);

/* Put the next frame into out, if there is one to be sent: true. */
bool line_answer(struct line *line);

/* Look at what STATUS tells of. */
void line_watch(struct line *line);

/* Is this doorbell's pending? Its ring, or -1. */
int line_ring_of(const struct line_region *region, uint64_t pending);

/* Was a key pressed that ends a recording? */
void line_look_for_key(struct line *line);

/* A byte that is no frame's. */
void line_type(struct line *line, uint8_t byte);

/* Text that is to go out. */
unsigned line_send_text(struct line *line, uint8_t *bytes, unsigned size);

#endif
