/* SPDX-License-Identifier: MIT */
#include "agent/report/report.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/report/hottest.h"

struct report {
	struct channel channel;
	struct region region;
	struct ledger ledger;
	const struct functions *functions;
	struct modules modules; /* of code without function names */
	const struct module *hot_modules[REPORT_FUNCTIONS];
	size_t nr_hot_modules;
	struct hottest hottest;
};

/* The output of a report. */
struct report_to {
	print_put_fn put;
	void *context;
};

static int report_read(struct report *report, struct functions *functions, struct error *error)
{
	int code = region_load(&report->region, error);

	if (code == 0)
		code = ledger_init(&report->ledger, &report->region, error);
	if (code != 0)
		return code;
	ledger_update(&report->ledger, &report->region);
	report->functions = functions;
	code = hottest_weigh(&report->hottest, &report->region, &report->ledger, functions,
	                     &report->modules);
	report->nr_hot_modules =
	    modules_hottest(&report->modules, report->hot_modules, REPORT_FUNCTIONS);
	return code != 0 ? error_set(error, code, "no memory for a ring's reader") : 0;
}

int report_open(struct report **to, const void *region, uint64_t size, struct functions *functions,
                struct error *error)
{
	struct report *report = calloc(1, sizeof(*report));
	int code;

	*to = NULL;
	if (!report)
		return error_set(error, -ENOMEM, "no memory for a report");
	code = channel_open_still(&report->channel, region, size, error);
	if (code == 0)
		code = region_open(&report->region, &report->channel, error);
	if (code == 0)
		code = report_read(report, functions, error);
	if (code == 0)
		*to = report;
	else
		report_close(report);
	return code;
}

void report_close(struct report *report)
{
	if (!report)
		return;
	modules_free(&report->modules);
	hottest_free(&report->hottest);
	ledger_free(&report->ledger);
	region_close(&report->region);
	channel_close(&report->channel);
	free(report);
}

/* ---- As text ---- */

static void report_say(const struct report_to *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void report_say(const struct report_to *to, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_format(to->put, to->context, format, arguments);
	va_end(arguments);
}

static void report_machine(const struct report *report, const struct report_to *to)
{
	const struct tr_header *header = &report->region.header;
	const struct tr_cpu *cpu = report->region.cpus;
	char producer[128], vendor[16], model[64], hypervisor[sizeof(cpu->hypervisor) + 1];

	region_printable(producer, sizeof(producer), header->producer, sizeof(header->producer));
	report_say(to, "machine: %s, %u CPU%s", producer, header->cpus.count,
	           header->cpus.count == 1 ? "" : "s");
	if (header->cpus.count != 0) {
		region_printable(vendor, sizeof(vendor), cpu->vendor, sizeof(cpu->vendor));
		region_printable(model, sizeof(model), cpu->model, sizeof(cpu->model));
		report_say(to, ": %s%s%s (signature 0x%lx)", vendor, *model ? ", " : "", model,
		           cpu->signature);
		region_printable(hypervisor, sizeof(hypervisor), cpu->hypervisor,
		                 sizeof(cpu->hypervisor));
		if (*hypervisor)
			report_say(to, ", virtual: %s", hypervisor);
	}
	if (header->memory != 0)
		report_say(to, ", %lu MiB of RAM", header->memory >> 20);
	report_say(to, "\n");
}

static void report_command(const struct report *report, const struct report_to *to)
{
	const struct tr_header *header = &report->region.header;
	char command[sizeof(header->command)], message[sizeof(header->message)];

	region_printable(command, sizeof(command), header->command, sizeof(header->command));
	region_message(&report->region, message);
	report_say(to, "command: %s\n", command);
	if (*message != 0)
		report_say(to, "%s\n", message);
}

/* Print an event's ledger of all CPUs; first is its first entry. The ledger counts records, so
 * records of images are subtracted to get the number of samples. That is known if all written
 * records are in the ring. */
static void report_ledger(const struct report *report, const struct report_to *to, uint32_t first)
{
	const struct ledger *ledger = &report->ledger;
	const struct tr_event *event = &ledger->events[first].event;
	uint64_t generated = 0, written = 0, lost = 0, samples = 0, others = 0;
	bool are_samples;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *other = &ledger->events[i];

		if (other->event.evsel != event->evsel)
			continue;
		if (i < first)
			return;
		generated += other->ledger.generated;
		written += other->ledger.written;
		lost += other->ledger.lost;
		samples += report->hottest.counts[i].samples;
		others += report->hottest.counts[i].records - report->hottest.counts[i].samples;
	}
	are_samples = samples + others == written && (samples || !others);
	others = are_samples ? others : 0;
	report_say(to, "%s: %lu %s generated = %lu written + %lu lost%s\n", event->name,
	           generated - others, are_samples ? "samples" : "records", written - others, lost,
	           generated == written + lost ? "" : ": NOT CONSERVED");
}

static void report_share(const struct report *report, const struct report_to *to, uint64_t weight)
{
	unsigned share = functions_share(report->functions, weight);

	report_say(to, "%6u.%02u%%  ", share / 100, share % 100);
}

/* Print functions, and images for code without function names, in one order. */
static void report_hottest(const struct report *report, const struct report_to *to)
{
	const struct function *hottest[REPORT_FUNCTIONS];
	unsigned count = functions_hottest(report->functions, hottest, REPORT_FUNCTIONS);
	unsigned function = 0, module = 0;

	if (count + report->nr_hot_modules == 0)
		return;
	report_say(to, "hottest functions by %s, callees aside:\n",
	           report->hottest.weighed->event.name);
	for (unsigned i = 0; i < REPORT_FUNCTIONS; i++) {
		const struct module *m =
		    module < report->nr_hot_modules ? report->hot_modules[module] : NULL;
		const struct function *f = function < count ? hottest[function] : NULL;

		if (f && (!m || f->weight >= m->weight)) {
			report_share(report, to, f->weight);
			report_say(to, "%s\n", f->name);
			function++;
		} else if (m) {
			report_share(report, to, m->weight);
			report_say(to, "%s, most at %s+0x%lx\n", m->name, m->name, m->hottest);
			module++;
		}
	}
}

void report_print(const struct report *report, print_put_fn put, void *context)
{
	const struct report_to to = { put, context };

	report_machine(report, &to);
	report_command(report, &to);
	for (uint32_t i = 0; i < report->ledger.head.event_count; i++)
		report_ledger(report, &to, i);
	if (report->hottest.weighed)
		report_hottest(report, &to);
}
