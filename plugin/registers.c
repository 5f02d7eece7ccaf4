/* SPDX-License-Identifier: MIT */
#include "plugin/registers.h"

#include <pthread.h>
#include <string.h>

#include "abi/outside.h"
#include "plugin/qemu_api.h"

#define CR0_PE    (1U << 0)
#define RFLAGS_VM (1U << 17)
#define EFER_LMA  (1U << 10)

enum {
	REGISTERS_CS,
	REGISTERS_EFLAGS,
	REGISTERS_CR0,
	REGISTERS_EFER,
	REGISTERS_RBP,
	REGISTERS_RSP,
	REGISTERS_X86 = REGISTERS_RSP + 1,
	REGISTERS_CPSR = 0,
	REGISTERS_X29,
	REGISTERS_X30,
	REGISTERS_SP,
	REGISTERS_ARM = REGISTERS_SP + 1,
	REGISTERS_MOST = REGISTERS_X86,
};

/* GDB's names (gdb-xml/ of QEMU) */
static const char *const registers_names[][REGISTERS_MOST] = {
	[CHAIN_X86_64] = { "cs", "eflags", "cr0", "efer", "rbp", "rsp" },
	[CHAIN_AARCH64] = { "cpsr", "x29", "x30", "sp" },
};

static struct qemu_plugin_register *registers_handles[REGISTERS_MOST];
static bool registers_complete;

static void registers_take(enum chain_isa isa, const qemu_plugin_reg_descriptor *all,
                           unsigned count)
{
	unsigned wanted = isa == CHAIN_X86_64 ? REGISTERS_X86 : REGISTERS_ARM, found = 0;

	for (unsigned k = 0; k < wanted; k++) {
		for (unsigned i = 0; i < count && !registers_handles[k]; i++) {
			if (!strcmp(all[i].name, registers_names[isa][k]))
				registers_handles[k] = all[i].handle;
		}
		found += !!registers_handles[k];
	}
	registers_complete = found == wanted;
}

void registers_find(enum chain_isa isa)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct glib_array *array;

	if (!qemu_plugin_get_registers || !g_array_free)
		return;
	pthread_mutex_lock(&lock);
	if (!registers_complete) {
		array = qemu_plugin_get_registers();
		registers_take(isa, (const qemu_plugin_reg_descriptor *)(void *)array->data,
		               array->len);
		g_array_free(array, 1);
	}
	pthread_mutex_unlock(&lock);
}

/* Each thread has its own buffer, which is never freed. */
static struct glib_array *registers_buffer(void)
{
	static __thread struct glib_array *buffer;

	if (!buffer)
		buffer = g_byte_array_new();
	return g_byte_array_set_size(buffer, 0);
}

static uint64_t registers_get(unsigned number)
{
	struct glib_array *buffer = registers_buffer();
	int size = qemu_plugin_read_register(registers_handles[number], buffer);
	uint64_t value = 0;

	if (size > 0 && (unsigned)size <= buffer->len)
		memcpy(&value, buffer->data, (size_t)size < 8 ? (size_t)size : 8);
	return value;
}

static uint32_t registers_level_x86(void)
{
	if (!(registers_get(REGISTERS_CR0) & CR0_PE))
		return OUTSIDE_KERNEL;
	if (registers_get(REGISTERS_EFLAGS) & RFLAGS_VM)
		return OUTSIDE_USER;
	return (registers_get(REGISTERS_CS) & 3) == 3 ? OUTSIDE_USER : OUTSIDE_KERNEL;
}

uint32_t registers_level(enum chain_isa isa, uint64_t pc)
{
	if (!registers_complete)
		return pc >> 63 ? OUTSIDE_KERNEL : OUTSIDE_USER;
	if (isa == CHAIN_X86_64)
		return registers_level_x86();
	return 1U << (registers_get(REGISTERS_CPSR) >> 2 & 3); /* PSTATE.EL */
}

bool registers_frame(enum chain_isa isa, struct chain_registers *registers)
{
	if (isa == CHAIN_AARCH64) {
		*registers = (struct chain_registers){
			.frame = registers_get(REGISTERS_X29),
			.stack = registers_get(REGISTERS_SP),
			.link = registers_get(REGISTERS_X30),
		};
		return true;
	}
	if (!(registers_get(REGISTERS_EFER) & EFER_LMA))
		return false;
	*registers = (struct chain_registers){
		.frame = registers_get(REGISTERS_RBP),
		.stack = registers_get(REGISTERS_RSP),
	};
	return true;
}

bool registers_read_memory(void *context, uint64_t address, void *to, size_t size)
{
	struct glib_array *buffer = registers_buffer();

	(void)context;
	if (!qemu_plugin_read_memory_vaddr(address, buffer, size) || buffer->len < size)
		return false;
	memcpy(to, buffer->data, size);
	return true;
}
