/* SPDX-License-Identifier: MIT */
/*
 * The interrupt's work does not depend on the buffers' size: announce the full segment, point the
 * debug store at the next one, return. Handlers run untraced and uncounted (arch_trace_hide()), so
 * of each interrupt exactly its delivery and its return are seen:
 *
 *	                  recorded  counted
 *	a taken branch      yes       yes
 *	a delivery          yes       no		account.interrupts
 *	our return          yes       yes		account.returns
 *
 * No status register shows that the debug store reached its threshold, but its index does. So every
 * interrupt's handler checks the index, and a late or missing PMI only uses up margin.
 */
#include "pmu/x86/intel_bts.h"

#include <errno.h>

#include "arch/x86_64/pmu/debugstore.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/usual_sample.h"
#include "pmu/x86/debug_store.h"
#include "pmu/x86/intel_taken.h"
#include "pmu/x86/x86_counters.h"
#include "ringbuf/bytes.h"

#define SAME(a, b) (offsetof(struct branch_segment, a) == offsetof(struct debug_store, b))
_Static_assert(SAME(base, bts_buffer_base) && SAME(index, bts_index) &&
                   SAME(end, bts_absolute_maximum) && SAME(threshold, bts_interrupt_threshold) &&
                   sizeof(struct branch_segment) == sizeof(struct debug_store),
               "IA32_DS_AREA");

static struct {
	struct perf_event *event;   /* the event that is traced now */
	bool interrupted;           /* this interrupt is the threshold's own */
	bool ahead;                 /* already in the ledger, while an NMI came before it */
	uint64_t debugctl, ds_area; /* firmware's values */
} cpus[TR_MAX_CPUS];

/* ---- Detection ---- */

static uint32_t intel_bts_features(uint32_t word)
{
	return (uint32_t)arch_reg_read(CPUID_WORD(CPUID_FEATURES, word));
}

static int intel_bts_probe(const char **why)
{
	*why = "this CPU has no debug store, or a hypervisor hides it";
	if (!(intel_bts_features(CPUID_EDX) & CPUID_FEATURES_DS) ||
	    !(intel_bts_features(CPUID_ECX) & CPUID_FEATURES_DTES64) ||
	    arch_reg_read(IA32_MISC_ENABLE) & MISC_ENABLE_BTS_UNAVAILABLE)
		return -ENODEV;
	*why = "it needs performance monitoring of version 2";
	if ((arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EAX)) & 0xff) < 2)
		return -ENODEV;
	*why = NULL;
	return 0;
}

static int intel_bts_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct hw_intel_bts *hw = intel_bts_of(event);
	bool user = !(attr->flags & PERF_ATTR_EXCLUDE_USER);
	bool kernel = !(attr->flags & PERF_ATTR_EXCLUDE_KERNEL);

	if (attr->type != PERF_TYPE_INTEL_BTS)
		return -ENOENT;
	if (intel_bts_probe(&event->why))
		return -ENODEV;
	if (attr->config)
		return -EINVAL;
	if (!(user && kernel) && !(intel_bts_features(CPUID_ECX) & CPUID_FEATURES_DS_CPL))
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

static int intel_bts_setup_aux(struct perf_event *event, void *area, uint64_t size)
{
	return branch_area_init(&intel_bts_of(event)->area, event->aux, area, size,
	                        !event->attr.aux_watermark);
}

/* ---- Segments ---- */

/* Where the CPU will write next. Bounded, although nobody else writes the index. */
static struct branch_record *intel_bts_filled(const struct perf_event *event)
{
	const struct branch_segment *open = &intel_bts_of(event)->area.open;
	struct branch_record *index = __atomic_load_n(&open->index, __ATOMIC_RELAXED);

	return index < open->base ? open->base : index > open->end ? open->end : index;
}

/* Records in the closed segments. Read again if a segment switch came in between. */
static uint64_t intel_bts_closed(const struct perf_event *event)
{
	const struct ring_aux *aux = event->aux;
	uint64_t head, skipped;

	do {
		skipped = ring_load(&aux->skipped);
		head = ring_load(&aux->head);
	} while (ring_load(&aux->skipped) != skipped);
	return (head - skipped) / sizeof(struct branch_record);
}

static uint64_t intel_bts_recorded(const struct perf_event *event)
{
	const struct hw_intel_bts *hw = intel_bts_of(event);

	return intel_bts_closed(event) +
	       (hw->running ? (uint64_t)(intel_bts_filled(event) - hw->area.open.base) : 0);
}

static bool intel_bts_resume(struct perf_event *event)
{
	struct hw_intel_bts *hw = intel_bts_of(event);

	if (!branch_area_open(&hw->area))
		return false;
	hw->running = true;
	if (hw->ring0 && event->usual.has_trailer && !event->await_room)
		hw->usual = ARCH_ENTERED_ALONE;
	arch_reg_write(IA32_DEBUGCTL, hw->debugctl);
	return true;
}

/* Stop tracing; branches taken from here on are lost. */
static void intel_bts_pause(struct perf_event *event)
{
	arch_reg_write(IA32_DEBUGCTL, 0);
	intel_bts_of(event)->running = false;
	intel_bts_of(event)->usual = 0;
	if (!event->branches.unknown)
		intel_bts_of(event)->gap = intel_taken_now();
}

static void intel_bts_lose(struct perf_event *event, uint64_t branches)
{
	event->branches.lost += branches;
	ring_aux_lost(&intel_bts_of(event)->area.out, branches * sizeof(struct branch_record));
}

static void intel_bts_end_gap(struct perf_event *event)
{
	if (!event->branches.unknown)
		intel_bts_lose(event, intel_taken_now() - intel_bts_of(event)->gap);
}

/* The trace registers stay as they are, because nothing is traced before the handler ends. */
static void intel_bts_switch_general(struct perf_event *event, struct branch_record *end)
{
	struct branch_area *area = &intel_bts_of(event)->area;
	bool next = branch_area_has_next(area, end);

	branch_area_close(area, end, next ? 0 : PERF_AUX_FLAG_TRUNCATED);
	if (!next || !branch_area_open(area))
		intel_bts_pause(event);
}

/* ---- Interrupts ---- */

static inline bool intel_bts_is_asked(const struct perf_event *event)
{
	return __atomic_load_n(intel_bts_of(event)->asked, __ATOMIC_RELAXED) != event->heard;
}

/* The interrupt deliveries in the trace (if they had room) that the ledger does not have yet. All
 * interrupted code runs in ring 0. */
static unsigned intel_bts_deliveries(const struct perf_event *event, unsigned how)
{
	bool booked = cpus[event->cpu].ahead, in_entry = how & ARCH_ENTERED_IN_ENTRY;

	cpus[event->cpu].ahead = in_entry;
	return intel_bts_of(event)->ring0 ? 1U + in_entry - booked : 0;
}

/*
 * The segment is full to its end. If it has more records than branches were taken, then some of
 * these deliveries, which came last, took its last places. Otherwise deliveries had no room.
 */
static void intel_bts_account_full(struct perf_event *event, unsigned delivered)
{
	struct branch_account *account = &event->branches;
	uint64_t unaccounted; /* records minus branches; negative: branches without a record */

	if (account->unknown)
		return;
	unaccounted = intel_bts_recorded(event) + account->lost - intel_taken_now() -
	              account->interrupts;
	if (unaccounted != delivered)
		ring_aux_flag(&intel_bts_of(event)->area.out, PERF_AUX_FLAG_PARTIAL);
	if (unaccounted <= delivered)
		account->interrupts += unaccounted;
	else if (unaccounted >> 63)
		intel_bts_lose(event, -unaccounted);
	else
		account->unknown = true; /* the counters have missed branches */
}

static __attribute__((noinline)) bool intel_bts_look(struct perf_event *event, unsigned how)
{
	const struct hw_intel_bts *hw = intel_bts_of(event);
	unsigned delivered = intel_bts_deliveries(event, how);
	struct branch_record *end;

	event->branches.returns += hw->ring0;
	if (!hw->running)
		return false;
	end = intel_bts_filled(event);
	if (end == hw->area.open.end)
		intel_bts_account_full(event, delivered);
	else
		event->branches.interrupts += delivered;
	if (end < hw->area.open.threshold)
		return false;
	cpus[event->cpu].interrupted = true;
	if (event->await_room && !(how & ARCH_ENTERED_IN_ENTRY))
		event->await_room(event, branch_area_needed(&hw->area, end));
	if (hw->running) /* the event may have been stopped meanwhile */
		intel_bts_switch_general(event, end);
	if (how == ARCH_ENTERED_ALONE && intel_bts_is_asked(event))
		event->attend(event);
	return false;
}

/* The interrupt may also be an overflow of a counter. */
static __attribute__((noinline)) bool intel_bts_share(struct perf_event *event, bool wake)
{
	cpus[event->cpu].interrupted = true;
	if (wake)
		ring_aux_wake(&intel_bts_of(event)->area.out);
	return false;
}

/* The usual interrupt, the threshold's, from begin to end; others go a slower way. Calls come last,
 * so that no value is saved across them. */
static bool intel_bts_entered(unsigned cpu, unsigned how)
{
	struct perf_event *event = cpus[cpu].event;
	struct branch_segment *open;
	struct branch_record *end;
	struct hw_intel_bts *hw;
	uint64_t *trailer;
	bool wake;

	if (!event)
		return false;
	hw = intel_bts_of(event);
	open = &hw->area.open;
	end = open->index;
	if (RING_RARE(how != hw->usual) || RING_RARE(end < open->threshold) ||
	    RING_RARE(end >= open->end) || RING_RARE(intel_bts_is_asked(event)))
		return intel_bts_look(event, how);
	trailer = branch_area_try(&hw->area, end);
	if (RING_RARE(!trailer))
		return intel_bts_look(event, ARCH_ENTERED_ALONE);
	event->branches.returns++;
	event->branches.interrupts++;
	usual_trailer_put(trailer, event);
	wake = ring_aux_go_on(&hw->area.out);
	if (RING_RARE(arch_counter_read(IA32_PERF_GLOBAL_STATUS)))
		return intel_bts_share(event, wake);
	arch_pmi_ack();
	if (wake)
		ring_aux_wake(&hw->area.out);
	return true;
}

static enum arch_pmi intel_bts_claim(const struct arch_regs *regs)
{
	bool *interrupted = &cpus[arch_cpu()].interrupted, mine = *interrupted;

	(void)regs;
	*interrupted = false;
	arch_pmi_ack();
	return mine ? ARCH_PMI_MINE : ARCH_PMI_NOT_MINE;
}

/* ---- Operations for the event core ---- */

static int intel_bts_add(struct perf_event *event)
{
	uint64_t exclude = event->attr.flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL);
	int code;

	if (!debug_store_take(event->cpu, DEBUG_STORE_BTS))
		return -EBUSY;
	event->branches.unknown = !intel_taken_add(exclude); /* also clears what firmware left on */
	code = arch_pmi_share(intel_bts_claim);
	if (code && !event->branches.unknown)
		intel_taken_del();
	if (code) {
		debug_store_leave(event->cpu);
		return code;
	}
	x86_counters_set_trace(event->cpu, true);
	cpus[event->cpu].debugctl = arch_reg_read(IA32_DEBUGCTL);
	cpus[event->cpu].ds_area = arch_reg_read(IA32_DS_AREA);
	return 0;
}

static void intel_bts_del(struct perf_event *event)
{
	if (!event->branches.unknown || intel_bts_of(event)->counters)
		intel_taken_del();
	debug_store_leave(event->cpu);
	x86_counters_set_trace(event->cpu, false);
	arch_pmi_leave(intel_bts_claim);
	arch_reg_write(IA32_DS_AREA, cpus[event->cpu].ds_area);
	arch_reg_write(IA32_DEBUGCTL,
	               cpus[event->cpu].debugctl & ~(uint64_t)(DEBUGCTL_TR | DEBUGCTL_BTS));
}

static void intel_bts_start(struct perf_event *event)
{
	usual_sample_prepare(event);
	ring_publish(event->ring, &event->account); /* the first switch needs the limit */
	intel_bts_of(event)->asked = event->asked ? event->asked : &event->heard;
	cpus[event->cpu].ahead = false;
	arch_trace_hide(IA32_DEBUGCTL, intel_bts_entered);
	arch_trace_hold();
	arch_reg_write(IA32_DS_AREA, (uint64_t)&intel_bts_of(event)->area.open);
	intel_bts_of(event)->counters = !event->branches.unknown;
	if (intel_bts_of(event)->counters)
		intel_taken_start();
	if (!intel_bts_resume(event))
		intel_bts_pause(event);
	__atomic_store_n(&cpus[event->cpu].event, event, __ATOMIC_RELEASE);
	arch_trace_release();
}

/* count: the taken branches; if that is unknown, at least the recorded ones. */
static void intel_bts_read(struct perf_event *event)
{
	struct branch_account *account = &event->branches;

	account->records = intel_bts_closed(event);
	event->count = account->unknown ? intel_bts_recorded(event) - account->interrupts
	                                : intel_taken_now();
}

static void intel_bts_stop(struct perf_event *event)
{
	struct hw_intel_bts *hw = intel_bts_of(event);

	if (arch_trace_held() && hw->ring0)
		event->branches.returns--; /* this handler's is never counted */
	arch_trace_hold();
	__atomic_store_n(&cpus[event->cpu].event, NULL, __ATOMIC_RELEASE);
	if (hw->running) {
		struct branch_record *end = intel_bts_filled(event);

		if (end == hw->area.open.end)
			intel_bts_account_full(event, 0);
		intel_bts_pause(event);
		branch_area_close(&hw->area, end, 0);
	} else {
		intel_bts_end_gap(event);
	}
	intel_bts_read(event);
	if (hw->counters) {
		intel_taken_stop();
		/* A CPU that counts no far branches has not counted our returns either. */
		event->branches.unknown |= intel_taken_far() < event->branches.returns;
	}
	arch_trace_release();
	arch_trace_hide(0, NULL);
}

static void intel_bts_poll(struct perf_event *event)
{
	if (!intel_bts_of(event)->running && intel_bts_resume(event))
		intel_bts_end_gap(event);
}

const struct pmu pmu_intel_bts = {
	.source.name = "bts",
	.source.description = "every taken branch, by Intel's branch trace store",
	.source.type = PERF_TYPE_INTEL_BTS,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = intel_bts_probe,
	.event_init = intel_bts_init,
	.setup_aux = intel_bts_setup_aux,
	.add = intel_bts_add,
	.del = intel_bts_del,
	.start = intel_bts_start,
	.stop = intel_bts_stop,
	.read = intel_bts_read,
	.poll = intel_bts_poll,
};
