/* SPDX-License-Identifier: MIT */
/*
 * A serial line at work: a thread of its own reads and writes it (struct wire_host knows what), so
 * that the other side hears of us and our HOST words go out whatever the reader is at. It connects
 * again when the line was gone, for as long as it takes.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_CABLE_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_CABLE_H

#include <pthread.h>

#include "host-tools/region/serial/serial_link.h"
#include "host-tools/region/serial/wire_host.h"

enum serial_fast {
	SERIAL_FAST_TODO,  /* the rate that was asked for has not been negotiated */
	SERIAL_FAST_ASKED, /* BAUD is on its way */
	SERIAL_FAST_TRIED, /* both have it, if all is well */
	SERIAL_FAST_DONE,  /* or there is nothing to be done */
};

struct serial_cable {
	char *name;     /* the URL, for messages */
	double timeout; /* s that a silent line is waited for; 0: the defaults */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int wake; /* eventfd: there is something to be sent */

	/* With the lock: */
	struct serial_link link;
	struct wire_host host;
	bool stop;
	bool was_framed; /* once */
	int64_t lost_us; /* when the line fell silent; 0: it works */
	uint64_t heard;  /* bytes that had come by then */
	bool lost_is_told;
	struct error why; /* it could not be connected */
	unsigned closed;  /* times that the other end closed it */
	enum serial_fast fast;
	int64_t fast_us;
	struct wire_status seen; /* by the last wait() */
	unsigned escape;         /* of text: within a terminal's command */
};

/* µs that go on. */
int64_t serial_cable_now(void);

/* Connect and serve. The cable owns link, even if it fails. */
int serial_cable_open(struct serial_cable **cable, const char *name, struct serial_link *link,
                      double timeout, struct error *error);

/* With the lock: has it worked once, with nothing left to negotiate? */
bool serial_cable_is_ready(const struct serial_cable *cable);

/* With the lock: sleep until something came, `us` at the most. */
void serial_cable_sleep(struct serial_cable *cable, int64_t us);

/* Have the thread look at what is to be sent. */
void serial_cable_wake(struct serial_cable *cable);

/* With the lock: a line that is gone for good, or for too long: negative, and error says why. */
int serial_cable_check(struct serial_cable *cable, struct error *error);

/* End it: what was stored arrives if the line works, then it is plain text again. */
void serial_cable_close(struct serial_cable *cable);

/* ---- Among its files; with the lock, by its thread ---- */

/* The rate that the line began with. */
void serial_cable_slow(struct serial_cable *cable, int64_t now);

/* Time passes: the next step to the rate that the URL asks for. */
void serial_cable_negotiate(struct serial_cable *cable, int64_t now);

#endif
