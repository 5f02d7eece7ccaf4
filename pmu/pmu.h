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
#include "pmu/branch_area.h"
#include "pmu/callchain.h"
#include "pmu/clock.h"
#include "pmu/source.h"
#include "pmu/timer.h"
#include "ringbuf/aux.h"
#include "ringbuf/ring.h"

/* State of the cpu-clock source; each source with state of its own has a member of hw. */
struct hw_cpu_clock {
	struct timer timer;
	uint64_t period; /* cycles between samples; 0: it only counts */
	uint64_t left;   /* cycles to the next sample, while stopped */
	uint64_t since;  /* cycles at the last update of count */
	bool running;
};

/* When a counter's samples are due; pmu/sampling.h. */
struct sampling {
	uint64_t period;      /* between samples, counts; 0: it only counts */
	uint64_t next;        /* event->count at which the next sample is due */
	uint64_t sampled_at;  /* time_running at the last sample, ns, for -F */
	uint64_t steady;      /* period, as long as it stays and needs no care; else 0 */
	uint64_t dense;       /* cycles: interrupts closer than this need it; 0: they do not */
	uint64_t interrupted; /* cycles: the last one, where dense is set */
	uint64_t pc;          /* that it found */
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

/* State of Arm's PMUv3. */
struct hw_arm_pmuv3 {
	uint64_t type;    /* of PMEVTYPER: event number, filter, threshold */
	unsigned counter; /* 31: the cycle counter; of a chained pair the upper one */
	bool chained;     /* with the one below it, to have 64 bits */
	bool selectable;  /* an event counter by itself: PMSELR_EL0 can select it */
	uint64_t value;   /* of the counter when it was last looked at or written */
	uint64_t mask;    /* of its bits */
};

/* State of an x86 CPU's counter. */
struct hw_x86_counter {
	uint64_t
	    select; /* of IA32_PERFEVTSELx or PERF_CTLx, without the bits that a counter adds */
	unsigned counter; /* bit in the global registers: 32 and up are fixed */
	uint64_t value;   /* of the counter when it was last written, at event->count == base */
	uint64_t base;
	uint32_t rdpmc;      /* RDPMC's operand for it */
	uint32_t write_at;   /* its register */
	uint64_t mask;       /* of its value */
	uint64_t farthest;   /* the longest distance to overflow that can be written */
	uint64_t candidates; /* counters that count the event, a bit each */
};

enum event_state {
	EVENT_OFF,
	EVENT_INACTIVE,  /* enabled; waits for a counter */
	EVENT_ACTIVE,    /* counts */
	EVENT_THROTTLED, /* has its counter, which stands still until the next tick */
};

/* An event's choices as values of Arm's SPE registers. */
struct arm_spe_registers {
	uint64_t pmscr_el1, pmscr_el2, pmsfcr, pmsevfr, pmsnevfr, pmslatfr, pmsirr;
	bool discard; /* samples are taken, and no records written */
};

/* State of Arm's SPE. */
struct hw_arm_spe {
	struct arm_spe_registers registers;
	uint64_t area;                 /* its address */
	struct ring_aux_output output; /* the transaction, while lent */
	uint64_t limit;                /* position in the AUX area where the hardware stops */
	uint64_t flags;                /* for the next AUX record */
	uint64_t context;              /* CONTEXTIDR_EL1 as we found it */
	uint64_t seen;                 /* of PMBSR_EL1, by a handler that found nothing lent */
	unsigned faults;               /* in a row */
	bool running;                  /* between start and stop */
	bool lent;                     /* the hardware has a piece of the area */
};

/* State of Intel's branch trace store. */
struct hw_intel_bts {
	struct branch_area area;
	uint64_t debugctl; /* while it traces */
	uint64_t gap;      /* taken branches when it stopped for lack of room */
	bool running;      /* it traces, into area's open segment */
	uint32_t usual;    /* while it runs, ARCH_ENTERED_* of an interrupt of its own; else 0 */
	const uint32_t *asked; /* the event's, or one that never changes */
	bool ring0;            /* chosen: deliveries and returns of our handlers leave it */
	bool counters;         /* of taken branches */
};

/* State of a branch trace by single-step. */
struct hw_branch_step {
	struct branch_area area;
};

/* What became of the branches of a trace: records + lost = taken (event->count) + interrupts. */
struct branch_account {
	uint64_t records;
	uint64_t interrupts; /* of these, deliveries of interrupts, which are no branches */
	uint64_t returns;    /* of the taken ones, returns from our handlers */
	uint64_t lost;       /* taken, not recorded */
	bool unknown;        /* nobody counts what is taken: lost means nothing */
};

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
	bool told;          /* THROTTLE is written, UNTHROTTLE not yet */
	enum event_state state;
	uint64_t tstamp;       /* ns: the times below are as of then; event_times() */
	uint64_t time_enabled; /* ns */
	uint64_t time_running; /* ns in which it counted */
	struct sampling sampling;
	struct throttle throttle;
	struct usual_sample usual;
	struct branch_account branches;
	const char *name;
	const char *why; /* event_init failed: a phrase, if the source has one */
	/* Called by a source that traces code which masks interrupts, as no tick may come, for as
	 * long as asked's word, which others write, is not what was heard; it may stop the event.
	 * asked NULL: nobody wants to. NMI that interrupted no handler. */
	void (*attend)(struct perf_event *event);
	const uint32_t *asked;
	uint32_t heard;
	union {
		struct hw_cpu_clock cpu_clock;
		struct hw_arm_pmuv3 arm_pmuv3;
		struct hw_x86_counter x86;
		struct hw_arm_spe arm_spe;
		struct hw_intel_bts intel_bts;
		struct hw_branch_step branch_step;
	} hw;
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

/* Have one event, in no group, count / stop it and give its counter back. What many events need is
 * in pmu/context.h. On event->cpu with interrupts masked. event_enable: 0 or the source's error. */
int event_enable(struct perf_event *event);
void event_disable(struct perf_event *event);

/* Go over to state, with the times kept: now is ns. Not while it counts, but in its handler. */
void event_set_state(struct perf_event *event, enum event_state state, uint64_t now);

/* How long it was enabled, and how long it counted, at now; ns. A throttled event does not count,
 * and so a count * enabled / running stays true. Any context on its CPU. */
struct event_times {
	uint64_t enabled, running;
};
struct event_times event_times(const struct perf_event *event, uint64_t now);

/* Bring event->count up to date, if it counts. event->cpu with interrupts masked, or a handler. */
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

/* What a source's error means to the user, as a phrase. */
const char *event_error_text(int error);

#endif
