/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/call_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/branches/branch_samples.h"
#include "host-tools/util/array.h"

/* The facts about a run that follow from its first and last instruction. */
struct call_length {
	uint32_t instructions;
	uint32_t function;
	bool is_known, is_first; /* is_first: it begins with the function's first instruction */
};

/* The facts about a branch that follow from its address and its target. */
struct call_jump {
	uint32_t from, to; /* functions */
	uint64_t back;     /* address of the next instruction */
	bool is_known, is_first;
};

/* ---- Functions ---- */

/* The number of the function around an address, even if it is a cold part. */
static uint32_t number_of(struct call_walk *walk, uint64_t address, bool *is_first)
{
	struct symbol_code code;
	uint32_t number;

	*is_first = false;
	if (!symbols_code(walk->runs.file->symbols, address, &code))
		return 0;
	*is_first = code.address == address;
	number = intern(&walk->functions, code.address, 0);
	return number == INTERN_NONE ? number : number + 1;
}

struct symbol call_walk_symbol(const struct call_walk *walk, uint32_t number)
{
	if (!number)
		return (struct symbol){ 0 };
	return symbols_find(walk->runs.file->symbols, walk->functions.keys[number - 1].a);
}

static uint32_t whole_function(const struct call_walk *walk, uint32_t number)
{
	uint32_t parent = number < walk->parents_room ? walk->parents[number] : 0;

	return parent ? parent : number;
}

uint32_t call_walk_function(struct call_walk *walk, uint64_t address)
{
	bool is_first;
	uint32_t number = number_of(walk, address, &is_first);

	return number == INTERN_NONE ? number : whole_function(walk, number);
}

/* Whether a function is the cold part of another one: its name is NAME.cold or NAME.cold.1, and
 * demangled NAME. */
static bool is_part_of(const struct symbol *part, const struct symbol *function)
{
	size_t length;

	if (!part->is_cold || !function->name || function->is_cold)
		return false;
	length = strlen(function->name);
	return !strncmp(part->name, function->name, length) &&
	       (!part->name[length] || !strncmp(part->name + length, ".cold", 5));
}

/* Remember that function number `part` is a cold part of a function, if it is. */
static int learn_part(struct call_walk *walk, uint32_t part, uint32_t function)
{
	const struct symbol from = call_walk_symbol(walk, function);
	const struct symbol to = call_walk_symbol(walk, part);
	uint32_t *parents;

	if (whole_function(walk, part) != part || !is_part_of(&to, &from))
		return 0;
	parents = array_reach(walk->parents, &walk->parents_room, part, sizeof(*parents));
	if (!parents)
		return -ENOMEM;
	walk->parents = parents;
	parents[part] = function;
	return 0;
}

/* Code is reached by a return, such as the handler of a C++ exception. If it is a cold part, it is
 * one of a function in the stack. */
static int learn_part_of_stack(struct call_walk *walk, const struct call_stack *stack,
                               uint32_t part)
{
	int code = 0;

	if (!call_walk_symbol(walk, part).is_cold)
		return 0;
	for (uint32_t i = stack->depth; !code && i && whole_function(walk, part) == part; i--)
		code = learn_part(walk, part, stack->frames[i - 1].function);
	return code;
}

/* ---- Facts ---- */

/* Get what is known of a run. NULL: memory ran out. */
static const struct call_length *find_length(struct call_walk *walk, const struct branch_run *run)
{
	uint32_t number = intern(&walk->lengths, run->start, run->end);
	struct code_instruction instruction;
	struct call_length *facts;

	if (number == INTERN_NONE)
		return NULL;
	facts = array_reach(walk->length_facts, &walk->lengths_room, number, sizeof(*facts));
	if (!facts)
		return NULL;
	walk->length_facts = facts;
	facts += number;
	if (facts->is_known)
		return facts;
	facts->function = number_of(walk, run->start, &facts->is_first);
	for (uint64_t at = run->start; at <= run->end; at += instruction.size) {
		if (!branch_runs_code(&walk->runs, at, &instruction))
			break;
		facts->instructions++;
	}
	facts->is_known = true;
	return facts->function == INTERN_NONE ? NULL : facts;
}

/* Get what is known of a branch. NULL: memory ran out. */
static const struct call_jump *find_jump(struct call_walk *walk, const struct branch_run *run)
{
	uint32_t number = intern(&walk->jumps, run->end, run->to);
	struct code_instruction instruction;
	struct call_jump *facts;
	bool is_first;

	if (number == INTERN_NONE)
		return NULL;
	facts = array_reach(walk->jump_facts, &walk->jumps_room, number, sizeof(*facts));
	if (!facts)
		return NULL;
	walk->jump_facts = facts;
	facts += number;
	if (facts->is_known)
		return facts;
	facts->from = number_of(walk, run->end, &is_first);
	facts->to = number_of(walk, run->to, &facts->is_first);
	if (branch_runs_code(&walk->runs, run->end, &instruction))
		facts->back = run->end + instruction.size;
	facts->is_known = true;
	return facts->from == INTERN_NONE || facts->to == INTERN_NONE ? NULL : facts;
}

/* ---- Runs ---- */

static int follow(struct call_walk *walk, struct call_cpu *cpu, const struct branch_run *run)
{
	const struct call_jump *jump = find_jump(walk, run);
	uint32_t from, to;
	int code = 0;

	if (!jump)
		return -ENOMEM;
	from = whole_function(walk, jump->from);
	if (run->kind == CODE_CALL || run->kind == CODE_TRAP)
		return call_stack_call(&cpu->stack, from, whole_function(walk, jump->to),
		                       jump->back);
	if (run->kind == CODE_RETURN || run->kind == CODE_IRET)
		code = learn_part_of_stack(walk, &cpu->stack, jump->to);
	else
		code = learn_part(walk, jump->to, from);
	if (code)
		return code;
	to = whole_function(walk, jump->to);
	if (run->kind == CODE_RETURN || run->kind == CODE_IRET)
		return call_stack_return(&cpu->stack, run->to, to, jump->is_first);
	return call_stack_jump(&cpu->stack, from, to, jump->is_first && to == jump->to);
}

/* A run does not begin where the one before it has led: code without a file, or an interrupt, ran
 * in between, or the trace begins. */
static int arrive(struct call_walk *walk, struct call_cpu *cpu, const struct branch_run *run,
                  const struct call_length *length)
{
	uint32_t function;
	int code = learn_part_of_stack(walk, &cpu->stack, length->function);

	if (code)
		return code;
	function = whole_function(walk, length->function);
	if (cpu->is_interrupted && cpu->stack.depth)
		return call_stack_interrupt(&cpu->stack, function, cpu->to);
	return call_stack_return(&cpu->stack, run->start, function,
	                         length->is_first && function == length->function);
}

static int add_run(struct call_walk *walk, struct call_cpu *cpu, const struct branch_run *run)
{
	const struct call_length *length = find_length(walk, run);
	uint32_t instructions;
	int code = 0;

	if (!length)
		return -ENOMEM;
	if (run->start != cpu->to || !cpu->stack.depth)
		code = arrive(walk, cpu, run, length);
	if (code)
		return code;
	cpu->is_interrupted = run->kind == CODE_OTHER;
	instructions = length->instructions - (length->instructions && cpu->is_interrupted);
	call_stack_execute(&cpu->stack, instructions);
	cpu->executed += instructions;
	cpu->to = cpu->is_interrupted ? run->end : run->to;
	return cpu->is_interrupted ? 0 : follow(walk, cpu, run);
}

static int frame_entered(void *context, const struct call_frame *frame)
{
	const struct call_cpu *cpu = context;

	return cpu->walk->entered ? cpu->walk->entered(cpu->walk->context, cpu, frame) : 0;
}

static int frame_left(void *context, const struct call_frame *frame, bool is_return)
{
	const struct call_cpu *cpu = context;

	return cpu->walk->left ? cpu->walk->left(cpu->walk->context, cpu, frame, is_return) : 0;
}

static struct call_cpu *find_cpu(struct call_walk *walk, uint32_t number)
{
	struct call_cpu *cpus, *cpu;

	if (walk->cpu_count && walk->cpus[walk->last_cpu].cpu == number)
		return &walk->cpus[walk->last_cpu];
	cpus = array_of_cpu(walk->cpus, &walk->cpu_count, sizeof(*cpus), number, &walk->last_cpu);
	if (!cpus)
		return NULL;
	walk->cpus = cpus;
	cpu = cpus + walk->last_cpu;
	cpu->walk = walk;
	cpu->stack.entered = frame_entered;
	cpu->stack.left = frame_left;
	cpu->stack.context = cpu; /* the array may have moved */
	return cpu;
}

static int visit(void *context, const struct branch_run *run)
{
	struct call_walk *walk = context;
	struct call_cpu *cpu = find_cpu(walk, run->cpu);
	int code;

	if (!cpu)
		return -ENOMEM;
	if (run->step == BRANCH_RUN)
		return add_run(walk, cpu, run);
	if (run->step == BRANCH_TIME)
		return walk->timed ? walk->timed(walk->context, cpu, run->time) : 0;
	code = call_stack_end(&cpu->stack);
	cpu->to = 0;
	cpu->is_interrupted = false;
	if (!code && walk->gap)
		code = walk->gap(walk->context, cpu);
	return code;
}

int call_walk_read(struct call_walk *walk, struct error *error)
{
	int code;

	walk->runs.visit = visit;
	walk->runs.context = walk;
	code = branch_runs_read(&walk->runs, error);
	if (!code && !walk->runs.branches)
		code = branch_samples_no_trace(&walk->runs, error);
	return code;
}

void call_walk_free(struct call_walk *walk)
{
	for (uint32_t i = 0; i < walk->cpu_count; i++)
		call_stack_free(&walk->cpus[i].stack);
	free(walk->cpus);
	free(walk->parents);
	free(walk->length_facts);
	free(walk->jump_facts);
	intern_free(&walk->functions);
	intern_free(&walk->lengths);
	intern_free(&walk->jumps);
	branch_runs_free(&walk->runs);
	*walk = (struct call_walk){ 0 };
}
