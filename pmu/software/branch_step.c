/* SPDX-License-Identifier: MIT */
#include "pmu/software/branch_step.h"

#include <errno.h>

#include "arch/step.h"

static struct perf_event *stepped[TR_MAX_CPUS];

static int branch_step_probe(const char **why)
{
	*why = arch_step_possible() ? NULL : "it does not step through the code that it traces";
	return *why ? -ENODEV : 0;
}

static int branch_step_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	const char *why;

	if (attr->type != PERF_TYPE_BRANCH_STEP)
		return -ENOENT;
	if (branch_step_probe(&why))
		return -ENODEV;
	if (attr->config)
		return -EINVAL;
	if (attr->flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL))
		return -EOPNOTSUPP;
	attr->sample_period = 1; /* as perf's decoder expects */
	attr->flags &= ~(uint64_t)PERF_ATTR_FREQ;
	*branch_step_of(event) = (struct hw_branch_step){ 0 };
	return 0;
}

static int branch_step_setup_aux(struct perf_event *event, void *area, uint64_t size)
{
	return branch_area_init(&branch_step_of(event)->area, event->aux, area, size,
	                        !event->attr.aux_watermark);
}

/* ---- The area ---- */

/* Software can fill a segment to its end. */
static void branch_step_close_segment(struct perf_event *event, uint64_t flags)
{
	struct branch_area *area = &branch_step_of(event)->area;

	event->branches.records += (uint64_t)(area->open.index - area->open.base);
	branch_area_close(area, area->open.index, flags);
}

/* The segment is full. */
static void branch_step_switch(struct perf_event *event)
{
	struct branch_area *area = &branch_step_of(event)->area;
	bool next;

	if (event->await_room)
		event->await_room(event, branch_area_needed(area, area->open.index));
	if (!stepped[arch_cpu()])
		return; /* the wait has stopped the event */
	next = branch_area_has_next(area, area->open.index);
	branch_step_close_segment(event, next ? 0 : PERF_AUX_FLAG_TRUNCATED);
	if (next)
		branch_area_open(area);
}

static void branch_step_taken(uint64_t from, uint64_t to)
{
	struct perf_event *event = stepped[arch_cpu()];
	struct branch_area *area;

	if (!event)
		return;
	area = &branch_step_of(event)->area;
	event->count++;
	if (!area->is_open) {
		event->branches.lost++;
		ring_aux_lost(&area->out, sizeof(struct branch_record));
		return;
	}
	*area->open.index++ = (struct branch_record){ from, to, BRANCH_PREDICTED };
	if (area->open.index >= area->open.end)
		branch_step_switch(event);
	else if (event->await_room)
		event->await_room(event, 0); /* NMIs interrupt the handler's entry */
}

/* The piece's PARTIAL flag marks the gap. */
static void branch_step_missed(uint64_t count)
{
	struct perf_event *event = stepped[arch_cpu()];
	struct branch_area *area;

	if (!event)
		return;
	area = &branch_step_of(event)->area;
	if (count == ARCH_MISSED_UNKNOWN) {
		event->branches.unknown = true;
	} else {
		event->count += count;
		event->branches.lost += count;
		ring_aux_lost(&area->out, count * sizeof(struct branch_record));
	}
	if (area->is_open)
		ring_aux_flag(&area->out, PERF_AUX_FLAG_PARTIAL);
}

/* ---- The event ---- */

static int branch_step_add(struct perf_event *event)
{
	static const struct arch_step_ops ops = {
		.taken = branch_step_taken,
		.missed = branch_step_missed,
	};
	int code = stepped[event->cpu] ? -EBUSY : arch_step_init(&ops);

	if (code == -EOPNOTSUPP)
		event->why = "debug exceptions do not come: firmware or a hypervisor keeps them";
	return code;
}

static void branch_step_del(struct perf_event *event)
{
	(void)event; /* branch_step_stop() has given everything back */
}

static void branch_step_start(struct perf_event *event)
{
	branch_area_open(&branch_step_of(event)->area);
	stepped[event->cpu] = event;
	arch_step_begin();
}

static void branch_step_stop(struct perf_event *event)
{
	arch_step_end();
	stepped[event->cpu] = NULL;
	if (branch_step_of(event)->area.is_open)
		branch_step_close_segment(event, 0);
}

static void branch_step_read(struct perf_event *event)
{
	(void)event; /* the exceptions keep count up to date */
}

/* The tick is an interrupt, so no single-step exception comes in between. */
static void branch_step_poll(struct perf_event *event)
{
	struct branch_area *area = &branch_step_of(event)->area;

	arch_step_look();
	if (!area->is_open)
		branch_area_open(area);
}

const struct pmu pmu_branch_step = {
	.source.name = "branch-step",
	.source.description = "every taken branch, by single-step: slow",
	.source.type = PERF_TYPE_BRANCH_STEP,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = branch_step_probe,
	.event_init = branch_step_init,
	.setup_aux = branch_step_setup_aux,
	.add = branch_step_add,
	.del = branch_step_del,
	.start = branch_step_start,
	.stop = branch_step_stop,
	.read = branch_step_read,
	.poll = branch_step_poll,
};
