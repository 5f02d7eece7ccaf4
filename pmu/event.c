/* SPDX-License-Identifier: MIT */
#include "pmu/pmu.h"

#include <errno.h>

#include "pmu/callchain.h"
#include "pmu/clock.h"
#include "pmu/sample.h"
#include "ringbuf/ledger.h"

static int check_attr(const struct perf_event_attr *attr)
{
	if (attr->size != sizeof(*attr))
		return -EINVAL;
	if (attr->sample_type & ~(uint64_t)SAMPLE_TYPES_SERVED)
		return -EOPNOTSUPP;
	if (attr->sample_max_stack < 1 || attr->sample_max_stack > CALLCHAIN_MAX)
		return -EINVAL;
	return 0;
}

const struct pmu *pmu_of_type(uint32_t type)
{
	for (const struct pmu *const *pmu = pmu_sources; *pmu; pmu++) {
		if ((*pmu)->type == type)
			return *pmu;
	}
	return NULL;
}

int event_init(struct perf_event *event)
{
	int error = check_attr(&event->attr);

	if (error)
		return error;
	for (const struct pmu *const *pmu = pmu_sources; *pmu; pmu++) {
		error = (*pmu)->event_init(event);
		if (error == -ENOENT)
			continue;
		event->pmu = *pmu;
		return error;
	}
	return -ENOENT;
}

int event_enable(struct perf_event *event)
{
	int error = event->pmu->add(event);

	if (error)
		return error;
	event->enabled = true;
	event->enabled_at = clock_now();
	event->pmu->start(event);
	return 0;
}

void event_disable(struct perf_event *event)
{
	uint64_t time;

	if (!event->enabled)
		return;
	event->pmu->stop(event);
	event->pmu->del(event);
	time = clock_now() - event->enabled_at;
	event->time_enabled += time;
	event->time_running += time;
	event->enabled = false;
}

void event_overflow(struct perf_event *event, const struct arch_regs *regs, uint64_t now)
{
	struct sample_data data = {
		.time = clock_stamp(now),
		.period = event->count - event->sampled,
	};

	event->sampled = event->count;
	sample_output(event, regs, &data);
}

void event_publish(const struct perf_event *event, struct tr_event_ledger *ledger)
{
	ring_account_publish(&event->account, ledger);
	ledger->throttled = event->throttled;
	ledger->count = event->count;
	ledger->residue = event->count - event->sampled;
	ledger->time_enabled = event->time_enabled;
	ledger->time_running = event->time_running;
	ledger->branch_records = event->branches.records;
	ledger->branch_interrupts = event->branches.interrupts;
	ledger->branch_returns = event->branches.returns;
	ledger->branch_lost = event->branches.unknown ? TR_UNKNOWN : event->branches.lost;
}

const char *event_error_text(int error)
{
	static const struct {
		int error;
		const char *text;
	} texts[] = {
		{ -ENOENT, "no event source of this machine serves it" },
		{ -ENODEV, "this machine lacks the hardware" },
		{ -EINVAL, "its attributes make no sense (period too short, or none)" },
		{ -EOPNOTSUPP, "its event source cannot do that" },
		{ -EBUSY, "the hardware is in use by somebody else" },
		{ -EAGAIN, "no counter is free" },
		{ -ENOMEM, "out of memory" },
		{ -EIO, "its result is wrong" },
		{ -ETIMEDOUT, "it did not answer in time" },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].error == error)
			return texts[i].text;
	}
	return "unknown error";
}
