/* SPDX-License-Identifier: MIT */
/*
 * How late the interrupts of counters come. The counters are stopped in handlers, and the samples'
 * PERIODs are true distances. So the sum of the PERIODs, beyond the last multiple of the period, is
 * the number of events between the overflow and the interrupt.
 */
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"
#include "lib/survey/survey_machine.h"

#define PERIOD   2000003U /* a prime, so that it is no multiple of the loop's turn */
#define SAMPLES  24U
#define FINE     50021U        /* the distribution's period, a prime too */
#define MANY     256U          /* samples of the distribution */
#define SLOW     6U            /* samples of the slow loop */
#define RING     8U            /* pages: room for MANY samples of 40 bytes */
#define BOUND_NS 1000000000ULL /* the limit if interrupts do not come */
#define CHUNK    5000U         /* turns between two looks */
#define DIAGNOSE 0x80U         /* x86's I/O port for the progress codes of power-on self-tests */

/* One run over a loop. */
struct pmi_run {
	struct perf_event *event; /* the event that samples */
	bool slow;
	unsigned samples;
	uint64_t period;
	unsigned due, came;
	uint64_t ps; /* picoseconds per event */
	unsigned nr_beyond;
	int64_t beyond[MANY + 8]; /* events after the overflow */
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
	uint64_t sum = 0;
	unsigned n = 0;

	while ((record = selftest_rig_next(rig))) {
		const struct selftest_sample *sample = (const void *)record;

		if (record->type != PERF_RECORD_SAMPLE || n == MANY + 8)
			continue;
		sum += sample->period;
		run->beyond[n++] = (int64_t)(sum % run->period);
	}
	run->came = run->nr_beyond = n;
	run->due = (unsigned)(run->event->count / run->period);
	if (n && run->due) /* the last interrupt may have been pending at the stop */
		run->due--;
	if (run->due < sum / run->period)
		run->due = (unsigned)(sum / run->period);
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
		                       i == which ? run->period : 0);
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
	static struct pmi_run fast, slow;
	struct selftest_line line = { 0 };
	struct selftest_pmi f = { .event = selftest_sampling_event() == PERF_COUNT_HW_INSTRUCTIONS
		                               ? "instructions"
		                               : "cycles" };

	fast = (struct pmi_run){ .samples = SAMPLES, .period = PERIOD };
	slow = (struct pmi_run){ .samples = SLOW, .period = PERIOD, .slow = true };
	if (pmi_run(&fast, which, events) && pmi_run(&slow, which, events)) {
		f.due = fast.due + slow.due;
		f.came = fast.came + slow.came;
		f.fast = selftest_spread_of(fast.beyond, fast.nr_beyond);
		f.slow = selftest_spread_of(slow.beyond, slow.nr_beyond);
		f.fast_ps = fast.ps;
		f.slow_ps = slow.ps;
	}
	judge_pmi(&f, &line);
	selftest_add(report, &line, "interrupt of counter %u", which);
	return f.came;
}

/* The distribution of the distances, for the survey. */
static void pmi_distribution(struct survey *s)
{
	static uint64_t events[MANY + 8];
	static struct pmi_run run;

	run = (struct pmi_run){ .samples = MANY, .period = FINE };
	if (!pmi_run(&run, 0, 1))
		return;
	for (unsigned i = 0; i < run.nr_beyond; i++)
		events[i] = (uint64_t)run.beyond[i];
	survey_take_interrupts(s, events, run.nr_beyond, run.ps);
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
	pmi_distribution(report->survey);
	f.spurious = arch_spurious[0] - before;
	judge_spurious(&f, &line);
	selftest_add(report, &line, "interrupts of nobody");
}
