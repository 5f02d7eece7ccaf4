/* SPDX-License-Identifier: MIT */
/* The recorder's functions that the payload's calls need. The recorder fills them in. */
#ifndef AGENT_PAYLOAD_PAYLOAD_HOOKS_H
#define AGENT_PAYLOAD_PAYLOAD_HOOKS_H

#include <stdbool.h>

#include "ringbuf/ring.h"

struct payload_hooks {
	/* <bareperf/system.h>'s record(): all events of the recording pause, or resume. Returns
	 * what record() returns. The payload's thread. */
	int (*record)(bool on);

	/* The calling thread takes a lock that other CPUs' threads spin for, and releases it: in
	 * between, --lossless does not stall this CPU when its ring is full. Does not nest. The
	 * payload's thread. */
	void (*hold)(void);
	void (*release)(void);

	/* The ring of the calling CPU, or NULL: no recording is live there. Any context. */
	const struct ring *(*ring)(void);
};

/* The current hooks; never NULL. Without a recording record() is -ENODEV, hold() and release() do
 * nothing, and there is no ring. Any context. */
extern const struct payload_hooks *payload_hooks;

/* Set the hooks, before the first program runs. hooks must stay valid. Thread. */
void payload_set_hooks(const struct payload_hooks *hooks);

#endif
