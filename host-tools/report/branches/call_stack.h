/* SPDX-License-Identifier: MIT */
/*
 * The functions that a CPU is in, followed branch by branch. A branch trace has no stack pointer,
 * so a frame's end is found by the target of a branch:
 *
 * - A return to the return address of a call ends this call and all calls that it made.
 * - A jump or return into the middle of a function that is in the stack ends all calls that this
 *   function made: longjmp(), a C++ exception's handler.
 * - A jump to the first instruction of another function is a call without a return address (tail
 *   call). It ends with the frame below it. If the function was already entered by a jump since the
 *   last call, that frame ends, and a new one takes its place: otherwise functions that jump to
 *   each other without end would fill the stack.
 * - Any other target begins a frame whose entry was not seen.
 *
 * Thread: the thread that created the stack.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALL_STACK_H
#define HOST_TOOLS_REPORT_BRANCHES_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/report/intern.h"

/* A function that was entered and has not ended. */
struct call_frame {
	uint32_t function; /* the caller of this API numbers functions; 0: unknown code */
	uint32_t caller;   /* the function that called or jumped; 0: unknown */
	uint64_t back;     /* return address; 0: that of the frame below */
	uint64_t self;     /* instructions executed in the function itself */
	uint64_t callees;  /* instructions of the calls that it made and that have ended */
	bool is_entry_seen;
	bool is_interrupt; /* an interrupt entered it: it is no call of the frame below */
	/* for call_stack.c: 1 + index of the next outer frame with this function or this back; 0:
	 * none */
	uint32_t outer_function, outer_back, back_number;
};

struct call_stack {
	struct call_frame *frames; /* the outermost first */
	uint32_t depth, room;
	/* 1 + index of the innermost frame; 0: none */
	uint32_t *of_function, *of_back;
	uint32_t function_room, back_room;
	struct intern backs; /* a: return address */
	/* Called when a frame was entered, and when it has ended. is_return: the call ended as
	 * calls do, or by a jump out of it; false: the trace has no end of it. frames[depth] is the
	 * ended frame. Each may be NULL, and returns a negative errno to stop. */
	int (*entered)(void *context, const struct call_frame *frame);
	int (*left)(void *context, const struct call_frame *frame, bool is_return);
	void *context;
};

/* A function is called; back is the address after the call instruction, not 0. 0, -ENOMEM, or a
 * callback's errno, as in all functions here. */
int call_stack_call(struct call_stack *stack, uint32_t caller, uint32_t function, uint64_t back);

/* An interrupt was delivered into a function; back is the interrupted address. */
int call_stack_interrupt(struct call_stack *stack, uint32_t function, uint64_t back);

/* The code at an address is executed next, in a function. is_first: the address is the function's
 * first instruction. caller: the function that jumped; 0: unknown. */
int call_stack_jump(struct call_stack *stack, uint32_t caller, uint32_t function, bool is_first);

/* A return to an address in this function. is_first: the address is the function's first
 * instruction. */
int call_stack_return(struct call_stack *stack, uint64_t to, uint32_t function, bool is_first);

/* End all frames, because the trace has a gap or ends here. */
int call_stack_end(struct call_stack *stack);

/* Count instructions of the innermost function. The stack must not be empty. */
void call_stack_execute(struct call_stack *stack, uint64_t instructions);

void call_stack_free(struct call_stack *stack);

#endif
