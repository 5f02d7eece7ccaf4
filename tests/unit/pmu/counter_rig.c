/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/counter_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "tests/event_switch.h"

struct perf_event rig_events[RIG_EVENTS];
const struct arch_regs rig_regs = { .pc = 0x1234 };

static struct perf_event_mmap_page control;
static uint64_t data[1 << 17], scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;

void rig_power_on(uint16_t machine, uint64_t (*read)(uint32_t reg),
                  void (*write)(uint32_t reg, uint64_t value))
{
	fake_machine = machine;
	fake_cpu_number = 0;
	fake_reg_read = read;
	fake_reg_write = write;
	host_fake_cycles = 1;
	clock_set(&machine_clock, 1000000000, 0);
	assert_int_equal(ring_init(&ring, &(struct ring_config){ .control = &control,
	                                                         .data = data,
	                                                         .size = sizeof(data),
	                                                         .max_record = 2048,
	                                                         .scratch = scratch }),
	                 0);
}

void rig_describe(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period)
{
	memset(event, 0, sizeof(*event));
	event->attr = (struct perf_event_attr){
		.type = type,
		.size = sizeof(event->attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.sample_max_stack = 1,
	};
	event->ring = &ring;
}

void rig_begin(struct perf_event *event, uint32_t type, uint64_t config, uint64_t period)
{
	rig_describe(event, type, config, period);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
}

void rig_run(uint64_t total, uint64_t step, bool (*count_on)(uint64_t events))
{
	while (total) {
		uint64_t some = step < total ? step : total;

		host_fake_cycles += some;
		total -= some;
		if (count_on(some))
			fake_pmi(&rig_regs);
	}
}
