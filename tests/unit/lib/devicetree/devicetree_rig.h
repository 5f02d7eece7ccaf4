/* SPDX-License-Identifier: MIT */
/* A device tree in a small physical memory, compiled from text by dtc. */
#ifndef TESTS_UNIT_LIB_DEVICETREE_DEVICETREE_RIG_H
#define TESTS_UNIT_LIB_DEVICETREE_DEVICETREE_RIG_H

#include <stddef.h>

#include "lib/devicetree/devicetree.h"

#define BASE     0x48000000ULL /* address of the memory */
#define TREE_MAX 65536U

extern uint8_t *memory; /* bytes after it fault, also for libfdt */
extern uint32_t memory_size, allocated;
extern char remarks[4096];
extern struct arch_platform platform;
extern uint64_t boot_cpu;

int set_up(void **state);
int tear_down(void **state);

/* View that memory; messages go to remarks. */
const void *view(uint64_t address, size_t size);
__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);

/* Read a file, of fewer than `most` bytes. */
void read_file(const char *path, void *to, size_t most, size_t *size);

/* Compile the text to the tree. */
void compile(const char *text);

/* The same with tests/unit/lib/trees/NAME.dts and changes: pairs of texts, ended by NULL. */
void load(const char *name, const char *const *changes);
#define LOAD(name, ...) load(name, (const char *const[]){ __VA_ARGS__, NULL })

/* The result of devicetree_parse(); its messages are in remarks. */
int parse(void);

void assert_remark(const char *text);

#endif
