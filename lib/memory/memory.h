/* SPDX-License-Identifier: MIT */
/*
 * Memory, from the firmware's map to ours.
 *
 * After ExitBootServices the firmware's boot services memory is left alone, its page tables
 * included, because ResetSystem() runs on them. bareperf uses the memory that it allocated
 * before, and the largest block of conventional memory as its heap:
 *
 *	page 0			not mapped: a null pointer faults
 *	our image		as linker.ld says: code read+execute, constants read,
 *				data read+write
 *	RAM of any other kind	read+write, never executed
 *	devices			uncached; only those that somebody asked for
 *
 * Where boot services stay, it is the same, but for the heap, which is allocated, as all the rest
 * is; and all of it is freed when we go (memory_free_all()).
 */
#ifndef LIB_MEMORY_MEMORY_H
#define LIB_MEMORY_MEMORY_H

#include "arch/arch.h"

/* Take a first copy of the firmware's memory map. 0, -ENOMEM or -EIO. Thread, as all here. */
int memory_init(void);

/* Does one kind of memory that the firmware's map names (no device) cover the whole range? Adjacent
 * descriptors count as one. Any values. After memory_init(). */
bool memory_is_known(uint64_t address, uint64_t size);

/* Does the firmware's map name RAM anywhere in the range, which does not wrap? After memory_init().
 */
bool memory_has_ram(uint64_t address, uint64_t size);

/* Bytes of RAM that the map names. After memory_init(). */
uint64_t memory_size(void);

/* Zeroed pages that stay ours after boot services have ended; NULL if there are none.
 * Boot services only, as the four that follow. */
void *memory_alloc_pages(size_t pages);

/* The same but not zeroed, size bytes (a multiple of 4096) at a multiple of align (a power of two),
 * marked as reserved in the memory map, so that nobody else gives it a use, and mapped as data. It
 * lies in the lower middle of the largest free block, where the next start of firmware writes
 * nothing; elsewhere if that cannot be. */
void *memory_alloc_region(uint64_t size, uint64_t align);

/* Have nobody write to these pages, which are free, whatever comes: they are not freed when we go.
 * false: they are not free. And the inverse. */
bool memory_hold(uint64_t address, uint64_t size);
void memory_let_go(uint64_t address, uint64_t size);

/* Keep the free memory in [address, address + size) unused and unmapped until memory_free_all().
 * Any values. After memory_init(), whose map is then taken again. */
void memory_keep_off(uint64_t address, uint64_t size);

/* The same, ending at limit at the latest (0: anywhere). */
void *memory_alloc_pages_below(size_t pages, uint64_t limit);

/* pages zeroed pages at this address (a multiple of 4096), mapped as data; NULL if any of them is
 * not free. */
void *memory_alloc_at(uint64_t address, size_t pages);

/* Map this too; later mappings win over earlier ones and over RAM. 0; -ENOSPC: there are too many;
 * -EINVAL: the CPU does not reach it (ADDRESS_ANY of lib/memory/address.h). */
int memory_add_mapping(uint64_t address, uint64_t size, enum arch_map_type type);

/* Hand all mappings to arch_prepare(). 0, -ENOMEM, -ENOSPC or its error; what the machine lacks is
 * said on the console. */
int memory_prepare(const struct arch_platform *platform);

/* Report on the console why memory_prepare() has failed with code, by which tables' description. */
void memory_report(int code, enum arch_tables tables);

/* End boot services, trying again when the map changed in between (UEFI 2.10, 7.4.6). 0, or -EIO:
 * boot services are then in an undefined state, and only ResetSystem() is left. */
int memory_exit_boot_services(void);

/* The i-th piece of RAM that nobody used when the map was taken, in its order; after
 * memory_exit_boot_services() the heap is one of them. False: there are not as many. After
 * memory_init(). */
bool memory_unused(unsigned i, uint64_t *start, uint64_t *size);

/* The largest free block above 1 MiB; size 0: there is none. After memory_init(). */
void memory_largest(uint64_t *start, uint64_t *size);
uint64_t memory_largest_free(void);

/* Allocate a heap, a quarter of the largest free block and not more than 256 MiB: where boot
 * services stay, or malloc() is needed before they end; once. 0, -ENOMEM or -EIO. Boot services
 * only, as the three that follow. */
int memory_firmware_heap(void);

/* Keep this memory of memory_alloc_region() allocated when the rest is freed. */
void memory_keep(const void *memory);

/* Free everything that was allocated here. Nothing of it may be in use. */
void memory_free_all(void);

/* The heap: the largest free block, or what was borrowed. After memory_exit_boot_services() or
 * memory_firmware_heap(); size 0 if there is none. */
void memory_heap(void **start, uint64_t *size);

#endif
