/* SPDX-License-Identifier: MIT */
/* A small physical memory in which tests build ACPI tables and parse them. */
#ifndef TESTS_UNIT_LIB_ACPI_ACPI_RIG_H
#define TESTS_UNIT_LIB_ACPI_ACPI_RIG_H

#include <stdint.h>

#include "lib/acpi/acpi.h"

#define BASE 0x7fe0000ULL /* address of the memory */
#define SIZE 16384U
#define RSDP (BASE + 64)
#define XSDT 0x100U /* offsets in the memory */
#define RSDT 0x200U
#define REST 0x400U

extern uint8_t *memory; /* on the heap, so that the sanitizer detects reads beyond its ends */
extern uint32_t used, entries;
extern unsigned warnings;
extern struct arch_platform platform;

int set_up(void **state);
int tear_down(void **state);

void put(uint32_t at, uint64_t value, unsigned bytes);
void put_name(uint32_t at, const char *name);

/* Correct its checksum. */
void seal(uint32_t at, uint32_t size, uint32_t checksum_at);
void seal_table(uint32_t at);
void seal_roots(void);

/* Add a table of this size to XSDT and RSDT; the caller fills in its fields. Returns its offset. */
uint32_t add_table(const char *signature, uint32_t size);

int parse(void);
int parse_at(uint64_t rsdp);

#endif
