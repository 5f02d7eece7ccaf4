/* SPDX-License-Identifier: MIT */
/*
 * What happens in the interrupt is the same whatever the buffers' size: announce the full segment,
 * point the debug store at the next, go home. Handlers run untraced and uncounted
 * (arch_trace_hide()), so that of an interrupt exactly its delivery and its return are seen:
 *
 *	                  recorded  counted
 *	a taken branch      yes       yes
 *	a delivery          yes       no		account.interrupts
 *	our return          yes       yes		account.returns
 *
 * The debug store's threshold shows in no status register; its index does. Whatever interrupt
 * comes, the index is looked at, so a late or a missing PMI costs nothing but margin.
 *
 * Lost is what the counters counted while no segment was open, and what had no room in one that
 * was full; the latter is told from a delivery that took the last place by arithmetic.
 */
#include "pmu/intel_bts.h"

#include <errno.h>

#include "arch/x86_64/debugstore.h"
#include "arch/x86_64/perfmon.h"
#include "pmu/intel_taken.h"
#include "pmu/usual_sample.h"
#include "pmu/x86_counters.h"
#include "ringbuf/bytes.h"

#define EM_X86_64 62

static struct bts_cpu {
	struct debug_store store;
	struct perf_event *event; /* whose trace runs */
	bool interrupted;         /* this interrupt was the threshold's */
	struct {
		uint64_t debugctl, ds_area;
	} saved; /* what firmware left */
} cpus[TR_MAX_CPUS];

/* ---- What there is ---- */

static uint32_t features(uint32_t word)
{
	return (uint32_t)arch_reg_read(CPUID_WORD(CPUID_FEATURES, word));
}

static int probe(const char **why)
{
	*why = "this CPU is no x86";
	if (arch_elf_machine() != EM_X86_64)
		return -ENODEV;
	*why = "this CPU has no debug store, or a hypervisor hides it";
	if (!(features(CPUID_EDX) & CPUID_FEATURES_DS) ||
	    !(features(CPUID_ECX) & CPUID_FEATURES_DTES64) ||
	    arch_reg_read(IA32_MISC_ENABLE) & MISC_ENABLE_BTS_UNAVAILABLE)
		return -ENODEV;
	*why = "it wants performance monitoring of version 2";
	if ((arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EAX)) & 0xff) < 2)
		return -ENODEV;
	*why = NULL;
	return 0;
}

static int init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct hw_intel_bts *hw = &event->hw.intel_bts;
	bool user = !(attr->flags & PERF_ATTR_EXCLUDE_USER);
	bool kernel = !(attr->flags & PERF_ATTR_EXCLUDE_KERNEL);
	const char *why;

	if (attr->type != PERF_TYPE_INTEL_BTS)
		return -ENOENT;
	if (probe(&why))
		return -ENODEV;
	if (attr->config)
		return -EINVAL;
	if (!(user && kernel) && !(features(CPUID_ECX) & CPUID_FEATURES_DS_CPL))
		return -EOPNOTSUPP;
	attr->sample_period = 1; /* as perf's decoder expects */
	attr->flags &= ~(uint64_t)PERF_ATTR_FREQ;
	*hw = (struct hw_intel_bts){
		.debugctl = DEBUGCTL_TR | DEBUGCTL_BTS | DEBUGCTL_BTINT |
		            (kernel ? 0 : DEBUGCTL_BTS_OFF_OS) | (user ? 0 : DEBUGCTL_BTS_OFF_USR),
		.ring0 = kernel,
	};
	return 0;
}

static int setup_aux(struct perf_event *event, void *area, uint64_t size)
{
	return branch_area_init(&event->hw.intel_bts.area, event->aux, area, size,
	                        !event->attr.aux_watermark);
}

/* ---- Segments ---- */

/* Where the CPU will write next; bounded, though nobody else writes there. */
static struct branch_record *filled(const struct perf_event *event)
{
	const struct branch_area *area = &event->hw.intel_bts.area;
	struct branch_record *index = (struct branch_record *)__atomic_load_n(
	    &cpus[event->cpu].store.bts_index, __ATOMIC_RELAXED);

	return index < area->base ? area->base : index > area->end ? area->end : index;
}

static uint64_t recorded(const struct perf_event *event)
{
	const struct hw_intel_bts *hw = &event->hw.intel_bts;
	uint64_t open = hw->running ? (uint64_t)(filled(event) - hw->area.base) : 0;

	return hw->bytes / sizeof(struct branch_record) + open;
}

/* Have the debug store, which does not trace now, fill the open segment. */
static void point(struct debug_store *store, const struct branch_area *area)
{
	store->bts_buffer_base = (uint64_t)area->base;
	store->bts_index = (uint64_t)area->base;
	store->bts_absolute_maximum = (uint64_t)area->end;
	store->bts_interrupt_threshold = (uint64_t)area->threshold;
}

static bool next_segment(struct perf_event *event)
{
	struct branch_area *area = &event->hw.intel_bts.area;

	if (!branch_area_open(area))
		return false;
	point(&cpus[event->cpu].store, area);
	return true;
}

static uint64_t bytes_to(const struct branch_area *area, const struct branch_record *end)
{
	return (uint64_t)((const uint8_t *)end - (const uint8_t *)area->base);
}

/* Announce what is in the segment. */
static void end_segment(struct perf_event *event, const struct branch_record *end, uint64_t flags)
{
	struct hw_intel_bts *hw = &event->hw.intel_bts;

	hw->bytes += bytes_to(&hw->area, end);
	branch_area_close(&hw->area, end, flags);
}

static bool resume(struct perf_event *event)
{
	struct hw_intel_bts *hw = &event->hw.intel_bts;

	if (!next_segment(event))
		return false;
	hw->running = true;
	hw->usual = hw->ring0 ? ARCH_ENTERED_ALONE : 0;
	arch_reg_write(IA32_DEBUGCTL, hw->debugctl);
	return true;
}

/* Trace no more; from here on what is taken is lost. */
static void pause(struct perf_event *event)
{
	arch_reg_write(IA32_DEBUGCTL, 0);
	event->hw.intel_bts.running = false;
	event->hw.intel_bts.usual = 0;
	if (!event->branches.unknown)
		event->hw.intel_bts.gap = intel_taken_now();
}

static void lose(struct perf_event *event, uint64_t branches)
{
	event->branches.lost += branches;
	ring_aux_lost(&event->hw.intel_bts.area.out, branches * sizeof(struct branch_record));
}

static void end_gap(struct perf_event *event)
{
	if (!event->branches.unknown)
		lose(event, intel_taken_now() - event->hw.intel_bts.gap);
}

/* The registers stay: nothing is traced before the handler is over. */
static void switch_with_care(struct perf_event *event, const struct branch_record *end)
{
	bool next = branch_area_has_next(&event->hw.intel_bts.area, end);

	end_segment(event, end, next ? 0 : PERF_AUX_FLAG_TRUNCATED);
	if (!next || !next_segment(event))
		pause(event);
}

/* ---- Interrupts ---- */

/*
 * The segment is full to its end: this interrupt's delivery took the last place, or branches and
 * it had none. In the first case there is one more record than branches were taken.
 */
static void account_full(struct perf_event *event, bool delivered)
{
	struct branch_account *account = &event->branches;
	uint64_t missing;

	if (account->unknown)
		return;
	missing = intel_taken_now() + account->interrupts - recorded(event) - account->lost;
	if (delivered && missing == UINT64_MAX) {
		account->interrupts++;
	} else {
		if (delivered || missing)
			ring_aux_flag(&event->hw.intel_bts.area.out, PERF_AUX_FLAG_PARTIAL);
		lose(event, missing);
	}
}

/* All code that we interrupt runs in ring 0. */
static __attribute__((noinline)) bool look(struct bts_cpu *c, struct perf_event *event,
                                           unsigned how)
{
	const struct hw_intel_bts *hw = &event->hw.intel_bts;
	bool delivered = how & ARCH_ENTERED_LIVE && hw->ring0;
	const struct branch_record *end;

	event->branches.returns += how & ARCH_ENTERED_OUTERMOST && hw->ring0;
	if (!hw->running)
		return false;
	end = filled(event);
	if (end == hw->area.end)
		account_full(event, delivered);
	else
		event->branches.interrupts += delivered;
	if (end < hw->area.threshold)
		return false;
	c->interrupted = true;
	switch_with_care(event, end);
	/* Not at each switch, but at least at every one to the area's begin. */
	if (how == ARCH_ENTERED_ALONE && event->attend)
		event->attend(event);
	return false;
}

/* The usual interrupt, that of the threshold, from end to end; any other is looked at. */
static bool entered(unsigned cpu, unsigned how)
{
	struct bts_cpu *c = &cpus[cpu];
	struct perf_event *event = c->event;
	struct branch_record *end = (struct branch_record *)c->store.bts_index;
	struct hw_intel_bts *hw;
	uint64_t *trailer = NULL, next, bytes;

	if (!event)
		return false;
	RING_OPAQUE(c); /* in a register: the compiler would compute it anew */
	hw = &event->hw.intel_bts;
	if (how == hw->usual && end >= hw->area.threshold && end < hw->area.end)
		trailer = branch_area_try(&hw->area, end, &next);
	if (RING_RARE(!trailer))
		return look(c, event, how);
	usual_trailer_put(trailer, event);
	bytes = bytes_to(&hw->area, end);
	hw->bytes += bytes;
	branch_area_go_on(&hw->area, end, next);
	point(&c->store, &hw->area);
	ring_aux_go_on(&hw->area.out, bytes);
	event->branches.returns++;
	event->branches.interrupts++;
	if (RING_RARE(arch_counter_read(IA32_PERF_GLOBAL_STATUS) != 0)) {
		c->interrupted = true;
		return false;
	}
	arch_pmi_ack();
	return true;
}

/* Was the interrupt that this CPU is handling the debug store's? Asked once in each. NMI. */
static bool take_interrupted(unsigned cpu)
{
	bool was = cpus[cpu].interrupted;

	cpus[cpu].interrupted = false;
	return was;
}

/* ---- What the event core asks for ---- */

static int add(struct perf_event *event)
{
	uint64_t exclude = event->attr.flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL);
	int error;

	if (cpus[event->cpu].event)
		return -EBUSY;
	error = x86_counters_share_interrupt(take_interrupted);
	if (error)
		return error;
	event->branches.unknown = !intel_taken_add(exclude);
	cpus[event->cpu].saved.debugctl = arch_reg_read(IA32_DEBUGCTL);
	cpus[event->cpu].saved.ds_area = arch_reg_read(IA32_DS_AREA);
	return 0;
}

static void del(struct perf_event *event)
{
	if (!event->branches.unknown || event->hw.intel_bts.counters)
		intel_taken_del();
	arch_reg_write(IA32_DS_AREA, cpus[event->cpu].saved.ds_area);
	arch_reg_write(IA32_DEBUGCTL,
	               cpus[event->cpu].saved.debugctl & ~(uint64_t)(DEBUGCTL_TR | DEBUGCTL_BTS));
}

static void start(struct perf_event *event)
{
	usual_sample_prepare(event);
	arch_trace_hide(entered);
	arch_trace_hold();
	arch_reg_write(IA32_DS_AREA, (uint64_t)&cpus[event->cpu].store);
	event->hw.intel_bts.counters = !event->branches.unknown;
	if (event->hw.intel_bts.counters)
		intel_taken_start();
	if (!resume(event))
		pause(event);
	__atomic_store_n(&cpus[event->cpu].event, event, __ATOMIC_RELEASE);
	arch_trace_release();
}

/* count is what was taken, or at least what was recorded of it. */
static void read(struct perf_event *event)
{
	struct branch_account *account = &event->branches;

	account->records = event->hw.intel_bts.bytes / sizeof(struct branch_record);
	event->count = account->unknown ? recorded(event) - account->interrupts : intel_taken_now();
}

static void stop(struct perf_event *event)
{
	struct hw_intel_bts *hw = &event->hw.intel_bts;

	if (arch_trace_held() && hw->ring0)
		event->branches.returns--; /* of the handler that we are in: nobody will count it */
	arch_trace_hold();
	__atomic_store_n(&cpus[event->cpu].event, NULL, __ATOMIC_RELEASE);
	if (hw->running) {
		const struct branch_record *end = filled(event);

		if (end == hw->area.end)
			account_full(event, false);
		pause(event);
		end_segment(event, end, 0);
	} else {
		end_gap(event);
	}
	read(event);
	if (hw->counters) {
		intel_taken_stop();
		/* A CPU that counts no far branches has not counted our returns. */
		event->branches.unknown = intel_taken_far() < event->branches.returns;
	}
	arch_trace_release();
	arch_trace_hide(NULL);
}

static void poll(struct perf_event *event)
{
	if (!event->hw.intel_bts.running && resume(event))
		end_gap(event);
}

const struct pmu pmu_intel_bts = {
	.name = "bts",
	.description = "every taken branch, by Intel's branch trace store",
	.type = PERF_TYPE_INTEL_BTS,
	.flags = PMU_AUX,
	.probe = probe,
	.event_init = init,
	.setup_aux = setup_aux,
	.add = add,
	.del = del,
	.start = start,
	.stop = stop,
	.read = read,
	.poll = poll,
};
