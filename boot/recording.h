/* SPDX-License-Identifier: MIT */
/* A recording between its halves: record.c opens and closes it, record_cpus.c runs it. */
#ifndef BOOT_RECORDING_H
#define BOOT_RECORDING_H

#include "boot/command.h"
#include "boot/payload_run.h"
#include "channel/channel.h"
#include "pmu/tick.h"
#include "ringbuf/region_writer.h"

/* One traced CPU. Only that CPU touches it between start and stop, but for the flags. */
struct traced_cpu {
	struct recording *recording;
	unsigned cpu;
	unsigned index; /* of its ring */
	struct perf_event *events;
	struct ring ring;
	struct ring_owner owner;
	struct tick tick;
	uint8_t *scratch;
	int error;
	bool started; /* its events count; or error says why not. Released */
};

struct recording {
	const struct command *command;
	struct trace_region *region;
	const struct channel *channel;
	struct event_spec specs[COMMAND_MAX_EVENTS];
	unsigned nr_events;
	unsigned nr_cpus;
	struct traced_cpu *cpus;
	enum payload_end end; /* how the workload ended */
	bool stop;            /* the workload has ended. Released */
};

/* Refuse or give up: the reason goes to the host and to the console. Returns error. Thread. */
int recording_fail(struct recording *r, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Count on all traced CPUs while the workload runs on the boot CPU; everything is published
 * afterwards. 0, or recording_fail()'s. Thread, interrupts masked. */
int recording_run(struct recording *r);

#endif
