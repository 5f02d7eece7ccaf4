/* SPDX-License-Identifier: MIT */
/* The callers of a guest's function follow from the calls and returns that the guest executes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/calls.h"

#define UPPER 0xffff800000100000ULL
#define OTHER 0xffff800000200000ULL /* another stack */

static const struct {
	const char *bytes;
	size_t size;
	enum calls_kind kind;
} x86_cases[] = {
	{ "\xe8\x01\x02\x03\x04", 5, CALLS_CALL },
	{ "\xff\xd0", 2, CALLS_CALL },         /* call *%rax */
	{ "\x41\xff\x14\x24", 4, CALLS_CALL }, /* call *(%r12) */
	{ "\x3e\xff\xd0", 3, CALLS_CALL },     /* notrack */
	{ "\xff\x18", 2, CALLS_NONE },         /* lcall: it pushes two words */
	{ "\xff\xe0", 2, CALLS_NONE },         /* jmp *%rax */
	{ "\xff\x30", 2, CALLS_NONE },         /* push */
	{ "\xc3", 1, CALLS_RETURN },
	{ "\xf3\xc3", 2, CALLS_RETURN },
	{ "\xf2\xc2\x08\x00", 4, CALLS_RETURN },
	{ "\xcb", 1, CALLS_NONE }, /* lret */
	{ "\x48\xcf", 2, CALLS_NONE },
	{ "\x66", 1, CALLS_NONE },
	{ "\x2e\xff\xd0", 3, CALLS_CALL },
	{ "\x66\xff\xd0", 2, CALLS_NONE }, /* cut */
	{ "\xff", 1, CALLS_NONE },
	{ "", 0, CALLS_NONE },
};

static const struct {
	uint32_t word;
	enum calls_kind kind;
} arm_cases[] = {
	{ 0x94000001, CALLS_LINK },                                    /* bl */
	{ 0x97ffffff, CALLS_LINK },        { 0x14000001, CALLS_NONE }, /* b */
	{ 0xd63f0100, CALLS_LINK },                                    /* blr x8 */
	{ 0xd63f091f, CALLS_LINK },                                    /* blraaz x8 */
	{ 0xd73f0909, CALLS_LINK },                                    /* blraa x8, x9 */
	{ 0xd61f0100, CALLS_NONE },                                    /* br x8 */
	{ 0xd61f03c0, CALLS_RETURN_LINK },                             /* br x30 */
	{ 0xd65f03c0, CALLS_RETURN_LINK },                             /* ret */
	{ 0xd65f0bff, CALLS_RETURN_LINK },                             /* retaa */
	{ 0xd65f0fff, CALLS_RETURN_LINK },                             /* retab */
	{ 0xd65f0120, CALLS_NONE },                                    /* ret x9 */
	{ 0xa9bf7bfd, CALLS_SAVE },      /* stp x29, x30, [sp, #-16]! */
	{ 0xa9017bfd, CALLS_SAVE },      /* stp x29, x30, [sp, #16] */
	{ 0xa9bf4ffe, CALLS_SAVE },      /* stp x30, x19, [sp, #-16]! */
	{ 0xa8c17bfd, CALLS_LOAD },      /* ldp x29, x30, [sp], #16 */
	{ 0xa9417bfd, CALLS_LOAD },      /* ldp x29, x30, [sp, #16] */
	{ 0xa9bf53f3, CALLS_NONE },      /* stp x19, x20, [sp, #-16]! */
	{ 0xf81f0ffe, CALLS_SAVE },      /* str x30, [sp, #-16]! */
	{ 0xf90007fe, CALLS_SAVE },      /* str x30, [sp, #8] */
	{ 0xf900011e, CALLS_SAVE_AWAY }, /* str x30, [x8] */
	{ 0xf84107fe, CALLS_LOAD },      /* ldr x30, [sp], #16 */
	{ 0xf940011e, CALLS_LOAD },      /* ldr x30, [x8] */
	{ 0xf940011d, CALLS_NONE },      /* ldr x29, [x8] */
	{ 0xf980001e, CALLS_NONE },      /* prfm */
	{ 0xb900001e, CALLS_NONE },      /* str w30, [x0] */
	{ 0xad007bfd, CALLS_NONE },      /* stp q29, q30, [sp] */
	{ 0xfd00001e, CALLS_NONE },      /* str d30, [x0] */
};

static void instructions_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(x86_cases) / sizeof(x86_cases[0]); i++)
		assert_int_equal(calls_decode(CHAIN_X86_64, (const uint8_t *)x86_cases[i].bytes,
		                              x86_cases[i].size),
		                 x86_cases[i].kind);
	for (size_t i = 0; i < sizeof(arm_cases) / sizeof(arm_cases[0]); i++) {
		uint8_t bytes[4];

		memcpy(bytes, &arm_cases[i].word, sizeof(bytes));
		assert_int_equal(calls_decode(CHAIN_AARCH64, bytes, 4), arm_cases[i].kind);
		assert_int_equal(calls_decode(CHAIN_AARCH64, bytes, 3), CALLS_NONE);
	}
}

/* Whether the callers of pc are these; 0 ends them. */
static bool are(const struct calls *calls, uint64_t pc, const uint64_t *callers)
{
	uint64_t chain[CHAIN_MOST];
	unsigned count = calls_follow(calls, pc, chain), i = 0;

	while (callers[i] && i + 1 < count && chain[i + 1] == callers[i])
		i++;
	return chain[0] == pc && i + 1 == count && !callers[i];
}

#define ARE(calls, ...) are(&(calls), UPPER, (const uint64_t[]){ __VA_ARGS__ })

static void calls_nest(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	assert_true(ARE(calls, 0));
	calls_call(&calls, UPPER + 800, 0x100);
	calls_call(&calls, UPPER + 700, 0x200);
	calls_call(&calls, UPPER + 600, 0x300);
	assert_true(ARE(calls, 0x300, 0x200, 0x100, 0));
	calls_return(&calls, UPPER + 600);
	calls_arrive(&calls, 0x300);
	assert_true(ARE(calls, 0x200, 0x100, 0));
	calls_call(&calls, UPPER + 640, 0x400);
	assert_true(ARE(calls, 0x400, 0x200, 0x100, 0));
}

static void a_return_address_in_a_register_is_a_caller(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_link(&calls, 0x100);
	calls_save(&calls, UPPER + 800, CALLS_SAVE);
	calls_link(&calls, 0x200); /* a function that makes no frame */
	assert_true(ARE(calls, 0x200, 0x100, 0));
	calls_return_link(&calls);
	calls_arrive(&calls, 0x200);
	assert_true(ARE(calls, 0x100, 0));
	calls_load(&calls, UPPER + 800);
	assert_true(ARE(calls, 0x100, 0));
	calls_return_link(&calls);
	assert_true(ARE(calls, 0));
}

static void longjmp_leaves_functions_that_have_no_return(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_call(&calls, UPPER + 800, 0x100);
	calls_call(&calls, UPPER + 700, 0x200);
	calls_call(&calls, UPPER + 600, 0x300);
	calls_call(&calls, UPPER + 760, 0x400); /* above the two: they are left */
	assert_true(ARE(calls, 0x400, 0x100, 0));
	calls_call(&calls, UPPER + 760, 0x500); /* in the same slot */
	assert_true(ARE(calls, 0x500, 0x100, 0));
	calls_return(&calls, UPPER + 760);
	assert_true(ARE(calls, 0x100, 0));
}

static void each_stack_keeps_its_callers(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_call(&calls, UPPER + 800, 0x100);
	calls_call(&calls, UPPER + 700, 0x200);
	/* the other thread begins: no caller of the first is its caller */
	calls_call(&calls, OTHER + 800, 0x500);
	assert_true(ARE(calls, 0x500, 0));
	calls_call(&calls, OTHER + 700, 0x600);
	assert_true(ARE(calls, 0x600, 0x500, 0));
	calls_return(&calls, UPPER + 700); /* back */
	calls_arrive(&calls, 0x200);
	assert_true(ARE(calls, 0x100, 0));
	calls_return(&calls, OTHER + 700);
	calls_arrive(&calls, 0x600);
	assert_true(ARE(calls, 0x500, 0));
}

static void a_switch_stores_x30_in_the_threads_own_memory(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_link(&calls, 0x100);
	calls_save(&calls, UPPER + 800, CALLS_SAVE);
	calls_link(&calls, 0x200);
	calls_save(&calls, OTHER + 8, CALLS_SAVE_AWAY);
	calls_load(&calls, OTHER + 0x3000); /* a thread that was never seen */
	calls_return_link(&calls);
	calls_link(&calls, 0x900);
	calls_save(&calls, UPPER - 0x9000, CALLS_SAVE);
	assert_true(ARE(calls, 0x900, 0));
	calls_load(&calls, OTHER + 8);
	assert_true(ARE(calls, 0x200, 0x100, 0));
	/* a program's stack may lie anywhere in the lower half */
	calls_return_link(&calls);
	calls_arrive(&calls, 0x200);
	assert_true(ARE(calls, 0x100, 0));
}

static void a_kernels_callers_are_not_a_programs(void **state)
{
	struct calls calls = { 0 };
	uint64_t chain[CHAIN_MOST];

	(void)state;
	calls_call(&calls, UPPER + 800, 0x100);
	assert_int_equal(calls_follow(&calls, 0x4000, chain), 1);
	calls_call(&calls, 0x7ff0, 0x4100);
	assert_int_equal(calls_follow(&calls, 0x4000, chain), 2);
	calls_call(&calls, UPPER + 900, 0x200); /* a system call's */
	assert_true(ARE(calls, 0x200, 0));
	calls_return(&calls, UPPER + 900);
	assert_int_equal(calls_follow(&calls, 0x4000, chain), 2);
	assert_int_equal(chain[1], 0x4100);
}

static void an_old_entry_is_found_out_where_the_return_arrives(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_call(&calls, UPPER + 800, 0x100);
	calls_call(&calls, UPPER + 600, 0x200);
	calls_return(&calls, UPPER + 600);
	/* a function that moves its return address to a slot that had another (Linux's error_entry)
	 */
	calls_call(&calls, UPPER + 700, 0x300);
	calls_return(&calls, UPPER + 600);
	calls_arrive(&calls, 0x300);
	assert_true(ARE(calls, 0x100, 0));
	/* to a slot that is not known at all */
	calls_call(&calls, UPPER + 720, 0x400);
	calls_return(&calls, UPPER + 408);
	calls_arrive(&calls, 0x400);
	assert_true(ARE(calls, 0x100, 0));
	/* nobody's return address: the stack's living functions are left */
	calls_call(&calls, UPPER + 720, 0x400);
	calls_return(&calls, UPPER + 600);
	calls_arrive(&calls, 0x999);
	assert_true(ARE(calls, 0x400, 0x100, 0));
	/* nobody's on another stack: nothing is known */
	calls_call(&calls, OTHER + 200, 0x500);
	calls_return(&calls, UPPER + 720);
	calls_arrive(&calls, 0x888);
	assert_true(ARE(calls, 0));
}

static void x30_that_holds_no_return_address_makes_no_caller(void **state)
{
	struct calls calls = { 0 };

	(void)state;
	calls_link(&calls, 0x100);
	calls_save(&calls, UPPER + 800, CALLS_SAVE);
	calls_save(&calls, UPPER + 800, CALLS_SAVE); /* overwritten with what nobody knows */
	calls_load(&calls, UPPER + 800);
	assert_true(ARE(calls, 0));
}

static void a_chain_ends_at_its_limit(void **state)
{
	struct calls calls = { 0 };
	uint64_t chain[CHAIN_MOST];

	(void)state;
	for (unsigned i = 0; i < 2 * CHAIN_MOST; i++)
		calls_call(&calls, UPPER + 0x1000 - 8 * i, 0x100 + i);
	assert_int_equal(calls_follow(&calls, UPPER, chain), CHAIN_MOST);
	assert_int_equal(chain[CHAIN_MOST - 1], 0x100 + CHAIN_MOST + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_told_apart),
		cmocka_unit_test(calls_nest),
		cmocka_unit_test(a_return_address_in_a_register_is_a_caller),
		cmocka_unit_test(longjmp_leaves_functions_that_have_no_return),
		cmocka_unit_test(each_stack_keeps_its_callers),
		cmocka_unit_test(a_switch_stores_x30_in_the_threads_own_memory),
		cmocka_unit_test(a_kernels_callers_are_not_a_programs),
		cmocka_unit_test(an_old_entry_is_found_out_where_the_return_arrives),
		cmocka_unit_test(x30_that_holds_no_return_address_makes_no_caller),
		cmocka_unit_test(a_chain_ends_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
