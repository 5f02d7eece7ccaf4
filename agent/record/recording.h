/* SPDX-License-Identifier: MIT */
/*
 * The state of a recording, shared by the files of this room:
 *
 *	record.c		opens events and rings, and closes them
 *	record_events.c		chooses the events; record_aux.c: their AUX areas
 *	record_run.c		one run: reader, workload, result
 *	record_cpus.c		starts, stops and signals all traced CPUs
 *	record_cpu.c		starts and stops one CPU
 *	record_tick.c		a CPU's tick; record_tick_stalled.c: of a stalled CPU
 *	record_stop.c		the host or a key stops the events early
 *	record_key.c		looks for the stop key
 *	record_force.c		a debugger stops a hung machine's recording
 *	record_switch.c		the program pauses and resumes the events
 *	record_regions.c	counts between a program's marks
 *	lossless/		stalls a CPU until its ring has room
 *	record_ledger.c		publishes counts and losses
 *	record_counters.c	reports foreign counters; record_summary.c: the final report
 *	record_progress.c	the progress line
 *
 * Hosted mode adds agent/uefi/: image_records.c, image_frames.c, uefi_phases.c.
 */
#ifndef AGENT_RECORD_RECORDING_H
#define AGENT_RECORD_RECORDING_H

#include "agent/payload/payload_run.h"
#include "channel/channel.h"
#include "channel/stop_key.h"
#include "command/command.h"
#include "lib/console/framebuffer.h"
#include "pmu/context.h"
#include "pmu/tick.h"
#include "ringbuf/aux.h"
#include "ringbuf/keep.h"
#include "ringbuf/region_writer.h"

/* One traced CPU. Between start and stop only that CPU uses it. Exceptions are the flags marked
 * "release": other CPUs load them with acquire. */
struct traced_cpu {
	struct recording *recording;
	unsigned cpu;
	unsigned index;       /* index of its ring */
	struct tr_ring place; /* its ring's entry of the directory */
	struct perf_event *events;
	struct perf_event_context context;
	const struct perf_event *failed; /* the event that could not start, or NULL */
	struct ring ring;
	struct ring_owner owner;
	struct tick tick;
	struct perf_event *aux_event; /* the event that fills the AUX area, or NULL */
	struct ring_aux aux;
	struct ring_keep keep; /* for a region that survives a reset */
	uint64_t slower;       /* the factor by which the host slows sampling; 0: none */
	uint32_t snapshots;    /* the last snapshot request of the host that was served */
	uint32_t images;       /* records of UEFI images, counted in the first event's records */
	uint8_t *scratch;
	void *memory; /* that hardware writes records of precise samples to; NULL: none does */
	int code;
	bool live;                    /* between start and stop: an NMI may stop it */
	bool stopped;                 /* the events stopped before the workload ended. Release */
	bool forced;                  /* a debugger stopped it: nothing is left to stop */
	bool paused;                  /* the program paused its events. Release */
	struct mark_regions *regions; /* the counts between its marks, or NULL */
	/* --lossless; agent/record/lossless/ */
	uint64_t least_room; /* bytes of the ring that handlers may need before the CPU stalls */
	bool waits;          /* it stalls until its own ring has room. Release */
	bool stalled_now;    /* it stalls, for its own ring or for another CPU's */
	uint64_t aux_wanted; /* bytes of the AUX area that the event asks for */
	uint64_t stall_ns, stalls, given_up, frozen; /* see struct tr_cpu */
	uint64_t uncounted;                          /* likewise */
	bool started; /* its events count, or code says why not. Release */
};

/* The progress line. */
struct recording_progress {
	bool resident;
	uint64_t began, next, next_line; /* ns of clock_steady() */
	unsigned length;                 /* characters of text */
	unsigned drawn, sent;            /* characters already on the screen, on the serial line */
	char text[FRAMEBUFFER_STATUS + 1];
};

/* The search for the stop key. */
struct recording_keys {
	struct stop_key of_firmware; /* resident: from the firmware's console line */
	unsigned looks;
};

struct recording {
	const struct command *command;
	struct trace_region *region;
	struct channel *channel;
	struct event_spec specs[COMMAND_MAX_EVENTS];
	unsigned leaders[COMMAND_MAX_EVENTS]; /* index of each spec's group leader */
	unsigned nr_events;
	uint64_t pages;     /* of each CPU's ring */
	uint64_t aux_pages; /* of each CPU's AUX area; 0: no event fills one */
	unsigned nr_cpus;
	struct traced_cpu *cpus;
	enum tr_reader_found found;
	enum payload_end end; /* how the workload ended */
	struct recording_progress progress;
	struct recording_keys keys;
	bool hosted;             /* the firmware keeps running, and keeps screen, lines and keys */
	bool watches_images;     /* images that the firmware loads are recorded */
	bool image_alone;        /* events count from the workload's StartImage() to its return */
	unsigned images_running; /* nested StartImage() calls of images that the workload started */
	const struct traced_cpu *failed; /* the CPU that could not start, or NULL */
	const char *uncounted;           /* an event that no CPU counts, or NULL */
	bool by_key;                     /* the stop key was pressed. Release */
	bool lossless_given_up;  /* no reader made room: records are lost until one reads again */
	bool lossless_together;  /* all CPUs have started */
	uint64_t lossless_taken; /* bytes that readers had taken when lossless_given_up was set */
	bool off;                /* the program wants nothing recorded. Release */
	bool stop;               /* the workload has ended. Release */
};

/* Fail the recording: print the reason on the console, and set it as the region's message. Returns
 * code. Thread. */
int recording_fail(struct recording *r, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the calling CPU's part of the live recording, or NULL. Any context. */
struct traced_cpu *recording_here(void);

/* Returns the live recording, the one whose rings are written, or NULL. Any context. */
struct recording *recording_now(void);

/* Set the live recording; NULL: none. Thread. */
void recording_set_now(struct recording *r);

#endif
