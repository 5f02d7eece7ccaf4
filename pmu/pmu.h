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
	uint64_t
	    steady; /* period, as long as it stays the same and fits pmu/usual_sample.h; else 0 */
	uint64_t dense;       /* cycles: interrupts closer than this need it; 0: they do not */
	uint64_t interrupted; /* cycles: the last one, where dense is set */
	uint64_t pc;          /* that it found */
	uint64_t slower;      /* of -F: so many times as seldom as attr says; 0 is as 1 */
	uint64_t least;       /* that a counter may be programmed with; 0 is as 1 */
};

/* How many samples may still come in one tick's time; pmu/throttle.h. */
struct throttle {
	uint64_t left;
	uint64_t since; /* ns: when there were limit left; 0: not begun */
	uint64_t limit; /* 0: none */
};

/* The words that every sample of an event has in common; pmu/usual_sample.h. */
struct usual_sample {
	uint64_t most;   /* bytes of a record; more than any ring has: its samples are not usual */
	uint64_t header; /* with a callchain: without its size */
	uint64_t tid, cpu;
	struct clock_line clock;
	bool has_chain;
	bool has_trailer; /* of a side-band record: with the fields that `record` asks for */
	struct callchain chain;
};

enum event_state {
	EVENT_OFF,
	EVENT_INACTIVE,  /* enabled; waits for a counter */
	EVENT_ACTIVE,    /* counts */
	EVENT_THROTTLED, /* has its counter, which stands still until the next tick */
};

/* The account of a trace's branches: records + lost = taken (event->count) + interrupts. */
struct branch_account {
	uint64_t records;
	uint64_t interrupts; /* of these, deliveries of interrupts, which are no branches */
	uint64_t returns;    /* of the taken ones, returns from our handlers */
	uint64_t lost;       /* taken, not recorded */
	bool unknown;        /* nobody counts what is taken: lost means nothing */
};

/* Room for what a source keeps of an event, whose shape its header says. */
#define EVENT_HW_SIZE  352U
#define EVENT_HW_ALIGN 8U

/* Have of(event) be that: a type that fits, or it is not compiled. */
#define EVENT_HW(type, of)                                                                \
	_Static_assert(sizeof(type) <= EVENT_HW_SIZE && _Alignof(type) <= EVENT_HW_ALIGN, \
	               "EVENT_HW_SIZE");                                                  \
	static inline type *of(const struct perf_event *event)                            \
	{                                                                                 \
		return (type *)(uintptr_t)event->hw;                                      \
	}

struct perf_event {
	struct perf_event_attr attr;
	uint64_t config3; /* perf's, which lies beyond attr's size */
	const struct pmu *pmu;
	unsigned cpu;
	unsigned evsel;                  /* position on the command line */
	struct perf_event *group_leader; /* itself, where it is in no group */
	unsigned nr_members;             /* of a leader: it and those that follow it in memory */
	bool rotates;                    /* of a leader: the group takes turns with others */
	struct ring *ring;               /* that it writes to */
	struct ring_aux *aux;            /* that it fills; NULL without PMU_AUX */
	struct ring_account account;
	uint64_t count;     /* of the counter, since it was first added */
	uint64_t sampled;   /* sum of the PERIODs of all samples; count - sampled = residue */
	uint64_t throttled; /* THROTTLE episodes */
	uint64_t slower;    /* by context_slow(); 0: it was not called, or has no effect */
	bool told;          /* THROTTLE is written, UNTHROTTLE not yet */
	enum event_state state;
	enum event_state held; /* the state after a pause; OFF: it is not paused */
	uint64_t tstamp;       /* ns: the times below are as of then; event_times() */
	uint64_t time_enabled; /* ns */
	uint64_t time_running; /* ns in which it counted */
	struct sampling sampling;
	struct throttle throttle;
	struct usual_sample usual;
	struct branch_account branches;
	const char *name;
	const char *why; /* event_init failed: a phrase, if the source has one */
	/* Where the CPU waits for room rather than lose (NULL: it does not): called by a source
	 * that fills the AUX area and is about to want bytes of it, behind what it has published,
	 * by a handler that interrupted a thread. Returns when they are there, and room for its
	 * record in the ring, or when it is no use; it may have stopped the event. False: it is no
	 * use. */
	bool (*await_room)(struct perf_event *event, uint64_t bytes);
	/* Called by a source that traces code which masks interrupts, as no tick may come, for as
	 * long as asked's word, which others write, is not what was heard; it may stop the event.
	 * asked NULL: nobody wants to. NMI that interrupted no handler. */
	void (*attend)(struct perf_event *event);
	const uint32_t *asked;
	uint32_t heard;
	_Alignas(EVENT_HW_ALIGN) unsigned char hw[EVENT_HW_SIZE]; /* its source's; EVENT_HW() */
};

/* All sources that this image was built with, each the beginning of a struct pmu, ended by NULL;
 * general ones last. */
extern const struct pmu_source *const pmu_sources[];

/* Whether the machine has what it drives, whoever uses that. Thread. */
bool pmu_is_here(const struct pmu_source *source);

/* The source that has this type for its own, or NULL: for generic events several serve it. */
const struct pmu_source *pmu_of_type(uint32_t type);

/* Bind event (attr, cpu, evsel, name set by the caller; its group, or NULL for none) to the first
 * source that serves it. -ENOENT if none does, else that source's error. Thread. */
int event_init(struct perf_event *event);

/* Go over to state, with the times kept: now is ns. Not while it counts, but in its handler. */
void event_set_state(struct perf_event *event, enum event_state state, uint64_t now);

/* How long it was enabled, and how long it counted, at now; ns. A throttled event does not count,
 * and so a count * enabled / running stays true. Any context on its CPU. */
struct event_times {
	uint64_t enabled, running;
};
struct event_times event_times(const struct perf_event *event, uint64_t now);

/* Bring event->count up to date, if it counts or may have been late. event->cpu with interrupts
 * masked, or a handler. */
void event_read(struct perf_event *event);

/*
 * The counter of event has counted on to event->count: write one sample for all that came
 * since the last, its PERIOD the true distance. Not room enough: lost and counted. regs is
 * the interrupted state. An event that samples too often is stopped by this, with its group's
 * others of the same source. IRQ or NMI on event->cpu, its source's own handler.
 */
void event_overflow(struct perf_event *event, const struct arch_regs *regs, uint64_t now);

/* Copy the event's counters to its published ledger, as of now (ns). Event's CPU, or the event
 * disabled. */
void event_publish(const struct perf_event *event, struct tr_event_ledger *ledger, uint64_t now);

/* A source's error for the user, as a phrase. */
const char *event_error_text(int code);

#endif
