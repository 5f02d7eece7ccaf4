/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/lbr_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"

void lbr_rig_place_entries(void)
{
	fake_entries = ENTRIES;
	fake_entries_size = 0x100;
}

int begin(struct perf_event *event, uint64_t type)
{
	int code;

	rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD);
	event->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = type;
	code = event_init(event);
	return code ? code : event_enable(event);
}

const uint64_t *lbr_rig_stack(const struct perf_event *event, bool (*count_on)(uint64_t events))
{
	const struct ring *ring = event->ring;
	uint64_t begin_at = ring_load(&ring->published);

	rig_run(PERIOD, PERIOD, count_on);
	assert_true(ring_load(&ring->published) > begin_at);
	return (const uint64_t *)(const void *)(ring->data + begin_at % ring->size) + 3;
}

uint64_t from_of(unsigned i)
{
	return 0xffff800000200000ULL + 16 * i;
}

uint64_t to_of(unsigned i)
{
	return 0x400000 + 16 * i;
}
