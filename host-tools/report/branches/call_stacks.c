/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/call_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/util/array.h"

#define PS_PER_NS 1000U

/* A function of a stack. */
struct call_stacks_frame {
	uint32_t node; /* + 1; 0: no function */
	uint32_t function;
};

struct call_stacks_line {
	uint32_t cpu;
	struct call_stacks_frame *frames; /* by depth */
	uint32_t room;
	uint64_t since; /* ns: begin of the stack that is not shown yet */
	struct call_stacks_frame top;
};

static struct call_stacks_line *find_line(struct call_stacks *stacks, uint32_t cpu)
{
	struct call_stacks_line *lines;
	uint32_t number;

	lines = array_of_cpu(stacks->lines, &stacks->line_count, sizeof(*lines), cpu, &number);
	if (!lines)
		return NULL;
	stacks->lines = lines;
	return &lines[number];
}

/* Show the line's stack, which lasted until now. */
static int put_stack(struct call_stacks *stacks, struct call_stacks_line *line, uint64_t now)
{
	struct call_stacks_slice slice = { line->cpu, line->top.node - 1, line->top.function,
		                           line->since, now - line->since };
	int code = line->top.node && now > line->since ? stacks->put(stacks->context, &slice) : 0;

	line->since = now;
	return code;
}

/* The number of the stack with one more function, + 1. 0: memory ran out. */
static uint32_t node_of(struct call_stacks *stacks, uint32_t around, uint32_t function)
{
	struct places *places = stacks->places;
	const struct symbol symbol = call_walk_symbol(&stacks->times.walk, function);
	const uint32_t number =
	    intern(&places->functions, (uintptr_t)symbol.file, (uintptr_t)symbol.name);
	uint32_t node;

	if (number == INTERN_NONE)
		return 0;
	node = intern(&places->nodes, around, number);
	return node == INTERN_NONE ? 0 : node + 1;
}

static int show_moment(void *context, const struct call_moment *moment)
{
	struct call_stacks *stacks = context;
	struct call_stacks_line *line = find_line(stacks, moment->cpu);
	struct call_stacks_frame *frames;
	int code;

	if (!line)
		return -ENOMEM;
	frames = array_reach(line->frames, &line->room, moment->depth, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	line->frames = frames;
	code = put_stack(stacks, line, moment->time / PS_PER_NS);
	line->top = moment->depth ? frames[moment->depth - 1] : (struct call_stacks_frame){ 0 };
	if (code || moment->is_gap || moment->is_end)
		return code;
	line->top.node = node_of(stacks, line->top.node, moment->function);
	line->top.function = moment->function;
	frames[moment->depth] = line->top;
	return line->top.node ? 0 : -ENOMEM;
}

int call_stacks_read(struct call_stacks *stacks, struct error *error)
{
	stacks->times.show = show_moment;
	stacks->times.context = stacks;
	return call_times_read(&stacks->times, error);
}

uint64_t call_stacks_address(const struct call_stacks *stacks, uint32_t function)
{
	return function ? stacks->times.walk.functions.keys[function - 1].a : 0;
}

void call_stacks_free(struct call_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->line_count; i++)
		free(stacks->lines[i].frames);
	free(stacks->lines);
	call_times_free(&stacks->times);
	stacks->lines = NULL;
	stacks->line_count = 0;
}
