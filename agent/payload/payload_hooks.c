/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_hooks.h"

#include <errno.h>
#include <stddef.h>

static int payload_hooks_no_record(bool on)
{
	(void)on;
	return -ENODEV;
}

static void payload_hooks_no_lock(void)
{
}

static const struct ring *payload_hooks_no_ring(void)
{
	return NULL;
}

static const struct payload_hooks none = {
	.record = payload_hooks_no_record,
	.hold = payload_hooks_no_lock,
	.release = payload_hooks_no_lock,
	.ring = payload_hooks_no_ring,
};

const struct payload_hooks *payload_hooks = &none;

void payload_set_hooks(const struct payload_hooks *hooks)
{
	payload_hooks = hooks;
}
