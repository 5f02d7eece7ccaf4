/* SPDX-License-Identifier: MIT */
/* A recording between its halves: record.c opens and closes it, record_cpus.c runs it. */
#ifndef AGENT_RECORDING_H
#define AGENT_RECORDING_H

#include "agent/parse/command.h"
#include "agent/payload_run.h"
#include "channel/channel.h"
#include "pmu/context.h"
#include "pmu/tick.h"
#include "ringbuf/aux.h"
#include "ringbuf/region_writer.h"

/* One traced CPU. Only that CPU touches it between start and stop, but for the flags. */
struct traced_cpu {
	struct recording *recording;
	unsigned cpu;
	unsigned index; /* of its ring */
	struct perf_event *events;
	struct perf_event_context context;
	const struct perf_event *failed; /* that error is about; NULL: none in particular */
	struct ring ring;
	struct ring_owner owner;
	struct tick tick;
	struct perf_event *aux_event; /* that fills the AUX area; NULL: there is none */
	struct ring_member aux_member;
	struct ring_aux aux;
	uint32_t snapshots; /* asked for by the host, and taken */
	uint8_t *scratch;
	int error;
	bool live;    /* between start and stop: an NMI may stop it */
	bool stopped; /* by the host, before the workload's end */
	bool started; /* its events count; or error says why not. Released */
};

struct recording {
	const struct command *command;
	struct trace_region *region;
	const struct channel *channel;
	struct event_spec specs[COMMAND_MAX_EVENTS];
	unsigned leaders[COMMAND_MAX_EVENTS]; /* of each spec's group */
	unsigned nr_events;
	uint64_t pages;     /* of each CPU's ring */
	uint64_t aux_pages; /* of each CPU; 0: no event fills an AUX area */
	unsigned nr_cpus;
	struct traced_cpu *cpus;
	enum tr_reader_found found;
	enum payload_end end; /* how the workload ended */
	bool stop;            /* the workload has ended. Released */
};

/* Refuse or give up: the reason goes to the host and to the console. Returns error. Thread. */
int recording_fail(struct recording *r, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fill r->specs by the command, or with the events that its verb has by default, and complete their
 * attributes. 0, or recording_fail()'s. Thread. */
int recording_choose_events(struct recording *r);

/* Does an event of this type fill an AUX area? */
bool recording_fills_aux(const struct perf_event_attr *attr);

/* How large the AUX areas must be, by events and command. 0, or recording_fail()'s. Thread. */
int recording_choose_aux(struct recording *r);

/* Give event, which fills it, the AUX area of its CPU's ring. 0, or recording_fail()'s. Thread. */
int recording_open_aux(struct traced_cpu *c, struct perf_event *event);

/* In snapshot mode: take one if the host asks for it. The tick. */
void recording_snapshot(struct traced_cpu *c);

/* All traced CPUs have started: the name of an event that none of them counts, as they are of other
 * kinds, or NULL. Thread. */
const char *recording_uncounted(const struct recording *r);

/* All have stopped, so that it is in no trace: tell what was found in their counters. Thread. */
void recording_tell_counters(const struct recording *r);

/* All have stopped: say on the console what was counted or sampled, what was lost, and which option
 * would help. For whoever sits in front of the machine; the reader has the ledgers. Thread. */
void recording_summarise(const struct recording *r);

/* Count on all traced CPUs while the workload runs on the boot CPU; everything is published
 * afterwards. 0, or recording_fail()'s. Thread, interrupts masked. */
int recording_run(struct recording *r);

#endif
