/* SPDX-License-Identifier: MIT */
#include "pmu/x86/intel_pebs.h"

#include <errno.h>

#include "arch/x86_64/pmu/debugstore.h"
#include "arch/x86_64/pmu/pebs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/clock/clock.h"
#include "pmu/precise.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "pmu/x86/debug_store.h"
#include "pmu/x86/intel_pebs_record.h"
#include "pmu/x86/x86_counters.h"
#include "ringbuf/bytes.h"

#define COUNTERS 8U /* general counters that may have PEBS */
#define HALF     (INTEL_PEBS_MEMORY / 2)
#define MARGIN   (HALF / 4) /* bytes behind the threshold: an interrupt may come late */

/* The least events between records: 2, since an overflow precedes each record. With an interrupt
 * for each record 256: else a handler's exit alone makes the next record (pmu/sampling.c). */
#define SHORTEST         2U
#define SHORTEST_AT_ONCE 256U

/* One per CPU. */
static struct unit {
	_Alignas(64) struct debug_store store;
	struct intel_pebs_form form;
	unsigned users;
	unsigned at_once;                /* users that need an interrupt for each record */
	uint64_t latency;                /* users' load latency threshold; 0: none */
	uint64_t enable;                 /* IA32_PEBS_ENABLE's value */
	uint64_t *memory;                /* two halves */
	const uint64_t *full, *full_end; /* records of the closed half without a sample */
	const uint64_t *next;            /* the first such record of the open half */
	struct perf_event *events[COUNTERS];
	unsigned switches; /* changes whenever the three pointers do */
	bool draining;
	uint64_t ds_area, enabled, data_cfg, ld_lat; /* firmware's values */
} units[TR_MAX_CPUS];

/* ---- Records ---- */

static uint64_t intel_pebs_bit(const struct perf_event *event)
{
	return 1ULL << x86_counter_of(event)->counter;
}

static bool intel_pebs_is_timed(const struct perf_event *event)
{
	return x86_counter_of(event)->precise.accesses == X86_TIMED_LOADS;
}

/* Where the CPU will write next. Bounded, although nobody else writes the index. */
static const uint64_t *intel_pebs_filled(const struct unit *u)
{
	uint64_t index = __atomic_load_n(&u->store.pebs_index, __ATOMIC_RELAXED);

	if (index < u->store.pebs_buffer_base)
		index = u->store.pebs_buffer_base;
	if (index > u->store.pebs_absolute_maximum)
		index = u->store.pebs_absolute_maximum;
	return (const uint64_t *)index;
}

/* The memory is full if there is no room for one more record. */
static bool intel_pebs_is_full(const struct unit *u)
{
	return (uint64_t)intel_pebs_filled(u) + u->form.size > u->store.pebs_absolute_maximum;
}

/* The CPU writes to this half from now on. */
static void intel_pebs_open(struct unit *u, uint64_t *half)
{
	uint64_t base = (uint64_t)half, records = HALF / u->form.size;
	uint64_t first = u->at_once ? u->form.size : (HALF - MARGIN) / u->form.size * u->form.size;

	u->next = half;
	u->store.pebs_buffer_base = base;
	u->store.pebs_absolute_maximum = base + records * u->form.size;
	u->store.pebs_interrupt_threshold = base + first;
	__atomic_store_n(&u->store.pebs_index, base, __ATOMIC_RELAXED);
	u->switches++;
}

static uint64_t *intel_pebs_half(const struct unit *u, bool other)
{
	bool second = u->store.pebs_buffer_base != (uint64_t)u->memory;

	return second != other ? u->memory + HALF / 8 : u->memory;
}

/* ---- Counts ---- */

/* The distances of the event's records in [at, end); *distance becomes the next record's. */
static uint64_t intel_pebs_recorded(const struct unit *u, const struct perf_event *event,
                                    const uint64_t *at, const uint64_t *end, uint64_t *distance)
{
	uint64_t sum = 0;

	for (; at < end; at += u->form.size / 8) {
		if (!(intel_pebs_record_counters(&u->form, at) & intel_pebs_bit(event)))
			continue;
		sum += *distance;
		*distance = x86_counter_of(event)->precise.reload;
	}
	return sum;
}

/* Records that come between the reads, and handlers that switch, make it read again. */
uint64_t intel_pebs_count(const struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	const struct unit *u = &units[event->cpu];
	uint64_t count, distance, since;
	const uint64_t *end;
	unsigned switches;

	do {
		switches = __atomic_load_n(&u->switches, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		end = intel_pebs_filled(u);
		count = hw->base;
		distance = hw->precise.distance;
		count += intel_pebs_recorded(u, event, u->full, u->full_end, &distance);
		count += intel_pebs_recorded(u, event, u->next, end, &distance);
		since = (arch_rdpmc(hw->rdpmc) + distance - 1) & hw->mask;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (end != intel_pebs_filled(u) ||
	         switches != __atomic_load_n(&u->switches, __ATOMIC_RELAXED));
	return count + (since < distance ? since : distance);
}

static uint64_t intel_pebs_distance(const struct unit *u, const struct perf_event *event,
                                    uint64_t distance)
{
	uint64_t shortest = u->at_once ? SHORTEST_AT_ONCE : SHORTEST;

	if (distance > x86_counter_of(event)->farthest)
		distance = x86_counter_of(event)->farthest;
	return distance < shortest ? shortest : distance;
}

/* The distance that the CPU reloads: the event's period. All its records have their samples. */
static void intel_pebs_set_reload(struct unit *u, struct perf_event *event)
{
	struct hw_x86_counter *hw = x86_counter_of(event);

	hw->precise.reload = intel_pebs_distance(u, event, event->sampling.period);
	u->store.pebs_counter_reset[hw->counter] = -(hw->precise.reload - 1) & hw->mask;
}

/* ---- Samples ---- */

/* Nothing is copied: sample is the record's, and each of its events sets its own values in it. */
static void intel_pebs_emit(struct perf_event *event, struct intel_pebs_sample *sample)
{
	struct hw_x86_counter *hw = x86_counter_of(event);
	struct sample_data data = {
		.time = clock_stamp_of(event->cpu, sample->tsc),
		.addr = sample->address,
		.precise = &sample->precise,
	};

	if (event->attr.sample_type & PERF_SAMPLE_DATA_SRC)
		sample->precise.data_src =
		    intel_pebs_data_src(sample->source, hw->precise.accesses);
	sample->precise.weight = intel_pebs_is_timed(event) ? sample->weight : 0;

	hw->base += hw->precise.distance;
	hw->precise.distance = hw->precise.reload;
	data.period = hw->base - event->sampled;
	event->sampled = hw->base;
	event->sampling.next = hw->base + hw->precise.reload;
	if (event->count < hw->base)
		event->count = hw->base;
	event->precise++;
	sample_output(event, NULL, &data);
	if (throttle_count(&event->throttle, data.time) && event->state == EVENT_ACTIVE)
		throttle_begin(event, clock_stamp_of(event->cpu, arch_cycles()));
}

/* One record for all its counters. */
static void intel_pebs_take(struct unit *u, struct tr_precise_ledger *ledger,
                            const uint64_t *record)
{
	uint64_t counters = intel_pebs_record_counters(&u->form, record);
	struct intel_pebs_sample sample;

	intel_pebs_record_read(&u->form, record, &sample);
	ledger->records++;
	if (!counters)
		ledger->foreign++;
	for (bool first = true; counters; counters &= counters - 1, first = false) {
		struct perf_event *event = u->events[__builtin_ctzll(counters)];

		ledger->common += !first;
		if (event)
			intel_pebs_emit(event, &sample);
		else
			ledger->foreign++;
	}
}

static void intel_pebs_take_all(struct unit *u, unsigned cpu, const uint64_t **at,
                                const uint64_t *end)
{
	while (*at < end) {
		const uint64_t *record = *at;

		*at = record + u->form.size / 8;
		u->switches++;
		intel_pebs_take(u, &precise_ledgers[cpu], record);
	}
}

/* All records have their samples: -F's next period, and events that were stopped meanwhile. */
static void intel_pebs_drained(struct unit *u)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		struct perf_event *event = u->events[i];

		if (!event)
			continue;
		if (!(u->enable & 1ULL << i)) {
			u->events[i] = NULL;
			continue;
		}
		event->count = intel_pebs_count(event);
		sampling_drained(event);
		intel_pebs_set_reload(u, event);
	}
}

/* draining keeps a handler, which interrupts this, and a stop inside it, away. */
void intel_pebs_drain(unsigned cpu)
{
	struct unit *u = &units[cpu];

	if (!u->users || u->draining)
		return;
	u->draining = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	precise_ledgers[cpu].full += intel_pebs_is_full(u);
	intel_pebs_take_all(u, cpu, &u->full, u->full_end);
	intel_pebs_take_all(u, cpu, &u->next, intel_pebs_filled(u));
	intel_pebs_open(u, intel_pebs_half(u, false));
	intel_pebs_drained(u);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	u->draining = false;
}

/* ---- The interrupt ---- */

static void intel_pebs_switch(struct unit *u, unsigned cpu)
{
	precise_ledgers[cpu].full += intel_pebs_is_full(u);
	u->full = u->next;
	u->full_end = intel_pebs_filled(u);
	intel_pebs_open(u, intel_pebs_half(u, true));
}

/* A late interrupt only uses up margin, so the index decides, not the status. */
uint64_t intel_pebs_serve(unsigned cpu, uint64_t status)
{
	struct unit *u = &units[cpu];

	if (!u->enable)
		return status;
	if (!u->draining && (uint64_t)intel_pebs_filled(u) >= u->store.pebs_interrupt_threshold) {
		if (u->at_once || u->full != u->full_end)
			intel_pebs_drain(cpu);
		else
			intel_pebs_switch(u, cpu);
	}
	return status & ~(u->enable & u->form.counters);
}

bool intel_pebs_runs(unsigned cpu)
{
	return units[cpu].enable;
}

/* ---- Begin and end ---- */

static void intel_pebs_begin(struct unit *u, const struct perf_event *event)
{
	u->form = intel_pebs_form();
	u->memory = event->memory;
	u->full = u->full_end = NULL;
	u->enabled = arch_reg_read(IA32_PEBS_ENABLE);
	u->ds_area = arch_reg_read(IA32_DS_AREA);
	u->ld_lat = arch_reg_read(MSR_PEBS_LD_LAT_THRESHOLD);
	u->latency = 0;
	arch_reg_write(IA32_PEBS_ENABLE, 0);
	if (u->form.baseline) {
		u->data_cfg = arch_reg_read(MSR_PEBS_DATA_CFG);
		arch_reg_write(MSR_PEBS_DATA_CFG, u->form.groups);
	}
	intel_pebs_open(u, u->memory);
	arch_reg_write(IA32_DS_AREA, (uint64_t)&u->store);
}

static void intel_pebs_end(const struct unit *u)
{
	arch_reg_write(IA32_DS_AREA, u->ds_area);
	arch_reg_write(MSR_PEBS_LD_LAT_THRESHOLD, u->ld_lat);
	if (u->form.baseline)
		arch_reg_write(MSR_PEBS_DATA_CFG, u->data_cfg);
	arch_reg_write(IA32_PEBS_ENABLE, u->enabled);
}

/* A CPU has one threshold of latency. */
static int intel_pebs_set_latency(struct unit *u, struct perf_event *event)
{
	uint64_t latency = intel_pebs_latency(&event->attr);

	if (!intel_pebs_is_timed(event) || u->latency == latency)
		return 0;
	event->why = "another event has another ldlat, and a CPU has one";
	if (u->latency)
		return -EBUSY;
	event->why = NULL;
	u->latency = latency;
	arch_reg_write(MSR_PEBS_LD_LAT_THRESHOLD, latency);
	return 0;
}

static int intel_pebs_take_unit(struct unit *u, struct perf_event *event)
{
	event->why = "a branch trace (bts//) uses the debug store: record one after the other";
	if (!debug_store_take(event->cpu, DEBUG_STORE_PEBS))
		return -EBUSY;
	event->why = NULL;
	intel_pebs_begin(u, event);
	return 0;
}

int intel_pebs_add(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];
	int code = 0;

	if (!x86_counter_of(event)->precise.recorded)
		return 0;
	if (!event->memory)
		return -ENOMEM;
	if (!u->users)
		code = intel_pebs_take_unit(u, event);
	if (!code)
		code = intel_pebs_set_latency(u, event);
	if (code)
		return code;
	u->users++;
	u->at_once += intel_pebs_needs_at_once(event);
	intel_pebs_drain(event->cpu); /* sets the threshold */
	return 0;
}

void intel_pebs_del(const struct perf_event *event)
{
	struct unit *u = &units[event->cpu];

	if (!x86_counter_of(event)->precise.recorded)
		return;
	u->at_once -= intel_pebs_needs_at_once(event);
	if (--u->users)
		return;
	intel_pebs_end(u);
	debug_store_leave(event->cpu);
}

uint64_t intel_pebs_start(struct perf_event *event)
{
	struct hw_x86_counter *hw = x86_counter_of(event);
	struct unit *u = &units[event->cpu];
	uint64_t enable;

	hw->precise.distance = intel_pebs_distance(u, event, sampling_left(event));
	intel_pebs_set_reload(u, event);
	u->events[hw->counter] = event;
	enable = intel_pebs_bit(event);
	enable |= intel_pebs_is_timed(event) ? enable << PEBS_ENABLE_LL : 0;
	u->enable |= enable;
	arch_reg_write(IA32_PEBS_ENABLE, u->enable);
	return hw->precise.distance - 1;
}

void intel_pebs_stop(const struct perf_event *event)
{
	struct unit *u = &units[event->cpu];

	uint64_t bit = intel_pebs_bit(event);

	u->enable &= ~(bit | bit << PEBS_ENABLE_LL);
	arch_reg_write(IA32_PEBS_ENABLE, u->enable);
	intel_pebs_drain(event->cpu);
}
