/* SPDX-License-Identifier: MIT */
/*
 * Memory, from the firmware's map to ours.
 *
 * After ExitBootServices the firmware's boot services memory is left alone, its page tables
 * included, because ResetSystem() uses them. bareperf uses the memory that it allocated before, and
 * the largest block of conventional memory as its heap:
 *
 *	page 0			not mapped: a null pointer faults
 *	our image		as linker.ld says: code read+execute, constants read,
 *				data read+write
 *	RAM of any other kind	read+write, never executed
 *	devices			uncached; only those that were requested
 *
 * If boot services stay, only the heap differs: it is allocated from the firmware, like everything
 * else, and all of it is freed at the end (memory_free_all()).
 */
#ifndef LIB_MEMORY_MEMORY_H
#define LIB_MEMORY_MEMORY_H

#include "arch/arch.h"

/* Take a first copy of the firmware's memory map. Returns 0, -ENOMEM or -EIO. Thread, as all
 * functions here. */
int memory_init(void);

/* Whether one kind of memory in the firmware's map (no device) covers the whole range. Adjacent
 * descriptors count as one. All values are allowed. After memory_init(). */
bool memory_is_known(uint64_t address, uint64_t size);

/* Whether the firmware's map has RAM anywhere in the range, which must not wrap. After
 * memory_init(). */
bool memory_has_ram(uint64_t address, uint64_t size);

/* Bytes of RAM in the map. After memory_init(). */
uint64_t memory_size(void);

/* Allocate zeroed pages that stay ours after boot services have ended; NULL: there are none. Boot
 * services only, as the four that follow. */
void *memory_alloc_pages(size_t pages);

/* The same without zeroing: size bytes (a multiple of 4096) at a multiple of align (a power of
 * two), marked as reserved in the memory map, so that nobody else uses them, and mapped as data.
 * They lie in the lower middle of the largest free block, where firmware writes nothing at its next
 * start; elsewhere if that is not possible. */
void *memory_alloc_region(uint64_t size, uint64_t align);

/* Reserve these free pages against any writer; memory_free_all() does not free them. Returns false
 * if they are not free. memory_let_go() undoes it. */
bool memory_hold(uint64_t address, uint64_t size);
void memory_let_go(uint64_t address, uint64_t size);

/* Keep the free memory in [address, address + size) unused and unmapped until memory_free_all().
 * All values are allowed. After memory_init(); takes a new copy of the map. */
void memory_keep_off(uint64_t address, uint64_t size);

/* Like memory_alloc_pages(), but ending at limit at the latest (0: anywhere). */
void *memory_alloc_pages_below(size_t pages, uint64_t limit);

/* Allocate zeroed pages at this address (a multiple of 4096), mapped as data; NULL: not all of them
 * are free. */
void *memory_alloc_at(uint64_t address, size_t pages);

/* Request one more mapping; later mappings override earlier ones and RAM. Returns 0; -ENOSPC: there
 * are too many; -EINVAL: the CPU cannot address it (ADDRESS_ANY of lib/memory/address.h). */
int memory_add_mapping(uint64_t address, uint64_t size, enum arch_map_type type);

/* Pass all mappings to arch_prepare(). Returns 0, -ENOMEM, -ENOSPC or its error; the console
 * reports what the machine lacks. */
int memory_prepare(const struct arch_platform *platform);

/* Report on the console why memory_prepare() has failed with code; tables: the tables that
 * described the machine. */
void memory_report(int code, enum arch_tables tables);

/* End boot services; tries again if the map has changed in between (UEFI 2.10, 7.4.6). Returns 0,
 * or -EIO: boot services are then in an undefined state, and only ResetSystem() may be called. */
int memory_exit_boot_services(void);

/* The i-th piece of RAM that was unused when the map was read, in the map's order; after
 * memory_exit_boot_services() the heap is one of them. Returns false if there are fewer. After
 * memory_init(). */
bool memory_unused(unsigned i, uint64_t *start, uint64_t *size);

/* The largest free block above 1 MiB; size 0: there is none. After memory_init(). */
void memory_largest(uint64_t *start, uint64_t *size);
uint64_t memory_largest_free(void);

/* Allocate a heap from the firmware, once: a quarter of the largest free block, at most 272 MiB.
 * For boot services that stay, or if malloc() is needed before they end. Returns 0, -ENOMEM or
 * -EIO. Boot services only, as the three that follow. */
int memory_firmware_heap(void);

/* Keep this memory of memory_alloc_region() allocated when everything else is freed. */
void memory_keep(const void *memory);

/* Free everything that was allocated here. None of it may be in use. */
void memory_free_all(void);

/* The heap: the largest free block, or the heap from the firmware. After
 * memory_exit_boot_services() or memory_firmware_heap(); size 0: there is none. */
void memory_heap(void **start, uint64_t *size);

#endif
