/* SPDX-License-Identifier: MIT */
/* The host, the stop key or a typed line stops the events before the workload ends. */
#include "agent/record/record_stop.h"

#include "agent/input/mailbox.h"
#include "agent/record/record_ledger.h"
#include "agent/record/recording.h"
#include "pmu/clock/clock.h"

/* Each CPU stops its own events and waits for no other CPU, because the workload may hang. */
static bool record_stop_is_asked_for(const struct recording *r, bool is_asked)
{
	return (is_asked && mailbox_has(r->region, "stop")) ||
	       __atomic_load_n(&r->by_key, __ATOMIC_ACQUIRE) ||
	       (r->channel->lines && lines_have_typed(r->channel->lines, "stop"));
}

bool recording_obey_stop(struct traced_cpu *c, bool is_asked)
{
	if (!c->stopped && record_stop_is_asked_for(c->recording, is_asked)) {
		context_stop(&c->context);
		__atomic_store_n(&c->stopped, true, __ATOMIC_RELEASE);
	}
	return c->stopped;
}

/* Called at each tick until all CPUs have stopped. A CPU that has not started is not signalled; it
 * stops at its first tick. An NMI before it has its tables would reset an x86 machine. */
void recording_signal_others(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		const struct traced_cpu *c = &r->cpus[i];

		if (c->cpu != arch_cpu() && __atomic_load_n(&c->started, __ATOMIC_ACQUIRE) &&
		    !__atomic_load_n(&c->stopped, __ATOMIC_ACQUIRE))
			arch_cpu_signal(c->cpu);
	}
}

void recording_stop_by_nmi(struct traced_cpu *c)
{
	if (!c->live || c->stopped || !recording_obey_stop(c, true))
		return;
	recording_publish(c, clock_now());
	recording_signal_others(c->recording);
}
