/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/branch_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/array.h"
#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/sample.h"

struct branch_place {
	uint64_t begins; /* number of runs that begin here */
	uint64_t ends;   /* runs whose last instruction is this branch */
	uint64_t stops;  /* runs that an interrupt ended before this instruction */
	uint64_t broken; /* runs from here without a straight line to their end */
	uint64_t last;   /* the last possible end of a run that begins here */
	uint64_t target;
	enum code_kind kind;
	bool is_known, has_code, direct; /* kind and target are valid */
	bool has_last;
};

/* The counts of the instructions from one place to the next place. */
struct branch_count {
	uint64_t address;
	uint64_t done;  /* executions of the instruction at address */
	uint64_t after; /* executions of the instructions behind it */
	uint64_t taken;
};

struct branch {
	uint64_t from, to, flags;
};

struct branch_cpu {
	uint32_t cpu;
	struct branch branch;    /* the last branch; its kind depends on the next one */
	bool has_branch, hidden; /* hidden: an interrupt was delivered before it */
	uint64_t start;          /* target of the branch before; 0: unknown */
	uint64_t offset, flags;  /* offset and flags of the last AUX record */
	uint64_t time;           /* its time */
};

struct branch_code {
	const char *path;
	struct code *code;
};

/* ---- Code ---- */

static struct code *open_code(struct branch_runs *runs, const char *path)
{
	struct branch_code *codes;

	for (uint32_t i = 0; i < runs->code_count; i++) {
		if (runs->codes[i].path == path)
			return runs->codes[i].code;
	}
	codes = array_grow(runs->codes, runs->code_count, sizeof(*codes));
	if (!codes)
		return NULL;
	runs->codes = codes;
	codes[runs->code_count] = (struct branch_code){ path, code_open(path) };
	return codes[runs->code_count++].code;
}

bool branch_runs_code(struct branch_runs *runs, uint64_t address,
                      struct code_instruction *instruction)
{
	const char *path = symbols_elf(runs->file->symbols, address);
	struct code *code = path ? open_code(runs, path) : NULL;

	return code && code_at(code, symbols_find(runs->file->symbols, address).offset, address,
	                       instruction);
}

/* Return the number of the place at an address. INTERN_NONE: memory ran out. */
static uint32_t place_at(struct branch_runs *runs, uint64_t address)
{
	uint32_t number = intern(&runs->addresses, address, 0);
	struct branch_place *places;

	if (number == INTERN_NONE)
		return number;
	places = array_reach(runs->places, &runs->place_room, number, sizeof(*places));
	if (!places)
		return INTERN_NONE;
	runs->places = places;
	return number;
}

static void learn_kind(struct branch_runs *runs, uint64_t address, struct branch_place *place)
{
	struct code_instruction instruction = { 0 };

	if (place->is_known)
		return;
	place->is_known = true;
	place->has_code = branch_runs_code(runs, address, &instruction);
	place->kind = instruction.kind;
	place->direct = instruction.direct;
	place->target = instruction.target;
}

/* Find the last instruction of a straight line from address: the first instruction that always
 * branches. If address has no code, place->last stays 0. */
static void learn_last(struct branch_runs *runs, uint64_t address, struct branch_place *place)
{
	struct code_instruction instruction;

	if (place->has_last)
		return;
	place->has_last = true;
	while (branch_runs_code(runs, address, &instruction)) {
		place->last = address;
		address += instruction.size;
		if (instruction.kind >= CODE_JUMP)
			break;
	}
}

/* ---- Branches ---- */

/* Whether a branch is the delivery of an interrupt, not a branch of the program. The next branch
 * may show it: an IRET that returns to the interrupted instruction. */
static bool is_delivery(struct branch_runs *runs, const struct branch *branch,
                        const struct branch_place *from, const struct branch *next)
{
	uint32_t back;

	if (!from->has_code)
		return false;
	if (from->kind == CODE_OTHER || (from->direct && from->target != branch->to))
		return true;
	if (!next || next->to != branch->from)
		return false;
	back = place_at(runs, next->from);
	if (back == INTERN_NONE)
		return false;
	learn_kind(runs, next->from, &runs->places[back]);
	return runs->places[back].kind == CODE_IRET;
}

static int show_run(struct branch_runs *runs, uint32_t cpu, uint64_t start,
                    const struct branch *branch, bool delivery)
{
	const uint32_t last = place_at(runs, branch->from);
	const struct branch_run run = {
		.cpu = cpu,
		.start = start,
		.end = branch->from,
		.to = branch->to,
		.kind = delivery ? CODE_OTHER : runs->places[last].kind,
	};

	return runs->visit ? runs->visit(runs->context, &run) : 0;
}

static int count_run(struct branch_runs *runs, uint32_t cpu, uint64_t start,
                     const struct branch *branch, bool delivery)
{
	uint32_t first = place_at(runs, start), last = place_at(runs, branch->from);
	const uint64_t end = branch->from;

	if (first == INTERN_NONE || last == INTERN_NONE)
		return -ENOMEM;
	learn_last(runs, start, &runs->places[first]);
	if (end < start || runs->places[first].last < end) {
		runs->places[first].broken++;
		first = last; /* the branch instruction itself was executed in any case */
		start = end;
	}
	runs->places[first].begins++;
	if (delivery) /* also before the run's first instruction: the visitor must know of it */
		runs->places[last].stops++;
	else
		runs->places[last].ends++;
	return show_run(runs, cpu, start, branch, delivery);
}

/* Count the run that ends with the CPU's last branch. next is the branch after it, which shows
 * whether the last branch was an interrupt; NULL: no next branch. */
static int settle(struct branch_runs *runs, struct branch_cpu *cpu, const struct branch *next)
{
	const struct branch branch = cpu->branch;
	uint32_t from = place_at(runs, branch.from);
	bool delivery;
	int code = 0;

	if (from == INTERN_NONE)
		return -ENOMEM;
	learn_kind(runs, branch.from, &runs->places[from]);
	delivery = is_delivery(runs, &branch, &runs->places[from], next);
	if (!cpu->hidden && runs->places[from].has_code)
		code = count_run(runs, cpu->cpu, cpu->start ? cpu->start : branch.from, &branch,
		                 delivery);
	cpu->start = branch.to;
	cpu->hidden = delivery;
	cpu->has_branch = false;
	return code;
}

static int add_branch(struct branch_runs *runs, struct branch_cpu *cpu, const struct branch *branch)
{
	int code = cpu->has_branch ? settle(runs, cpu, branch) : 0;

	cpu->branch = *branch;
	cpu->has_branch = true;
	runs->branches++;
	return code;
}

/* Count the CPU's last run before a gap in its trace. */
static int end_line(struct branch_runs *runs, struct branch_cpu *cpu)
{
	int code = cpu->has_branch ? settle(runs, cpu, NULL) : 0;

	cpu->start = 0;
	cpu->hidden = false;
	if (!code && runs->visit)
		code = runs->visit(runs->context,
		                   &(struct branch_run){ .cpu = cpu->cpu, .step = BRANCH_GAP });
	return code;
}

/* ---- Records ---- */

static struct branch_cpu *find_cpu(struct branch_runs *runs, uint32_t number)
{
	struct branch_cpu *cpus;
	uint32_t index;

	cpus = array_of_cpu(runs->cpus, &runs->cpu_count, sizeof(*cpus), number, &index);
	if (!cpus)
		return NULL;
	runs->cpus = cpus;
	return &cpus[index];
}

/* Pass the time of the CPU's last AUX record to the visitor. */
static int show_time(struct branch_runs *runs, const struct branch_cpu *cpu)
{
	const struct branch_run run = { .cpu = cpu->cpu, .time = cpu->time, .step = BRANCH_TIME };

	return runs->visit && cpu->time ? runs->visit(runs->context, &run) : 0;
}

static int learn_aux(struct branch_runs *runs, const struct perf_event_header *record)
{
	const struct perf_record_aux *aux = (const void *)record;
	const struct perf_reader_event *event = perf_reader_event_of(&runs->file->reader, record);
	struct sample sample;
	struct branch_cpu *cpu;

	if (record->size < sizeof(*aux) || !event ||
	    !sample_parse_trailer(record, event->attr.sample_type, &sample))
		return 0;
	cpu = find_cpu(runs, sample.cpu);
	if (!cpu)
		return -ENOMEM;
	cpu->offset = aux->aux_offset;
	cpu->flags = aux->flags;
	cpu->time = sample.time;
	return 0;
}

static int read_piece(struct branch_runs *runs, const struct perf_reader_record *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record->header;
	struct branch_cpu *cpu;
	struct branch branch;
	uint64_t flags;
	int code = 0;

	if (record->header->size < sizeof(*trace))
		return 0;
	cpu = find_cpu(runs, trace->cpu);
	if (!cpu)
		return -ENOMEM;
	flags = cpu->offset == trace->offset ? cpu->flags : PERF_AUX_FLAG_PARTIAL;
	if (flags & PERF_AUX_FLAG_OVERWRITE)
		code = end_line(runs, cpu);
	for (uint64_t at = 0; !code && at + sizeof(branch) <= record->trace_size;
	     at += sizeof(branch)) {
		memcpy(&branch, record->trace + at, sizeof(branch));
		if (branch.from || branch.to) /* both 0: perf's padding */
			code = add_branch(runs, cpu, &branch);
	}
	if (!code && cpu->offset == trace->offset)
		code = show_time(runs, cpu);
	if (!code && flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
		code = end_line(runs, cpu);
	return code;
}

static int visit_record(void *context, const struct perf_reader_record *record)
{
	struct branch_runs *runs = context;

	if (record->header->type == PERF_RECORD_AUX)
		return learn_aux(runs, record->header);
	if (record->header->type == PERF_FILE_RECORD_AUXTRACE_INFO && record->header->size >= 16)
		memcpy(&runs->aux_type, record->header + 1, sizeof(runs->aux_type));
	if (record->header->type == PERF_FILE_RECORD_AUXTRACE &&
	    runs->aux_type == PERF_FILE_AUXTRACE_INTEL_BTS)
		return read_piece(runs, record);
	return 0;
}

/* ---- Counts ---- */

static int compare_counts(const void *one, const void *other)
{
	const struct branch_count *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

static int sum_up(struct branch_runs *runs)
{
	uint32_t count = runs->addresses.count;
	uint64_t now = 0;

	runs->counts = calloc(count + 1U, sizeof(*runs->counts));
	if (!runs->counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct branch_place *place = &runs->places[i];

		runs->counts[i] = (struct branch_count){
			.address = runs->addresses.keys[i].a,
			.done = place->begins - place->stops,
			.taken = place->ends,
		};
	}
	qsort(runs->counts, count, sizeof(*runs->counts), compare_counts);
	for (uint32_t i = 0; i < count; i++) {
		runs->counts[i].done += now;
		now = runs->counts[i].done - runs->counts[i].taken;
		runs->counts[i].after = now;
	}
	return 0;
}

int branch_runs_read(struct branch_runs *runs, struct error *error)
{
	int code = recording_file_records(runs->file, visit_record, runs, error);

	for (uint32_t i = 0; !code && i < runs->cpu_count; i++)
		code = end_line(runs, &runs->cpus[i]);
	if (!code)
		code = sum_up(runs);
	return code ? error_set(error, code, "no memory for the branches") : 0;
}

struct branch_times branch_runs_at(const struct branch_runs *runs, uint64_t address)
{
	uint32_t low = 0, high = runs->addresses.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (runs->counts[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return (struct branch_times){ 0, 0 };
	if (runs->counts[low - 1].address < address)
		return (struct branch_times){ runs->counts[low - 1].after, 0 };
	return (struct branch_times){ runs->counts[low - 1].done, runs->counts[low - 1].taken };
}

uint64_t branch_runs_broken(const struct branch_runs *runs, uint64_t start, uint64_t end)
{
	uint64_t broken = 0;

	for (uint32_t i = 0; i < runs->addresses.count; i++) {
		if (runs->addresses.keys[i].a >= start && runs->addresses.keys[i].a < end)
			broken += runs->places[i].broken;
	}
	return broken;
}

void branch_runs_free(struct branch_runs *runs)
{
	for (uint32_t i = 0; i < runs->code_count; i++)
		code_close(runs->codes[i].code);
	free(runs->codes);
	free(runs->cpus);
	free(runs->counts);
	free(runs->places);
	intern_free(&runs->addresses);
	*runs = (struct branch_runs){ 0 };
}
