/* SPDX-License-Identifier: MIT */
/*
 * The target's end of a serial line: received bytes go in, bytes to send come out; the caller moves
 * them. The line starts as plain text (console out, typed commands in). After a host's HELLO it
 * carries frames (docs/wire-format.md). After BYE, or after WIRE_SILENCE_MS without a frame, it is
 * text again. With frames the host reads and writes the trace region. The target never repeats data
 * by itself: the region still holds the data, and the host asks again.
 *
 * No call waits, and each call does a bounded amount of work: it reads at most one frame, and
 * builds as many frames as fit the requested size. General registers only, no libc. Any context,
 * except where a function says otherwise. Only one caller may use a line at a time.
 */
#ifndef CHANNEL_LINE_H
#define CHANNEL_LINE_H

#include "abi/trace_region.h"
#include "channel/stop_key.h"
#include "channel/wire/wire.h"
#include "channel/wire/wire_words.h"
#include "lib/uart/uart.h"

#define LINE_COMMAND_MAX 1023U /* characters of a typed command */
/* Limit of the bytes that one frame encodes, in one call of a tick (docs/benchmarks.md,
 * pump-of-...). Four times the limit makes samples 40 % smaller on the line, but a call four times
 * as long. */
#define LINE_RAW_MAX     2048U
#define LINE_ECHO        64U /* bytes of echo that may be queued; a power of two */

/* The trace region, by the writer's own values: this code reads none of them back from the region,
 * because a host that also has another way to the region may write there. */
struct line_region {
	uint8_t *memory; /* NULL: no region */
	uint64_t size, address, nonce;
	uint16_t machine;
	uint64_t mailbox;   /* offset of its struct tr_mailbox */
	uint64_t doorbells; /* offset of the first struct tr_doorbell */
	uint64_t console;   /* offset of its struct tr_console */
	uint64_t streams;   /* offset of the first of TR_STREAMS struct tr_stream; 0: none */
	/* This run's number of rings, and each ring's control page. nr_rings is stored with
	 * release; it is 0 while the others change. */
	uint32_t nr_rings;
	uint64_t controls[TR_MAX_RINGS];
};

/* Copies the console's text from position *at to `to`, as much as fits, and advances *at. Skips
 * overwritten text. Returns the number of bytes. Any context. */
typedef unsigned (*line_text_fn)(uint64_t *at, char *to, unsigned size);

struct line_get {
	struct wire_get get;
	uint32_t at; /* bytes already sent */
	bool encode;
};

struct line {
	const struct line_region *region;
	line_text_fn text;
	uint64_t text_at; /* console text before this position is sent or skipped */
	uint64_t now;     /* ns that passed while the line was polled */
	/* The answer to a host's HELLO */
	uint32_t burst, burst_us, baud, baud_max;
	struct wire_words *words;   /* for encoding; NULL: frames are raw */
	const struct uart *uart;    /* the UART whose rate BAUD may change; NULL: none */
	uint32_t damaged, overruns; /* since boot; overruns is the UART's */
	uint64_t faults;            /* since boot: requests that were refused or malformed */
	bool framed;

	/* Receiving */
	struct wire_receiver receiver;
	bool inside;    /* inside of a possible frame, while the line is text */
	uint64_t heard; /* ns: when the last byte arrived */
	uint64_t host;  /* ns: when the last frame arrived from a host that has sent HELLO */
	struct wire_hello hello;
	bool has_hello; /* hello is not yet answered */
	/* the rate that BAUD requested, to be set after BAUD's answer is sent; 0: none */
	uint32_t baud_wanted;
	bool has_baud; /* an answer to BAUD must be sent */
	uint32_t baud_answer;

	/* Stores: results[number % WIRE_STORES] */
	uint64_t host_nonce;
	uint32_t last_store; /* the number of the last one that was carried out */
	uint32_t unanswered; /* bit mask of the unanswered ones, by number % WIRE_STORES */
	struct wire_done results[WIRE_STORES];

	/* Gets, in their order of arrival */
	struct line_get gets[WIRE_GETS];
	uint32_t nr_gets;

	/* The last STATUS, and the pending doorbells that it announced */
	struct wire_status said;
	uint64_t said_at;
	bool status_due;
	uint64_t reported[TR_MAX_RINGS / 64], rung[TR_MAX_RINGS / 64];

	/* Sending: a frame that is partly sent */
	uint8_t out[WIRE_FRAME_MAX];
	uint16_t out_size, out_sent;
	uint16_t sequence;
	uint8_t body[WIRE_BODY_MAX];

	/* Typed input */
	char typed[LINE_COMMAND_MAX + 1];
	uint32_t typed_size;
	bool typed_whole; /* typed holds a whole command; set with release */
	bool last_was_cr; /* the last received character was a CR */
	bool cr_sent;     /* the CR before the '\n' at text_at was sent */
	char echo[LINE_ECHO];
	uint32_t echo_head, echo_tail;
	bool listens; /* watches for a key that ends a recording */
	bool pressed; /* such a key was pressed; set with release */
	struct stop_key stop_key;
};

/* Makes a line that is plain text and sends the console's text from position text_at on. The caller
 * sets the burst and the rates. */
void line_init(struct line *line, const struct line_region *region, line_text_fn text,
               uint64_t text_at);

/* Advances the line's time to now, ns, by at most LINE_LOOK_NS. So the line does not drop its host
 * after the machine was stopped or did not poll. Call this before the other two. */
#define LINE_LOOK_NS 2000000U
void line_pass(struct line *line, uint64_t ns);

/* Takes received bytes. The work is bounded: at most one frame per WIRE_HEAD + 4 bytes. */
void line_receive(struct line *line, const uint8_t *bytes, unsigned count);

/* Gets at most size bytes to send now. Returns their number. */
unsigned line_send(struct line *line, uint8_t *bytes, unsigned size);

/* Reports whether everything is sent except for answers to a host's future requests. */
bool line_is_quiet(const struct line *line);

/* Returns the rate that the host requested, once the answer's bytes have been given out; else 0.
 * Reports each request once. */
uint32_t line_take_baud(struct line *line);

/* Drops a frame that is partly sent or partly received: a panic has interrupted the code that was
 * handling it. */
void line_break(struct line *line);

/* Reports whether the typed command is exactly this text. The command stays. Any context, any CPU.
 */
bool line_has_typed(const struct line *line, const char *text);

/* Starts or stops watching for a key that ends a recording (a key pressed alone). Thread, while no
 * other code uses the line. */
void line_listen(struct line *line, bool listens);

/* Reports whether such a key was pressed since then. Any context, any CPU. */
bool line_is_pressed(const struct line *line);

/* Takes the typed command, into LINE_COMMAND_MAX + 1 bytes. False: no command. Thread. */
bool line_take_typed(struct line *line, char *text);

/* ---- Internal functions, for line.c, line_requests.c, line_answers.c and line_text.c ---- */

/* Handles a whole body from the host, with any content. */
void line_request(struct line *line, const uint8_t *body, unsigned size);

/* Builds the next frame in out. False: nothing to send. */
bool line_answer(struct line *line);

/* Collects the state that STATUS reports. */
void line_watch(struct line *line);

/* Returns the ring of this pending word, or -1 if the offset is not a doorbell's. */
int line_ring_of(const struct line_region *region, uint64_t pending);

/* Sets pressed if a key that ends a recording was pressed. */
void line_look_for_key(struct line *line);

/* Handles a byte outside of frames. */
void line_type(struct line *line, uint8_t byte);

/* Gets text to send. */
unsigned line_send_text(struct line *line, uint8_t *bytes, unsigned size);

#endif
