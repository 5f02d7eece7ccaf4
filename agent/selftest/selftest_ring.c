/* SPDX-License-Identifier: MIT */
/* Records two events at a high rate into a ring of one page, first without a reader, then with one.
 */
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"

/* ns between two samples of cpu-clock; an emulated handler may take 10,000. */
#define CLOCK_NS 100000U
#define PERIOD   20011U /* of a counter's event */
#define UNREAD   400U   /* samples; a page holds 102 */
#define READ     400U   /* further samples, with a reader */
#define BOUND_NS 1000000000ULL
#define CHUNK    2000U

struct ring_load {
	struct selftest_rig *rig;
	struct selftest_ring f;
};

static uint64_t ring_generated(const struct selftest_rig *rig)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < rig->nr_events; i++)
		sum += __atomic_load_n(&rig->events[i].account.generated, __ATOMIC_RELAXED);
	return sum;
}

/* The test's own reader. */
static void ring_drain(struct ring_load *load)
{
	const struct perf_event_header *record;

	while ((record = selftest_rig_next(load->rig))) {
		const uint64_t *words = (const void *)record;

		if (record->type == PERF_RECORD_SAMPLE) {
			load->f.delivered++;
			load->f.delivered_period +=
			    ((const struct selftest_sample *)(const void *)record)->period;
		} else if (record->type == PERF_RECORD_LOST) {
			/* words of a LOST record: header, id, lost */
			load->f.delivered_lost += words[2];
		}
	}
	ring_reader_clear(&load->rig->doorbell.pending);
}

static int ring_fill(void *arg)
{
	struct ring_load *load = arg;
	uint64_t start = clock_now();

	while (ring_generated(load->rig) < UNREAD && clock_now() - start < BOUND_NS)
		selftest_loop(CHUNK);
	start = clock_now();
	while (ring_generated(load->rig) < UNREAD + READ && clock_now() - start < BOUND_NS) {
		selftest_loop(CHUNK);
		ring_drain(load);
	}
	return 0;
}

static void ring_account_of(struct ring_load *load)
{
	const struct selftest_rig *rig = load->rig;
	struct selftest_ring *f = &load->f;

	for (unsigned i = 0; i < rig->nr_events; i++) {
		const struct perf_event *event = &rig->events[i];

		f->generated += event->account.generated;
		f->written += event->account.written;
		f->lost += event->account.lost;
		f->period += event->account.period;
		f->lost_period += event->account.period_lost;
		f->count += event->count;
		f->residue += event->count - event->sampled;
	}
	f->ring_lost = rig->ring.lost;
	f->reported = rig->ring.reported;
	f->sent = rig->owner.sent;
	f->coalesced = rig->owner.coalesced;
	for (unsigned i = 0; i < TR_WAKEUP_CAUSES; i++)
		f->causes += rig->owner.causes[i];
	f->is_broken = rig->reader.error.reason;
}

void selftest_ring(struct selftest_report *report)
{
	struct ring_load load = { .rig = selftest_rig_open(1, 0) };
	int event = selftest_sampling_event();
	struct selftest_line line = { 0 };
	int code = -1;

	if (load.rig &&
	    selftest_rig_add(load.rig, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK_NS)) {
		if (event >= 0)
			selftest_rig_add(load.rig, PERF_TYPE_HARDWARE, (uint64_t)event, PERIOD);
		code = selftest_rig_run(load.rig, ring_fill, &load, true);
	}
	if (code) {
		selftest_say(&line, SELFTEST_FAIL, "nothing can be sampled");
	} else {
		ring_drain(&load);
		ring_report_lost(&load.rig->ring, &load.rig->events[0].account);
		ring_wake(&load.rig->ring, TR_WAKEUP_END);
		ring_drain(&load);
		ring_account_of(&load);
		judge_ring(&load.f, &line);
	}
	selftest_add(report, &line, "ring under load");
	selftest_rig_close(load.rig);
}
