/* SPDX-License-Identifier: MIT */
/* Parsers of the tables that describe watchdogs and how to restart their time. */
#include "lib/acpi/acpi_tables.h"

/* ACPI 6.5, table 5.123 */
#define GTDT_TIMERS      88 /* the number of platform timers, and their offset */
#define GTDT_WATCHDOG    1U
#define WATCHDOG_SIZE    28U
#define WATCHDOG_REFRESH 4
#define WATCHDOG_CONTROL 12
#define WATCHDOG_FLAGS   24
#define FLAG_SECURE      4U
#define WCS_ENABLED      1U

static void acpi_watchdog_forget(struct arch_platform *platform, const char *table)
{
	platform->watchdog = table;
	platform->watchdog_is_enabled = false;
	platform->watchdog_state = (struct arch_watchdog_step){ .bytes = 0 };
	platform->watchdog_step_count = 0;
}

/* Arm BSA 1.0, A: a write of any value to WRR, the first word of the refresh frame, restarts the
 * time. Bit 0 of WCS, the first word of the control frame, is set while the watchdog counts. */
static void acpi_watchdog_take_arms(const uint8_t *timer, unsigned size,
                                    struct arch_platform *platform)
{
	acpi_watchdog_forget(platform, "GTDT");
	if (size < WATCHDOG_SIZE || acpi_u32(timer + WATCHDOG_FLAGS) & FLAG_SECURE ||
	    !acpi_u64(timer + WATCHDOG_REFRESH) || !acpi_u64(timer + WATCHDOG_CONTROL))
		return;
	platform->watchdog_is_enabled = true;
	platform->watchdog_state = (struct arch_watchdog_step){
		.address = acpi_u64(timer + WATCHDOG_CONTROL),
		.bytes = 4,
		.value = WCS_ENABLED,
		.mask = WCS_ENABLED,
	};
	platform->watchdog_steps[platform->watchdog_step_count++] = (struct arch_watchdog_step){
		.address = acpi_u64(timer + WATCHDOG_REFRESH),
		.write = true,
		.bytes = 4,
		.value = 1,
		.mask = UINT32_MAX,
	};
}

/* 5.2.25.1: platform timers follow; type 1 is an Arm generic watchdog. Only its registers show
 * whether it counts. */
void acpi_find_watchdog(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	uint32_t left = size >= 96 ? acpi_u32(table + GTDT_TIMERS) : 0;
	uint32_t at = left ? acpi_u32(table + GTDT_TIMERS + 4) : 0;

	for (; left && at < size && size - at >= 4 && acpi_u16(table + at + 1) >= 4; left--) {
		uint32_t length = acpi_u16(table + at + 1);

		if (table[at] == GTDT_WATCHDOG)
			acpi_watchdog_take_arms(table + at, length < size - at ? length : size - at,
			                        platform);
		at += length;
	}
}

/* Microsoft, "Hardware Watchdog Timers Design Specification", 2.3: entries of 24 bytes, each an
 * instruction of an action. All instructions of an action are carried out in their order. */
#define WDAT_FLAGS   60
#define WDAT_ENTRIES 64
#define WDAT_FIRST   68U
#define ENTRY_SIZE   24U
#define ACTION_RESET 1
#define ACTION_STATE 8 /* query running state: true while it counts */
#define INSTRUCTION  1
#define ENTRY_SPACE  4 /* the width, bit offset, access size and address follow */
#define ENTRY_VALUE  16
#define ENTRY_MASK   20

#define READ_VALUE  0U
#define WRITE_VALUE 2U
#define PRESERVE    0x80U

/* The access size in bytes: 1, 2 or 4; 0: another one. If the entry has no access size, the
 * register's width is taken. */
static uint8_t acpi_watchdog_bytes_of(const uint8_t *entry)
{
	uint8_t bits = entry[ENTRY_SPACE + 1], access = entry[ENTRY_SPACE + 3];

	if (access)
		return (uint8_t)(access <= 3 ? 1U << (access - 1) : 0);
	return bits == 8 || bits == 16 || bits == 32 ? bits / 8 : 0;
}

/* Returns whether the instruction is known. */
static bool acpi_watchdog_take_step(const uint8_t *entry, struct arch_watchdog_step *step)
{
	uint8_t instruction = entry[INSTRUCTION] & (uint8_t)~PRESERVE;

	*step = (struct arch_watchdog_step){
		.address = acpi_u64(entry + ENTRY_SPACE + 4),
		.io = entry[ENTRY_SPACE] == 1,
		.write = instruction == WRITE_VALUE,
		.keep = entry[INSTRUCTION] & PRESERVE,
		.bytes = acpi_watchdog_bytes_of(entry),
		.shift = entry[ENTRY_SPACE + 2],
		.value = acpi_u32(entry + ENTRY_VALUE),
		.mask = acpi_u32(entry + ENTRY_MASK),
	};
	return (instruction == READ_VALUE || instruction == WRITE_VALUE) &&
	       entry[ENTRY_SPACE] <= 1 && step->bytes && step->shift < 32 && step->address &&
	       step->address % step->bytes == 0;
}

/* Add one more instruction of the action "reset"; false: it is not supported. */
static bool acpi_watchdog_add_step(const uint8_t *entry, struct arch_platform *platform)
{
	unsigned steps = platform->watchdog_step_count;

	if (steps == ARCH_MAX_WATCHDOG_STEPS ||
	    !acpi_watchdog_take_step(entry, &platform->watchdog_steps[steps]))
		return false;
	platform->watchdog_step_count++;
	return true;
}

/* Take the only instruction of the action "query running state", which compares a read value. With
 * any other instructions the state is not known. */
static void acpi_watchdog_take_state(const uint8_t *entry, struct arch_watchdog_step *state,
                                     unsigned *queries)
{
	if ((*queries)++ != 0 || !acpi_watchdog_take_step(entry, state) || state->write)
		*state = (struct arch_watchdog_step){ .bytes = 0 };
}

/* Bit 0 of the flags says that the timer is enabled. Nearly every machine sets it, even if the
 * timer does not count. */
void acpi_parse_wdat(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	uint32_t count = size >= WDAT_FIRST ? acpi_u32(table + WDAT_ENTRIES) : 0;
	unsigned queries = 0;

	acpi_watchdog_forget(platform, "WDAT");
	platform->watchdog_is_enabled = table[WDAT_FLAGS] & 1;
	for (uint32_t at = WDAT_FIRST; count && size - at >= ENTRY_SIZE; at += ENTRY_SIZE) {
		count--;
		if (table[at] == ACTION_STATE)
			acpi_watchdog_take_state(table + at, &platform->watchdog_state, &queries);
		if (table[at] == ACTION_RESET && !acpi_watchdog_add_step(table + at, platform)) {
			platform->watchdog_step_count = 0; /* half may do harm */
			return;
		}
	}
}

/* WDRT describes a watchdog by two registers, without its state. If there is a WDAT, that is used
 * instead, in whatever order they come. */
void acpi_parse_wdrt(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	(void)table;
	(void)size;
	if (!platform->watchdog)
		platform->watchdog = "WDRT";
}
