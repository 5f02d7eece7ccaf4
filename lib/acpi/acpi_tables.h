/* SPDX-License-Identifier: MIT */
/*
 * Parsers of single ACPI tables. Each gets size readable bytes, at least the fixed part that acpi.c
 * demands. The parser must check everything behind that itself.
 */
#ifndef LIB_ACPI_ACPI_TABLES_H
#define LIB_ACPI_ACPI_TABLES_H

#include <string.h>

#include "arch/arch.h"

#define ACPI_HEADER_SIZE 36U

/* Little-endian fields at any alignment. */
static inline uint16_t acpi_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}
static inline uint32_t acpi_u32(const uint8_t *at)
{
	return acpi_u16(at) | (uint32_t)acpi_u16(at + 2) << 16;
}
static inline uint64_t acpi_u64(const uint8_t *at)
{
	return acpi_u32(at) | (uint64_t)acpi_u32(at + 4) << 32;
}

void acpi_parse_madt(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_fadt(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_hpet(const uint8_t *table, uint32_t size, struct arch_platform *platform);
/* SPCR's UART is preferred to DBG2's, in whatever order the tables come. */
void acpi_parse_spcr(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_dbg2(const uint8_t *table, uint32_t size, struct arch_platform *platform);
/* Finds watchdogs among GTDT's platform timers; called by acpi_parse_gtdt(). */
void acpi_find_watchdog(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_gtdt(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_wdat(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_wdrt(const uint8_t *table, uint32_t size, struct arch_platform *platform);
void acpi_parse_mcfg(const uint8_t *table, uint32_t size, struct arch_platform *platform);

#endif
