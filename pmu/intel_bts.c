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
#include "pmu/x86_counters.h"

#define EM_X86_64 62

static struct debug_store stores[TR_MAX_CPUS];

/* Of each CPU: whose trace runs; whether this interrupt was the threshold's; what firmware left. */
static struct perf_event *traced[TR_MAX_CPUS];
static bool interrupted[TR_MAX_CPUS];
static struct {
	uint64_t debugctl, ds_area;
} saved[TR_MAX_CPUS];

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
static const struct branch_record *filled(const struct perf_event *event)
{
	const struct branch_area *area = &event->hw.intel_bts.area;
	const struct branch_record *index = (const struct branch_record *)__atomic_load_n(
	    &stores[event->cpu].bts_index, __ATOMIC_RELAXED);

	return index < area->base ? area->base : index > area->end ? area->end : index;
}

static uint64_t recorded(const struct perf_event *event)
{
	const struct hw_intel_bts *hw = &event->hw.intel_bts;

	return event->branches.records +
	       (hw->running ? (uint64_t)(filled(event) - hw->area.base) : 0);
}

/* Point the debug store, which does not trace now, at the next segment, if there is one. */
static bool next_segment(struct perf_event *event)
{
	struct branch_area *area = &event->hw.intel_bts.area;
	struct debug_store *store = &stores[event->cpu];

	if (!branch_area_open(area))
		return false;
	store->bts_buffer_base = (uint64_t)area->base;
	store->bts_index = (uint64_t)area->base;
	store->bts_absolute_maximum = (uint64_t)area->end;
	store->bts_interrupt_threshold = (uint64_t)area->threshold;
	return true;
}

/* Announce what is in the segment. */
static void end_segment(struct perf_event *event, const struct branch_record *end, uint64_t flags)
{
	struct branch_area *area = &event->hw.intel_bts.area;

	event->branches.records += (uint64_t)(end - area->base);
	branch_area_close(area, end, flags);
}

static bool resume(struct perf_event *event)
{
	struct hw_intel_bts *hw = &event->hw.intel_bts;

	if (!next_segment(event))
		return false;
	hw->running = true;
	arch_reg_write(IA32_DEBUGCTL, hw->debugctl);
	return true;
}

/* Trace no more; from here on what is taken is lost. */
static void pause(struct perf_event *event)
{
	arch_reg_write(IA32_DEBUGCTL, 0);
	event->hw.intel_bts.running = false;
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
static void switch_segment(struct perf_event *event, const struct branch_record *end)
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

static void entered(const struct arch_regs *regs, bool live, bool outermost)
{
	unsigned cpu = arch_cpu();
	struct perf_event *event = traced[cpu];
	const struct branch_record *end;
	const struct hw_intel_bts *hw;

	(void)regs; /* all code that we interrupt runs in ring 0 */
	if (!event)
		return;
	hw = &event->hw.intel_bts;
	event->branches.returns += outermost && hw->ring0;
	if (!hw->running)
		return;
	end = filled(event);
	if (end == hw->area.end)
		account_full(event, live && hw->ring0);
	else
		event->branches.interrupts += live && hw->ring0;
	if (end < hw->area.threshold)
		return;
	interrupted[cpu] = true;
	switch_segment(event, end);
}

/* Was the interrupt that this CPU is handling the debug store's? Asked once in each. NMI. */
static bool take_interrupted(unsigned cpu)
{
	bool was = interrupted[cpu];

	interrupted[cpu] = false;
	return was;
}

/* ---- What the event core asks for ---- */

static int add(struct perf_event *event)
{
	uint64_t exclude = event->attr.flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL);
	int error;

	if (traced[event->cpu])
		return -EBUSY;
	error = x86_counters_share_interrupt(take_interrupted);
	if (error)
		return error;
	event->branches.unknown = !intel_taken_add(exclude);
	saved[event->cpu].debugctl = arch_reg_read(IA32_DEBUGCTL);
	saved[event->cpu].ds_area = arch_reg_read(IA32_DS_AREA);
	return 0;
}

static void del(struct perf_event *event)
{
	if (!event->branches.unknown || event->hw.intel_bts.counters)
		intel_taken_del();
	arch_reg_write(IA32_DS_AREA, saved[event->cpu].ds_area);
	arch_reg_write(IA32_DEBUGCTL,
	               saved[event->cpu].debugctl & ~(uint64_t)(DEBUGCTL_TR | DEBUGCTL_BTS));
}

static void start(struct perf_event *event)
{
	arch_trace_hide(entered);
	arch_trace_hold();
	arch_reg_write(IA32_DS_AREA, (uint64_t)&stores[event->cpu]);
	event->hw.intel_bts.counters = !event->branches.unknown;
	if (event->hw.intel_bts.counters)
		intel_taken_start();
	if (!resume(event))
		pause(event);
	__atomic_store_n(&traced[event->cpu], event, __ATOMIC_RELEASE);
	arch_trace_release();
}

/* count is what was taken, or at least what was recorded of it. */
static void read(struct perf_event *event)
{
	const struct branch_account *account = &event->branches;

	event->count = account->unknown ? recorded(event) - account->interrupts : intel_taken_now();
}

static void stop(struct perf_event *event)
{
	struct hw_intel_bts *hw = &event->hw.intel_bts;

	if (arch_trace_held() && hw->ring0)
		event->branches.returns--; /* of the handler that we are in: nobody will count it */
	arch_trace_hold();
	__atomic_store_n(&traced[event->cpu], NULL, __ATOMIC_RELEASE);
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
