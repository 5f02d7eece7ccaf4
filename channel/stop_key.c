/* SPDX-License-Identifier: MIT */
#include "channel/stop_key.h"

#define CONTROL_C 0x03
#define ESCAPE    0x1b

bool stop_key_is(uint8_t key)
{
	return key == 'q' || key == CONTROL_C || key == ESCAPE;
}

void stop_key_feed(struct stop_key *key, uint8_t byte, uint64_t now)
{
	key->held = stop_key_is(byte) && now - key->last > STOP_KEY_ALONE_NS;
	key->last = now;
}

bool stop_key_is_pressed(const struct stop_key *key, uint64_t now)
{
	return key->held && now - key->last > STOP_KEY_ALONE_NS;
}
