/* SPDX-License-Identifier: MIT */
/*
 * The debug store, 64-bit format: SDM volume 3B, "BTS and DS Save Area", "Precise Event-Based
 * Sampling (PEBS)", "Load Latency Performance Monitoring Facility".
 */
#include "x86.h"

#define RECORDS             40
#define EVENT_LOADS         0x01cdu      /* MEM_TRANS_RETIRED.LOAD_LATENCY */
#define PEBS_FORMAT         8            /* field of PERF_CAPABILITIES */
#define LOAD_LATENCY_0      (1ull << 32) /* LL_EN_PMC0 */
/* SDM, table "Data Source Encoding for Load Latency Record" */
#define SOURCE_SECOND_LEVEL 3
#define LINES               256
#define GUARD               0x5a5a5a5a5a5a5a5aull

/* SDM, figure "64-bit Branch Trace Record": three words */
struct branch {
	uint64_t from, to, flags;
};

/* SDM, table "PEBS Record Format for 6th Generation …", record format 3 */
struct pebs {
	uint64_t flags, ip, ax, bx, cx, dx, si, di, bp, sp, r8_to_r15[8];
	uint64_t counters, address, source, latency, eventing_ip, tsx, tsc;
};

static volatile struct debug_store {
	uint64_t bts_base, bts_index, bts_max, bts_threshold;
	uint64_t pebs_base, pebs_index, pebs_max, pebs_threshold, pebs_reset[4];
} store __attribute__((aligned(64)));
static struct branch records[RECORDS];
static struct pebs samples[RECORDS];
static uint8_t lines[LINES * 64] __attribute__((aligned(64)));

/* ---- Branch trace ---- */

static void prepare_trace(unsigned room, unsigned threshold)
{
	store.bts_base = store.bts_index = (uint32_t)records;
	store.bts_max = (uint32_t)&records[room];
	store.bts_threshold = (uint32_t)&records[threshold];
	for (unsigned i = 0; i < RECORDS; i++)
		records[i] = (struct branch){ 0, 0, 0 };
	wrmsr(IA32_DS_AREA, (uint32_t)&store);
	LVTPC = PMI_VECTOR;
}

static void trace(uint64_t debugctl, unsigned room, unsigned threshold, unsigned turns)
{
	prepare_trace(room, threshold);
	wrmsr(IA32_DEBUGCTL, debugctl);
	traced(turns);
	wrmsr(IA32_DEBUGCTL, 0);
}

static unsigned traced_branches(void)
{
	return ((uint32_t)store.bts_index - (uint32_t)records) / sizeof(records[0]);
}

static bool is_edge(const struct branch *b, const char *from, const char *to)
{
	return b->from == (uint32_t)from && b->to == (uint32_t)to;
}

static void test_branch_trace(void)
{
	/* One call of traced(), three branches per turn except for the last jump, one return. */
	trace(DEBUGCTL_BTS, RECORDS, RECORDS, 2);
	tap_equal(traced_branches(), 7, "the trace of two turns is seven branches");
	tap_claim(records[0].to + 4 == (uint32_t)traced_loop, "... first the call");
	tap_claim(is_edge(&records[1], traced_loop, traced_leaf) &&
	              is_edge(&records[2], traced_leaf, traced_after) &&
	              is_edge(&records[3], traced_jump, traced_loop),
	          "... then a turn of the loop, edge by edge");
	trace(DEBUGCTL_BTS, 10, 5, 20);
	tap_equal(traced_branches(), 1, "without BTINT the buffer is a circle");
	tap_equal(pmis, 0, "... and nothing interrupts");
	tap_claim(records[10].from == 0, "... nor writes beyond the absolute maximum");
	trace(DEBUGCTL_BTS & ~0x40u, RECORDS, RECORDS, 2);
	tap_equal(traced_branches(), 0, "BTS without TR traces nothing");
	trace(DEBUGCTL_BTS | DEBUGCTL_BTINT, 20, 10, 20);
	tap_equal(pmis, 1, "with BTINT the threshold interrupts, once while the LVT is masked");
	tap_equal(store.bts_index, store.bts_max,
	          "... the buffer fills up to its absolute maximum");
	tap_claim(records[20].from == 0 && is_edge(&records[1], traced_loop, traced_leaf),
	          "... where it stops, keeping the oldest records");
	quiesce();
}

/* For a visit to ring 3: which records come from ring 3 */
static void trace_rings(uint64_t debugctl)
{
	prepare_trace(RECORDS, RECORDS);
	wrmsr(IA32_DEBUGCTL, debugctl);
	in_ring_3(traced, 2);
	wrmsr(IA32_DEBUGCTL, 0);
}

static bool left_in_ring_3(const struct branch *b)
{
	return (b->from >= (uint32_t)user_call && b->from <= (uint32_t)user_exit) ||
	       (b->from >= (uint32_t)traced_loop && b->from <= (uint32_t)traced_leaf);
}

static void test_branch_rings(void)
{
	unsigned user = 0, count, all;

	trace_rings(DEBUGCTL_BTS);
	all = traced_branches();
	for (unsigned i = 0; i < all; i++)
		user += left_in_ring_3(&records[i]);
	/* 8 branches: the call of traced(), three per turn except for the last turn's jump, the
	 * return, and the software interrupt */
	tap_equal(user, 8, "a visit to ring 3 leaves its branches and the interrupt");
	trace_rings(DEBUGCTL_BTS | DEBUGCTL_BTS_OFF_OS);
	tap_equal(traced_branches(), user, "BTS_OFF_OS: those of ring 3 alone");
	tap_claim(records[user - 1].from == (uint32_t)user_exit, "... the last is its interrupt");
	trace_rings(DEBUGCTL_BTS | DEBUGCTL_BTS_OFF_USR);
	count = traced_branches();
	user = 0;
	for (unsigned i = 0; i < count; i++)
		user += left_in_ring_3(&records[i]);
	tap_claim(!user && count == all - 8, "BTS_OFF_USR: the others alone");
	trace(DEBUGCTL_BTS | DEBUGCTL_BTS_OFF_OS, RECORDS, RECORDS, 2);
	tap_equal(traced_branches(), 0, "BTS_OFF_OS: ring 0 leaves no record");
	quiesce();
}

/* The SDM asks software to keep the save area mapped, and promises nothing else: the CPU may lose
 * records, and must continue. */
static void test_branch_faults(void)
{
	wrmsr(IA32_DS_AREA, HOLE);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_BTS);
	traced(10);
	wrmsr(IA32_DEBUGCTL, 0);
	tap_claim(true, "a DS area that is not mapped raises nothing");
	prepare_trace(RECORDS, RECORDS);
	store.bts_base = store.bts_index = HOLE;
	store.bts_max = HOLE + sizeof(records);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_BTS);
	traced(10);
	wrmsr(IA32_DEBUGCTL, 0);
	tap_equal(store.bts_index, HOLE, "nor does a buffer, whose index stays");
	store.bts_base = store.bts_index = READ_ONLY;
	store.bts_max = READ_ONLY + sizeof(records);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_BTS);
	traced(10);
	wrmsr(IA32_DEBUGCTL, 0);
	tap_equal(store.bts_index, READ_ONLY, "... nor one that may not be written");
	trace(DEBUGCTL_BTS, RECORDS, RECORDS, 2);
	tap_equal(traced_branches(), 7, "... and afterwards all is as before");
	quiesce();
}

/* ---- PEBS ---- */

static void sample(uint32_t event, uint64_t enable, unsigned period, unsigned room,
                   unsigned threshold)
{
	store.pebs_base = store.pebs_index = (uint32_t)samples;
	store.pebs_max = (uint32_t)&samples[room];
	store.pebs_threshold = (uint32_t)&samples[threshold];
	store.pebs_reset[0] = COUNTER_MASK & -(uint64_t)period;
	for (unsigned i = 0; i < RECORDS; i++)
		samples[i].r8_to_r15[0] = samples[i].ip = GUARD;
	wrmsr(IA32_DS_AREA, (uint32_t)&store);
	wrmsr(IA32_A_PMC0, store.pebs_reset[0]);
	wrmsr(IA32_PERFEVTSEL0, event | EVTSEL_OS_EN);
	wrmsr(IA32_PEBS_ENABLE, enable);
	LVTPC = PMI_VECTOR;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
}

static unsigned stop_sampling(void)
{
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(IA32_PEBS_ENABLE, 0);
	return ((uint32_t)store.pebs_index - (uint32_t)samples) / sizeof(samples[0]);
}

static bool in_traced(uint64_t ip)
{
	return ip >= (uint32_t)traced_loop - 8 && ip <= (uint32_t)traced_leaf;
}

static void test_pebs_records(void)
{
	unsigned count, good = 0, ordered = 0;

	sample(0xc0, 1, 50, RECORDS, RECORDS);
	traced(250);
	count = stop_sampling();
	tap_claim(count >= 19 && count <= 20,
	          "PEBS: a thousand instructions, twenty records of 50");
	for (unsigned i = 0; i + 1 < count; i++) {
		const struct pebs *s = &samples[i];

		good += in_traced(s->eventing_ip) && in_traced(s->ip) && s->counters == 1;
		ordered += s->cx > s[1].cx && s->cx <= 250 && s->tsc <= s[1].tsc &&
		           s->sp >= s[1].sp - 4 && s->sp <= s[1].sp + 4;
	}
	tap_equal(good, count - 1, "... each in the loop, of counter 0");
	tap_equal(ordered, count - 1, "... with the registers and the time as the loop continues");
	tap_claim(samples[0].r8_to_r15[0] == 0 && samples[count].ip == GUARD,
	          "... 25 words each, and nothing behind the last");
	tap_claim(rdmsr(IA32_PMC0) >= store.pebs_reset[0],
	          "... the counter reloaded from the DS area");
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "... and no overflow in GLOBAL_STATUS");
	tap_equal(pmis, 0, "... nor an interrupt before the threshold");
	quiesce();
}

static void test_pebs_threshold(void)
{
	sample(0xc0, 1, 50, 12, 4);
	traced(500);
	tap_equal(stop_sampling(), 12, "PEBS: the buffer fills up to its absolute maximum");
	tap_equal(pmis, 1, "... with an interrupt from the threshold on");
	tap_equal(pmi_status, STATUS_OVF_BUFFER, "... that says OvfBuf");
	tap_equal(samples[12].ip, GUARD, "... and not a byte passes the maximum");
	wrmsr(IA32_PERF_GLOBAL_RESET, STATUS_OVF_BUFFER);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 0, "... which is cleared as any status");
	quiesce();
	sample(0xc0, 1, 50, RECORDS, RECORDS);
	wrmsr(IA32_DS_AREA, HOLE);
	traced(100);
	tap_equal(stop_sampling(), 0, "PEBS: a DS area that is not mapped raises nothing");
	quiesce();
}

static unsigned sample_loads(uint64_t enable, unsigned threshold)
{
	unsigned count;

	wrmsr(MSR_PEBS_LD_LAT, threshold);
	sample(EVENT_LOADS, enable, 20, RECORDS, RECORDS);
	walked(lines, LINES);
	count = stop_sampling();
	quiesce();
	wrmsr(MSR_PEBS_LD_LAT, 0);
	/* The counter that is armed after the loop waits for any slow load: only a record from
	 * outside the loop belongs to it. */
	if (count && (samples[count - 1].eventing_ip < (uint32_t)walked_load ||
	              samples[count - 1].eventing_ip >= (uint32_t)walked_end))
		count--;
	return count;
}

static unsigned good_loads(unsigned count, unsigned threshold)
{
	unsigned good = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct pebs *s = &samples[i];

		good += s->address >= (uint32_t)lines &&
		        s->address < (uint32_t)lines + sizeof(lines) && s->source &&
		        s->latency > threshold && s->eventing_ip == (uint32_t)walked_load;
	}
	return good;
}

/* For records of any latency: the least and the greatest latency, and whether a record between them
 * has the second level's source of the SDM's table */
static void look_at_loads(unsigned count, unsigned *least, unsigned *most, bool *second)
{
	*least = ~0u;
	*most = 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned latency = (unsigned)samples[i].latency;

		*least = latency < *least ? latency : *least;
		*most = latency > *most ? latency : *most;
	}
	for (unsigned i = 0; i < count; i++)
		*second |= samples[i].latency > *least && samples[i].latency < *most &&
		           samples[i].source == SOURCE_SECOND_LEVEL;
}

static void test_load_latency(void)
{
	unsigned all = sample_loads(1 | LOAD_LATENCY_0, 3), good = good_loads(all, 3), slow;
	unsigned least, most;
	bool second = false;

	look_at_loads(all, &least, &most, &second);
	tap_claim(second, "load latency: the second level is source 03H");
	slow = sample_loads(1 | LOAD_LATENCY_0, 100);
	good += good_loads(slow, 100);
	tap_claim(all > 20 && slow > 2 && slow < all,
	          "load latency: a higher threshold leaves fewer records");
	tap_equal(good, all + slow,
	          "... each of the load, with its address, source and a latency as asked for");
	slow = sample_loads(1 | LOAD_LATENCY_0, least);
	tap_claim(slow && good_loads(slow, least) == slow,
	          "... those that took just the threshold are not eligible");
	tap_claim(sample_loads(1 | LOAD_LATENCY_0, most - 1) &&
	              !sample_loads(1 | LOAD_LATENCY_0, most),
	          "... so that the slowest are the last to go");
	tap_equal(sample_loads(1, 3), 0, "... and without LL_EN none is");
}

/* SDM, "Architectural Performance Monitoring Version 4": PEBS uses the PMI, too. */
static void test_pebs_in_use(void)
{
	if (version < 4)
		return;
	wrmsr(IA32_PEBS_ENABLE, 2);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 1ull << 63, "INUSE: a counter of PEBS uses PMIs");
	wrmsr(IA32_PEBS_ENABLE, 0);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 0, "... until it does not");
}

void test_debug_store(void)
{
	tap_claim(!(rdmsr(IA32_MISC_ENABLE) & MISC_BTS_UNAVAILABLE), "MISC_ENABLE: BTS is there");
	test_branch_trace();
	test_branch_rings();
	test_branch_faults();
	if (!pebs)
		return;
	tap_equal(rdmsr(IA32_PERF_CAPABILITIES) >> PEBS_FORMAT & 15, 3, "PEBS has record format 3");
	tap_claim(wrmsr_faults(IA32_PEBS_ENABLE, 1u << 4), "PEBS_ENABLE: reserved bits are #GP");
	test_pebs_in_use();
	test_pebs_records();
	test_pebs_threshold();
	test_load_latency();
}
