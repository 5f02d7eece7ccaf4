/* SPDX-License-Identifier: MIT */
#include "plugin/callers.h"

#include <stdlib.h>
#include <string.h>

#include "abi/outside.h"
#include "plugin/registers.h"

#define CALLERS_BYTES 15U /* of an instruction of x86 at most */

static enum chain_isa callers_isa;
static uint32_t callers_method;
static unsigned callers_vcpus;
static struct calls *callers_calls; /* of each vCPU; OUTSIDE_CALLERS_CALLS only */

bool callers_begin(enum chain_isa isa, uint32_t method, unsigned vcpus)
{
	callers_isa = isa;
	callers_method = method;
	callers_vcpus = vcpus;
	if (method != OUTSIDE_CALLERS_CALLS)
		return true;
	callers_calls = calloc(vcpus, sizeof(*callers_calls));
	return callers_calls;
}

int callers_flags(void)
{
	return callers_method == OUTSIDE_CALLERS_FP ? QEMU_PLUGIN_CB_R_REGS
	                                            : QEMU_PLUGIN_CB_NO_REGS;
}

bool callers_see_blocks(void)
{
	return callers_method == OUTSIDE_CALLERS_CALLS;
}

/* ---- Calls and returns that the guest executes ---- */

static struct calls *callers_of(unsigned vcpu)
{
	vcpu = callers_vcpus == 1 ? 0 : vcpu;
	return vcpu < callers_vcpus ? &callers_calls[vcpu] : NULL;
}

/* CALLS_LINK; data: the return address */
static void callers_link(unsigned vcpu, void *data)
{
	struct calls *calls = callers_of(vcpu);

	if (calls)
		calls_link(calls, (uintptr_t)data);
}

/* CALLS_RETURN_LINK */
static void callers_return_link(unsigned vcpu, void *data)
{
	struct calls *calls = callers_of(vcpu);

	(void)data;
	if (calls)
		calls_return_link(calls);
}

/* The instruction begins whose first access is that to the slot. A pair of words has two accesses.
 * After an instruction that ends its block, QEMU reports the accesses of an exception's delivery
 * as the instruction's. */
static void callers_await(unsigned vcpu, void *data)
{
	struct calls *calls = callers_of(vcpu);

	(void)data;
	if (calls)
		calls->is_awaited = true;
}

/* CALLS_CALL; data: the return address */
static void callers_call(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	struct calls *calls = callers_of(vcpu);

	/* CALL may read its target first. */
	if (!calls || !calls->is_awaited || !qemu_plugin_mem_is_store(info))
		return;
	calls->is_awaited = false;
	calls_call(calls, address, (uintptr_t)data);
}

/* The other kinds, in data */
static void callers_access(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
	enum calls_kind kind = (enum calls_kind)(uintptr_t)data;
	struct calls *calls = callers_of(vcpu);

	(void)info;
	if (!calls || !calls->is_awaited)
		return;
	calls->is_awaited = false;
	if (kind == CALLS_RETURN)
		calls_return(calls, address);
	else if (kind == CALLS_LOAD)
		calls_load(calls, address);
	else
		calls_save(calls, address, kind);
}

/* Accesses of both kinds are asked for: QEMU 7.2 reports no loads if asked for loads only. */
static void callers_watch_slot(struct qemu_plugin_insn *insn, enum calls_kind kind, void *next)
{
	bool is_call = kind == CALLS_CALL;

	qemu_plugin_register_vcpu_insn_exec_cb(insn, callers_await, QEMU_PLUGIN_CB_NO_REGS, NULL);
	qemu_plugin_register_vcpu_mem_cb(insn, is_call ? callers_call : callers_access,
	                                 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
	                                 is_call ? next : (void *)(uintptr_t)kind);
}

static void callers_watch(struct qemu_plugin_insn *insn, enum calls_kind kind)
{
	void *next =
	    (void *)(uintptr_t)(qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn));

	if (kind == CALLS_LINK)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, callers_link, QEMU_PLUGIN_CB_NO_REGS,
		                                       next);
	else if (kind == CALLS_RETURN_LINK)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, callers_return_link,
		                                       QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (kind != CALLS_NONE)
		callers_watch_slot(insn, kind, next);
}

/* ---- Blocks ---- */

/* Copies the first bytes of an instruction. Until version 3 of the interface the function returned
 * their address. */
static size_t callers_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[CALLERS_BYTES])
{
	typedef const void *first_form(const struct qemu_plugin_insn *insn);
	first_form *old = (first_form *)(void (*)(void))qemu_plugin_insn_data;
	size_t size = qemu_plugin_insn_size(insn);

	if (qemu_plugin_read_memory_vaddr)
		return qemu_plugin_insn_data(insn, bytes, CALLERS_BYTES);
	size = size < CALLERS_BYTES ? size : CALLERS_BYTES;
	memcpy(bytes, old(insn), size);
	return size;
}

void callers_translate(struct qemu_plugin_insn *insn, struct stage_block *block)
{
	uint8_t bytes[CALLERS_BYTES];
	size_t size;

	if (callers_method == OUTSIDE_CALLERS_NONE)
		return;
	size = callers_bytes(insn, bytes);
	if (callers_method == OUTSIDE_CALLERS_CALLS)
		callers_watch(insn, calls_decode(callers_isa, bytes, size));
	else
		block->is_entry |= chain_makes_frame(callers_isa, bytes, size);
}

void callers_arrive(unsigned vcpu, const struct stage_block *block)
{
	if (callers_calls)
		calls_arrive(&callers_calls[vcpu], block->address);
}

unsigned callers_follow(unsigned vcpu, const struct stage_block *block, uint64_t chain[CHAIN_MOST])
{
	struct chain_registers registers;

	if (callers_method == OUTSIDE_CALLERS_NONE)
		return 0;
	if (callers_method == OUTSIDE_CALLERS_CALLS)
		return calls_follow(&callers_calls[vcpu], block->address, chain);
	if (!registers_frame(callers_isa, &registers))
		return 1;
	return chain_follow(callers_isa, block->address, block->is_entry, &registers,
	                    registers_read_memory, NULL, chain);
}
