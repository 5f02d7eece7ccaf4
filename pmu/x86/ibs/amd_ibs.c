/* SPDX-License-Identifier: MIT */
/*
 * While an event is in its unit's events[], its registers belong to the NMI handler; before and
 * after, to the thread that starts or stops it. A register's VAL bit stops its counter until the
 * handler has taken the sample and programs the next distance. So the handler's instructions, up to
 * that write, are not counted, and its exit is shorter than the shortest distance.
 */
#include "pmu/x86/ibs/amd_ibs.h"

#include <errno.h>

#include "arch/x86_64/pmu/ibs.h"
#include "pmu/clock/clock.h"
#include "pmu/precise.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "pmu/x86/ibs/amd_ibs_event.h"
#include "pmu/x86/ibs/amd_ibs_sample.h"
#include "pmu/x86/x86_counters.h"
#include "ringbuf/bytes.h"

#define SHORTEST 256U /* ops or cycles: more than the handler's exit takes */
#define RACE     64U  /* more than a read and a write of a register take */

enum { FETCH, OP, KINDS };

/* One per CPU. */
static struct unit {
	struct perf_event *events[KINDS];  /* running */
	struct perf_event *holders[KINDS]; /* from add to del */
	uint32_t features;
	uint32_t entry; /* the extended LVT entry, for arch_reg_read() */
	uint64_t lvt;   /* firmware's value */
	bool late;      /* an interrupt may come that has lost its sample */
} units[TR_MAX_CPUS];

static const uint32_t controls[KINDS] = { IBS_FETCH_CTL, IBS_OP_CTL };
static const uint64_t enables[KINDS] = { IBS_FETCH_EN, IBS_OP_EN };
static const uint64_t valids[KINDS] = { IBS_FETCH_VAL, IBS_OP_VAL };

static unsigned amd_ibs_kind(const struct perf_event *event)
{
	return event->pmu == &pmu_ibs_op ? OP : FETCH;
}

/* ---- The counter ---- */

static uint64_t amd_ibs_farthest(const struct unit *u, unsigned kind)
{
	if (kind == FETCH)
		return IBS_FETCH_FARTHEST;
	return u->features & CPUID_IBS_OP_CNT_EXT ? IBS_OP_FARTHEST_EXT : IBS_OP_FARTHEST;
}

/* Let the counter run for this many more. */
static void amd_ibs_let_run(const struct unit *u, const struct perf_event *event, uint64_t left)
{
	struct hw_amd_ibs *hw = amd_ibs_of(event);
	unsigned kind = amd_ibs_kind(event);
	uint64_t most, ctl;

	if (left > amd_ibs_farthest(u, kind))
		left = amd_ibs_farthest(u, kind);
	if (left < SHORTEST)
		left = SHORTEST;
	most = (left + IBS_STEP - 1) / IBS_STEP * IBS_STEP;
	if (kind == FETCH)
		left = most; /* the counter's lowest bits cannot be written */
	hw->distance = hw->passed + left;
	hw->start = most - left;
	ctl = hw->config | (most >> 4 & 0xffff);
	if (kind == OP)
		ctl |= (most & ~0xfffffULL) | hw->start << IBS_OP_CUR_CNT;
	else /* Zen 1 and 2 clear the count only where the enable is switched on. */
		arch_counter_write(controls[kind], ctl);
	arch_counter_write(controls[kind], ctl | enables[kind]);
}

/* Let it run to the event's next sample. random: what lengthens this distance, and so shortens the
 * one after it, as the samples stay on the grid of periods. */
static void amd_ibs_program(const struct unit *u, const struct perf_event *event, uint64_t random)
{
	struct hw_amd_ibs *hw = amd_ibs_of(event);

	hw->base = event->count;
	hw->passed = 0;
	amd_ibs_let_run(u, event, sampling_left(event) + random);
}

/* Returns the count since the last amd_ibs_program(); ctl is the control register's value. */
static uint64_t amd_ibs_since(const struct hw_amd_ibs *hw, unsigned kind, uint64_t ctl)
{
	uint64_t now;

	if (ctl & valids[kind])
		return hw->distance;
	now = kind == OP ? ctl >> IBS_OP_CUR_CNT & IBS_OP_CUR_CNT_BITS
	                 : (ctl >> IBS_FETCH_CNT & 0xffff) << 4;
	now = hw->passed + (now > hw->start ? now - hw->start : 0);
	return now < hw->distance ? now : hw->distance;
}

/* ---- Samples ---- */

#define EXCLUDES (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL)

/* regs NULL: a thread of ours, in ring 0, has stopped the event. */
static bool amd_ibs_is_excluded(const struct perf_event *event, const struct arch_regs *regs)
{
	uint64_t flag = regs && arch_regs_user(regs) ? PERF_ATTR_EXCLUDE_USER
	                                             : PERF_ATTR_EXCLUDE_KERNEL;

	return event->attr.flags & flag;
}

/* Whether the sample is of an interrupt's handler. */
static bool amd_ibs_is_ours(uint64_t pc, const struct arch_regs *regs)
{
	uint64_t start, size;

	arch_trace_entries(&start, &size);
	return pc - start < size || (regs && !arch_interrupts_thread(regs));
}

static bool amd_ibs_passes(const struct perf_event *event, const struct amd_ibs_sample *sample,
                           const struct arch_regs *regs)
{
	uint64_t least = amd_ibs_of(event)->latency;

	return !amd_ibs_is_excluded(event, regs) &&
	       !amd_ibs_is_ours(sample->precise.place.pc, regs) &&
	       (regs || !sample->precise.inexact) && (!least || sample->latency > least);
}

/* event->count has come to the place where the sample was due. */
static void amd_ibs_set_next(struct perf_event *event)
{
	struct sampling *s = &event->sampling;

	if (event->count - s->next >= s->period)
		s->next += (event->count - s->next) / s->period * s->period;
	s->next += s->period;
}

static void amd_ibs_emit(struct perf_event *event, const struct amd_ibs_sample *sample,
                         const struct arch_regs *regs, uint64_t now)
{
	struct sample_data data = {
		.time = clock_stamp_of(event->cpu, now),
		.period = event->count - event->sampled,
		.addr = sample->address,
		.precise = &sample->precise,
	};

	event->sampled = event->count;
	event->precise++;
	sample_output(event, regs, &data);
	sampling_drained(event);
	if (throttle_count(&event->throttle, data.time) && event->state == EVENT_ACTIVE)
		throttle_begin(event, data.time);
}

/* The registers hold a sample. regs: the interrupted state; NULL: a thread. */
static void amd_ibs_take(const struct unit *u, struct perf_event *event, uint64_t ctl,
                         const struct arch_regs *regs, uint64_t now)
{
	const struct hw_amd_ibs *hw = amd_ibs_of(event);
	struct amd_ibs_sample sample;
	bool passes, due;

	if (amd_ibs_kind(event) == OP)
		amd_ibs_read_op(&sample, event, ctl, u->features, regs);
	else
		amd_ibs_read_fetch(&sample, event, ctl, u->features, regs);
	passes = amd_ibs_passes(event, &sample, regs);
	due = hw->base + hw->distance >= event->sampling.next;
	if (passes || !(event->attr.flags & EXCLUDES))
		event->count = hw->base + hw->distance;
	if (!due)
		return;
	precise_ledgers[event->cpu].records++;
	if (event->count >= event->sampling.next)
		amd_ibs_set_next(event);
	if (passes)
		amd_ibs_emit(event, &sample, regs, now);
	else
		precise_ledgers[event->cpu].foreign++;
}

/* ---- The interrupt ---- */

/* Stop the counter of an event that runs, unless its sample waits. Returns the control register's
 * value; 0: no event runs. */
static uint64_t amd_ibs_hold(struct unit *u, unsigned kind)
{
	struct perf_event *event = u->events[kind];
	struct hw_amd_ibs *hw;
	uint64_t ctl;

	if (!event)
		return 0;
	ctl = arch_counter_read(controls[kind]);
	if (ctl & valids[kind])
		return ctl;
	arch_counter_write(controls[kind], 0);
	hw = amd_ibs_of(event);
	hw->passed = amd_ibs_since(hw, kind, ctl);
	if (hw->distance - hw->passed < RACE) /* it may have ended between the two accesses */
		u->late = true;
	return ctl;
}

/* Let it run again; ctl is the value that amd_ibs_hold() returned. */
static void amd_ibs_release(const struct unit *u, unsigned kind, uint64_t ctl)
{
	const struct perf_event *event = u->events[kind];
	const struct hw_amd_ibs *hw;

	if (!event) /* throttled, or never there */
		return;
	hw = amd_ibs_of(event);
	if (ctl & valids[kind])
		amd_ibs_program(u, event, kind == OP ? ctl >> IBS_OP_CUR_CNT & IBS_OP_RANDOM : 0);
	else
		amd_ibs_let_run(u, event, hw->distance - hw->passed);
}

/* Both counters are stopped before a sample is taken, so that they do not count this handler. */
static enum arch_pmi amd_ibs_interrupt(const struct arch_regs *regs)
{
	struct unit *u = &units[arch_cpu()];
	uint64_t op = amd_ibs_hold(u, OP), fetch = amd_ibs_hold(u, FETCH), now = arch_cycles();
	bool both = op & IBS_OP_VAL && fetch & IBS_FETCH_VAL;
	bool mine = op & IBS_OP_VAL || fetch & IBS_FETCH_VAL;

	if (op & IBS_OP_VAL)
		amd_ibs_take(u, u->events[OP], op, regs, now);
	if (fetch & IBS_FETCH_VAL)
		amd_ibs_take(u, u->events[FETCH], fetch, regs, now);
	amd_ibs_release(u, FETCH, fetch);
	amd_ibs_release(u, OP, op);
	if (mine) {
		/* Each has an interrupt of its own, and so has a sample that was taken in the
		 * handler of a counter's. */
		u->late |= both || x86_counters_are_ours(arch_cpu());
		return ARCH_PMI_MINE;
	}
	mine = u->late;
	u->late = false;
	return mine ? ARCH_PMI_MINE : ARCH_PMI_NOT_MINE;
}

/* ---- Operations ---- */

static int amd_ibs_begin(struct unit *u)
{
	u->features = amd_ibs_features();
	u->entry = APIC_EXTENDED_LVT((uint32_t)arch_reg_read(IBS_CTL));
	for (unsigned kind = 0; kind < KINDS; kind++)
		arch_reg_write(controls[kind], 0); /* firmware's leftovers */
	u->lvt = arch_reg_read(u->entry);
	arch_reg_write(u->entry, APIC_EXTENDED_NMI);
	u->late = true; /* a sample of firmware's may have interrupted just now */
	return arch_pmi_share(amd_ibs_interrupt);
}

static int amd_ibs_add(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];
	unsigned kind = amd_ibs_kind(event);
	int code = 0;

	if (u->holders[kind])
		return -EAGAIN;
	if (!u->holders[FETCH] && !u->holders[OP])
		code = amd_ibs_begin(u);
	if (!code)
		u->holders[kind] = event;
	return code;
}

static void amd_ibs_del(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];

	u->holders[amd_ibs_kind(event)] = NULL;
	if (u->holders[FETCH] || u->holders[OP])
		return;
	arch_reg_write(u->entry, u->lvt);
	arch_pmi_leave(amd_ibs_interrupt);
}

static void amd_ibs_start(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];

	__atomic_store_n(&u->events[amd_ibs_kind(event)], event, __ATOMIC_RELEASE);
	amd_ibs_program(u, event, 0);
}

/* A sample that waits in the registers is written here; its interrupt may still come. */
static void amd_ibs_stop(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];
	unsigned kind = amd_ibs_kind(event);
	uint64_t ctl;

	if (u->events[kind] != event)
		return;
	u->late = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&u->events[kind], NULL, __ATOMIC_RELEASE);
	ctl = arch_reg_read(controls[kind]);
	arch_reg_write(controls[kind], 0);
	if (event->count != amd_ibs_of(event)->base)
		return; /* its own handler, which has counted the sample, throttles it */
	if (ctl & valids[kind])
		amd_ibs_take(u, event, ctl, NULL, arch_cycles());
	else if (!(event->attr.flags & EXCLUDES))
		event->count += amd_ibs_since(amd_ibs_of(event), kind, ctl);
}

/* An NMI may come at any point; then base has changed, and the values are read again. */
static uint64_t amd_ibs_peek(const struct perf_event *event)
{
	const struct hw_amd_ibs *hw = amd_ibs_of(event);
	unsigned kind = amd_ibs_kind(event);
	uint64_t base, since;

	if (event->attr.flags & EXCLUDES)
		return __atomic_load_n(&event->count, __ATOMIC_RELAXED);
	do {
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		since = amd_ibs_since(hw, kind, arch_counter_read(controls[kind]));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (base != __atomic_load_n(&hw->base, __ATOMIC_RELAXED));
	return base + since;
}

/* The count is exact at each sample and at the end; between them it is what peek returns. */
static void amd_ibs_read(struct perf_event *event)
{
	(void)event;
}

#define AMD_IBS_OPS                                                                             \
	.probe = amd_ibs_probe, .add = amd_ibs_add, .del = amd_ibs_del, .start = amd_ibs_start, \
	.stop = amd_ibs_stop, .read = amd_ibs_read, .peek = amd_ibs_peek, .slow = sampling_slow

const struct pmu pmu_ibs_op = {
	.source.name = "ibs_op",
	.source.description = "AMD's instruction-based sampling: cycles, or with cnt_ctl=1 ops",
	.source.type = PERF_TYPE_IBS_OP,
	.source.flags = PMU_PRECISE,
	.source.formats = amd_ibs_op_formats,
	.event_init = amd_ibs_init_op,
	AMD_IBS_OPS,
};

const struct pmu pmu_ibs_fetch = {
	.source.name = "ibs_fetch",
	.source.description = "AMD's instruction-based sampling of fetches",
	.source.type = PERF_TYPE_IBS_FETCH,
	.source.flags = PMU_PRECISE,
	.source.formats = amd_ibs_fetch_formats,
	.event_init = amd_ibs_init_fetch,
	AMD_IBS_OPS,
};
