/* SPDX-License-Identifier: MIT */
/* A running watchdog is reset every 100 ms, by the registers that its table names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "lib/memory/memory.h"
#include "lib/watchdog.h"

#define MS 1000000ULL

static uint32_t refresh, control, words[2];
static uint8_t ports[16];
static unsigned port_writes, port_reads;
static struct arch_platform platform;
static uint64_t now = MS;
static unsigned mapped;
static int code;

int memory_add_mapping(uint64_t address, uint64_t size, enum arch_map_type type)
{
	assert_true(address && size <= 4);
	assert_int_equal(type, ARCH_MAP_DEVICE);
	mapped++;
	return code;
}

static uint8_t port_read(uint16_t port)
{
	port_reads++;
	return ports[port - 0x460];
}

static void port_write(uint16_t port, uint8_t value)
{
	port_writes++;
	ports[port - 0x460] = value;
}

static int set_up(void **state)
{
	(void)state;
	host_port_read = port_read;
	host_port_write = port_write;
	refresh = control = 0;
	memset(words, 0, sizeof(words));
	memset(ports, 0, sizeof(ports));
	memset(&platform, 0, sizeof(platform));
	port_writes = port_reads = mapped = 0;
	code = 0;
	now += 10000 * MS;
	return 0;
}

static void add(const void *address, struct arch_watchdog_step step)
{
	if (address)
		step.address = (uint64_t)address;
	platform.watchdog_steps[platform.watchdog_step_count++] = step;
}

static void arms_is_served_as_long_as_it_runs(void **state)
{
	(void)state;
	platform.watchdog_is_enabled = true;
	platform.watchdog_state = (struct arch_watchdog_step){
		.address = (uint64_t)&control, .bytes = 4, .value = 1, .mask = 1
	};
	/* memory cannot be read yet */
	assert_int_equal(watchdog_state(&platform), WATCHDOG_UNKNOWN);
	add(&refresh, (struct arch_watchdog_step){
	                  .write = true, .bytes = 4, .value = 1, .mask = UINT32_MAX });
	watchdog_init(&platform);
	assert_true(watchdog_is_served());
	assert_int_equal(mapped, 2);
	watchdog_serve(now);
	assert_int_equal(refresh, 0);
	control = 3;
	watchdog_serve(now + 99 * MS);
	assert_int_equal(refresh, 0);
	watchdog_serve(now + 100 * MS);
	assert_int_equal(refresh, 1);
	refresh = 0;
	watchdog_serve(now + 199 * MS);
	assert_int_equal(refresh, 0);
	control = 2;
	watchdog_serve(now + 1000 * MS);
	assert_int_equal(refresh, 0);
}

static void steps_are_carried_out_in_their_order_and_size(void **state)
{
	(void)state;
	platform.watchdog_is_enabled = true;
	ports[1] = 0xf0;
	ports[0] = 0x55;
	words[0] = 0x11223344;
	words[1] = 0x11223344;
	add(NULL, (struct arch_watchdog_step){ .address = 0x460, .io = true, .bytes = 1 });
	add(NULL, (struct arch_watchdog_step){ .address = 0x460,
	                                       .io = true,
	                                       .write = true,
	                                       .keep = true,
	                                       .bytes = 2,
	                                       .shift = 4,
	                                       .value = 0xfa,
	                                       .mask = 0xf });
	add(&words[0], (struct arch_watchdog_step){
	                   .write = true, .bytes = 2, .value = 0x9abcdef0, .mask = 0xffff });
	add((uint8_t *)&words[1] + 3,
	    (struct arch_watchdog_step){ .write = true, .bytes = 1, .value = 0x77, .mask = 0xff });
	watchdog_init(&platform);
	assert_int_equal(mapped, 2);
	watchdog_serve(now);
	assert_int_equal(ports[0], 0xa5);
	assert_int_equal(ports[1], 0xf0);
	assert_int_equal(port_reads, 3);
	assert_int_equal(port_writes, 2);
	assert_int_equal(words[0], 0x1122def0);
	assert_int_equal(words[1], 0x77223344);
}

static void an_enabled_one_is_served_while_its_register_says_that_it_counts(void **state)
{
	(void)state;
	platform.watchdog_is_enabled = true;
	platform.watchdog_state = (struct arch_watchdog_step){
		.address = 0x468, .io = true, .bytes = 2, .shift = 11, .value = 0, .mask = 1
	}; /* like Intel's TCO_TMR_HLT: 0 means counting */
	add(NULL, (struct arch_watchdog_step){ .address = 0x460,
	                                       .io = true,
	                                       .write = true,
	                                       .bytes = 1,
	                                       .value = 0x5a,
	                                       .mask = 0xff });
	ports[9] = 0x08;
	watchdog_init(&platform);
	assert_true(watchdog_is_served());
	assert_int_equal(watchdog_state(&platform), WATCHDOG_STOPPED);
	watchdog_serve(now);
	assert_int_equal(port_writes, 0);
	ports[9] = 0xf7;
	assert_int_equal(watchdog_state(&platform), WATCHDOG_COUNTS);
	watchdog_serve(now + 100 * MS);
	assert_int_equal(ports[0], 0x5a);
	platform.watchdog_state.bytes = 0; /* not known: it is reset in any case */
	ports[0] = 0;
	assert_int_equal(watchdog_state(&platform), WATCHDOG_UNKNOWN);
	watchdog_serve(now + 200 * MS);
	assert_int_equal(ports[0], 0x5a);
}

static void a_disabled_or_unknown_watchdog_is_left_alone(void **state)
{
	struct arch_watchdog_step step = { .write = true, .bytes = 4, .value = 1, .mask = 1 };

	(void)state;
	platform.watchdog_is_enabled = true;
	watchdog_init(&platform); /* no steps */
	assert_false(watchdog_is_served());
	watchdog_serve(now);
	platform.watchdog_is_enabled = false;
	add(&refresh, step);
	watchdog_init(&platform);
	assert_false(watchdog_is_served());
	assert_int_equal(mapped, 0);
	platform.watchdog_is_enabled = true;
	code = -1; /* there is no room to map its registers */
	watchdog_init(&platform);
	assert_false(watchdog_is_served());
	watchdog_serve(now + 1000 * MS);
	assert_int_equal(refresh, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(arms_is_served_as_long_as_it_runs, set_up),
		cmocka_unit_test_setup(steps_are_carried_out_in_their_order_and_size, set_up),
		cmocka_unit_test_setup(
		    an_enabled_one_is_served_while_its_register_says_that_it_counts, set_up),
		cmocka_unit_test_setup(a_disabled_or_unknown_watchdog_is_left_alone, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
