/* SPDX-License-Identifier: MIT */
/*
 * The callers of a guest's function by the calls and returns that it executed. This needs neither
 * registers nor memory nor frame pointers, only the addresses of accesses to return addresses.
 *
 * A return address lies in a slot, a word of the stack: x86's CALL writes it, an AArch64 function
 * stores x30 there. A table has the return address of each slot, and the slot of the next caller.
 * A return or a load of x30 names its slot, so a switch to another stack needs no special care:
 * the first return on that stack finds the callers there. All CPUs share the table, because a
 * thread can move to another CPU.
 *
 * The table is finite, and a slot can be overwritten unseen. Then callers are missing until the
 * next return. In a vCPU's thread.
 */
#ifndef PLUGIN_CALLS_H
#define PLUGIN_CALLS_H

#include "plugin/chain.h"

enum calls_kind {
	CALLS_NONE,
	CALLS_CALL,        /* x86: writes the return address to its slot */
	CALLS_RETURN,      /* x86: reads it */
	CALLS_LINK,        /* AArch64: BL, BLR; the return address is in x30 */
	CALLS_RETURN_LINK, /* AArch64: RET by x30 */
	CALLS_SAVE,        /* AArch64: stores x30 on the stack */
	CALLS_SAVE_AWAY,   /* AArch64: stores x30 elsewhere, as a switch of threads does */
	CALLS_LOAD,        /* AArch64: loads x30 */
};

/* A vCPU's state; zeroed at first. A return by another slot than the top is doubtful: an entry may
 * be older than what its slot holds. */
struct calls {
	uint64_t top;      /* the slot of the current function's return address, 0: not known */
	uint64_t link;     /* the return address that is in x30 only, 0: none */
	uint64_t before;   /* of the last load: the top before it */
	uint64_t slot;     /* of the last load */
	uint64_t expected; /* where the last return arrives by the table, 0: not known */
	bool is_doubtful;  /* link is doubtful */
	bool is_checked;   /* the last return is doubtful, and its arrival is checked */
	bool is_awaited;   /* for the caller's use: the next access is a slot's */
};

/* Decodes the effect of an instruction on return addresses. bytes: its first size bytes. Source: SDM 2, CALL
 * and RET; Arm ARM, C4.1. */
enum calls_kind calls_decode(enum chain_isa isa, const uint8_t *bytes, size_t size);

/* The return address ret is in x30 now. */
void calls_link(struct calls *calls, uint64_t ret);

/* The return address in x30 is stored to a slot. kind: CALLS_SAVE or CALLS_SAVE_AWAY. */
void calls_save(struct calls *calls, uint64_t slot, enum calls_kind kind);

/* A slot is loaded into x30. */
void calls_load(struct calls *calls, uint64_t slot);

/* A function returns to the address in x30. */
void calls_return_link(struct calls *calls);

/* x86: CALL, which writes ret to slot, and RET, which reads the slot. */
void calls_call(struct calls *calls, uint64_t slot, uint64_t ret);
void calls_return(struct calls *calls, uint64_t slot);

/* The vCPU executes a block of instructions at this address. Where a doubtful return arrives shows
 * whether the table was right. */
void calls_arrive(struct calls *calls, uint64_t address);

/* Writes pc, then the return addresses, innermost first. Returns their number, CHAIN_MOST at most.
 */
unsigned calls_follow(const struct calls *calls, uint64_t pc, uint64_t chain[CHAIN_MOST]);

#endif
