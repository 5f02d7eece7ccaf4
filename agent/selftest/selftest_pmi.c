/* SPDX-License-Identifier: MIT */
/*
 * How late the interrupts of counters come. The counters are stopped in handlers, and the samples'
 * PERIODs are true distances. So the sum of the PERIODs, beyond the last multiple of the period, is
 * the number of events between the overflow and the interrupt.
 */
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"

#define PERIOD   2000003U /* a prime, so that it is no multiple of the loop's turn */
#define SAMPLES  24U
#define SLOW     6U            /* samples of the slow loop */
#define RING     8U            /* pages: room for all samples of 40 bytes */
#define BOUND_NS 1000000000ULL /* the limit if interrupts do not come */
#define CHUNK    5000U         /* turns between two looks */
#define DIAGNOSE 0x80U         /* x86's I/O port for the progress codes of power-on self-tests */

/* One run over a loop. */
struct pmi_run {
	struct perf_event *event; /* the event that samples */
	bool slow;
	unsigned samples;
	unsigned due, came;
	uint64_t ps; /* picoseconds per event */
	struct selftest_spread beyond;
};

/* Instructions that are much slower than counting down: reading the clock, and x86's I/O. */
static void pmi_turn_slowly(void)
{
	for (unsigned i = 0; i < CHUNK / 10; i++) {
		arch_cycles();
		arch_port_read(DIAGNOSE);
	}
}

static int pmi_loop(void *arg)
{
	const struct pmi_run *run = arg;
	uint64_t start = clock_now();

	while (__atomic_load_n(&run->event->account.generated, __ATOMIC_RELAXED) < run->samples &&
	       clock_now() - start < BOUND_NS) {
		if (run->slow)
			pmi_turn_slowly();
		else
			selftest_loop(CHUNK);
	}
	return 0;
}

static void pmi_read(struct selftest_rig *rig, struct pmi_run *run)
{
	const struct perf_event_header *record;
	int64_t beyond[SAMPLES + 8];
	uint64_t sum = 0;
	unsigned n = 0;

	while ((record = selftest_rig_next(rig))) {
		const struct selftest_sample *sample = (const void *)record;

		if (record->type != PERF_RECORD_SAMPLE || n == SAMPLES + 8)
			continue;
		sum += sample->period;
		beyond[n++] = (int64_t)(sum % PERIOD);
	}
	run->came = n;
	run->due = (unsigned)(run->event->count / PERIOD);
	if (n && run->due) /* the last interrupt may have been pending at the stop */
		run->due--;
	if (run->due < sum / PERIOD)
		run->due = (unsigned)(sum / PERIOD);
	run->beyond = selftest_spread_of(beyond, n);
	if (run->event->count)
		run->ps = (uint64_t)((unsigned __int128)run->event->time_running * 1000 /
		                     run->event->count);
}

/* Run with several copies of one event, of which number `which` samples: it is on another counter
 * each time. */
static bool pmi_run(struct pmi_run *run, unsigned which, unsigned events)
{
	struct selftest_rig *rig = selftest_rig_open(RING, 0);
	int event = selftest_sampling_event();
	bool ran = rig;

	for (unsigned i = 0; ran && i < events; i++)
		ran = selftest_rig_add(rig, PERF_TYPE_HARDWARE, (uint64_t)event,
		                       i == which ? PERIOD : 0);
	if (ran) {
		selftest_rig_group(rig);
		run->event = &rig->events[which];
		ran = !selftest_rig_run(rig, pmi_loop, run, true);
	}
	if (ran)
		pmi_read(rig, run);
	selftest_rig_close(rig);
	return ran;
}

static uint64_t pmi_of(struct selftest_report *report, unsigned which, unsigned events)
{
	struct pmi_run fast = { .samples = SAMPLES }, slow = { .samples = SLOW, .slow = true };
	struct selftest_line line = { 0 };
	struct selftest_pmi f = { .event = selftest_sampling_event() == PERF_COUNT_HW_INSTRUCTIONS
		                               ? "instructions"
		                               : "cycles" };

	if (pmi_run(&fast, which, events) && pmi_run(&slow, which, events)) {
		f.due = fast.due + slow.due;
		f.came = fast.came + slow.came;
		f.fast = fast.beyond;
		f.slow = slow.beyond;
		f.fast_ps = fast.ps;
		f.slow_ps = slow.ps;
	}
	judge_pmi(&f, &line);
	selftest_add(report, &line, "interrupt of counter %u", which);
	return f.came;
}

void selftest_pmi(struct selftest_report *report)
{
	unsigned events = selftest_counters_at_once();
	struct selftest_line line = { 0 };
	struct selftest_spurious f = { 0 };
	uint64_t before = arch_spurious[0];

	if (selftest_sampling_event() < 0)
		return;
	for (unsigned i = 0; i < (events ? events : 1); i++)
		f.came += pmi_of(report, i, events ? events : 1);
	f.spurious = arch_spurious[0] - before;
	judge_spurious(&f, &line);
	selftest_add(report, &line, "interrupts of nobody");
}
