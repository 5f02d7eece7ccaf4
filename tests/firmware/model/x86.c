/* SPDX-License-Identifier: MIT */
/*
 * What Linux never asks of the Intel PMU and of the debug store, asked of the
 * hardware model: reserved bits, read-only registers, freezing, circular
 * branch traces. Expectations are the Intel SDM's, volume 3B: "Performance
 * Monitoring" and "BTS and DS Save Area"; volume 4 for the MSRs.
 *
 * Runs on the metal, alone, in 32-bit protected mode.
 */
#include "tap.h"

#define IA32_PMC0               0x0c1
#define IA32_PERFEVTSEL0        0x186
#define IA32_DEBUGCTL           0x1d9
#define IA32_FIXED_CTR0         0x309
#define IA32_FIXED_CTR_CTRL     0x38d
#define IA32_PERF_GLOBAL_STATUS 0x38e
#define IA32_PERF_GLOBAL_CTRL   0x38f
#define IA32_PERF_GLOBAL_RESET  0x390
#define IA32_PERF_GLOBAL_SET    0x391
#define IA32_PERF_GLOBAL_INUSE  0x392
#define IA32_A_PMC0             0x4c1
#define IA32_DS_AREA            0x600
#define IA32_PERF_CAPABILITIES  0x345
#define EVTSEL_OS_EN            0x420000u
#define EVTSEL_INT              0x100000u
#define DEBUGCTL_BTS            0xc0u /* TR and BTS */
#define DEBUGCTL_BTINT          0x100u
#define DEBUGCTL_BTS_OFF_OS     0x200u
#define DEBUGCTL_FREEZE_PERFMON 0x1000u
#define STATUS_CTR_FRZ          (1ull << 59)
#define COUNTER_MASK            ((1ull << 48) - 1)
#define LVTPC                   (*(volatile uint32_t *)0xfee00340)
#define LAPIC_SVR               (*(volatile uint32_t *)0xfee000f0)
#define LAPIC_EOI               (*(volatile uint32_t *)0xfee000b0)
#define LVT_MASKED              0x10000u
#define PMI_VECTOR              0x40
#define GP_VECTOR               13

/* SDM, figure "64-bit Branch Trace Record": three words */
struct branch {
	uint64_t from, to, flags;
};

struct debug_store {
	uint64_t bts_base, bts_index, bts_max, bts_threshold;
	uint64_t pebs_base, pebs_index, pebs_max, pebs_threshold, pebs_reset[4];
};

struct gate {
	uint16_t low, selector, type, high;
};

volatile uint32_t gp_taken;
static volatile uint32_t pmis, pmi_lvt;
static volatile uint64_t pmi_status, pmi_counter;
static struct gate idt[256] __attribute__((aligned(16)));
static struct debug_store store __attribute__((aligned(64)));
static struct branch records[40];
static unsigned version, counters;

extern const char gp_entry[], pmi_entry[];
extern const char traced_loop[], traced_after[], traced_jump[], traced_leaf[];
void traced(unsigned n);
void image_main(void);
void pmi_handler(void);

static inline void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void image_putc(char c)
{
	uint8_t status = 0;

	do
		__asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)0x3fd));
	while (!(status & 0x20));
	outb(0x3f8, (uint8_t)c);
}

/* isa-debug-exit: QEMU's status is 2 n + 1 */
_Noreturn void image_exit(bool good)
{
	outb(0xf4, good ? 0x10 : 0x11);
	for (;;)
		__asm__ volatile("hlt");
}

static inline uint64_t rdmsr(uint32_t msr)
{
	uint64_t value;

	__asm__ volatile("rdmsr" : "=A"(value) : "c"(msr) : "memory");
	return value;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "A"(value) : "memory");
}

/* True if the write raised #GP. */
static bool wrmsr_faults(uint32_t msr, uint64_t value)
{
	gp_taken = 0;
	__asm__ volatile("movl $1f, %%edi\n\twrmsr\n1:" : : "c"(msr), "A"(value) : "edi", "memory");
	return gp_taken;
}

static bool rdpmc_faults(uint32_t index)
{
	gp_taken = 0;
	__asm__ volatile("movl $1f, %%edi\n\trdpmc\n1:"
	                 :
	                 : "c"(index)
	                 : "edi", "eax", "edx", "memory");
	return gp_taken;
}

static void set_gate(unsigned vector, const char *entry)
{
	uint32_t address = (uint32_t)entry;
	uint16_t selector;

	__asm__("mov %%cs, %0" : "=r"(selector));
	idt[vector] =
	    (struct gate){ (uint16_t)address, selector, 0x8e00, (uint16_t)(address >> 16) };
}

static void set_up(void)
{
	struct {
		uint16_t limit;
		uint32_t base;
	} __attribute__((packed)) idtr = { sizeof(idt) - 1, (uint32_t)idt };
	uint32_t eax = 10, ebx, ecx = 0, edx;

	__asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	version = eax & 0xff;
	counters = eax >> 8 & 0xff;
	set_gate(GP_VECTOR, gp_entry);
	set_gate(PMI_VECTOR, pmi_entry);
	__asm__ volatile("lidt %0" : : "m"(idtr));
	/* The legacy interrupt controllers stay silent. */
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
	LAPIC_SVR |= 0x100;
}

static void quiesce(void)
{
	wrmsr(IA32_DEBUGCTL, 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	wrmsr(IA32_FIXED_CTR_CTRL, 0);
	for (unsigned i = 0; i < counters; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, 0);
	wrmsr(IA32_PERF_GLOBAL_RESET, rdmsr(IA32_PERF_GLOBAL_STATUS));
	LVTPC = LVT_MASKED;
	pmis = 0;
}

void pmi_handler(void)
{
	pmi_status = rdmsr(IA32_PERF_GLOBAL_STATUS);
	pmi_counter = rdmsr(IA32_PMC0);
	pmi_lvt = LVTPC;
	pmis++;
	LAPIC_EOI = 0;
}

static void test_reserved_bits(void)
{
	uint64_t legal = ((1ull << counters) - 1) | 7ull << 32;

	tap_claim(wrmsr_faults(IA32_PERFEVTSEL0, 1ull << 32), "PERFEVTSEL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_PERFEVTSEL0, 1u << 21) == (version != 3 && version != 4),
	          "PERFEVTSEL: AnyThread exists in versions 3 and 4 only");
	tap_claim(wrmsr_faults(IA32_FIXED_CTR_CTRL, 1u << 12),
	          "FIXED_CTR_CTRL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_CTRL, legal + 1),
	          "GLOBAL_CTRL: a counter that does not exist is #GP");
	tap_claim(!wrmsr_faults(IA32_PERF_GLOBAL_CTRL, legal),
	          "GLOBAL_CTRL: all that exist are not");
	tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_STATUS, 0), "GLOBAL_STATUS is read-only");
	tap_claim(wrmsr_faults(IA32_PERF_CAPABILITIES, 0), "PERF_CAPABILITIES is read-only");
	tap_claim(wrmsr_faults(IA32_DEBUGCTL, 1u << 2), "DEBUGCTL: reserved bits are #GP");
	tap_claim(wrmsr_faults(IA32_DS_AREA, 1ull << 60),
	          "DS_AREA: a non-canonical address is #GP");
	tap_claim(rdpmc_faults(counters), "RDPMC: a counter that does not exist is #GP");
	tap_claim(rdpmc_faults(1u << 30 | 5), "RDPMC: nor a fixed one");
	tap_claim(!rdpmc_faults(1u << 30 | 1), "RDPMC: one that does is not");
}

static void test_counter_writes(void)
{
	wrmsr(IA32_PMC0, 0x80000000u);
	tap_equal(rdmsr(IA32_PMC0), COUNTER_MASK & 0xffffffff80000000ull,
	          "PMC: a legacy write extends its sign");
	wrmsr(IA32_A_PMC0, 0x123456789abcull);
	tap_equal(rdmsr(IA32_PMC0), 0x123456789abcull, "A_PMC: a full-width write is kept");
	tap_claim(wrmsr_faults(IA32_A_PMC0, 1ull << 48), "A_PMC: beyond the width is #GP");
	tap_claim(wrmsr_faults(IA32_FIXED_CTR0, 1ull << 48), "FIXED_CTR: beyond the width is #GP");
}

static void test_status_set(void)
{
	if (version < 4) {
		tap_claim(wrmsr_faults(IA32_PERF_GLOBAL_SET, 1),
		          "STATUS_SET: #GP before version 4");
		return;
	}
	wrmsr(IA32_PERF_GLOBAL_SET, 5);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 5, "STATUS_SET sets");
	wrmsr(IA32_PERF_GLOBAL_RESET, 4);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_STATUS), 1, "STATUS_RESET clears what it is told to");
	wrmsr(IA32_PERF_GLOBAL_RESET, 1);
	wrmsr(IA32_PERFEVTSEL0 + 2, 0xc0);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 4, "INUSE names a counter with an event");
	wrmsr(IA32_FIXED_CTR_CTRL, 0xb);
	tap_equal(rdmsr(IA32_PERF_GLOBAL_INUSE), 1ull << 63 | 1ull << 32 | 4,
	          "INUSE names a fixed counter, and the use of PMIs");
	quiesce();
}

static uint64_t count_traced(uint32_t evtsel)
{
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERFEVTSEL0, evtsel | EVTSEL_OS_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(100);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	return rdmsr(IA32_PMC0);
}

static void test_masks(void)
{
	uint64_t all = count_traced(0xc0);

	tap_claim(all >= 400 && all < 430, "instructions are counted, ring 0 included");
	tap_equal(count_traced(0xc0 | 1u << 24), all, "CMASK 1 counts cycles with an event");
	tap_equal(count_traced(0xc0 | 2u << 24), 0, "CMASK 2: there are none with two");
	tap_equal(count_traced(0xc0 | 2u << 24 | 1u << 23), all, "... and INV counts the others");
	tap_equal(count_traced(0x20c4), 301, "near branches taken: three a turn, and the return");
	tap_equal(count_traced(0x10c4), 1, "branches not taken: the last of the loop");
	tap_equal(count_traced(0x40c4), 0, "far branches: none");
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | 0x410000);
	wrmsr(IA32_PMC0, 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(100);
	tap_equal(rdmsr(IA32_PMC0), 0, "USR alone counts nothing in ring 0");
	quiesce();
}

static void overflow_soon(uint64_t debugctl)
{
	wrmsr(IA32_DEBUGCTL, debugctl);
	wrmsr(IA32_PMC0, (uint32_t)-100);
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | EVTSEL_OS_EN | EVTSEL_INT);
	LVTPC = PMI_VECTOR;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(1000);
}

static void test_overflow(void)
{
	overflow_soon(0);
	tap_equal(pmis, 1, "an overflow interrupts once");
	tap_equal(pmi_status, 1, "its status bit is set");
	tap_claim(pmi_lvt & LVT_MASKED, "the LVT entry has masked itself");
	tap_claim(pmi_counter > 0 && pmi_counter < 200, "without freezing the counter runs on");
	quiesce();
	overflow_soon(DEBUGCTL_FREEZE_PERFMON);
	if (version >= 4) {
		tap_equal(pmi_status, STATUS_CTR_FRZ | 1, "frozen on PMI: by a status bit");
		tap_equal(rdmsr(IA32_PERF_GLOBAL_CTRL), 1, "... the enables stay");
		tap_equal(rdmsr(IA32_PMC0), pmi_counter, "... nothing is counted");
		wrmsr(IA32_PERF_GLOBAL_RESET, STATUS_CTR_FRZ | 1);
		traced(10);
		tap_claim(rdmsr(IA32_PMC0) > pmi_counter, "... until the bit is cleared");
	} else {
		tap_equal(rdmsr(IA32_PERF_GLOBAL_CTRL), 0,
		          "frozen on PMI: the enables are cleared");
		tap_equal(rdmsr(IA32_PMC0), pmi_counter, "... and nothing is counted");
	}
	quiesce();
}

static void trace(uint64_t debugctl, unsigned room, unsigned threshold, unsigned turns)
{
	store.bts_base = store.bts_index = (uint32_t)records;
	store.bts_max = (uint32_t)&records[room];
	store.bts_threshold = (uint32_t)&records[threshold];
	for (unsigned i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		records[i] = (struct branch){ 0 };
	wrmsr(IA32_DS_AREA, (uint32_t)&store);
	LVTPC = PMI_VECTOR;
	wrmsr(IA32_DEBUGCTL, debugctl);
	traced(turns);
	wrmsr(IA32_DEBUGCTL, 0);
}

static bool is_edge(const struct branch *b, const char *from, const char *to)
{
	return b->from == (uint32_t)from && b->to == (uint32_t)to;
}

static void test_branch_trace(void)
{
	/* One call into traced(), three branches a turn but for the last jump, one return. */
	trace(DEBUGCTL_BTS, 40, 40, 2);
	tap_equal((uint32_t)store.bts_index - (uint32_t)records, 7 * sizeof(records[0]),
	          "the trace of two turns is seven branches");
	tap_claim(records[0].to + 4 == (uint32_t)traced_loop, "... first the call");
	tap_claim(is_edge(&records[1], traced_loop, traced_leaf) &&
	              is_edge(&records[2], traced_leaf, traced_after) &&
	              is_edge(&records[3], traced_jump, traced_loop),
	          "... then a turn of the loop, edge by edge");
	trace(DEBUGCTL_BTS, 10, 5, 20);
	tap_equal((uint32_t)store.bts_index - (uint32_t)records, 1 * sizeof(records[0]),
	          "without BTINT the buffer is a circle");
	tap_equal(pmis, 0, "... and nothing interrupts");
	tap_claim(records[10].from == 0, "... nor writes beyond the absolute maximum");
	trace(DEBUGCTL_BTS | DEBUGCTL_BTS_OFF_OS, 40, 40, 2);
	tap_equal(store.bts_index, store.bts_base, "BTS_OFF_OS: ring 0 leaves no record");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	trace(DEBUGCTL_BTS | DEBUGCTL_BTINT, 20, 10, 20);
	tap_equal(pmis, 1, "with BTINT the threshold interrupts, once while the LVT is masked");
	tap_equal(store.bts_index, store.bts_max,
	          "... the buffer fills up to its absolute maximum");
	tap_claim(records[20].from == 0 && is_edge(&records[1], traced_loop, traced_leaf),
	          "... where it stops, keeping the oldest records");
	quiesce();
}

void image_main(void)
{
	set_up();
	quiesce();
	__asm__ volatile("sti");
	tap_claim(version >= 2 && version <= 5 && (counters == 4 || counters == 8),
	          "CPUID leaf 0AH names a version and its counters");
	test_reserved_bits();
	quiesce();
	test_counter_writes();
	test_status_set();
	test_masks();
	test_overflow();
	test_branch_trace();
	tap_end();
}
