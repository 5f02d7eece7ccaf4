// SPDX-License-Identifier: MIT
/*
 * Instructions that the ring adds to a record, built with the firmware's flags and counted exactly
 * by single steps; held against the table in docs/ring-instructions.md.
 */
#include "ringbuf/ring.h"

#include <signal.h>
#include <stdio.h>

#define TABLE "docs/ring-instructions.md"

#if defined(__x86_64__)
#define SIZE (2 * TR_PAGE)

static _Alignas(TR_PAGE) struct perf_event_mmap_page control;
static _Alignas(TR_PAGE) uint8_t data[SIZE];
static uint64_t scratch[RING_LEVELS * 1024 / 8];
static struct ring ring;
static struct ring_owner owner;
static struct ring_account account;
static struct tr_doorbell doorbell;
static volatile unsigned steps;

static void count_step(int signal)
{
	(void)signal;
	steps++;
}

#define CHANGE_TF(how) __asm__ volatile("pushfq\n\t" how "\n\tpopfq" ::: "memory", "cc")

static __attribute__((noinline)) void nothing(void)
{
	CHANGE_TF("orq $0x100, (%%rsp)");
	CHANGE_TF("andq $~0x100, (%%rsp)");
}

static __attribute__((noinline)) void record(void)
{
	struct ring_output out;

	CHANGE_TF("orq $0x100, (%%rsp)");
	if (ring_reserve(&out, &ring, &account, 64))
		ring_commit(&out);
	CHANGE_TF("andq $~0x100, (%%rsp)");
}

static __attribute__((noinline)) void sample(void)
{
	struct ring_output out;

	CHANGE_TF("orq $0x100, (%%rsp)");
	if (ring_reserve_sample(&out, &ring, &account, 64, 1000))
		ring_commit(&out);
	CHANGE_TF("andq $~0x100, (%%rsp)");
}

static void prepare(uint32_t flags)
{
	struct ring_config config = {
		.control = &control,
		.data = data,
		.size = SIZE,
		.flags = flags,
		.max_record = 1024,
		.scratch = scratch,
		.owner = &owner,
	};

	owner.doorbell = &doorbell;
	doorbell.pending = 0;
	ring_init(&ring, &config);
	record(); /* the first one looks for the limit */
}

static void fill(uint64_t records)
{
	struct ring_output out;

	while (records--)
		if (ring_reserve(&out, &ring, &account, 64))
			ring_commit(&out);
}

static void prepare_forward(void)
{
	prepare(0);
}

static void prepare_backward(void)
{
	prepare(TR_RING_BACKWARD);
}

static void prepare_nested(void)
{
	prepare(0);
	ring.nest = 1;
}

static void prepare_full(void)
{
	prepare(0);
	fill(SIZE / 64 + 1);
}

static void prepare_lost_due(void)
{
	prepare_full();
	__atomic_store_n(&control.data_tail, SIZE, __ATOMIC_RELEASE);
}

static void prepare_wakeup(void)
{
	prepare(0);
	fill(SIZE / 64 / 2 - 2);
}

static void prepare_wrap(void)
{
	prepare(0);
	ring.head = ring.published = SIZE - 32;
	ring.tail = ring.head;
	ring.limit = ring.head + SIZE;
}

struct instructions {
	const char *name;
	void (*prepare)(void);
	void (*run)(void);
};

static const struct instructions CASES[] = {
	{ "record", prepare_forward, record },
	{ "sample", prepare_forward, sample },
	{ "record-nested", prepare_nested, record },
	{ "record-backward", prepare_backward, record },
	{ "record-lost", prepare_full, record },
	{ "record-after-lost", prepare_lost_due, record },
	{ "record-that-wakes", prepare_wakeup, record },
	{ "record-that-wraps", prepare_wrap, record },
};

static unsigned count(void (*run)(void))
{
	steps = 0;
	run();
	return steps;
}

/* The table's number for a case; 0 if it has none. */
static unsigned expected(const char *name)
{
	FILE *table = fopen(TABLE, "r");
	char line[256], found[64];
	unsigned number = 0, value;

	if (!table)
		return 0;
	while (fgets(line, sizeof(line), table))
		if (sscanf(line, "| %63s | %u |", found, &value) == 2 &&
		    !__builtin_strcmp(found, name))
			number = value;
	fclose(table);
	return number;
}

int main(void)
{
	struct sigaction action = { .sa_handler = count_step };
	unsigned overhead;

	sigaction(SIGTRAP, &action, NULL);
	overhead = count(nothing);
	for (unsigned i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
		unsigned goal = expected(CASES[i].name), value;

		CASES[i].prepare();
		value = count(CASES[i].run) - overhead;
		printf("bench ring-instructions-%s %u instructions goal %u %s\n", CASES[i].name,
		       value, goal, value <= goal ? "ok" : "short");
	}
	return 0;
}
#else
int main(void)
{
	printf("bench ring-instructions-record skip no process can step itself here\n");
	return 0;
}
#endif
