/* SPDX-License-Identifier: MIT */
#include "lib/watchdog.h"

#include "arch/arch.h"
#include "lib/memory/memory.h"

#define EVERY_NS 100000000U

uint64_t watchdog_due = UINT64_MAX;

static const struct arch_platform *watchdog_platform; /* NULL: there is no watchdog to serve */

static bool watchdog_map(uint64_t address, unsigned bytes)
{
	return memory_add_mapping(address, bytes, ARCH_MAP_DEVICE) == 0;
}

static bool watchdog_map_step(const struct arch_watchdog_step *step)
{
	return step->io || watchdog_map(step->address, step->bytes);
}

void watchdog_init(const struct arch_platform *platform)
{
	bool served = platform->watchdog_step_count && platform->watchdog_is_enabled;

	watchdog_platform = NULL;
	watchdog_due = UINT64_MAX;
	for (unsigned i = 0; served && i < platform->watchdog_step_count; i++)
		served = watchdog_map_step(&platform->watchdog_steps[i]);
	if (served && platform->watchdog_state.bytes)
		served = watchdog_map_step(&platform->watchdog_state);
	if (!served)
		return;
	watchdog_platform = platform;
	watchdog_due = 0;
}

bool watchdog_is_served(void)
{
	return watchdog_platform;
}

static uint32_t watchdog_read(uint64_t address, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *(volatile uint8_t *)address;
	case 2:
		return *(volatile uint16_t *)address;
	default:
		return *(volatile uint32_t *)address;
	}
}

static void watchdog_write(uint64_t address, uint32_t value, unsigned bytes)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)address = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)address = (uint16_t)value;
		break;
	default:
		*(volatile uint32_t *)address = value;
	}
}

static uint32_t watchdog_step_read(const struct arch_watchdog_step *step)
{
	return step->io ? arch_port_read_wide((uint16_t)step->address, step->bytes)
	                : watchdog_read(step->address, step->bytes);
}

static void watchdog_step(const struct arch_watchdog_step *step)
{
	uint32_t value = (step->value & step->mask) << step->shift;

	if (!step->write || step->keep)
		value |= watchdog_step_read(step) & ~(step->mask << step->shift);
	if (!step->write)
		return;
	if (step->io)
		arch_port_write_wide((uint16_t)step->address, value, step->bytes);
	else
		watchdog_write(step->address, value, step->bytes);
}

static bool watchdog_matches(const struct arch_watchdog_step *state)
{
	return (watchdog_step_read(state) >> state->shift & state->mask) == state->value;
}

enum watchdog_state watchdog_state(const struct arch_platform *platform)
{
	const struct arch_watchdog_step *state = &platform->watchdog_state;

	if (!state->bytes || !state->io)
		return WATCHDOG_UNKNOWN;
	return watchdog_matches(state) ? WATCHDOG_COUNTS : WATCHDOG_STOPPED;
}

/* The firmware may have started or stopped it whenever it had the machine. */
static bool watchdog_counts(const struct arch_platform *platform)
{
	return !platform->watchdog_state.bytes || watchdog_matches(&platform->watchdog_state);
}

void watchdog_serve(uint64_t now)
{
	const struct arch_platform *platform = watchdog_platform;

	if (now < watchdog_due)
		return;
	watchdog_due = now + EVERY_NS;
	for (unsigned i = 0; watchdog_counts(platform) && i < platform->watchdog_step_count; i++)
		watchdog_step(&platform->watchdog_steps[i]);
}
