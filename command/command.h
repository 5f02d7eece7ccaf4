/* SPDX-License-Identifier: MIT */
/* The command line, in perf's syntax, as data. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include "abi/trace_region.h"
#include "command/tables.h"
#include "pmu/parse/events.h"

#define COMMAND_MAX_EVENTS 16U
#define COMMAND_MAX_LENGTH 1023U /* of a command line, so that tr_header.command holds it */
#define COMMAND_MAX_WORDS  64U
#define COMMAND_MAX_FILES  16U

/* The name of the firmware's own boot, as an option and as a workload. */
#define BOOT_WORKLOAD "--boot"

/* Its recording, where nobody has said how; what of this is not said is meant all the same: without
 * -e the event and -g, without -F and -c the frequency. */
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
	COMMAND_RECOVER,
	COMMAND_REGISTER,
	COMMAND_UNREGISTER
};

/* The machine's action after the command. */
enum command_then { THEN_DEFAULT, THEN_POWEROFF, THEN_REBOOT, THEN_WAIT };

/* Which CPUs stand still where a ring or an AUX area of one lacks room. */
enum command_lossless { LOSSLESS_NONE, LOSSLESS_ALL, LOSSLESS_CPU, LOSSLESS_FREEZE };

/* Events that end the recording of a boot before ExitBootServices(); the first one counts. */
struct command_until {
	bool ready_to_boot; /* EFI_EVENT_GROUP_READY_TO_BOOT */
	bool key;           /* Ctrl-R on the firmware's console */
	uint64_t ms;        /* from its begin; 0: no time */
};

struct command {
	enum command_verb verb;
	enum command_then then;
	unsigned nr_events; /* 0: none named */
	struct event_spec events[COMMAND_MAX_EVENTS];
	bool has_period, has_freq; /* given; neither: period_or_freq is a default, Hz */
	uint64_t period_or_freq;
	bool callchain;                  /* -g */
	bool all_cpus;                   /* -a */
	bool disabled;                   /* -D -1: the program says when it begins */
	bool no_aggr;                    /* -A: the console, too, shows each CPU's counts */
	uint64_t cpus[TR_MAX_CPUS / 64]; /* -C, a bit a CPU; all 0: the boot CPU */
	uint64_t pages;                  /* -m: of each ring, a power of two; 0: not given */
	uint64_t aux_pages;              /* -m ,AUX: of each AUX area; 0: not given */
	uint32_t aux_watermark;          /* bytes; 0: half of the AUX area */
	bool snapshot;                   /* -S: AUX areas are overwritten until asked for */
	bool overwrite;                  /* rings keep the newest records, to be read at the end */
	uint32_t wakeup_events;          /* 0: by bytes */
	uint32_t wakeup_watermark;       /* bytes; 0: half of the ring */
	enum command_lossless lossless;  /* the CPUs that wait for room; none: records are lost */
	uint64_t max_sample_rate;        /* of an event on a CPU, Hz; 0: no limit */
	bool json;                       /* of a selftest: as JSON, too */
	bool reset;                      /* of a selftest: one reset, for what it keeps */
	uint64_t region_size;            /* bytes, of a trace region in RAM; 0: not given */
	bool resident, exclusive;        /* whether boot services are to stay; neither: not given */
	bool acpi, dtb;                  /* which tables are to be read; neither: not given */
	bool boot;                       /* of a record: the firmware's own boot is the workload */
	struct command_until until;      /* of that */
	unsigned registered; /* of a register: where in the text its command begins; 0: none */
	bool keep;           /* the region stays allocated when boot services go on */
	const char *output;  /* -o: the file on a volume; NULL: not given */
	unsigned nr_fetch;
	const char *fetch[COMMAND_MAX_FILES]; /* --fetch: the program's files, for the host */
	const struct workload_usage *workload;
	uint64_t argument; /* of the workload, or of `slower' */
	int argc;          /* words of a program, its name first */
	char *argv[COMMAND_MAX_WORDS + 1];
	char words[COMMAND_MAX_LENGTH + 1]; /* storage: the text, cut into words */
};

/* The mistake in a command line. */
struct command_error {
	const char *what;  /* a phrase: "unknown option" */
	unsigned column;   /* where in the text, from 0 */
	const char *meant; /* the name that is nearest to what stands there; NULL: none is near */
};

/*
 * Parse text (NUL-terminated, any length), where sources and workloads are those of tables. 0, or
 * -EINVAL with error filled; nothing has been started either way. A source without probe() is
 * accepted, since its hardware is not known here. Thread.
 */
int command_parse(struct command *command, const char *text, const struct command_tables *tables,
                  struct command_error *error);

/* Whether text begins with the name of a command. Thread. */
bool command_is_named(const char *text);

/* Or with a word so near to one that it is a mistake ("recrod"), a wrong letter in four. Thread. */
bool command_is_meant(const char *text);

/* How many of the words of a command are its name and its options: behind them stand "--" and the
 * workload, or the workload, whose own words may be anything. Thread. */
unsigned command_own_words(const char *const *words, unsigned count);

/* The usage, as the lines of `help`, by the given line printer. */
typedef void (*command_print_fn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
void command_print_usage(const struct command_tables *tables, command_print_fn print);

#endif
