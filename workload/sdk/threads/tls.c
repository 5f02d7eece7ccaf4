/* SPDX-License-Identifier: MIT */
/* Thread-local variables: a block for each thread, copied from the program's PT_TLS segment. */
#include <bareperf/mark.h>
#include <errno.h>
#include <reent.h>
#include <stdbool.h>
#include <string.h>

#include <arch_tls.h>

#include "workload/sdk/sdk.h"

#define PT_LOAD   1U
#define PT_TLS    7U
#define TLS_ALIGN 16U /* at least, for the control block */

/* 0, 0, newline and 255, which end the copies of string functions: newlib's choice for
 * __stack_chk_guard. */
#define CANARY 0xff0a0000ULL

/* System V ABI, chapters 4 and 5 */
struct file_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct program_header {
	uint32_t type, flags;
	uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

/* From the linker: payload.ld places the file's first bytes there */
extern const struct file_header __ehdr_start __attribute__((visibility("hidden")));

__thread const struct bareperf_marks *bareperf_marks_here; /* used by mark.c */

static struct {
	const char *image; /* initialised bytes; the rest is 0 */
	size_t filled, size, align;
} tls = { .align = TLS_ALIGN };

static __thread struct _reent *tls_reent;

struct _reent *__getreent(void)
{
	return tls_reent;
}

static void tls_take(const struct program_header *header, const char *bias)
{
	tls.image = bias + header->vaddr;
	tls.filled = header->filesz;
	tls.size = header->memsz;
	tls.align = header->align > TLS_ALIGN ? header->align : TLS_ALIGN;
}

static void tls_find(void)
{
	const char *base = (const char *)&__ehdr_start;
	const struct program_header *headers = (const void *)(base + __ehdr_start.phoff);
	const char *bias = base;

	for (unsigned i = 0; i < __ehdr_start.phnum; i++) {
		if (headers[i].type == PT_LOAD && headers[i].offset == 0)
			bias = base - headers[i].vaddr;
	}
	for (unsigned i = 0; i < __ehdr_start.phnum; i++) {
		if (headers[i].type == PT_TLS)
			tls_take(&headers[i], bias);
	}
}

size_t sdk_tls_room(void)
{
	return arch_tls_block(tls.size, tls.align) + tls.align - 1;
}

void *sdk_tls_make(void *room)
{
	char *block = (char *)(((uintptr_t)room + tls.align - 1) & ~(uintptr_t)(tls.align - 1));
	char *variables;
	void *pointer;

	memset(block, 0, arch_tls_block(tls.size, tls.align));
	pointer = arch_tls_lay_out(block, tls.size, tls.align, CANARY, &variables);
	memcpy(variables, tls.image, tls.filled);
	return pointer;
}

void sdk_tls_enter(void *pointer, struct _reent *reent)
{
	arch_tls_load(pointer);
	tls_reent = reent;
}

/* main()'s variables are made before malloc() works. */
int sdk_tls_begin(void)
{
	void *room;

	tls_find();
	room = sdk_heap_take(sdk_tls_room());
	if (!room)
		return -ENOMEM;
	sdk_tls_enter(sdk_tls_make(room), _impure_ptr);
	return 0;
}
