/* SPDX-License-Identifier: MIT */
#include "agent/selftest/selftest_rig.h"

#include <stdlib.h>

#include "pmu/sample.h"
#include "pmu/throttle.h"

#define MAX_RECORD    2048U
#define AUX_WATERMARK (8 * TR_PAGE) /* small, so that the hardware reaches it */

struct selftest_rig *selftest_rig_open(unsigned pages, unsigned aux_pages)
{
	uint64_t size = (1ULL + pages + aux_pages) * TR_PAGE;
	struct selftest_rig *rig = calloc(1, sizeof(*rig) + RING_LEVELS * MAX_RECORD);
	uint8_t *at;

	if (rig)
		rig->memory = calloc(1, size + TR_PAGE);
	if (!rig || !rig->memory) {
		free(rig);
		return NULL;
	}
	at = (uint8_t *)(((uintptr_t)rig->memory + TR_PAGE - 1) & ~(uintptr_t)(TR_PAGE - 1));
	rig->owner = (struct ring_owner){ .id = 1, .doorbell = &rig->doorbell };
	ring_init(&rig->ring, &(struct ring_config){
	                          .control = (struct perf_event_mmap_page *)(void *)at,
	                          .data = at + TR_PAGE,
	                          .size = (uint64_t)pages * TR_PAGE,
	                          .max_record = MAX_RECORD,
	                          .scratch = rig + 1,
	                          .owner = &rig->owner,
	                          .clock = &machine_clock,
	                      });
	ring_reader_init(&rig->reader, rig->ring.control, at + TR_PAGE, (uint64_t)pages * TR_PAGE,
	                 0);
	if (aux_pages)
		rig->aux_area = at + (1ULL + pages) * TR_PAGE;
	rig->aux_size = (uint64_t)aux_pages * TR_PAGE;
	return rig;
}

void selftest_rig_close(struct selftest_rig *rig)
{
	if (rig)
		free(rig->memory);
	free(rig);
}

static int selftest_rig_add_aux(struct selftest_rig *rig, struct perf_event *event)
{
	int code;

	code = ring_aux_init(&rig->aux, &rig->ring, &event->account,
	                     &(struct ring_aux_config){ .area = rig->aux_area,
	                                                .size = rig->aux_size,
	                                                .watermark = AUX_WATERMARK });
	event->aux = &rig->aux;
	if (!code && event->pmu->setup_aux)
		code = event->pmu->setup_aux(event, rig->aux_area, rig->aux_size);
	return code;
}

struct perf_event *selftest_rig_add(struct selftest_rig *rig, uint32_t type, uint64_t config,
                                    uint64_t period)
{
	struct perf_event *event = &rig->events[rig->nr_events];

	if (rig->nr_events == SELFTEST_EVENTS)
		return NULL;
	*event = (struct perf_event){
		.attr = { .type = type,
		          .size = sizeof(event->attr),
		          .config = config,
		          .sample_period = period,
		          .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		                         PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		          .flags = PERF_ATTR_SAMPLE_ID_ALL,
		          .sample_max_stack = 1 },
		.name = "selftest",
		.cpu = arch_cpu(),
		.evsel = rig->nr_events,
		.ring = &rig->ring,
		.group_leader = event,
		.nr_members = 1,
		.account = { .id = rig->nr_events + 1ULL, .trailer = sample_trailer },
	};
	event->account.trailer_size = sample_id_size(event->attr.sample_type);
	if (event_init(event))
		return NULL;
	throttle_set(event, 0);
	if (event->pmu->source.flags & PMU_AUX && selftest_rig_add_aux(rig, event))
		return NULL;
	rig->nr_events++;
	return event;
}

void selftest_rig_group(struct selftest_rig *rig)
{
	for (unsigned i = 0; i < rig->nr_events; i++) {
		rig->events[i].group_leader = rig->events;
		rig->events[i].nr_members = i ? 0 : rig->nr_events;
	}
}

int selftest_rig_run(struct selftest_rig *rig, int (*fn)(void *arg), void *arg, bool interruptible)
{
	int code = context_start(&rig->context, rig->events, rig->nr_events, &rig->failed);

	if (code)
		return code;
	if (interruptible)
		arch_irq_enable();
	arch_call_payload(fn, arg);
	arch_irq_disable();
	context_stop(&rig->context);
	return 0;
}

const struct perf_event_header *selftest_rig_next(struct selftest_rig *rig)
{
	const struct perf_event_header *record;

	if (ring_reader_refresh(&rig->reader) < 0 || ring_reader_next(&rig->reader, &record) != 1)
		return NULL;
	ring_reader_release(&rig->reader);
	return record;
}

/* It does not change the frame pointer, so that the loop has a caller. */
void selftest_loop(uint64_t turns)
{
	arch_spin_with_frame_pointer((uintptr_t)__builtin_frame_address(0), turns);
}

int selftest_sampling_event(void)
{
	static const int wanted[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };

	for (unsigned i = 0; i < 2; i++) {
		struct perf_event event = { .attr = { .type = PERF_TYPE_HARDWARE,
			                              .size = sizeof(event.attr),
			                              .config = (uint64_t)wanted[i],
			                              .sample_max_stack = 1 } };

		if (!event_init(&event))
			return wanted[i];
	}
	return -1;
}
