/* SPDX-License-Identifier: MIT */
/*
 * A cable over a serial line. A separate thread reads and writes the line (struct wire_host has the
 * protocol), so that the other side hears from the host, and HOST words go out, even while the
 * reader is busy. When the line fails, the thread reconnects until it succeeds.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_CABLE_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_CABLE_H

#include <pthread.h>

#include "host-tools/region/serial/serial_link.h"
#include "host-tools/region/serial/wire_host.h"

enum serial_fast {
	SERIAL_FAST_TODO,  /* the requested rate is not yet negotiated */
	SERIAL_FAST_ASKED, /* BAUD is sent */
	SERIAL_FAST_TRIED, /* both ends have switched to the rate; no frame has confirmed it */
	SERIAL_FAST_DONE,  /* the rate works, or needs no change */
};

struct serial_cable {
	char *name;     /* the URL, for messages */
	double timeout; /* s to wait for a silent line; 0: the defaults */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int wake; /* eventfd: the thread has something to send */

	/* Protected by the lock: */
	struct serial_link link;
	struct wire_host host;
	bool stop;
	bool was_framed; /* the line has carried frames at least once */
	int64_t lost_us; /* when the line fell silent, or 0 if it works */
	uint64_t heard;  /* the number of bytes received by then */
	bool lost_is_reported;
	struct error why; /* the reason for the last failed connection attempt */
	unsigned closed;  /* how often the other end closed the line */
	enum serial_fast fast;
	int64_t fast_us;
	struct wire_status seen; /* the status at the last wait() */
	unsigned escape;         /* parser of text: state within a terminal's escape sequence */
};

/* A monotonic clock, in µs. */
int64_t serial_cable_now(void);

/* Connects the line and serves it. The cable owns link, even after a failure. */
int serial_cable_open(struct serial_cable **cable, const char *name, struct serial_link *link,
                      double timeout, struct error *error);

/* With the lock: reports whether the line has worked once and has nothing left to negotiate. */
bool serial_cable_is_ready(const struct serial_cable *cable);

/* With the lock: sleeps until something has arrived, for at most `us` µs. */
void serial_cable_sleep(struct serial_cable *cable, int64_t us);

/* Wakes the thread, to send what is queued. */
void serial_cable_wake(struct serial_cable *cable);

/* With the lock: returns a negative errno, and error gives the reason, if the line has failed for
 * good or for too long. */
int serial_cable_check(struct serial_cable *cable, struct error *error);

/* Ends the cable: delivers the stores if the line works, then switches the line back to plain text.
 */
void serial_cable_close(struct serial_cable *cable);

/* ---- Internal functions of the cable. Context: its thread, with the lock ---- */

/* Sets the line's initial rate. */
void serial_cable_slow(struct serial_cable *cable, int64_t now);

/* Called as time passes: takes the next step towards the rate that the URL requests. */
void serial_cable_negotiate(struct serial_cable *cable, int64_t now);

#endif
