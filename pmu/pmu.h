/* SPDX-License-Identifier: MIT */
/*
 * Event sources and the event core, in perf's terms: a struct pmu (pmu/source.h) is a hardware
 * unit, a struct perf_event is one event on one CPU, bound to a ring.
 */
#ifndef PMU_PMU_H
#define PMU_PMU_H

#include "abi/event_types.h"
#include "abi/trace_region.h"
#include "arch/arch.h"
#include "pmu/callchain.h"
#include "pmu/clock/clock.h"
#include "pmu/source.h"
#include "ringbuf/aux.h"
#include "ringbuf/ring.h"

/* When a counter's samples are due; pmu/sampling.h. */
struct sampling {
	uint64_t period;     /* between samples, counts; 0: it only counts */
	uint64_t next;       /* event->count at which the next sample is due */
	uint64_t sampled_at; /* time_running at the last sample, ns, for -F */
	/* the period, if it stays the same and pmu/usual_sample.h can use it; else 0 */
	uint64_t steady;
	uint64_t dense;       /* cycles: closer interrupts are checked; 0: none */
	uint64_t interrupted; /* cycles: the last interrupt, if dense is set */
	uint64_t pc;          /* pc that the last interrupt found */
	uint64_t slower;      /* -F: the period is this many times attr's; 0 means 1 */
	uint64_t least;       /* the shortest period a counter may be programmed with; 0 means 1 */
	/* event->count and ->sampled at the last sampling_drained() with a sample */
	uint64_t drained_count, drained_sampled;
};

/* How many more samples may come in one tick's time; pmu/throttle.h. */
struct throttle {
	uint64_t left;
	uint64_t since; /* ns: when left was last set to limit; 0: not begun */
	uint64_t limit; /* 0: none */
};

/* The words that every sample of an event has in common; pmu/usual_sample.h. */
struct usual_sample {
	uint64_t most;   /* bytes of a record; if larger than any ring, the samples are not usual */
	uint64_t header; /* header of a sample with lists, without the record's size */
	uint64_t tid, cpu;
	struct clock_line clock;
	bool has_lists; /* callchain, branch stack, or both */
	bool has_branches;
	bool has_trailer; /* side-band records have `record`'s usual trailer */
	struct callchain chain;
};

enum event_state {
	EVENT_OFF,
	EVENT_INACTIVE,  /* enabled; waits for a counter */
	EVENT_ACTIVE,    /* counts */
	EVENT_THROTTLED, /* has its counter, which is stopped until the next tick */
};

/* The account of a trace's branches: records + lost = taken (event->count) + interrupts. */
struct branch_account {
	uint64_t records;
	uint64_t interrupts; /* interrupt deliveries among the records, which are no branches */
	uint64_t returns;    /* returns from our handlers among the taken branches */
	uint64_t lost;       /* taken branches that were not recorded */
	bool unknown;        /* taken branches are not counted, so lost has no meaning */
};

/* Room for a source's data about an event. The type is in the source's header. */
#define EVENT_HW_SIZE  352U
#define EVENT_HW_ALIGN 8U

/* Define of(event), which returns that room as type; it does not compile if type does not fit. */
#define EVENT_HW(type, of)                                                                \
	_Static_assert(sizeof(type) <= EVENT_HW_SIZE && _Alignof(type) <= EVENT_HW_ALIGN, \
	               "EVENT_HW_SIZE");                                                  \
	static inline type *of(const struct perf_event *event)                            \
	{                                                                                 \
		return (type *)(uintptr_t)event->hw;                                      \
	}

struct perf_event {
	struct perf_event_attr attr;
	uint64_t config3, config4; /* perf's, which attr's older size lacks */
	const struct pmu *pmu;
	unsigned cpu;
	unsigned evsel;                  /* position on the command line */
	struct perf_event *group_leader; /* the event itself, if it is in no group */
	unsigned nr_members;             /* leader only: number of events in the group */
	bool rotates;                    /* leader only: the group takes turns with others */
	struct ring *ring;               /* the ring that it writes to */
	struct ring_aux *aux;            /* the AUX area that it fills; NULL without PMU_AUX */
	struct ring_account account;
	uint64_t count;        /* events that were counted since it was first added */
	uint64_t sampled;      /* sum of the PERIODs of all samples; count - sampled = residue */
	unsigned burst;        /* samples that it may write at one time; 0: one */
	uint64_t precise;      /* samples that the hardware recorded itself, lost ones included */
	void *memory;          /* where the hardware writes records; NULL: none */
	uint64_t throttled;    /* THROTTLE episodes */
	uint64_t slower;       /* factor of context_slow(); 0: not called, or it has no effect */
	bool throttle_written; /* THROTTLE is written, UNTHROTTLE not yet */
	enum event_state state;
	enum event_state held; /* the state after a pause; OFF: it is not paused */
	uint64_t tstamp;       /* ns: when the times below were last updated; event_times() */
	uint64_t time_enabled; /* ns */
	uint64_t time_running; /* ns in which it counted */
	uint64_t seen_count;   /* count and time_running when they were last compared by */
	uint64_t seen_running; /* agent/record/record_ledger.c */
	struct sampling sampling;
	struct throttle throttle;
	struct usual_sample usual;
	struct branch_account branches;
	const char *name;
	const char *why; /* event_init failed: a phrase, if the source has one */
	/* Wait for room instead of losing data (`--lossless`); NULL: this CPU does not wait. A
	 * source that fills the AUX area calls it, in a handler that interrupted a thread, before
	 * it needs bytes of the area behind the published part. Returns true when the area has that
	 * room and the ring has room for the AUX record. Returns false if waiting is useless; it
	 * may have stopped the event. */
	bool (*await_room)(struct perf_event *event, uint64_t bytes);
	/* Serve the host's requests, and stop the event if asked. A source that traces code with
	 * interrupts masked, where no tick may come, calls it while *asked, which others write,
	 * differs from heard. asked NULL: no requests. NMI that interrupted no handler. */
	void (*attend)(struct perf_event *event);
	const uint32_t *asked;
	uint32_t heard;
	_Alignas(EVENT_HW_ALIGN) unsigned char hw[EVENT_HW_SIZE]; /* EVENT_HW() */
};

/* All sources that this image was built with, ended by NULL; each is the first member of a struct
 * pmu. Generic ones are last. */
extern const struct pmu_source *const pmu_sources[];

/* Whether the machine has the hardware of this source, used or not. Thread. */
bool pmu_is_here(const struct pmu_source *source);

/* The source whose own type this is; NULL for generic events, which several sources serve. */
const struct pmu_source *pmu_of_type(uint32_t type);

/* Bind event (attr, cpu, evsel, name set by the caller; its group, or NULL for none) to the first
 * source that serves it. -ENOENT if none does, else that source's error. Thread. */
int event_init(struct perf_event *event);

/* Change the event's state at now (ns), and update its times. Not while it counts, except in its
 * own handler. */
void event_set_state(struct perf_event *event, enum event_state state, uint64_t now);

/* How long the event was enabled, and how long it counted, until now; ns. A throttled event does
 * not count as running, so count * enabled / running stays correct. Any context on its CPU. */
struct event_times {
	uint64_t enabled, running;
};
struct event_times event_times(const struct perf_event *event, uint64_t now);

/* Bring event->count up to date if the event counts or may have an overflow pending. On event->cpu
 * with interrupts masked, or in a handler. */
void event_read(struct perf_event *event);

/*
 * event->count was just updated from its counter: write one sample for all events since the last
 * sample; its PERIOD is that true distance. If the ring lacks room, the sample is counted as lost.
 * regs is the interrupted state. An event that samples too often is stopped here, with the events
 * of its group that have the same source. IRQ or NMI on event->cpu, in the handler of its source.
 */
void event_overflow(struct perf_event *event, const struct arch_regs *regs, uint64_t now);

/* Copy the event's counters, as of now (ns), to its published ledger. On the event's CPU, or with
 * the event disabled. */
void event_publish(const struct perf_event *event, struct tr_event_ledger *ledger, uint64_t now);

/* A source's error for the user, as a phrase. */
const char *event_error_text(int code);

#endif
