/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/sampling_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"

struct perf_event event;
struct perf_event_mmap_page control;
uint64_t data[1 << 13];
char asked[32];

static uint64_t scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;

static void ask(char what)
{
	size_t n = strlen(asked);

	if (n + 1 < sizeof(asked))
		asked[n] = what;
}

static void fake_disable(void)
{
	ask('d');
}

static void fake_enable(void)
{
	ask('e');
}

static void fake_stop(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('s');
}

static void fake_start(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('S');
}

static void fake_read(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('r');
}

static const struct pmu pmu_fake = {
	.source.name = "fake",
	.disable = fake_disable,
	.enable = fake_enable,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
};

const struct pmu pmu_plain = { .source.name = "plain", .start = fake_start, .stop = fake_stop };

int sampling_rig_set_up(void **state)
{
	(void)state;
	host_fake_cycles = 1000 * MS;
	fake_cpu_number = 0;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	memset(asked, 0, sizeof(asked));
	memset(&event, 0, sizeof(event));
	event.attr = (struct perf_event_attr){
		.size = sizeof(event.attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_max_stack = 1,
	};
	event.pmu = &pmu_fake;
	event.group_leader = &event;
	event.nr_members = 1;
	event.ring = &ring;
	event.state = EVENT_ACTIVE;
	return ring_init(&ring, &(struct ring_config){ .control = &control,
	                                               .data = data,
	                                               .size = sizeof(data),
	                                               .max_record = 2048,
	                                               .scratch = scratch });
}
