/* SPDX-License-Identifier: MIT */
/* Refuses options that have no effect, since ignoring them would mislead the user. */
#include <string.h>
#include <strings.h>

#include "command/words.h"

#define STAYS_OURS  "the machine stays ours: it is not given back to the firmware"
#define NO_FILE     "a file is written where the firmware goes on"
#define OVERWRITTEN "an overwritable ring is never full, so nothing waits"
#define UNTHROTTLED "with --lossless no event is throttled"
#define NO_READER   "in resident mode there is no reader to wait for"
#define BOOT_CPU    "of a boot the boot CPU alone is recorded"
#define BOOTS_ON    "the firmware boots on: nothing comes afterwards"
#define BOOT_BEGINS "a boot is recorded from the first instruction on"
#define CONTINUES   "the firmware continues, and its services are measured"
#define NEVER_FULL  "an overwritable ring is read at the end: it wakes nobody"

#define LOSSLESS_EXCLUDES(other, what)                                    \
	{ "--lossless", other, what }, { "--lossless=cpu", other, what }, \
	{                                                                 \
		"--lossless=freeze", other, what                          \
	}

/* Pairs of options in which one makes the other meaningless. */
static const struct {
	const char *one, *other, *what;
} excluding[] = {
	{ "-c", "-F", "-c and -F exclude each other" },
	{ "-a", "-C", "-a and -C exclude each other" },
	{ "--wakeup-events", "--watermark", "--wakeup-events and --watermark exclude each other" },
	{ "--overwrite", "--wakeup-events", NEVER_FULL },
	{ "--overwrite", "--watermark", NEVER_FULL },
	{ "--resident", "--exclusive", "--resident and --exclusive exclude each other" },
	{ "--acpi", "--dtb", "--acpi and --dtb exclude each other" },
	{ "--keep", "--exclusive", STAYS_OURS },
	{ "--uefi", "--exclusive", CONTINUES },
	{ "--uefi", "--keep", "there is no recording to keep" },
	{ "-o", "--exclusive", NO_FILE },
	{ "--lossless", "--lossless=cpu", "--lossless and --lossless=cpu exclude each other" },
	{ "--lossless", "--lossless=freeze", "--lossless=freeze is --lossless, and more" },
	{ "--lossless=cpu", "--lossless=freeze", "the clock stops only if all CPUs stall" },
	LOSSLESS_EXCLUDES("--overwrite", OVERWRITTEN),
	LOSSLESS_EXCLUDES("-S", OVERWRITTEN),
	LOSSLESS_EXCLUDES("--max-sample-rate", UNTHROTTLED),
	LOSSLESS_EXCLUDES("--resident", NO_READER),
	LOSSLESS_EXCLUDES("-o", NO_READER),
	LOSSLESS_EXCLUDES("--keep", NO_READER),
	LOSSLESS_EXCLUDES("--boot", NO_READER),
	{ "--boot", "-a", BOOT_CPU },
	{ "--boot", "-C", BOOT_CPU },
	{ "--boot", "--then", BOOTS_ON },
	{ "--boot", "--exclusive", BOOTS_ON },
	{ "--boot", "--fetch", BOOTS_ON },
	{ "--boot", "-D", BOOT_BEGINS },
	{ "-S", "--aux-watermark", "a snapshot wakes nobody by the AUX area: no --aux-watermark" },
};

/* An option's requirements: a sampled event, an event with a period, an AUX area. */
enum about { SAMPLES, PERIODS, AUX };

static const struct {
	const char *option;
	enum about about;
} heeded[] = {
	{ "-F", SAMPLES },
	{ "-g", SAMPLES },
	{ "--call-graph", SAMPLES },
	{ "-b", SAMPLES },
	{ "-j", SAMPLES },
	{ "-d", SAMPLES },
	{ "-W", SAMPLES },
	{ "--phys-data", SAMPLES },
	{ "-R", SAMPLES },
	{ "--wakeup-events", SAMPLES },
	{ "--max-sample-rate", SAMPLES },
	{ "-c", PERIODS },
	{ "--aux-watermark", AUX },
	{ "-S", AUX },
};

static const char *const unheeded[] = {
	[SAMPLES] = "nothing is sampled: what is recorded fills an AUX area",
	[PERIODS] = "there is no period: every one is recorded",
	[AUX] = "there is no AUX area: no event here fills one",
};

/* Returns the last word that gave this option, or NULL. */
static const char *check_given(const struct words *w, const char *name)
{
	for (unsigned i = w->nr_given; i; i--) {
		if (!strcmp(w->given[i - 1].option->name, name))
			return w->given[i - 1].at;
	}
	return NULL;
}

static int check_excluding(struct words *w)
{
	for (unsigned i = 0; i < sizeof(excluding) / sizeof(excluding[0]); i++) {
		const char *one = check_given(w, excluding[i].one);
		const char *other = check_given(w, excluding[i].other);

		if (one && other)
			return command_fail(w, excluding[i].what, one > other ? one : other);
	}
	return 0;
}

/* Returns the PMU_* flags of the source with the event's type; 0 for a generic event. */
static uint32_t check_source_flags(const struct words *w, const struct event_spec *spec)
{
	for (const struct pmu_source *const *s = w->tables->sources.list; *s; s++) {
		if ((*s)->type == spec->attr.type)
			return (*s)->flags;
	}
	return 0;
}

static int check_record(struct words *w)
{
	const struct command *c = w->command;
	bool any[] = { [SAMPLES] = !c->nr_events, [PERIODS] = !c->nr_events, [AUX] = false };
	unsigned fillers = 0;

	if (!c->boot && check_given(w, "--until"))
		return command_fail(w, "a boot is what goes on until then: --boot",
		                    check_given(w, "--until"));
	for (unsigned i = 0; i < c->nr_events; i++) {
		uint32_t flags = check_source_flags(w, &c->events[i]);

		fillers += flags & PMU_AUX ? 1 : 0;
		any[SAMPLES] = any[SAMPLES] || !(flags & PMU_AUX);
		any[PERIODS] = any[PERIODS] || !(flags & PMU_EVERY);
	}
	any[AUX] = fillers;
	if (fillers && c->overwrite)
		return command_fail(
		    w, "the records about an AUX area must stay: use -S for its newest part",
		    check_given(w, "--overwrite"));
	if (fillers && c->disabled)
		return command_fail(w, "an event that fills an AUX area starts with the program",
		                    check_given(w, "-D"));
	if (fillers > 1)
		return command_fail(w, "a CPU has one AUX area: record these one after the other",
		                    check_given(w, "-e"));
	for (unsigned i = 0; i < sizeof(heeded) / sizeof(heeded[0]); i++) {
		const char *at = check_given(w, heeded[i].option);

		if (at && !any[heeded[i].about])
			return command_fail(w, unheeded[heeded[i].about], at);
	}
	return c->aux_pages && !fillers ? command_fail(w, unheeded[AUX], check_given(w, "-m")) : 0;
}

static int check_stat(struct words *w)
{
	const struct command *c = w->command;

	for (unsigned i = 0; i < c->nr_events; i++) {
		if (check_source_flags(w, &c->events[i]) & PMU_AUX)
			return command_fail(w, "it fills an AUX area, and counts nothing",
			                    check_given(w, "-e"));
		if (c->events[i].sample_read || c->events[i].attr.sample_period)
			return command_fail(w, "stat takes no samples: no period, freq or :S",
			                    check_given(w, "-e"));
	}
	return 0;
}

/* Only a command that owns the machine can wait for commands. */
static int check_mode(struct words *w)
{
	const struct command *c = w->command;

	if ((c->resident || c->keep) && c->then == THEN_WAIT)
		return command_fail(w, STAYS_OURS,
		                    check_given(w, c->keep ? "--keep" : "--resident"));
	if ((c->output || c->verb == COMMAND_SAVE) && c->then == THEN_WAIT)
		return command_fail(w, NO_FILE, check_given(w, "--then"));
	if (c->verb == COMMAND_SAVE && c->exclusive)
		return command_fail(w, NO_FILE, check_given(w, "--exclusive"));
	return 0;
}

int command_check(struct words *w)
{
	int code = check_excluding(w);

	if (!code)
		code = check_mode(w);
	if (code)
		return code;
	switch (w->command->verb) {
	case COMMAND_RECORD:
		return check_record(w);
	case COMMAND_STAT:
		return check_stat(w);
	default:
		return 0;
	}
}

bool command_names_workload(const struct workload_usage *usage, const char *word)
{
	size_t length = strlen(word), end = strlen(usage->name);

	if (*usage->name != '*')
		return !strcmp(usage->name, word);
	return length >= end && !strcasecmp(usage->name + 1, word + length - (end - 1));
}
