/* SPDX-License-Identifier: MIT */
/*
 * The protocol of a serial line, for both ends (docs/wire-format.md): frames, their contents, and
 * their bytes on the line. No byte order but little-endian, no struct is laid
 * over a buffer. Everything is bounded and waits for nothing; no libc, general registers only. Any
 * context; what a struct holds is one caller's at a time.
 *
 *	line	0x00, COBS(body, CRC-32C of the body), 0x00
 *	body	u8 type, u8 flags, u16 sequence, and what the type says
 *
 * 0x00 is nowhere else, so that whatever was lost or broken, the next 0x00 begins anew. Between two
 * of them may be nothing, or text: what has no good CRC is no frame. Each side numbers its frames
 * one by one; a gap says that frames were lost. A receiver ignores the end of a body that is
 * longer than it knows: a minor version may add words there.
 */
#ifndef CHANNEL_WIRE_WIRE_H
#define CHANNEL_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION        0x00010000U /* major << 16 | minor */
#define WIRE_MAJOR(version) ((version) >> 16)
#define WIRE_BODY_MAX       1034U /* bytes; a command waits behind at most one such */
#define WIRE_FRAME_MAX      (WIRE_BODY_MAX + 4 + 5 + 2) /* bytes on the line: CRC, COBS, 0x00 */
#define WIRE_HEAD           4U                          /* bytes of type, flags, sequence */
#define WIRE_DATA_HEAD      (WIRE_HEAD + 6)             /* bytes before what DATA carries */
#define WIRE_DATA_MAX       (WIRE_BODY_MAX - WIRE_DATA_HEAD)
#define WIRE_RAW_MAX        8192U  /* bytes of the region that one DATA stands for */
#define WIRE_GET_MAX        65536U /* bytes of one GET */
#define WIRE_GETS           8U     /* that the target keeps */
#define WIRE_PUT_MAX        256U   /* bytes of one PUT */
#define WIRE_BELLS_MAX      48U    /* doorbells of one CLEAR */
#define WIRE_STORES         8U     /* PUTs and CLEARs that may be unanswered */
#define WIRE_PROBE_MAX      256U   /* bytes that HELLO carries to try the line with */
#define WIRE_STATUS_MS      1000U  /* the target says STATUS at least as often */
#define WIRE_SILENCE_MS     2000U  /* without a frame from the host: plain text again */
#define WIRE_BAUD_MS        1000U  /* without a good frame at a new rate: the old one again */
#define WIRE_BURST          16U    /* bytes that any target's FIFO holds, and: */
#define WIRE_BURST_US       2000U  /* in this time it has taken them out, whatever it is at */
#define WIRE_RINGS_WORDS    4U     /* of 64 bits, one for each ring */

enum wire_type {
	/* host → target */
	WIRE_HELLO = 1, /* both ways; struct wire_hello is the host's, wire_welcome the answer */
	WIRE_GET = 2,
	WIRE_PUT = 3,
	WIRE_CLEAR = 4,
	WIRE_BAUD = 5, /* both ways */
	WIRE_BYE = 6,  /* nothing more: the line is plain text from here on */
	/* target → host */
	WIRE_DATA = 16,
	WIRE_DONE = 17,
	WIRE_STATUS = 18,
};

#define WIRE_ENCODED 0x01U /* flag of GET: DATA may be encoded; of DATA: it is */

struct wire_head {
	uint8_t type;      /* enum wire_type; others are passed over */
	uint8_t flags;     /* WIRE_ENCODED; others are 0, and passed over */
	uint16_t sequence; /* of the sender's frames, modulo 2^16; HELLO begins at any number */
};

/*
 * "Who is there?" Repeated until it is answered; the numbers of PUT and CLEAR begin with 1 behind a
 * HELLO whose nonce is another than the last one's. Begins like this in every version.
 */
struct wire_hello {
	uint32_t version; /* WIRE_VERSION of the host */
	uint64_t nonce;   /* of this host's session */
	uint16_t probes;  /* bytes below */
	uint8_t
	    probe[WIRE_PROBE_MAX]; /* any; that they come back shows that the line carries them */
};

/* The answer, to every HELLO whatever its version. */
struct wire_welcome {
	uint32_t version;
	uint64_t host_nonce; /* of the HELLO that this answers */
	uint64_t nonce;      /* tr_header's; 0: there is no region yet */
	uint64_t region_size;
	uint64_t address;  /* physical, of the region's header */
	uint32_t burst;    /* bytes that may come at once, in */
	uint32_t burst_us; /* so many µs */
	uint32_t baud;     /* now; 0: unknown */
	uint32_t baud_max; /* that BAUD may ask for; 0: it cannot be changed */
	uint16_t machine;  /* ELF's e_machine */
	uint16_t gets;     /* that it keeps: WIRE_GETS */
	uint16_t probes;   /* of the HELLO, as they came */
	uint8_t probe[WIRE_PROBE_MAX];
};

/* "Send these bytes of the region." They come as DATA, in the order of the GETs; one that finds no
 * room, or names what is not in the region, is not answered. One with the tag of another that still
 * waits takes its place. */
struct wire_get {
	uint16_t tag;  /* any; DATA repeats it */
	uint32_t size; /* 1 to WIRE_GET_MAX */
	uint64_t offset;
};

/* Some of them. Each stands alone: it is of use whatever became of those before it. */
struct wire_data {
	uint16_t tag;
	uint16_t at;  /* its first byte's offset from the GET's; at + raw <= size of the GET */
	uint16_t raw; /* bytes that it stands for, 1 to WIRE_RAW_MAX */
	              /* Behind WIRE_DATA_HEAD: raw bytes, or with WIRE_ENCODED their encoding.
	               */
};

/*
 * "Store these bytes": a HOST word of 4 or 8 bytes at a multiple of its size, or mailbox text. PUT
 * and CLEAR share one numbering and are carried out in its order, each once: number is the last
 * one's + 1, at most WIRE_STORES of them are unanswered. One that was carried out already is
 * answered again; one that is ahead of its turn is not answered.
 */
struct wire_put {
	uint32_t number;
	uint16_t size; /* 1 to WIRE_PUT_MAX */
	uint64_t offset;
	const uint8_t *bytes; /* wire_get_put(): in the body */
};

/* "Exchange these doorbells' pending for 0." */
struct wire_clear {
	uint32_t number;
	uint16_t count;                   /* 1 to WIRE_BELLS_MAX */
	uint64_t offsets[WIRE_BELLS_MAX]; /* of the words */
};

struct wire_done {
	uint32_t number;
	int32_t status; /* 0; -EINVAL: the target does not take this */
	uint64_t set;   /* CLEAR: bit i, somebody had rung offsets[i] */
};

/* The host asks for a rate; the target answers at the old rate with the one that it will have, and
 * has it behind that answer's last byte. Without a good frame in WIRE_BAUD_MS it goes back. */
struct wire_baud {
	uint32_t baud; /* bit/s; the answer's 0: the rate stays */
};

/* How the machine is: when a ring's owner is notified, when state or reply changed, and every
 * WIRE_STATUS_MS. */
struct wire_status {
	uint64_t nonce;
	uint64_t heartbeat;
	uint64_t run;
	uint32_t state;
	uint32_t reply; /* of the mailbox */
	uint64_t console_head;
	uint64_t
	    rings[WIRE_RINGS_WORDS]; /* bit i: ring i's owner was notified since the last one */
	uint32_t damaged;            /* pieces between two 0x00 that were no frame, since boot */
	uint32_t overruns;           /* that its UART told of, since boot */
};

/* ---- Bodies. put: writes head and words into body, of WIRE_BODY_MAX bytes, and returns its size;
 * counts beyond their bounds are the caller's bug. get: of a body of size bytes, whose type is
 * known; false: it is too short, or a count in it is out of its bounds. ---- */

void wire_put_head(uint8_t *body, const struct wire_head *head);
bool wire_get_head(const uint8_t *body, size_t size, struct wire_head *head);

/* The head's own words, the last thing before a frame goes out. */
void wire_put_sequence(uint8_t *body, uint16_t sequence);

size_t wire_put_hello(uint8_t *body, const struct wire_hello *hello);
bool wire_get_hello(const uint8_t *body, size_t size, struct wire_hello *hello);
size_t wire_put_welcome(uint8_t *body, const struct wire_welcome *welcome);
bool wire_get_welcome(const uint8_t *body, size_t size, struct wire_welcome *welcome);
size_t wire_put_get(uint8_t *body, const struct wire_get *get, uint8_t flags);
bool wire_get_get(const uint8_t *body, size_t size, struct wire_get *get);
size_t wire_put_put(uint8_t *body, const struct wire_put *put);
bool wire_get_put(const uint8_t *body, size_t size, struct wire_put *put);
size_t wire_put_clear(uint8_t *body, const struct wire_clear *clear);
bool wire_get_clear(const uint8_t *body, size_t size, struct wire_clear *clear);
size_t wire_put_baud(uint8_t *body, const struct wire_baud *baud);
bool wire_get_baud(const uint8_t *body, size_t size, struct wire_baud *baud);
size_t wire_put_bye(uint8_t *body);
/* Head and words of a DATA whose content of `content` bytes stands in its place already, or will.
 */
size_t wire_put_data(uint8_t *body, const struct wire_data *data, uint8_t flags, size_t content);
bool wire_get_data(const uint8_t *body, size_t size, struct wire_data *data);
size_t wire_put_done(uint8_t *body, const struct wire_done *done);
bool wire_get_done(const uint8_t *body, size_t size, struct wire_done *done);
size_t wire_put_status(uint8_t *body, const struct wire_status *status);
bool wire_get_status(const uint8_t *body, size_t size, struct wire_status *status);

/* ---- Frames ---- */

/* CRC-32C (RFC 3720, appendix B.4) of size bytes, going on from the crc of those before; 0 at
 * first. */
uint32_t wire_crc(uint32_t crc, const uint8_t *bytes, size_t size);

/* The bytes on the line for a body of at most WIRE_BODY_MAX bytes, into WIRE_FRAME_MAX bytes at
 * `to`; their number. */
size_t wire_frame(uint8_t *to, const uint8_t *body, size_t size);

/* Takes a line apart, byte by byte. All zero at first: nothing counts before the first 0x00. */
struct wire_receiver {
	uint8_t body[WIRE_BODY_MAX + 4];
	uint16_t size;   /* of body, so far */
	uint8_t block;   /* bytes that are still to come of this block of COBS */
	bool zero_after; /* it ends in a 0x00, unless the frame does */
	enum { WIRE_OUTSIDE, WIRE_INSIDE, WIRE_BROKEN } state;
};

#define WIRE_NO_FRAME (-1)

/* The next byte. The body's size if this ends a frame, which stands in body until the next call; 0:
 * nothing yet; WIRE_NO_FRAME: this ends something that was none. */
int wire_receive(struct wire_receiver *receiver, uint8_t byte);

#endif
