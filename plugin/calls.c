/* SPDX-License-Identifier: MIT */
#include "plugin/calls.h"

#include <string.h>

#define CALLS_SLOTS_LOG2  17
#define CALLS_SLOTS       (1U << CALLS_SLOTS_LOG2)
#define CALLS_DEAD_MOST   4096U /* dead slots that one call or return passes */
/* Bytes of a stack at most: Linux's kernel has 16 KiB; a program's stack has much more, of which
 * two functions in a row use less. */
#define CALLS_STACK_UPPER (16U << 10)
#define CALLS_STACK_LOWER (1U << 20)

struct calls_entry {
	uint64_t slot;   /* its address in the guest; 0: empty */
	uint64_t ret;    /* the return address in it */
	uint64_t parent; /* the slot of the caller's return address; 0: not known */
};

static struct calls_entry calls_table[CALLS_SLOTS];

/* ---- Instructions ---- */

static enum calls_kind calls_decode_x86(const uint8_t *bytes, size_t size)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0xf2, 0xf3 };

	while (size > 1 && (memchr(prefixes, bytes[0], sizeof(prefixes)) || bytes[0] >> 4 == 4))
		bytes++, size--;
	if (size < 1)
		return CALLS_NONE;
	if (bytes[0] == 0xc3 || bytes[0] == 0xc2)
		return CALLS_RETURN;
	if (bytes[0] == 0xe8 || (bytes[0] == 0xff && size > 1 && (bytes[1] >> 3 & 7) == 2))
		return CALLS_CALL;
	return CALLS_NONE;
}

/* A store or load of x30, alone or as one of a pair. */
static enum calls_kind calls_decode_access(uint32_t word)
{
	bool is_pair = (word & 0xfe000000) == 0xa8000000;
	bool is_single = (word & 0xfe000000) == 0xf8000000;
	bool is_load = is_pair ? word >> 22 & 1 : (word >> 22 & 3) == 1;

	if (!is_pair && !is_single)
		return CALLS_NONE;
	if (is_single && word >> 23 & 1) /* PRFM */
		return CALLS_NONE;
	if ((word & 31) != 30 && !(is_pair && (word >> 10 & 31) == 30))
		return CALLS_NONE;
	if (is_load)
		return CALLS_LOAD;
	return (word >> 5 & 31) == 31 ? CALLS_SAVE : CALLS_SAVE_AWAY;
}

static enum calls_kind calls_decode_arm(uint32_t word)
{
	if (word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000 || /* BL, BLR */
	    (word & 0xfefff800) == 0xd63f0800)                         /* BLRAA and the others */
		return CALLS_LINK;
	if (word == 0xd65f03c0 || (word & 0xfffffbff) == 0xd65f0bff || /* RET, RETAA, RETAB */
	    word == 0xd61f03c0)                                        /* BR x30 */
		return CALLS_RETURN_LINK;
	return calls_decode_access(word);
}

enum calls_kind calls_decode(enum chain_isa isa, const uint8_t *bytes, size_t size)
{
	uint32_t word;

	if (isa == CHAIN_X86_64)
		return calls_decode_x86(bytes, size);
	if (size < sizeof(word))
		return CALLS_NONE;
	memcpy(&word, bytes, sizeof(word));
	return calls_decode_arm(word);
}

/* ---- The table ---- */

static struct calls_entry *calls_place(uint64_t slot)
{
	return &calls_table[(slot >> 3) * 0x9e3779b97f4a7c15ULL >> (64 - CALLS_SLOTS_LOG2)];
}

/* Other vCPUs' threads may write the entry meanwhile. */
static bool calls_find(uint64_t slot, struct calls_entry *copy)
{
	struct calls_entry *entry = calls_place(slot);

	if (!slot || __atomic_load_n(&entry->slot, __ATOMIC_ACQUIRE) != slot)
		return false;
	copy->slot = slot;
	copy->ret = __atomic_load_n(&entry->ret, __ATOMIC_ACQUIRE);
	copy->parent = __atomic_load_n(&entry->parent, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&entry->slot, __ATOMIC_ACQUIRE) == slot;
}

static void calls_enter(uint64_t slot, uint64_t ret, uint64_t parent)
{
	struct calls_entry *entry = calls_place(slot);

	__atomic_store_n(&entry->slot, 0, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&entry->ret, ret, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->parent, parent, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->slot, slot, __ATOMIC_RELEASE);
}

static void calls_forget(uint64_t slot)
{
	struct calls_entry entry;

	if (calls_find(slot, &entry))
		__atomic_store_n(&calls_place(slot)->slot, 0, __ATOMIC_RELEASE);
}

/* Kernels' stacks lie in the upper half of the addresses, programs' and firmware's in the lower
 * one.
 */
static bool calls_same_half(uint64_t a, uint64_t b)
{
	return (a ^ b) >> 63 == 0;
}

/* Whether two slots can lie in one stack. */
static bool calls_same_stack(uint64_t a, uint64_t b)
{
	uint64_t distance = a > b ? a - b : b - a;

	return calls_same_half(a, b) &&
	       distance < (a >> 63 ? CALLS_STACK_UPPER : CALLS_STACK_LOWER);
}

/* The innermost slot that lives while a function of this slot begins or ends. Stacks grow down, so
 * the slots below it are of functions that longjmp() or an exception left. */
static uint64_t calls_living(uint64_t top, uint64_t slot)
{
	struct calls_entry entry;

	for (unsigned i = 0; top && top <= slot && calls_same_stack(top, slot); i++) {
		if (i == CALLS_DEAD_MOST || !calls_find(top, &entry))
			return 0;
		top = entry.parent;
	}
	return top;
}

/* ---- Calls and returns ---- */

void calls_link(struct calls *calls, uint64_t ret)
{
	calls->link = ret;
	calls->is_doubtful = false;
}

void calls_save(struct calls *calls, uint64_t slot, enum calls_kind kind)
{
	uint64_t parent = calls->top;

	if (!calls->link) { /* x30 holds something else */
		calls_forget(slot);
		return;
	}
	if (kind == CALLS_SAVE)
		parent = calls_living(calls->top, slot);
	calls_enter(slot, calls->link, parent);
	calls->top = slot;
	calls->link = 0;
}

void calls_load(struct calls *calls, uint64_t slot)
{
	struct calls_entry entry;
	bool is_known = calls_find(slot, &entry);

	calls->is_doubtful = !is_known || slot != calls->top;
	calls->before = calls->top;
	calls->slot = slot;
	calls->link = is_known ? entry.ret : 0;
	calls->top = is_known ? entry.parent : calls_living(calls->top, slot);
}

void calls_return_link(struct calls *calls)
{
	calls->is_checked = calls->is_doubtful;
	calls->is_doubtful = false;
	calls->expected = calls->link;
	calls->link = 0;
}

void calls_call(struct calls *calls, uint64_t slot, uint64_t ret)
{
	calls_link(calls, ret);
	calls_save(calls, slot, CALLS_SAVE);
}

void calls_return(struct calls *calls, uint64_t slot)
{
	calls_load(calls, slot);
	calls_return_link(calls);
}

void calls_arrive(struct calls *calls, uint64_t address)
{
	struct calls_entry entry;

	if (!calls->is_checked)
		return;
	calls->is_checked = false;
	if (address == calls->expected)
		return;
	if (calls_find(calls->before, &entry) && entry.ret == address)
		calls->top = entry.parent; /* the function had moved its return address */
	else if (calls->expected)
		calls->top = calls_same_stack(calls->before, calls->slot)
		                 ? calls_living(calls->before, calls->slot)
		                 : 0;
}

unsigned calls_follow(const struct calls *calls, uint64_t pc, uint64_t chain[CHAIN_MOST])
{
	struct calls_entry entry;
	uint64_t slot = calls->top;
	unsigned count = 0;

	chain[count++] = pc;
	if (calls->link)
		chain[count++] = calls->link;
	while (count < CHAIN_MOST && calls_same_half(slot, pc) && calls_find(slot, &entry)) {
		chain[count++] = entry.ret;
		/* An interrupt or a new thread may use a stack of its own. */
		if (entry.parent <= slot || !calls_same_stack(entry.parent, slot))
			break;
		slot = entry.parent;
	}
	return count;
}
