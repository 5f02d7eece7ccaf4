/* SPDX-License-Identifier: MIT */
/* Compares Arm's Statistical Profiling Extension (or another source that fills an AUX area under
 * its type) with counters, over a loop: it must write as many records as the counters lead to. */
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"

#define AUX_PAGES 512U
#define INTERVAL  4096U
#define TURNS     2000000U

/* Arm ARM, D18.1: a record ends with one of these packets. */
#define HEADER_PADDING   0x00U
#define HEADER_END       0x01U
#define HEADER_TIMESTAMP 0x71U
#define HEADER_EXTENDED  0x20U
#define EXTENDED_MASK    0xf0U
#define SIZE_SHIFT       4

static int spe_loop(void *unused)
{
	(void)unused;
	selftest_loop(TURNS);
	return 0;
}

/* Bytes of the packet at the begin of left bytes; 0: no packet, or cut off. */
static uint64_t spe_packet(const uint8_t *bytes, uint64_t left)
{
	uint64_t header = (bytes[0] & EXTENDED_MASK) == HEADER_EXTENDED ? 2 : 1, size;

	if (bytes[0] == HEADER_PADDING || bytes[0] == HEADER_END)
		return 1;
	if (bytes[0] < HEADER_EXTENDED || left < header)
		return 0;
	size = header + (1ULL << (bytes[header - 1] >> SIZE_SHIFT & 3));
	return size <= left ? size : 0;
}

static void spe_count(const uint8_t *bytes, uint64_t size, struct selftest_spe *f)
{
	for (uint64_t at = 0, packet; at < size; at += packet) {
		packet = spe_packet(bytes + at, size - at);
		f->is_broken = !packet;
		if (!packet)
			return;
		f->records += bytes[at] == HEADER_END || bytes[at] == HEADER_TIMESTAMP;
	}
}

static void spe_read(struct selftest_rig *rig, struct selftest_spe *f)
{
	const struct perf_event_header *record;

	while ((record = selftest_rig_next(rig))) {
		if (record->type ==
		    PERF_RECORD_AUX) /* words of an AUX record: header, offset, size, flags */
			f->flags |= ((const uint64_t *)(const void *)record)[3];
	}
	spe_count(rig->aux_area, rig->aux.head, f);
}

/* Measure. Returns NULL, or the reason why it is impossible. */
static const char *spe_measure(struct selftest_spe *f)
{
	struct selftest_rig *rig = selftest_rig_open(4, AUX_PAGES);
	const struct perf_event *counter;
	int code;

	if (!rig || !selftest_rig_add(rig, PERF_TYPE_ARM_SPE, 0, INTERVAL)) {
		selftest_rig_close(rig);
		return "it could not be started";
	}
	counter = selftest_rig_add(rig, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
	code = selftest_rig_run(rig, spe_loop, NULL, true);
	if (!code) {
		f->interval = rig->events[0].attr.sample_period;
		f->is_counted = counter;
		f->operations = counter ? counter->count : (uint64_t)TURNS * SELFTEST_INSTRUCTIONS;
		spe_read(rig, f);
	}
	selftest_rig_close(rig);
	return code ? event_error_text(code) : NULL;
}

void selftest_spe(struct selftest_report *report)
{
	const struct pmu_source *source = pmu_of_type(PERF_TYPE_ARM_SPE);
	struct selftest_line line = { 0 };
	struct selftest_spe f = { 0 };
	const char *why = NULL;

	if (!source) /* only Arm has it */
		return;
	if (pmu_of(source)->probe(&why)) {
		selftest_say(&line, SELFTEST_ABSENT, "%s", why);
	} else {
		why = spe_measure(&f);
		if (why)
			selftest_say(&line, SELFTEST_FAIL, "%s", why);
		else
			judge_spe(&f, &line);
	}
	selftest_add(report, &line, "SPE against counters");
}
