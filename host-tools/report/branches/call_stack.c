/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/call_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/util/array.h"

static struct call_frame *top_of(const struct call_stack *stack)
{
	return stack->depth ? &stack->frames[stack->depth - 1] : NULL;
}

static int push(struct call_stack *stack, struct call_frame frame)
{
	const uint32_t number = intern(&stack->backs, frame.back, 0);
	struct call_frame *frames;
	uint32_t *innermost;

	if (number == INTERN_NONE)
		return -ENOMEM;
	frames = array_reach(stack->frames, &stack->room, stack->depth, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	stack->frames = frames;
	innermost = array_reach(stack->of_back, &stack->back_room, number, sizeof(*innermost));
	if (!innermost)
		return -ENOMEM;
	stack->of_back = innermost;
	innermost = array_reach(stack->of_function, &stack->function_room, frame.function,
	                        sizeof(*innermost));
	if (!innermost)
		return -ENOMEM;
	stack->of_function = innermost;
	frame.back_number = number;
	frame.outer_back = stack->of_back[number];
	frame.outer_function = stack->of_function[frame.function];
	frames[stack->depth++] = frame;
	stack->of_back[number] = stack->depth;
	stack->of_function[frame.function] = stack->depth;
	return stack->entered ? stack->entered(stack->context, &frames[stack->depth - 1]) : 0;
}

/* End all frames above depth. */
static int leave(struct call_stack *stack, uint32_t depth, bool is_return)
{
	int code = 0;

	while (!code && stack->depth > depth) {
		const struct call_frame *frame = &stack->frames[--stack->depth];

		stack->of_back[frame->back_number] = frame->outer_back;
		stack->of_function[frame->function] = frame->outer_function;
		if (stack->depth && !frame->is_interrupt)
			top_of(stack)->callees += frame->self + frame->callees;
		if (stack->left)
			code = stack->left(stack->context, frame, is_return);
	}
	return code;
}

/* 1 + index of the innermost frame of a function; 0: none. */
static uint32_t frame_of(const struct call_stack *stack, uint32_t function)
{
	return function < stack->function_room ? stack->of_function[function] : 0;
}

int call_stack_call(struct call_stack *stack, uint32_t caller, uint32_t function, uint64_t back)
{
	return push(stack, (struct call_frame){ .function = function,
	                                        .caller = caller,
	                                        .back = back,
	                                        .is_entry_seen = true });
}

int call_stack_interrupt(struct call_stack *stack, uint32_t function, uint64_t back)
{
	return push(stack, (struct call_frame){ .function = function,
	                                        .back = back,
	                                        .is_entry_seen = true,
	                                        .is_interrupt = true });
}

/* Enter a function by a jump. */
static int enter_by_jump(struct call_stack *stack, uint32_t caller, uint32_t function)
{
	int code = 0;

	for (uint32_t depth = stack->depth; depth; depth--) {
		const struct call_frame *frame = &stack->frames[depth - 1];

		if (frame->back || !frame->is_entry_seen)
			break;
		if (frame->function == function) {
			code = leave(stack, depth - 1, true);
			break;
		}
	}
	if (code)
		return code;
	return push(stack, (struct call_frame){
	                       .function = function, .caller = caller, .is_entry_seen = true });
}

int call_stack_jump(struct call_stack *stack, uint32_t caller, uint32_t function, bool is_first)
{
	const uint32_t frame = frame_of(stack, function);

	if (frame && frame == stack->depth)
		return 0;
	if (is_first && stack->depth)
		return enter_by_jump(stack, caller, function);
	if (frame)
		return leave(stack, frame, true);
	return push(stack, (struct call_frame){ .function = function });
}

/* End the innermost frame whose entry was not seen, if no later call has a return address: the
 * return is its own. */
static int end_unseen(struct call_stack *stack)
{
	uint32_t depth = stack->depth;

	while (depth && !stack->frames[depth - 1].back && stack->frames[depth - 1].is_entry_seen)
		depth--;
	if (!depth || stack->frames[depth - 1].is_entry_seen)
		return 0;
	return leave(stack, depth - 1, true);
}

int call_stack_return(struct call_stack *stack, uint64_t to, uint32_t function, bool is_first)
{
	const uint32_t seen = stack->backs.count, number = intern(&stack->backs, to, 0);
	uint32_t caller;
	int code = 0;

	if (number == INTERN_NONE)
		return -ENOMEM;
	if (number < seen && number < stack->back_room && stack->of_back[number])
		return leave(stack, stack->of_back[number] - 1, true);
	caller = stack->depth ? top_of(stack)->function : 0;
	if (!frame_of(stack, function) && !is_first)
		code = end_unseen(stack);
	return code ? code : call_stack_jump(stack, caller, function, is_first);
}

int call_stack_end(struct call_stack *stack)
{
	return leave(stack, 0, false);
}

void call_stack_execute(struct call_stack *stack, uint64_t instructions)
{
	top_of(stack)->self += instructions;
}

void call_stack_free(struct call_stack *stack)
{
	free(stack->frames);
	free(stack->of_function);
	free(stack->of_back);
	intern_free(&stack->backs);
	*stack = (struct call_stack){ 0 };
}
