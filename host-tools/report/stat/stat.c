/* SPDX-License-Identifier: MIT */
#include "host-tools/report/stat/stat.h"

#include <inttypes.h>
#include <string.h>

#define EXCLUDES (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV)

/* ---- Counts ---- */

static void add(struct stat_count *sum, const struct tr_event_ledger *l)
{
	sum->counted += l->count;
	sum->enabled += l->time_enabled;
	sum->running += l->time_running;
	if (l->time_running)
		sum->scaled += (double)l->count * (double)l->time_enabled / (double)l->time_running;
}

struct stat_count stat_sum(const struct ledger *ledger, uint32_t first, bool alone)
{
	struct stat_count sum = { 0 };

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (i == first ||
		    (!alone && ledger->events[i].event.evsel == ledger->events[first].event.evsel))
			add(&sum, &ledger->events[i].ledger);
	}
	return sum;
}

uint64_t stat_elapsed(const struct ledger *ledger)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		uint64_t enabled = ledger->events[i].ledger.time_enabled;

		longest = enabled > longest ? enabled : longest;
	}
	return longest;
}

/* ---- Comments beside counts ---- */

/* Find another event that counts type and config under the same conditions, on the same CPU or on
 * all. Returns its scaled count, or 0. */
static double beside(const struct ledger *ledger, uint32_t event, uint32_t type, uint64_t config,
                     bool alone)
{
	const struct tr_event *own = &ledger->events[event].event;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct tr_event *other = &ledger->events[i].event;
		uint64_t different = other->attr.flags ^ own->attr.flags;

		if (other->cpu == own->cpu && other->attr.type == type &&
		    other->attr.config == config &&
		    (type == PERF_TYPE_SOFTWARE || !(different & EXCLUDES)))
			return stat_sum(ledger, i, alone).scaled;
	}
	return 0;
}

/* For each generic event, the hardware event that perf divides it by. */
static const struct {
	uint64_t config, of;
	double factor;
	const char *text;
} shares[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 1, "insn per cycle" },
	{ PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100,
	  "% of all branches" },
	{ PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100, "% of all cache refs" },
	{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES, 100,
	  "% frontend cycles idle" },
	{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES, 100,
	  "% backend cycles idle" },
};

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK;
}

/* Format the remark behind a count; "" if no other event can be compared with it. */
static void remark(const struct ledger *ledger, uint32_t event, bool alone, double count,
                   char text[64])
{
	const struct perf_event_attr *attr = &ledger->events[event].event.attr;
	double clock = beside(ledger, event, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, alone);

	*text = 0;
	if (is_clock(attr) && stat_elapsed(ledger)) {
		snprintf(text, 64, "#%10.3f CPUs utilized", count / (double)stat_elapsed(ledger));
		return;
	}
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		double of = 0;

		if (attr->type == PERF_TYPE_HARDWARE && attr->config == shares[i].config)
			of = beside(ledger, event, PERF_TYPE_HARDWARE, shares[i].of, alone);
		if (of > 0) {
			snprintf(text, 64, "#%10.2f %s", count / of * shares[i].factor,
			         shares[i].text);
			return;
		}
	}
	if (clock <= 0)
		return;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES)
		snprintf(text, 64, "#%10.3f GHz", count / clock);
	else
		snprintf(text, 64, "#%10.3f M/sec", count / clock * 1e3);
}

/* ---- Text ---- */

/* Format a number with commas, with this many decimals. */
static void group_digits(char to[40], double number, int decimals)
{
	char plain[32];
	size_t length, whole, at = 0;

	snprintf(plain, sizeof(plain), "%.*f", decimals, number);
	length = strlen(plain);
	whole = decimals ? length - (size_t)decimals - 1 : length;
	for (size_t i = 0; i < length && at < 38; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			to[at++] = ',';
		to[at++] = plain[i];
	}
	to[at] = 0;
}

static void print_count(const struct ledger *ledger, uint32_t event, bool alone, FILE *out)
{
	const struct tr_event *entry = &ledger->events[event].event;
	struct stat_count sum = stat_sum(ledger, event, alone);
	bool clock = is_clock(&entry->attr);
	char name[80], number[40] = "<not counted>", compared[64] = "";

	region_printable(name, sizeof(name), entry->name, sizeof(entry->name));
	if (sum.running) {
		group_digits(number, clock ? sum.scaled / 1e6 : sum.scaled, clock ? 2 : 0);
		remark(ledger, event, alone, sum.scaled, compared);
	}
	if (alone)
		fprintf(out, "CPU%-5u", entry->cpu);
	fprintf(out, "%18s %-4s %-25s", number, clock ? "msec" : "", name);
	if (sum.running != sum.enabled)
		fprintf(out, " %-38s  (%.2f%%)", compared,
		        sum.enabled ? 100 * (double)sum.running / (double)sum.enabled : 0.0);
	else if (*compared)
		fprintf(out, " %s", compared);
	fputc('\n', out);
}

/* Whether this event is the first of its evsel. */
static bool is_first(const struct ledger *ledger, uint32_t event)
{
	for (uint32_t i = 0; i < event; i++) {
		if (ledger->events[i].event.evsel == ledger->events[event].event.evsel)
			return false;
	}
	return true;
}

/* Get the first event of this evsel. */
static const struct tr_event *event_of(const struct ledger *ledger, uint32_t evsel)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (ledger->events[i].event.evsel == evsel)
			return &ledger->events[i].event;
	}
	return NULL;
}

static void print_region(const struct ledger *ledger, const struct stat_region *region,
                         bool per_cpu, FILE *out)
{
	char name[80], number[40];

	region_printable(name, sizeof(name), region->name, sizeof(region->name));
	group_digits(number, (double)region->calls, 0);
	fprintf(out, "\n Region '%s'", name);
	if (per_cpu)
		fprintf(out, " on CPU%" PRIu32, region->cpu);
	fprintf(out, ": %s times, %.9f seconds\n\n", number, (double)region->time / 1e9);
	for (uint32_t i = 0; i < STAT_REGION_EVENTS; i++) {
		const struct tr_event *event = region->counted[i] ? event_of(ledger, i) : NULL;
		bool clock = event && is_clock(&event->attr);

		if (!event)
			continue;
		group_digits(number, (double)region->counts[i] / (clock ? 1e6 : 1), clock ? 2 : 0);
		region_printable(name, sizeof(name), event->name, sizeof(event->name));
		fprintf(out, "%18s %-4s %s\n", number, clock ? "msec" : "", name);
	}
}

static void print_regions(const struct ledger *ledger, const struct stat_options *options,
                          FILE *out)
{
	const struct stat_regions *regions = options->regions;

	for (uint32_t i = 0; regions && i < regions->count; i++)
		print_region(ledger, &regions->all[i], options->per_cpu, out);
	if (regions && regions->unmatched)
		fprintf(out,
		        "\n %" PRIu64
		        " marks began or ended no region: their other end is missing, "
		        "they nest deeper than 16, or there are more than 64 names\n",
		        regions->unmatched);
}

void stat_print(const struct ledger *ledger, const struct stat_options *options, FILE *out)
{
	fprintf(out, "\n Performance counter stats for '%s':\n\n", options->title);
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		if (options->per_cpu || is_first(ledger, i))
			print_count(ledger, i, options->per_cpu, out);
	}
	fprintf(out, "\n%18.9f seconds time elapsed\n", (double)stat_elapsed(ledger) / 1e9);
	print_regions(ledger, options, out);
	fputc('\n', out);
}
