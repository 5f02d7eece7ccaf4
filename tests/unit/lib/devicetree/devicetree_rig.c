/* SPDX-License-Identifier: MIT */
#include "tests/unit/lib/devicetree/devicetree_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/guarded.h"
#include "tests/unit/temporary.h"

#define TEXT_MAX 16384

uint8_t *memory;
uint32_t memory_size, allocated;
char remarks[4096];
struct arch_platform platform;
uint64_t boot_cpu;

const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > memory_size || address - BASE > memory_size - size)
		return NULL;
	return memory + (address - BASE);
}

void warn(const char *format, ...)
{
	size_t used = strlen(remarks);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(remarks + used, sizeof(remarks) - used, format, arguments);
	va_end(arguments);
}

int parse(void)
{
	remarks[0] = 0;
	return devicetree_parse(BASE, boot_cpu, view, warn, &platform);
}

/* ---- Trees ---- */

void read_file(const char *path, void *to, size_t most, size_t *size)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	*size = fread(to, 1, most, file);
	assert_true(*size < most);
	fclose(file);
}

/* In each pair of texts, replace the first one by the n-th. */
static void bend(char *text, const char *const *changes)
{
	for (; changes && changes[0]; changes += 2) {
		char *at = strstr(text, changes[0]);
		size_t old = strlen(changes[0]), new = strlen(changes[1]);

		assert_non_null(at); /* the text to replace does not exist any more */
		memmove(at + new, at + old, strlen(at + old) + 1);
		memcpy(at, changes[1], new);
	}
}

void compile(const char *text)
{
	static uint8_t bytes[TREE_MAX];
	char source[PATH_MAX], tree[PATH_MAX], command[2 * PATH_MAX + 64];
	size_t size;
	FILE *file;

	temporary_path(source, "tree.dts");
	temporary_path(tree, "tree.dtb");
	file = fopen(source, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	snprintf(command, sizeof(command), "dtc -q -f -I dts -O dtb -o %s %s", tree, source);
	assert_int_equal(system(command), 0);
	read_file(tree, bytes, TREE_MAX, &size);
	guarded_free(memory, allocated);
	memory = guarded_alloc(size);
	memcpy(memory, bytes, size);
	memory_size = allocated = (uint32_t)size;
	remove(source);
	remove(tree);
}

/* Load a tree by its name, with changes: pairs of texts, ended by NULL. */
void load(const char *name, const char *const *changes)
{
	static char text[TEXT_MAX];
	char path[128];
	size_t size;

	snprintf(path, sizeof(path), "tests/unit/lib/trees/%s.dts", name);
	read_file(path, text, sizeof(text) / 2, &size);
	text[size] = 0;
	bend(text, changes);
	compile(text);
}

int set_up(void **state)
{
	(void)state;
	boot_cpu = 0;
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	guarded_free(memory, allocated);
	memory = NULL;
	return 0;
}

void assert_remark(const char *text)
{
	if (!strstr(remarks, text))
		fail_msg("not said: %s\nbut: %s", text, remarks);
}
