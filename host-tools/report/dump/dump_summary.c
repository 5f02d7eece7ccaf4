/* SPDX-License-Identifier: MIT */
/* Prints the summary of `bareperf dump` as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/report/dump/dump.h"
#include "host-tools/util/terminal.h"
#include "writer/perfdata/sample.h"

static void print_types(const struct dump *dump)
{
	for (uint32_t i = 0; i < DUMP_TYPES; i++) {
		if (!dump->types[i])
			continue;
		printf("%20s %12" PRIu64 "\n", record_name(i) ? record_name(i) : "other",
		       dump->types[i]);
	}
}

/* Without counters for all of it: nothing. */
static void print_operations(const struct ledger_ring *ring)
{
	const struct tr_operation_ledger *l = &ring->ledger.precise.operations;

	if (!l->population || l->population == TR_UNKNOWN || l->fed == TR_UNKNOWN)
		return;
	printf("CPU %u: SPE sampled %" PRIu64 " of %" PRIu64 " operations", ring->ring.cpu, l->fed,
	       l->population);
	if (l->collided != TR_UNKNOWN)
		printf("; %" PRIu64 " collided", l->collided);
	if (l->kept != TR_UNKNOWN)
		printf("; filters removed %" PRIu64, l->fed - l->kept);
	printf("\n");
}

static void print_spe(const struct dump *dump)
{
	if (!dump->spe.pieces)
		return;
	printf("SPE: %" PRIu64 " records, %" PRIu64 " decode errors", dump->spe.records,
	       dump->spe.errors);
	if (dump->spe.errors)
		printf(", the first at 0x%" PRIx64, dump->spe.error_at);
	printf("\n");
}

static void print_event(const struct ledger_event *event)
{
	char name[80];

	region_printable(name, sizeof(name), event->event.name, sizeof(event->event.name));
	printf("%-24s %3u %8" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10" PRIu64
	       " %9" PRIu64 "\n",
	       name, event->event.cpu, event->event.id, event->ledger.generated,
	       event->ledger.written, event->found.delivered, event->ledger.lost,
	       event->ledger.throttled);
}

static void print_wakeups(const struct ledger *ledger)
{
	struct check_wakeups w = check_sum_wakeups(ledger);

	printf("wakeups: threshold %" PRIu64 ", full %" PRIu64 ", AUX %" PRIu64 ", end %" PRIu64
	       "; sent %" PRIu64 ", coalesced %" PRIu64 ", received %" PRIu64
	       "; doorbells heard %" PRIu64 "\n",
	       w.causes[TR_WAKEUP_THRESHOLD], w.causes[TR_WAKEUP_FULL], w.causes[TR_WAKEUP_AUX],
	       w.causes[TR_WAKEUP_END], w.sent, w.coalesced, w.received, w.rung);
}

/* Print the counters of this sort by the CPU's own numbers, if there are any. */
static void print_counters(const struct tr_cpu *cpu, uint64_t which, const char *sort)
{
	if (which)
		printf("CPU %u: %d of %d counters (0x%" PRIx64 ") %s\n", cpu->cpu,
		       __builtin_popcountll(which), __builtin_popcountll(cpu->counters), which,
		       sort);
}

/* The machine was virtual: times and counts depend on its hypervisor. */
static void print_hypervisor(const struct ledger *ledger)
{
	char name[sizeof(ledger->cpus->hypervisor) + 1] = "";

	if (ledger->head.cpu_count)
		region_printable(name, sizeof(name), ledger->cpus[0].hypervisor,
		                 sizeof(ledger->cpus[0].hypervisor));
	if (*name)
		printf("hypervisor: %s\n", name);
}

static void print_cpu(const struct ledger *ledger, const struct tr_cpu *cpu)
{
	double us = ledger->head.clock.frequency ? 1e6 / (double)ledger->head.clock.frequency : 0;

	if (!(cpu->flags & TR_CPU_TRACED))
		return;
	printf("CPU %u: %" PRIu64 " ticks of %.2f us, the longest %.2f us; %" PRIu64
	       " spurious interrupts\n",
	       cpu->cpu, cpu->ticks,
	       cpu->ticks ? (double)cpu->tick_cycles / (double)cpu->ticks * us : 0,
	       (double)cpu->tick_max * us, cpu->spurious);
	if (cpu->stalls)
		printf("CPU %u: stalled for room %" PRIu64 " times, %.3f ms in all%s\n", cpu->cpu,
		       cpu->stalls, (double)cpu->stall_ns * 1e-6,
		       cpu->given_up ? ", until nobody read any more" : "");
	if (cpu->frozen)
		printf("CPU %u: of these, %.3f ms with a stopped clock\n", cpu->cpu,
		       (double)cpu->frozen * 1e-6);
	if (cpu->flags & TR_CPU_STEAL)
		printf("CPU %u: the hypervisor took %.3f ms of the run for other work\n", cpu->cpu,
		       (double)cpu->stolen * 1e-6);
	if (cpu->uncounted)
		printf(
		    "CPU %u: for %.3f ms of the run a counter counted nothing, though the CPU "
		    "executed\n",
		    cpu->cpu, (double)cpu->uncounted * 1e-6);
	if (cpu->erroneous)
		printf("CPU %u: %u branch records were erroneous, and are in no branch stack\n",
		       cpu->cpu, cpu->erroneous);
	print_counters(cpu, cpu->leftovers & cpu->counters,
	               "firmware had left counting, were stopped and cleared");
	if (cpu->leftovers & TR_LEFTOVERS_TRACE)
		printf(
		    "CPU %u: firmware had left a trace on, or what freezes counters; it was "
		    "switched off\n",
		    cpu->cpu);
	print_counters(cpu, cpu->foreign, "are firmware's or a hypervisor's, were not used");
}

/* Print the reduction of an event's sampling rate that a reader of a slow line requested. */
static void print_slower(const struct ledger_event *event)
{
	if (event->ledger.slower > 1)
		printf("%s (CPU %u): sampled %" PRIu64
		       " times as seldom as it was to, in the end, as its reader asked\n",
		       event->event.name, event->event.cpu, event->ledger.slower);
}

/* Memory that was full when the machine looked. */
static void print_full(const struct ledger_ring *ring)
{
	print_operations(ring);
	if (ring->ledger.precise.full)
		printf("CPU %u: the memory for precise samples was full %" PRIu64
		       " times; the samples after that are missing\n",
		       ring->ring.cpu, ring->ledger.precise.full);
}

static void print_ledger(const struct ledger *ledger)
{
	if (ledger->head.run)
		printf("run %" PRIu64, ledger->head.run);
	else
		printf("merged recordings");
	printf(", ended as %s%s%s%s\n", region_state_name(ledger->head.state),
	       ledger->head.interrupted & LEDGER_INTERRUPTED ? ", interrupted" : "",
	       *ledger->head.message ? ": " : "", ledger->head.message);
	if (ledger->head.interrupted & LEDGER_CUT)
		printf("recovered after a reset: what had reached memory until the last tick\n");
	if (ledger_late_reader(ledger))
		printf("%s\n", ledger_late_reader(ledger));
	if (ledger->head.line_faults)
		printf("line: %" PRIu64 " requests of its host were refused since boot\n",
		       ledger->head.line_faults);
	printf("%-24s %3s %8s %12s %12s %12s %10s %9s\n", "event", "CPU", "id", "generated",
	       "written", "delivered", "lost", "throttled");
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		print_event(&ledger->events[i]);
	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		print_slower(&ledger->events[i]);
	for (uint32_t i = 0; i < ledger->head.ring_count; i++)
		print_full(&ledger->rings[i]);
	print_wakeups(ledger);
	print_hypervisor(ledger);
	for (uint32_t i = 0; i < ledger->head.cpu_count; i++)
		print_cpu(ledger, &ledger->cpus[i]);
}

/* The output of dump_faults(). */
struct faults {
	FILE *out;
	bool unread; /* the region's records are not counted yet */
};

static void print_missing(void *context, const struct missing *missing)
{
	const struct faults *faults = context;
	char text[256];

	if (faults->unread && missing->kind >= MISSING_UNSAVED)
		return;
	missing_text(missing, text, sizeof(text));
	fprintf(faults->out, "%sLOST   %s%s\n", terminal_alarm(faults->out), text,
	        terminal_plain(faults->out));
}

static void print_broken(void *context, bool holds, const char *line)
{
	(void)context;
	if (!holds)
		printf("%sBROKEN %s%s\n", terminal_alarm(stdout), line, terminal_plain(stdout));
}

static void print_ok(void *context, bool holds, const char *line)
{
	(void)context;
	if (holds)
		printf("  ok     %s\n", line);
}

void dump_faults(const struct dump *dump, FILE *out)
{
	const struct ledger_head *head = &dump->ledger.head;
	struct faults faults = { out, dump->ledger.of_region && !dump->records };
	char advice[128];

	if (dump->unfinished)
		fprintf(out, "%sUNFINISHED who wrote this file was ended before it was done%s\n",
		        terminal_alarm(out), terminal_plain(out));
	else if (dump_unfinished(dump))
		fprintf(
		    out,
		    "%sUNFINISHED the machine did not come to its end: its state is %s (%u)%s\n",
		    terminal_alarm(out), region_state_name(head->state), head->state,
		    terminal_plain(out));
	if (missing_list(&dump->ledger, print_missing, &faults) &&
	    missing_advice(&dump->ledger, advice, sizeof(advice)))
		fprintf(out, "       to keep it, record with %s\n", advice);
}

bool dump_unfinished(const struct dump *dump)
{
	return dump->unfinished || (dump->has_ledger && !ledger_ended(&dump->ledger));
}

bool dump_summary_text(const struct dump *dump)
{
	const struct ledger *ledger = &dump->ledger;
	bool conserved = true;

	printf("\nSummary of %s: %" PRIu64 " records, %" PRIu64 " bytes\n", dump->path,
	       dump->records, dump->bytes);
	dump_faults(dump, stdout);
	if (dump->has_ledger)
		conserved = check_conserved(ledger, print_broken, NULL);
	print_types(dump);
	print_spe(dump);
	if (!dump->has_ledger) {
		printf("%s: nothing to check the counts against.\n",
		       dump->rewritten
		           ? "Another tool has rewritten this file and left the ledger out"
		           : "No ledger in this file");
		return true;
	}
	print_ledger(ledger);
	if (dump->skipped)
		printf("%" PRIu64 " bytes of the rings were read by somebody else before\n",
		       dump->skipped);
	check_conserved(ledger, print_ok, NULL);
	printf("conserved: %s%s\n", conserved ? "yes" : "NO",
	       missing_list(ledger, NULL, NULL) ? "; not everything was recorded: see LOST above"
	                                        : "");
	return conserved;
}
