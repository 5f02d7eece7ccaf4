/* SPDX-License-Identifier: MIT */
/*
 * The protocol of a serial line, for both ends (docs/wire-format.md): frames, their contents, and
 * their encoding as bytes. All numbers are little-endian; the code never casts a buffer to a
 * struct. All work is bounded, and no function waits. No libc; general registers only. Any context;
 * only one caller may use a struct at a time.
 *
 *	line	0x00, COBS(body, CRC-32C of the body), 0x00
 *	body	u8 type, u8 flags, u16 sequence, then the type's own words
 *
 * 0x00 marks only the ends of frames, so a receiver finds the next frame after any loss or damage.
 * The bytes between two 0x00 may also be empty, or text: without a correct CRC they are no frame.
 * Each side numbers its frames consecutively, so a gap shows that frames were lost. A receiver
 * ignores additional bytes at the end of a body, because a minor version may add words there.
 */
#ifndef CHANNEL_WIRE_WIRE_H
#define CHANNEL_WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION        0x00010000U /* major << 16 | minor */
#define WIRE_MAJOR(version) ((version) >> 16)
#define WIRE_BODY_MAX       1034U /* bytes; a command waits for at most one such frame */
#define WIRE_FRAME_MAX      (WIRE_BODY_MAX + 4 + 5 + 2) /* bytes on the line: CRC, COBS, 0x00 */
#define WIRE_HEAD           4U                          /* bytes of type, flags, sequence */
/* bytes of a DATA body before its content */
#define WIRE_DATA_HEAD      (WIRE_HEAD + 6)
#define WIRE_DATA_MAX       (WIRE_BODY_MAX - WIRE_DATA_HEAD)
#define WIRE_RAW_MAX        8192U  /* limit of the region bytes that one DATA represents */
#define WIRE_GET_MAX        65536U /* bytes of one GET */
#define WIRE_GETS           8U     /* how many the target queues */
#define WIRE_PUT_MAX        256U   /* bytes of one PUT */
#define WIRE_BELLS_MAX      48U    /* doorbells of one CLEAR */
#define WIRE_STORES         8U     /* PUTs and CLEARs that may be unanswered */
#define WIRE_PROBE_MAX      256U   /* bytes that HELLO carries to try the line with */
#define WIRE_STATUS_MS      1000U  /* the target sends STATUS at least this often */
/* after so long without a frame from the host the line is plain text again */
#define WIRE_SILENCE_MS     2000U
/* after so long without a good frame at a new rate the old rate returns */
#define WIRE_BAUD_MS        1000U
#define WIRE_BURST          16U /* bytes that every target's FIFO holds */
/* within this time every target empties its FIFO, however busy it is */
#define WIRE_BURST_US       2000U
#define WIRE_RINGS_WORDS    4U /* of 64 bits, one for each ring */

enum wire_type {
	/* host → target */
	/* both directions: the host sends struct wire_hello, the target answers with struct
	 * wire_welcome */
	WIRE_HELLO = 1,
	WIRE_GET = 2,
	WIRE_PUT = 3,
	WIRE_CLEAR = 4,
	WIRE_BAUD = 5, /* both directions */
	WIRE_BYE = 6,  /* the host's last frame: the line is plain text after it */
	/* target → host */
	WIRE_DATA = 16,
	WIRE_DONE = 17,
	WIRE_STATUS = 18,
};

#define WIRE_ENCODED 0x01U /* flag of GET: DATA may be encoded; flag of DATA: it is encoded */

struct wire_head {
	uint8_t type;  /* enum wire_type; a receiver ignores unknown types */
	uint8_t flags; /* WIRE_ENCODED; other bits are sent as 0 and ignored */
	/* number of the sender's frame, modulo 2^16; HELLO starts at any number */
	uint16_t sequence;
};

/*
 * The host's greeting, repeated until the target answers. If the nonce differs from the previous
 * HELLO's, the numbers of PUT and CLEAR restart at 1. This beginning is the same in every version.
 */
struct wire_hello {
	uint32_t version; /* the host's WIRE_VERSION */
	uint64_t nonce;   /* identifies this host's session */
	uint16_t probes;  /* size of probe, bytes */
	uint8_t
	    /* any bytes; the answer's copy shows which bytes the line carries */
	    probe[WIRE_PROBE_MAX];
};

/* The answer to every HELLO, whatever its version. */
struct wire_welcome {
	uint32_t version;
	uint64_t host_nonce; /* the nonce of the answered HELLO */
	uint64_t nonce;      /* tr_header's; 0: no region yet */
	uint64_t region_size;
	uint64_t address;  /* physical address of the region's header */
	uint32_t burst;    /* the host may send at most burst bytes */
	uint32_t burst_us; /* in each period of so many µs */
	uint32_t baud;     /* the present rate; 0: unknown */
	uint32_t baud_max; /* the highest rate that BAUD may request; 0: the rate is fixed */
	uint16_t machine;  /* ELF's e_machine */
	uint16_t gets;     /* how many GETs the target queues: WIRE_GETS */
	uint16_t probes;   /* the HELLO's probe bytes, as received */
	uint8_t probe[WIRE_PROBE_MAX];
};

/* Requests bytes of the region. The target sends them as DATA, in the order of the GETs. It does
 * not answer a GET if its queue is full, or if the bytes lie outside of the region. A GET replaces
 * a queued GET with the same tag. */
struct wire_get {
	uint16_t tag;  /* any; DATA repeats it */
	uint32_t size; /* 1 to WIRE_GET_MAX */
	uint64_t offset;
};

/* Some of a GET's bytes. Each DATA can be used alone, even if an earlier one was lost. */
struct wire_data {
	uint16_t tag;
	/* offset of the first byte from the GET's start; at + raw <= size of the GET */
	uint16_t at;
	uint16_t raw; /* number of region bytes, 1 to WIRE_RAW_MAX */
	              /* After WIRE_DATA_HEAD bytes: raw bytes, or with WIRE_ENCODED their encoding.
	               */
};

/*
 * Stores bytes: a HOST word of 4 or 8 bytes at a multiple of its size, or mailbox text. PUT and
 * CLEAR share one sequence of numbers. The target carries each number out once, in order. The
 * sender adds 1 to the number each time and leaves at most WIRE_STORES of them unanswered. The
 * target answers a repeated number again, and does not answer a number that is too high.
 */
struct wire_put {
	uint32_t number;
	uint16_t size; /* 1 to WIRE_PUT_MAX */
	uint64_t offset;
	const uint8_t *bytes; /* wire_get_put(): points into the body */
};

/* Exchanges the pending words of these doorbells for 0. */
struct wire_clear {
	uint32_t number;
	uint16_t count;                   /* 1 to WIRE_BELLS_MAX */
	uint64_t offsets[WIRE_BELLS_MAX]; /* the words' offsets in the region */
};

struct wire_done {
	uint32_t number;
	int32_t status; /* 0; -EINVAL: the target refuses this store */
	uint64_t set;   /* CLEAR: bit i: offsets[i] was pending */
};

/* The host requests a rate. The target answers, at the old rate, with the new rate, and switches
 * after the answer's last byte. If no good frame arrives within WIRE_BAUD_MS, it switches back. */
struct wire_baud {
	uint32_t baud; /* bit/s; 0 in the answer: the rate does not change */
};

/* The machine's state. Sent when a ring's owner is notified, when state or reply changed, and every
 * WIRE_STATUS_MS. */
struct wire_status {
	uint64_t nonce;
	uint64_t heartbeat;
	uint64_t run;
	uint32_t state;
	uint32_t reply; /* the mailbox's reply word */
	uint64_t console_head;
	uint64_t
	    rings[WIRE_RINGS_WORDS]; /* bit i: ring i's owner was notified since the last STATUS */
	/* received pieces between two 0x00 that were not frames, since boot */
	uint32_t damaged;
	uint32_t overruns; /* overruns that the UART reported, since boot */
};

/* ---- Bodies. put: writes head and words into body, which has WIRE_BODY_MAX bytes, and returns the
 * body's size; the caller must respect the limits of counts. get: reads a body of size bytes, whose
 * type is known; false: the body is too short, or a count is out of its limits. ---- */

void wire_put_head(uint8_t *body, const struct wire_head *head);
bool wire_get_head(const uint8_t *body, size_t size, struct wire_head *head);

/* Sets the head's sequence number. Call this last, just before the frame is sent. */
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
/* Writes head and words of a DATA with `content` bytes of content. The caller writes the content,
 * before or after. */
size_t wire_put_data(uint8_t *body, const struct wire_data *data, uint8_t flags, size_t content);
bool wire_get_data(const uint8_t *body, size_t size, struct wire_data *data);
size_t wire_put_done(uint8_t *body, const struct wire_done *done);
bool wire_get_done(const uint8_t *body, size_t size, struct wire_done *done);
size_t wire_put_status(uint8_t *body, const struct wire_status *status);
bool wire_get_status(const uint8_t *body, size_t size, struct wire_status *status);

/* ---- Frames ---- */

/* Returns the CRC-32C (RFC 3720, appendix B.4) of size bytes, continued from crc, the CRC of the
 * bytes before them; crc is 0 at the start. */
uint32_t wire_crc(uint32_t crc, const uint8_t *bytes, size_t size);

/* Encodes a body of at most WIRE_BODY_MAX bytes as a frame, into WIRE_FRAME_MAX bytes at `to`.
 * Returns the frame's size. */
size_t wire_frame(uint8_t *to, const uint8_t *body, size_t size);

/* Splits received bytes into frames. Starts as all zeros: bytes before the first 0x00 are ignored.
 */
struct wire_receiver {
	uint8_t body[WIRE_BODY_MAX + 4];
	uint16_t size;   /* bytes in body so far */
	uint8_t block;   /* bytes still missing of this COBS block */
	bool zero_after; /* the block ends in a 0x00, unless it is the frame's last block */
	enum { WIRE_OUTSIDE, WIRE_INSIDE, WIRE_BROKEN } state;
};

#define WIRE_NO_FRAME (-1)

/* Takes the next byte. Returns the body's size if the byte ends a frame (body is valid until the
 * next call); 0: no frame yet; WIRE_NO_FRAME: the byte ends a piece that is not a frame. */
int wire_receive(struct wire_receiver *receiver, uint8_t byte);

#endif
