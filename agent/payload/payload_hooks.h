/* SPDX-License-Identifier: MIT */
/* The recording as the payload sees it: the recorder fills this in. */
#ifndef AGENT_PAYLOAD_PAYLOAD_HOOKS_H
#define AGENT_PAYLOAD_PAYLOAD_HOOKS_H

#include <stdbool.h>

#include "ringbuf/ring.h"

struct payload_hooks {
	/* <bareperf/system.h>'s record(): all events of the recording pause, or resume. Returns
	 * what record() returns. The payload's thread. */
	int (*record)(bool on);

	/* The calling thread takes a lock that other CPUs' threads spin for, and releases it: in
	 * between, --lossless does not stall this CPU for want of room in its ring. Does not nest.
	 * The payload's thread. */
	void (*hold)(void);
	void (*release)(void);

	/* The ring of the calling CPU, or NULL: no recording is live there. Any context. */
	const struct ring *(*ring)(void);
};

/* The hooks in force; never NULL. While nothing is recorded record() is -ENODEV, hold() and
 * release() do nothing, and there is no ring. Any context. */
extern const struct payload_hooks *payload_hooks;

/* The recorder's, before the first program runs. hooks is kept by reference. Thread. */
void payload_set_hooks(const struct payload_hooks *hooks);

#endif
