/* SPDX-License-Identifier: MIT */
#include "host-tools/report/uefi/waits.h"

#include <string.h>

#include "host-tools/report/frames.h"

struct way {
	const char *function, *in;
};

/* Modules in which callers wait, and which also do work of their own. */
static const char *const servants[] = { "DxeCore", "CpuDxe", "ArmCpuDxe" };

/* Modules that only wait, for Stall(). */
static const char *const metronomes[] = { "Metronome", "MetronomeDxe" };

/* Services of the firmware, and bareperf's functions that wrap them (agent/uefi/uefi_calls.c). */
static const struct way services[] = {
	{ "uefi_stall", "Stall()" },
	{ "uefi_wait_for_event", "WaitForEvent()" },
	{ "uefi_check_event", "CheckEvent()" },
	{ "CoreStall", "Stall()" },
	{ "CoreWaitForEvent", "WaitForEvent()" },
	{ "CoreCheckEvent", "CheckEvent()" },
};

/* Delay functions of EDK2's TimerLib and BaseLib. */
static const struct way delays[] = {
	{ "MicroSecondDelay", "MicroSecondDelay()" },
	{ "NanoSecondDelay", "NanoSecondDelay()" },
	{ "InternalAcpiDelay", "MicroSecondDelay()" },
	{ "CpuPause", "CpuPause()" },
	{ "CpuSleep", "CpuSleep()" },
};

/* Idle functions of the SDK (workload/sdk/threads/wait.c) and of bareperf's image (arch/arch.h). */
static const struct way idles[] = {
	{ "cpu_idle", "cpu_idle()" },
	{ "arch_wait", "arch_wait()" },
};

static const char unknown[] = "[unknown]";

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of(const struct symbol *symbol)
{
	return symbol->module ? symbol->module : symbol->file;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; name && i < count; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* Find a function in ways and return its text. Ignores a suffix such as ".constprop.0", which the
 * compiler adds to its own version of a function. */
static const char *way_of(const char *function, const struct way *ways, size_t count)
{
	size_t length = function ? strcspn(function, ".") : 0;

	for (size_t i = 0; length && i < count; i++) {
		if (strlen(ways[i].function) == length &&
		    !memcmp(ways[i].function, function, length))
			return ways[i].in;
	}
	return NULL;
}

/* Whether a frame belongs to a module in which callers wait. If the frame's function shows how the
 * caller waits, sets wait->in. */
static bool is_served(const struct symbols *symbols, uint64_t frame, struct wait *wait)
{
	struct symbol symbol = symbols_find(symbols, frame);
	const char *name = name_of(&symbol);
	const char *in = NULL;

	if (is_one_of(name, metronomes, COUNT(metronomes)))
		in = "Stall()";
	else if (!is_one_of(name, servants, COUNT(servants)))
		return false;
	if (!in)
		in = way_of(symbol.name, services, COUNT(services));
	if (!in && !wait->in)
		in = way_of(symbol.name, delays, COUNT(delays));
	wait->in = in ? in : wait->in;
	wait->module = wait->module ? wait->module : name;
	return true;
}

/* The symbol of frames[count - 1], the innermost of count frames. */
static struct symbol frame_symbol(const struct symbols *symbols, const uint64_t *frames,
                                  uint32_t count)
{
	return count ? symbols_find(symbols, frames[count - 1]) : (struct symbol){ 0 };
}

static bool is_ours(const struct symbol *symbol)
{
	return symbol->file && !symbol->module;
}

/* The frame is in bareperf's image. If its function is known, set the service that the function
 * wraps, or NULL if it wraps no service. If the function is unknown, keep wait->in: the function
 * may be a wrapper. */
static void served_by_us(const char *function, struct wait *wait)
{
	const char *service = way_of(function, services, COUNT(services));

	if (function)
		wait->in = service;
}

/* The innermost of count frames, if any, is the waiting code. */
static void asked_by(const struct symbols *symbols, const uint64_t *frames, uint32_t count,
                     struct wait *wait)
{
	struct symbol symbol = frame_symbol(symbols, frames, count);

	if (!name_of(&symbol))
		return;
	wait->module = name_of(&symbol);
	wait->function = symbol.name;
}

/* A delay is linked into the module that calls it. So name the caller only if it is in the same
 * module. */
static void delayed_by(const struct symbols *symbols, const uint64_t *frames, uint32_t count,
                       struct wait *wait)
{
	struct symbol symbol = frame_symbol(symbols, frames, count);

	if (name_of(&symbol) == wait->module)
		wait->function = symbol.name;
}

bool waits_is_idle(const char *function)
{
	return way_of(function, idles, COUNT(idles));
}

/* Whether the innermost of count frames is an idle function. If so, the waiting code is its caller;
 * without a caller, the idle function itself. */
static bool idled_by(const struct symbols *symbols, const uint64_t *frames, uint32_t count,
                     struct wait *wait)
{
	struct symbol symbol = frame_symbol(symbols, frames, count);

	if (symbol.module || !waits_is_idle(symbol.name))
		return false;
	*wait = (struct wait){ symbol.file, symbol.name, way_of(symbol.name, idles, COUNT(idles)) };
	asked_by(symbols, frames, count - 1, wait);
	return true;
}

bool waits_find(const struct symbols *symbols, const struct sample *sample, struct wait *wait)
{
	uint64_t frames[FRAMES_MAX];
	uint32_t count = frames_then(symbols, sample, frames);
	struct symbol symbol;
	const char *delay;

	*wait = (struct wait){ 0 };
	if (idled_by(symbols, frames, count, wait))
		return true;
	while (count && is_served(symbols, frames[count - 1], wait))
		count--;
	if (!count)
		return wait->in;
	symbol = frame_symbol(symbols, frames, count);
	delay = way_of(symbol.name, delays, COUNT(delays));
	if (is_ours(&symbol)) {
		served_by_us(symbol.name, wait);
		asked_by(symbols, frames, count, wait);
		while (is_ours(&symbol))
			symbol = frame_symbol(symbols, frames, --count);
	}
	if (delay && symbol.module) {
		*wait = (struct wait){ .module = symbol.module, .in = delay };
		delayed_by(symbols, frames, count - 1, wait);
	} else {
		asked_by(symbols, frames, count, wait);
	}
	return wait->in;
}

bool waits_place(const struct symbols *symbols, const struct sample *sample, struct wait *place)
{
	bool waits = waits_find(symbols, sample, place);

	if (!waits) {
		uint64_t ip = symbols_at(symbols, sample->ip, sample->time);
		struct symbol symbol = symbols_find(symbols, ip);

		*place = (struct wait){ name_of(&symbol), symbol.name, NULL };
	}
	place->module = place->module ? place->module : unknown;
	return waits;
}
