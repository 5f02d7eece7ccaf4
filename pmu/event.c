/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "arch/arch.h"
#include "pmu/branch_stack.h"
#include "pmu/callchain.h"
#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "pmu/read_format.h"
#include "pmu/sample.h"
#include "ringbuf/ledger.h"

static int event_check_attr(const struct perf_event_attr *attr)
{
	if (attr->size != sizeof(*attr))
		return -EINVAL;
	if (attr->sample_type & ~(uint64_t)SAMPLE_TYPES_SERVED)
		return -EOPNOTSUPP;
	if (attr->read_format & ~(uint64_t)READ_FORMATS_SERVED)
		return -EOPNOTSUPP;
	if (attr->sample_max_stack < 1 || attr->sample_max_stack > CALLCHAIN_MAX)
		return -EINVAL;
	return 0;
}

const struct pmu_source *pmu_of_type(uint32_t type)
{
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		if ((*s)->type == type)
			return *s;
	}
	return NULL;
}

bool pmu_is_here(const struct pmu_source *source)
{
	const char *why;

	return !pmu_of(source)->probe(&why);
}

/* Refuse an event that could count nothing, or record no branch, because no code runs at the
 * levels that are left. */
static int event_check_levels_of(struct perf_event *event, unsigned wanted)
{
	if (wanted & arch_levels())
		return 0;
	event->why =
	    wanted & ARCH_LEVEL_USER
	        ? "nothing runs at user level here; the workload is the kernel's: :k"
	        : "nothing runs at hypervisor level here; the workload is the kernel's: :k";
	return -EINVAL;
}

static int event_check_levels(struct perf_event *event)
{
	uint64_t flags = event->attr.flags;

	return event_check_levels_of(
	    event, (flags & PERF_ATTR_EXCLUDE_USER ? 0 : ARCH_LEVEL_USER) |
	               (flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : ARCH_LEVEL_KERNEL) |
	               (flags & PERF_ATTR_EXCLUDE_HV ? 0 : ARCH_LEVEL_HYPERVISOR));
}

/* A branch stack without levels has those of its event, as in Linux. */
static int event_complete_branches(struct perf_event *event)
{
	uint64_t *type = &event->attr.branch_sample_type, flags = event->attr.flags;

	if (!(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (*type & ~(uint64_t)BRANCH_TYPES_SERVED)
		return -EOPNOTSUPP;
	if (!(*type & BRANCH_KINDS))
		return -EINVAL;
	if (!(*type & BRANCH_LEVELS))
		*type |= (flags & PERF_ATTR_EXCLUDE_USER ? 0 : PERF_SAMPLE_BRANCH_USER) |
		         (flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
		         (flags & PERF_ATTR_EXCLUDE_HV ? 0 : PERF_SAMPLE_BRANCH_HV);
	return event_check_levels_of(
	    event, (*type & PERF_SAMPLE_BRANCH_USER ? ARCH_LEVEL_USER : 0) |
	               (*type & PERF_SAMPLE_BRANCH_KERNEL ? ARCH_LEVEL_KERNEL : 0) |
	               (*type & PERF_SAMPLE_BRANCH_HV ? ARCH_LEVEL_HYPERVISOR : 0));
}

/* A source without branch stacks would ignore the request for them, so it is refused here. */
static int event_check_branches(struct perf_event *event)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) || event->pmu->branch_stack)
		return 0;
	event->why = "its source has no branch stacks: use an event of the CPU's counters";
	return -EOPNOTSUPP;
}

static int event_check_precise(struct perf_event *event)
{
	if (!(event->attr.flags >> PERF_ATTR_PRECISE_IP & 3) ||
	    event->pmu->source.flags & PMU_PRECISE)
		return 0;
	event->why = "its source has no precise samples: leave out :p";
	return -EOPNOTSUPP;
}

int event_init(struct perf_event *event)
{
	int code = event_check_attr(&event->attr);

	if (!code)
		code = event_check_levels(event);
	if (!code)
		code = event_complete_branches(event);
	if (code)
		return code;
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		code = pmu_of(*s)->event_init(event);
		if (code == -ENOENT)
			continue;
		event->pmu = pmu_of(*s);
		if (!event->group_leader) {
			event->group_leader = event;
			event->nr_members = 1;
		}
		if (!code)
			code = event_check_precise(event);
		return code ? code : event_check_branches(event);
	}
	return -ENOENT;
}

/* ---- Times ---- */

void event_set_state(struct perf_event *event, enum event_state state, uint64_t now)
{
	struct event_times times = event_times(event, now);

	event->time_enabled = times.enabled;
	event->time_running = times.running;
	event->state = state;
	if (now > event->tstamp)
		event->tstamp = now;
}

/* A handler may throttle the event between the reads. It then changes tstamp last, and the loop
 * reads again. */
struct event_times event_times(const struct perf_event *event, uint64_t now)
{
	struct event_times times;
	enum event_state state;
	uint64_t stamp, since;

	do {
		stamp = ring_load(&event->tstamp);
		ring_barrier();
		times.enabled = event->time_enabled;
		times.running = event->time_running;
		state = event->state;
		ring_barrier();
	} while (ring_load(&event->tstamp) != stamp);
	since = now > stamp ? now - stamp : 0;
	times.enabled += state != EVENT_OFF ? since : 0;
	times.running += state == EVENT_ACTIVE ? since : 0;
	return times;
}

/* ---- Counts ---- */

void event_read(struct perf_event *event)
{
	if (event->state == EVENT_ACTIVE || event->pmu->source.flags & PMU_LATE)
		event->pmu->read(event);
}

void event_publish(const struct perf_event *event, struct tr_event_ledger *ledger, uint64_t now)
{
	struct event_times times = event_times(event, now);
	uint64_t generated;
	unsigned tries = 3;

	/* Read again if a sample came in between: count and period would not match. */
	do {
		generated = ring_load(&event->account.generated);
		ring_barrier();
		ring_account_publish(&event->account, ledger);
		ledger->count = ring_load(&event->count);
		ledger->residue = ledger->count - ring_load(&event->sampled);
		ring_barrier();
	} while (ring_load(&event->account.generated) != generated && --tries);
	ledger->throttled = event->throttled;
	ledger->time_enabled = times.enabled;
	ledger->time_running = times.running;
	ledger->slower = event->slower;
	ledger->precise = event->precise;
	if (!event->aux) /* only a source with an area traces branches */
		return;
	ledger->branch_records = event->branches.records;
	ledger->branch_interrupts = event->branches.interrupts;
	ledger->branch_returns = event->branches.returns;
	ledger->branch_lost = event->branches.unknown ? TR_UNKNOWN : event->branches.lost;
}

const char *event_error_text(int code)
{
	static const struct {
		int code;
		const char *text;
	} texts[] = {
		{ -ENOENT, "no event source of this machine serves it" },
		{ -ENODEV, "this machine lacks the hardware" },
		{ -EINVAL,
		  "its attributes make no sense (frequency too high, period too long, or none)" },
		{ -EOPNOTSUPP, "its event source cannot do that" },
		{ -ENOLINK,
		  "no table of the firmware's names an interrupt for this CPU's counters" },
		{ -EBUSY, "the hardware is in use already" },
		{ -ENODATA,
		  "the hypervisor's counters keep values but count nothing (docs/kvm.md)" },
		{ -EAGAIN, "it needs more counters than are free" },
		{ -ENOMEM, "out of memory" },
		{ -ENXIO, "no traced CPU is of a kind that counts it" },
		{ -EIO, "its result is wrong" },
		{ -ETIMEDOUT, "it did not respond in time" },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code == code)
			return texts[i].text;
	}
	return "unknown error";
}
