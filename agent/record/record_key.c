/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_run.h"
#include "agent/record/record_beside.h"
#include "agent/record/recording.h"
#include "lib/console/keyboard.h"
#include "lib/platform.h"
#include "pmu/clock/clock.h"
#include "workload/workload.h"

#define LOOK_TICKS 8U  /* ticks between two looks: reading a port takes a PC a microsecond */
#define MOST       16U /* the most bytes that one look takes from a line */

/* Looks for the key on our own lines, or (resident) on the firmware's console line. */
static bool record_key_line_has_key(struct recording *r, uint64_t now)
{
	struct stop_key *key = &r->keys.of_firmware;
	uint8_t bytes[MOST];
	unsigned count;

	if (r->channel->lines)
		return lines_are_pressed(r->channel->lines);
	count = console_hear(bytes, MOST);
	for (unsigned i = 0; i < count; i++)
		stop_key_feed(key, bytes[i], now);
	return stop_key_is_pressed(key, now);
}

void recording_keys_begin(struct recording *r)
{
	workload_end(false);
	r->keys = (struct recording_keys){ .of_firmware.last = clock_now() };
	if (r->channel->lines)
		lines_listen(r->channel->lines, true);
}

void recording_keys_tick(struct recording *r)
{
	unsigned turn = ++r->keys.looks % LOOK_TICKS;
	bool has_key = false;

	/* keyboard and line take turns, so that no tick takes much longer than the others */
	if (turn == 0)
		has_key = stop_key_is((uint8_t)keyboard_get());
	else if (turn == LOOK_TICKS / 2)
		has_key = record_key_line_has_key(r, clock_now());
	if (!has_key || r->by_key)
		return;
	__atomic_store_n(&r->by_key, true, __ATOMIC_RELEASE);
	workload_end(true);
	payload_end_all();
}

/* The workload's main thread runs on the boot CPU. If that CPU is not traced it has no tick, so it
 * gets a signal. */
void recording_keys_leave(const struct recording *r, const struct arch_regs *regs)
{
	if (!__atomic_load_n(&r->by_key, __ATOMIC_ACQUIRE))
		return;
	if (arch_cpu() == 0)
		payload_interrupted(regs);
	else if (r->cpus->cpu != 0)
		arch_cpu_signal(0);
}

void recording_keys_end(struct recording *r)
{
	if (r->channel->lines)
		lines_listen(r->channel->lines, false);
}
