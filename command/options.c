/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "command/words.h"

static int options_set_events(struct words *w, const char *text)
{
	struct command *c = w->command;
	struct parse_error error;
	int n = parse_events(text, &w->tables->sources, c->events + c->nr_events,
	                     COMMAND_MAX_EVENTS - c->nr_events, &error);

	if (n < 0) {
		command_fail(w, error.what, error.at);
		w->error->meant = error.meant;
		return -EINVAL;
	}
	c->nr_events += (unsigned)n;
	return 0;
}

static int options_set_period(struct words *w, const char *text)
{
	w->command->has_period = true;
	return command_number(w, text, 1, INT64_MAX, &w->command->period_or_freq);
}

static int options_set_freq(struct words *w, const char *text)
{
	w->command->has_freq = true;
	return command_number(w, text, 1, 1000000, &w->command->period_or_freq);
}

static int options_set_callchain(struct words *w, const char *text)
{
	(void)text;
	w->command->callchain = true;
	return 0;
}

static int options_set_call_graph(struct words *w, const char *text)
{
	if (!strcmp(text, "lbr"))
		return command_set_call_stack(w, text);
	if (strcmp(text, "fp"))
		return command_fail(w, "want fp (frame pointers) or lbr (branch records)", text);
	w->command->callchain = true;
	return 0;
}

static int options_set_all_cpus(struct words *w, const char *text)
{
	(void)text;
	w->command->all_cpus = true;
	return 0;
}

/* perf's -D; perf's other values are delays in ms. */
static int options_set_delay(struct words *w, const char *text)
{
	if (strcmp(text, "-1"))
		return command_fail(w, "only -1 is known: nothing until the program says so", text);
	w->command->disabled = true;
	return 0;
}

/* For commands that print counts. */
static int options_set_no_aggr(struct words *w, const char *text)
{
	(void)text;
	w->command->no_aggr = true;
	return 0;
}

static void options_select_cpus(struct command *c, uint64_t first, uint64_t last)
{
	for (uint64_t cpu = first; cpu <= last; cpu++)
		c->cpus[cpu / 64] |= 1ULL << cpu % 64;
}

int command_set_cpus(struct words *w, const char *text)
{
	for (;;) {
		const char *start = text;
		uint64_t first, last;

		if (parse_number(&text, &first))
			return command_fail(w, "not a list of CPUs (0,2-3)", start);
		last = first;
		if (*text == '-') {
			text++;
			if (parse_number(&text, &last))
				return command_fail(w, "not a list of CPUs (0,2-3)", start);
		}
		if (last < first || last >= TR_MAX_CPUS)
			return command_fail(w, "no such CPU", start);
		options_select_cpus(w->command, first, last);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return command_fail(w, "not a list of CPUs (0,2-3)", start);
	}
}

static int options_number_of_pages(struct words *w, const char *text, uint64_t *pages)
{
	int code = command_number(w, text, 1, TR_RING_SIZE_MAX / TR_PAGE, pages);

	if (!code && *pages & (*pages - 1))
		return command_fail(w, "must be a power of two", text);
	return code;
}

static int options_set_pages(struct words *w, const char *text)
{
	struct command *c = w->command;
	const char *comma = strchr(text, ',');
	int code;

	if (!comma)
		return options_number_of_pages(w, text, &c->pages);
	c->words[comma - c->words] = '\0';
	code = comma == text ? 0 : options_number_of_pages(w, text, &c->pages);
	return code ? code : options_number_of_pages(w, comma + 1, &c->aux_pages);
}

static int options_set_aux_watermark(struct words *w, const char *text)
{
	uint64_t value;
	int code = command_number(w, text, 1, UINT32_MAX, &value);

	w->command->aux_watermark = (uint32_t)value;
	return code;
}

static int options_set_snapshot(struct words *w, const char *text)
{
	(void)text;
	w->command->snapshot = true;
	return 0;
}

static int options_set_overwrite(struct words *w, const char *text)
{
	(void)text;
	w->command->overwrite = true;
	return 0;
}

static int options_set_wakeup_events(struct words *w, const char *text)
{
	uint64_t value;
	int code = command_number(w, text, 1, UINT32_MAX, &value);

	w->command->wakeup_events = (uint32_t)value;
	return code;
}

static int options_set_watermark(struct words *w, const char *text)
{
	uint64_t value;
	int code = command_number(w, text, 8, UINT32_MAX, &value);

	w->command->wakeup_watermark = (uint32_t)value;
	return code;
}

static int options_set_output(struct words *w, const char *text)
{
	w->command->output = text;
	return 0;
}

static int options_set_fetch(struct words *w, const char *text)
{
	struct command *c = w->command;

	if (c->nr_fetch == COMMAND_MAX_FILES)
		return command_fail(w, "more than 16 files", text);
	if (!*text)
		return command_fail(w, "a file has a name", text);
	c->fetch[c->nr_fetch++] = text;
	return 0;
}

static int options_set_json(struct words *w, const char *text)
{
	(void)text;
	w->command->json = true;
	return 0;
}

static int options_set_reset(struct words *w, const char *text)
{
	(void)text;
	w->command->reset = true;
	return 0;
}

static int options_set_then(struct words *w, const char *text)
{
	static const struct {
		const char *name;
		enum command_then then;
	} choices[] = {
		{ "poweroff", THEN_POWEROFF },
		{ "reboot", THEN_REBOOT },
		{ "wait", THEN_WAIT },
	};

	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (!strcmp(choices[i].name, text)) {
			w->command->then = choices[i].then;
			return 0;
		}
	}
	return command_fail(w, "want poweroff, reboot or wait", text);
}

static int options_set_lossless(struct words *w, const char *text)
{
	(void)text;
	w->command->lossless = LOSSLESS_ALL;
	return 0;
}

static int options_set_lossless_cpu(struct words *w, const char *text)
{
	(void)text;
	w->command->lossless = LOSSLESS_CPU;
	return 0;
}

static int options_set_lossless_freeze(struct words *w, const char *text)
{
	(void)text;
	w->command->lossless = LOSSLESS_FREEZE;
	return 0;
}

static int options_set_max_sample_rate(struct words *w, const char *text)
{
	return command_number(w, text, 0, UINT32_MAX, &w->command->max_sample_rate);
}

static int options_set_region_size(struct words *w, const char *text)
{
	int code = command_number(w, text, 2, 65536, &w->command->region_size);

	w->command->region_size <<= 20;
	return code;
}

static int options_set_exclusive(struct words *w, const char *text)
{
	(void)text;
	w->command->exclusive = true;
	return 0;
}

static int options_set_resident(struct words *w, const char *text)
{
	(void)text;
	w->command->resident = true;
	return 0;
}

static int options_set_acpi(struct words *w, const char *text)
{
	(void)text;
	w->command->acpi = true;
	return 0;
}

static int options_set_dtb(struct words *w, const char *text)
{
	(void)text;
	w->command->dtb = true;
	return 0;
}

static int options_set_boot(struct words *w, const char *text)
{
	(void)text;
	w->command->boot = true;
	return 0;
}

static int options_set_keep(struct words *w, const char *text)
{
	(void)text;
	w->command->keep = true;
	return 0;
}

#define DELAY "start paused, until bareperf_record_start()"

#define UNTIL "--boot: until ready-to-boot, key (Ctrl-R), SECONDS (30s)"

const struct command_option record_options[] = {
	{ "-e", "--event", "LIST", "names, rHEX, SOURCE/TERM=VALUE/ (cycles, or cpu-clock)",
	  options_set_events },
	{ "-c", "--count", "PERIOD", "a sample every PERIOD events (cpu-clock: ns)",
	  options_set_period },
	{ "-F", "--freq", "HZ", "samples a second (4000; --boot: 1000)", options_set_freq },
	{ "-g", NULL, NULL, "record callchains, by frame pointers", options_set_callchain },
	{ "--call-graph", NULL, "fp|lbr", "by frame pointers, or by the CPU's branch records",
	  options_set_call_graph },
	{ "-b", "--branch-any", NULL, "samples have the newest taken branches",
	  command_set_branch_any },
	{ "-j", "--branch-filter", "LIST",
	  "of these: any,any_call,any_ret,ind_call,ind_jmp,cond,call", command_set_branch_filter },
	{ "-d", "--data", NULL, "samples have the address that was accessed", command_set_data },
	{ "-W", "--weight", NULL, "samples have the access's latency", command_set_weight },
	{ "--phys-data", NULL, NULL, "samples have its physical address", command_set_phys_data },
	{ "-R", "--raw-samples", NULL, "samples have the registers of IBS", command_set_raw },
	{ "-C", "--cpu", "LIST", "CPUs, as 0,2-3 (0)", command_set_cpus },
	{ "-a", "--all-cpus", NULL, "all CPUs", options_set_all_cpus },
	{ "-D", "--delay", "-1", DELAY, options_set_delay },
	{ "-m", "--mmap-pages", "[PAGES][,AUX]",
	  "pages of 4 KiB per CPU: ring, AUX area (128,1024)", options_set_pages },
	{ "--overwrite", NULL, NULL, "keep the newest records of each ring",
	  options_set_overwrite },
	{ "--wakeup-events", NULL, "N", "wake the reader every N samples",
	  options_set_wakeup_events },
	{ "--watermark", NULL, "BYTES", "wake the reader every BYTES (half of the ring)",
	  options_set_watermark },
	{ "--max-sample-rate", NULL, "HZ",
	  "pause a faster event to the next tick (100000; 0: never)", options_set_max_sample_rate },
	{ "--lossless", NULL, NULL, "stall all traced CPUs while a ring or AUX area is full",
	  options_set_lossless },
	{ "--lossless=cpu", NULL, NULL, "stall only the CPU of that ring or AUX area",
	  options_set_lossless_cpu },
	{ "--lossless=freeze", NULL, NULL, "--lossless, with the clock and TIME stopped too",
	  options_set_lossless_freeze },
	{ "--aux-watermark", NULL, "BYTES",
	  "wake the reader every BYTES of the AUX area (half of it)", options_set_aux_watermark },
	{ BOOT_WORKLOAD, NULL, NULL, "record the firmware's boot, to ExitBootServices()",
	  options_set_boot },
	{ "--until", NULL, "WHEN", UNTIL, command_set_until },
	{ "-S", "--snapshot", NULL, "keep the newest part of the AUX area, for the host",
	  options_set_snapshot },
	{ "-o", "--output", "FILE", "resident: the file, [fs1:]\\NAME (\\bareperf\\NNNN.data)",
	  options_set_output },
	{ "--fetch", NULL, "FILE", "give the reader a file of the program, at its end",
	  options_set_fetch },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct command_option stat_options[] = {
	{ "-e", "--event", "LIST", "events to count (perf's default, as far as available)",
	  options_set_events },
	{ "-C", "--cpu", "LIST", "CPUs, as 0,2-3 (0)", command_set_cpus },
	{ "-a", "--all-cpus", NULL, "all CPUs", options_set_all_cpus },
	{ "-A", "--no-aggr", NULL, "print each CPU, not the sum", options_set_no_aggr },
	{ "--fetch", NULL, "FILE", "give the reader a file of the program, at its end",
	  options_set_fetch },
	{ "-D", "--delay", "-1", DELAY, options_set_delay },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct command_option selftest_options[] = {
	{ "--json", NULL, NULL, "also print one JSON object in one line", options_set_json },
	{ "--reset", NULL, NULL, "at boot: reset once, and report what RAM kept",
	  options_set_reset },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct command_option save_options[] = {
	{ "-o", "--output", "FILE", "another name or volume, as for record", options_set_output },
	{ NULL, NULL, NULL, NULL, NULL },
};

/* For every command, anywhere before "--". */
const struct command_option common_options[] = {
	{ "--then", NULL, "ACTION", "poweroff, reboot or wait for commands, afterwards",
	  options_set_then },
	{ "--region-size", NULL, "MIB", "at boot: size of a trace region in RAM (16)",
	  options_set_region_size },
	{ "--resident", NULL, NULL, "return the machine to the firmware, and write a file",
	  options_set_resident },
	{ "--keep", NULL, NULL, "--resident, but keep the trace region until a reset",
	  options_set_keep },
	{ "--exclusive", NULL, NULL, "leave boot services for good, and wait for commands",
	  options_set_exclusive },
	{ "--acpi", NULL, NULL, "at boot: read only ACPI's tables", options_set_acpi },
	{ "--dtb", NULL, NULL, "at boot: read only the device tree", options_set_dtb },
	{ NULL, NULL, NULL, NULL, NULL },
};
