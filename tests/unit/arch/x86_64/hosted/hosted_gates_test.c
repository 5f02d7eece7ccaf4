/* SPDX-License-Identifier: MIT */
/* A firmware's interrupt descriptor tables, in which bareperf temporarily changes two gates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "arch/x86_64/hosted/hosted_gates.h"
#include "arch/x86_64/registers.h"

#define CODE   0x38U
#define LIMIT  (256U * 16 - 1)
#define TABLES (HOSTED_TABLES + 2)

typedef uint64_t table[256][2];

static table idts[TABLES], before[TABLES];
static uint64_t cr0;

/* entry.S's */
const char x86_hosted_nmi_entry[16] = "", x86_hosted_gp_entry[16] = "";

uint64_t x86_read_cr0(void)
{
	return cr0;
}

/* A table's page may be read-only: WP is off for a moment, with interrupts masked. */
void x86_write_cr0(uint64_t value)
{
	assert_true(host_irq_masked);
	assert_int_equal(value | CR0_WP, cr0 | CR0_WP);
	cr0 = value;
}

static uint64_t address_of(const uint64_t gate[2])
{
	return (gate[0] & 0xffff) | (gate[0] >> 32 & 0xffff0000) | gate[1] << 32;
}

static void lead(uint64_t gate[2], uint64_t address)
{
	gate[0] = (address & 0xffff) | CODE << 16 | 0x8eULL << 40 | (address >> 16 & 0xffff) << 48;
	gate[1] = address >> 32;
}

/* Each table's gates have their own addresses. */
static uint64_t firmwares(unsigned idt, unsigned vector)
{
	return 0x700000000ULL + idt * 0x100000ULL + vector * 0x10;
}

static int set_up(void **state)
{
	(void)state;
	hosted_gates_give_back();
	for (unsigned idt = 0; idt < TABLES; idt++)
		for (unsigned vector = 0; vector < 256; vector++)
			lead(idts[idt][vector], firmwares(idt, vector));
	memcpy(before, idts, sizeof(idts));
	cr0 = 0x80010033;
	return 0;
}

static const struct hosted_gates_refusal *take(unsigned idt)
{
	return hosted_gates_take((uint64_t)idts[idt], LIMIT, CODE);
}

static bool is_ours(unsigned idt)
{
	return address_of(idts[idt][VECTOR_NMI]) == (uint64_t)x86_hosted_nmi_entry &&
	       address_of(idts[idt][VECTOR_GP]) == (uint64_t)x86_hosted_gp_entry;
}

static uint64_t next(enum hosted_gate gate, unsigned idt)
{
	return hosted_gates_next(gate, (uint64_t)idts[idt]);
}

static void two_gates_lead_to_us_and_are_given_back(void **state)
{
	unsigned changed = 0;

	(void)state;
	assert_null(take(0));
	assert_true(is_ours(0));
	assert_int_equal(cr0, 0x80010033);
	for (unsigned vector = 0; vector < 256; vector++)
		changed += !!memcmp(idts[0][vector], before[0][vector], 16);
	assert_int_equal(changed, 2);
	assert_int_equal(idts[0][VECTOR_NMI][0] >> 16 & 0xffff, CODE);
	assert_int_equal(idts[0][VECTOR_NMI][0] >> 32 & 7, 7); /* a stack of its own */
	assert_int_equal(idts[0][VECTOR_GP][0] >> 32 & 7, 0);
	hosted_gates_give_back();
	assert_memory_equal(idts, before, sizeof(idts));
}

static void each_table_s_continue_to_where_its_own_led(void **state)
{
	(void)state;
	for (unsigned idt = 0; idt < 3; idt++)
		assert_null(take(idt));
	for (unsigned idt = 0; idt < 3; idt++) {
		assert_int_equal(next(HOSTED_NMI, idt), firmwares(idt, VECTOR_NMI));
		assert_int_equal(next(HOSTED_GP, idt), firmwares(idt, VECTOR_GP));
	}
	hosted_gates_give_back();
	assert_memory_equal(idts, before, sizeof(idts));
	assert_int_equal(next(HOSTED_NMI, 0), 0);
}

/* Firmware may copy a table whose gates already lead to bareperf. With the copy, bareperf must
 * continue to the firmware's handlers, not to itself. */
static void a_copy_of_a_table_continues_to_where_that_led(void **state)
{
	(void)state;
	assert_null(take(0));
	memcpy(idts[1], idts[0], sizeof(idts[1]));
	/* the address after the gate is not read */
	assert_int_equal(next(HOSTED_GP, 1), firmwares(0, VECTOR_GP));
	lead(idts[1][VECTOR_NMI], 0x1234560);
	assert_null(take(1));
	assert_true(is_ours(1));
	assert_int_equal(next(HOSTED_NMI, 1), 0x1234560);
	assert_int_equal(next(HOSTED_GP, 1), firmwares(0, VECTOR_GP));
	hosted_gates_give_back();
	assert_memory_equal(idts[0], before[0], sizeof(idts[0]));
	assert_int_equal(address_of(idts[1][VECTOR_NMI]), 0x1234560);
	assert_int_equal(address_of(idts[1][VECTOR_GP]), firmwares(0, VECTOR_GP));
}

static void an_unchanged_copy_is_given_back_as_well(void **state)
{
	(void)state;
	assert_null(take(0));
	memcpy(idts[1], idts[0], sizeof(idts[1]));
	assert_null(take(1));
	hosted_gates_give_back();
	assert_memory_equal(idts[0], before[0], sizeof(idts[0]));
	assert_memory_equal(idts[1], before[0], sizeof(idts[1]));
}

static void a_table_that_comes_again_takes_no_room(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 3 * HOSTED_TABLES; turn++)
		assert_null(take(turn % 2));
	assert_int_equal(next(HOSTED_NMI, 0), firmwares(0, VECTOR_NMI));
	assert_int_equal(next(HOSTED_NMI, 1), firmwares(1, VECTOR_NMI));
	hosted_gates_give_back();
	assert_memory_equal(idts, before, sizeof(idts));
}

static void a_gate_that_the_firmware_changed_meanwhile_is_kept(void **state)
{
	(void)state;
	assert_null(take(0));
	lead(idts[0][VECTOR_NMI], 0xabcdef0);
	assert_null(take(0)); /* taken again */
	assert_true(is_ours(0));
	assert_int_equal(next(HOSTED_NMI, 0), 0xabcdef0);
	assert_int_equal(next(HOSTED_GP, 0), firmwares(0, VECTOR_GP));
	/* the firmware has changed the gate since we looked last */
	lead(idts[0][VECTOR_GP], 0xabcdee0);
	hosted_gates_give_back();
	assert_int_equal(address_of(idts[0][VECTOR_NMI]), 0xabcdef0);
	assert_int_equal(address_of(idts[0][VECTOR_GP]), 0xabcdee0);
}

static void a_table_more_than_are_kept_is_reported_and_left_alone(void **state)
{
	const struct hosted_gates_refusal *refusal;

	(void)state;
	for (unsigned idt = 0; idt < HOSTED_TABLES; idt++)
		assert_null(take(idt));
	refusal = take(HOSTED_TABLES);
	assert_non_null(refusal);
	assert_non_null(strstr(refusal->later, "more interrupt descriptor tables"));
	assert_false(is_ours(HOSTED_TABLES));
	assert_null(take(0)); /* known tables continue as before */
	hosted_gates_give_back();
	assert_memory_equal(idts, before, sizeof(idts));
}

static void a_table_without_room_for_them_is_reported_and_left_alone(void **state)
{
	const struct hosted_gates_refusal *refusal =
	    hosted_gates_take((uint64_t)idts[0], VECTOR_GP * 16 - 1, CODE);

	(void)state;
	assert_non_null(refusal);
	assert_non_null(strstr(refusal->first, "no place for NMIs"));
	assert_non_null(strstr(refusal->later, "has no samples"));
	assert_memory_equal(idts, before, sizeof(idts));
	assert_null(hosted_gates_take((uint64_t)idts[0], (VECTOR_GP + 1) * 16 - 1, CODE));
	hosted_gates_give_back();
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(two_gates_lead_to_us_and_are_given_back),
		CASE(each_table_s_continue_to_where_its_own_led),
		CASE(a_copy_of_a_table_continues_to_where_that_led),
		CASE(an_unchanged_copy_is_given_back_as_well),
		CASE(a_table_that_comes_again_takes_no_room),
		CASE(a_gate_that_the_firmware_changed_meanwhile_is_kept),
		CASE(a_table_more_than_are_kept_is_reported_and_left_alone),
		CASE(a_table_without_room_for_them_is_reported_and_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
