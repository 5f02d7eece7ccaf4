/* SPDX-License-Identifier: MIT */
/* The command line, in perf's syntax, as data. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include "abi/trace_region.h"
#include "command/tables.h"
#include "pmu/parse/events.h"

#define COMMAND_MAX_EVENTS 16U
/* limit of a command line, so that it fits into tr_header.command */
#define COMMAND_MAX_LENGTH 1023U
#define COMMAND_MAX_WORDS  64U
#define COMMAND_MAX_FILES  16U

/* The name of the firmware's own boot, as an option and as a workload. */
#define BOOT_WORKLOAD "--boot"

/* The default recording of the firmware's boot. Without -e a command gets this event and -g;
 * without -F and -c it gets this frequency. */
#define COMMAND_BOOT "record --boot -e cpu-clock -F 1000 -g"

enum command_verb {
	COMMAND_HELP,
	COMMAND_LIST,
	COMMAND_VERSION,
	COMMAND_RECORD,
	COMMAND_STAT,
	COMMAND_STOP,
	COMMAND_SLOWER,
	COMMAND_SAVE,
	COMMAND_SELFTEST,
	COMMAND_NOISE,
	COMMAND_RECOVER,
	COMMAND_REGISTER,
	COMMAND_UNREGISTER,
	COMMAND_BENCH
};

/* The machine's action after the command. */
enum command_then { THEN_DEFAULT, THEN_POWEROFF, THEN_REBOOT, THEN_WAIT };

/* The CPUs that --lossless stalls when a ring or an AUX area of one CPU lacks room. */
enum command_lossless { LOSSLESS_NONE, LOSSLESS_ALL, LOSSLESS_CPU, LOSSLESS_FREEZE };

/* Events that end the recording of a boot before ExitBootServices(). The first event counts. */
struct command_until {
	bool ready_to_boot; /* EFI_EVENT_GROUP_READY_TO_BOOT */
	bool key;           /* Ctrl-R on the firmware's console */
	uint64_t ms;        /* time from the recording's start; 0: no time limit */
};

struct command {
	enum command_verb verb;
	enum command_then then;
	unsigned nr_events; /* 0: the command names no event */
	struct event_spec events[COMMAND_MAX_EVENTS];
	bool has_period, has_freq; /* given; if neither is, period_or_freq is a default in Hz */
	uint64_t period_or_freq;
	bool callchain;                  /* -g */
	uint64_t branch_sample_type;     /* -b, -j, --call-graph lbr; 0: no branch stacks */
	uint64_t sample_fields;          /* -d, -W, --phys-data, -R: of sample_type */
	bool all_cpus;                   /* -a */
	bool disabled;                   /* -D -1: the program starts the recording */
	bool no_aggr;                    /* -A: the console also shows each CPU's counts */
	uint64_t cpus[TR_MAX_CPUS / 64]; /* -C, one bit per CPU; all 0: the boot CPU */
	uint64_t pages;                  /* -m: pages of each ring, a power of two; 0: not given */
	uint64_t aux_pages;              /* -m ,AUX: pages of each AUX area; 0: not given */
	uint32_t aux_watermark;          /* bytes; 0: half of the AUX area */
	/* -S: AUX areas are overwritten until a snapshot is requested */
	bool snapshot;
	/* rings keep the newest records, which are read at the end */
	bool overwrite;
	uint32_t wakeup_events;    /* 0: wake by bytes */
	uint32_t wakeup_watermark; /* bytes; 0: half of the ring */
	/* the CPUs that wait for room; none: records may be lost */
	enum command_lossless lossless;
	uint64_t max_sample_rate; /* limit for each event on each CPU, Hz; 0: no limit */
	bool json;                /* selftest: also print JSON; noise, bench: print only JSON */
	/* noise: s for each CPU; us; 0: not given */
	uint64_t duration, noise_period, noise_threshold;
	/* selftest: reset once, to test data that survives a reset */
	bool reset;
	uint64_t region_size;       /* bytes of a trace region in RAM; 0: not given */
	bool resident, exclusive;   /* keep boot services, or not; neither: not given */
	bool acpi, dtb;             /* which tables to read; neither: not given */
	bool boot;                  /* record: the workload is the firmware's own boot */
	struct command_until until; /* limits of a recorded boot */
	unsigned registered; /* register: column where the registered command begins; 0: none */
	bool keep;           /* the region stays allocated when boot services continue */
	const char *output;  /* -o: the output file on a volume; NULL: not given */
	unsigned nr_fetch;
	/* --fetch: files of the program that the host receives */
	const char *fetch[COMMAND_MAX_FILES];
	const struct workload_usage *workload;
	uint64_t argument; /* the argument of the workload or of `slower' */
	bool uefi;         /* bench: measure the firmware's services */
	bool console;      /* bench: its console too */
	uint64_t calls;    /* bench: of each service; 0: not given */
	/* bench without uefi: argv[0] is piece number `piece` of `pieces`, from 1 */
	unsigned piece, pieces;
	int argc; /* number of a program's words, including its name */
	char *argv[COMMAND_MAX_WORDS + 1];
	char words[COMMAND_MAX_LENGTH + 1]; /* storage: the text, split into words */
};

/* An error in a command line. */
struct command_error {
	const char *what;  /* a phrase: "unknown option" */
	unsigned column;   /* index in the text, from 0 */
	const char *meant; /* the known name that is most similar; NULL: none is similar */
};

/*
 * Parses text (NUL-terminated, any length). tables defines the sources and workloads. 0; -EINVAL:
 * error is filled in. Starts nothing. Accepts a source without probe(), because its hardware is
 * unknown here. Thread.
 */
int command_parse(struct command *command, const char *text, const struct command_tables *tables,
                  struct command_error *error);

/* Reports whether text begins with a command's name. Thread. */
bool command_is_named(const char *text);

/* The same, or with a word so similar to a command's name that it is a typing mistake ("recrod"):
 * at most one wrong letter in four. Thread. */
bool command_is_meant(const char *text);

/* Returns how many words of a command are its name and options. After them come "--" and the
 * workload, or the workload. The workload's own words may be anything. Thread. */
unsigned command_own_words(const char *const *words, unsigned count);

/* Prints the usage, the lines of `help`, with the given line printer. */
typedef void (*command_print_fn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_print_usage(const struct command_tables *tables, command_print_fn print);

#endif
