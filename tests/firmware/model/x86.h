/* SPDX-License-Identifier: MIT */
/*
 * The x86 conformance image: the registers that it accesses, named as in the Intel SDM (volume 4;
 * volume 3B, "Performance Monitoring" and "Debug, Branch Profile, TSC, …"), and declarations for
 * its files.
 */
#ifndef MODEL_X86_H
#define MODEL_X86_H

/* Selectors of our GDT, and the interrupt that ends ring 3 */
#define KERNEL_CS     0x08
#define KERNEL_DS     0x10
#define USER_CS       0x1b
#define USER_DS       0x23
#define TASK          0x28
#define RETURN_VECTOR 0x80
/* ... an interrupt whose handler does nothing, and one without a gate */
#define EMPTY_VECTOR  0x81
#define NO_VECTOR     0x82

/* The second processor's first page, and the offsets of its words */
#define AP_START 0x8000
#define AP_FOUND 0x100
#define AP_RUNS  0x104
#define AP_VALUE 0x1234

#ifndef __ASSEMBLER__

#include "tap.h"

#define IA32_PMC0               0x0c1
#define IA32_PERFEVTSEL0        0x186
#define MSR_LBR_SELECT          0x1c8
#define MSR_LASTBRANCH_TOS      0x1c9
#define IA32_MISC_ENABLE        0x1a0
#define IA32_DEBUGCTL           0x1d9
#define IA32_FIXED_CTR0         0x309
#define IA32_PERF_CAPABILITIES  0x345
#define IA32_FIXED_CTR_CTRL     0x38d
#define IA32_PERF_GLOBAL_STATUS 0x38e
#define IA32_PERF_GLOBAL_CTRL   0x38f
#define IA32_PERF_GLOBAL_RESET  0x390
#define IA32_PERF_GLOBAL_SET    0x391
#define IA32_PERF_GLOBAL_INUSE  0x392
#define IA32_PEBS_ENABLE        0x3f1
#define MSR_PEBS_LD_LAT         0x3f6
#define IA32_A_PMC0             0x4c1
#define IA32_DS_AREA            0x600
#define MSR_LASTBRANCH_0_FROM   0x680
#define MSR_LASTBRANCH_0_TO     0x6c0
#define MSR_LBR_INFO_0          0xdc0

#define EVTSEL_USR              0x410000u
#define EVTSEL_OS_EN            0x420000u
#define EVTSEL_EDGE             0x40000u
#define EVTSEL_INT              0x100000u
#define DEBUGCTL_LBR            0x1u
#define DEBUGCTL_BTF            0x2u
#define DEBUGCTL_BTS            0xc0u /* TR and BTS */
#define DEBUGCTL_BTINT          0x100u
#define DEBUGCTL_BTS_OFF_OS     0x200u
#define DEBUGCTL_BTS_OFF_USR    0x400u
#define DEBUGCTL_FREEZE_LBRS    0x800u
#define DEBUGCTL_FREEZE_PERFMON 0x1000u
#define STATUS_LBR_FRZ          (1ull << 58)
#define STATUS_CTR_FRZ          (1ull << 59)
#define STATUS_OVF_BUFFER       (1ull << 62)
#define MISC_BTS_UNAVAILABLE    (1u << 11)
#define MISC_PEBS_UNAVAILABLE   (1u << 12)
#define COUNTER_MASK            ((1ull << 48) - 1)
#define CAPABILITIES_FW_WRITE   (1u << 13)
#define LVTPC                   (*(volatile uint32_t *)0xfee00340)
#define LVT_MASKED              0x10000u
#define LVT_SMI                 0x200u
#define LVT_NMI                 0x400u
#define PMI_VECTOR              0x40
#define LAPIC_EOI               (*(volatile uint32_t *)0xfee000b0)
#define LAPIC_TIMER             (*(volatile uint32_t *)0xfee00320)
#define LAPIC_INITIAL_COUNT     (*(volatile uint32_t *)0xfee00380)
#define LAPIC_DIVIDE            (*(volatile uint32_t *)0xfee003e0)

/* 4 MiB pages: one that is not present, one that is read-only */
#define HOLE      0xc0000000u
#define READ_ONLY 0xc0400000u

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/* The machine, by CPUID and PERF_CAPABILITIES */
extern unsigned version, counters, fixed_counters;
extern bool full_width, pebs;
extern unsigned last_branches;

/* Received interrupts, and values that their handler read */
extern volatile uint32_t pmis, nmis, pmi_lvt;
extern volatile uint64_t pmi_status, pmi_counter;
extern volatile uint64_t db_debugctl;
extern volatile uint32_t db_eip, dbs;

/* Code whose every branch is known: x86.S */
extern const char traced_loop[], traced_after[], traced_jump[], traced_return[], traced_leaf[];
extern const char user_call[], user_exit[], walked_load[], walked_end[];
extern const char stepped_one[], stepped_branch[];
void stepped(void);
unsigned traced(unsigned n);
unsigned walked(const void *from, unsigned n);
unsigned in_ring_3(unsigned (*function)(unsigned), unsigned argument);

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

static inline void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

struct cpuid cpuid(uint32_t leaf);

/* True if the access raised #GP (rdpmc: or #UD). */
bool wrmsr_faults(uint32_t msr, uint64_t value);
bool rdmsr_faults(uint32_t msr);
bool rdpmc_faults(uint32_t index);

uint64_t cr4(void);
void set_cr4(uint64_t value);

/* Write a counter in full width if the CPU can, otherwise its low 31 bits */
void write_counter(unsigned counter, uint64_t value);

/* Disable all counters and traces, and clear their statuses and the counts of interrupts */
void quiesce(void);

/* PMC0's count in ring 0 while a function runs; the same for a function whose INT n is refused with
 * #GP */
uint64_t count_of(uint32_t evtsel, void (*run)(void));
void refused_interrupt(void);

/* Let PMC0 overflow after 100 of 1,000 turns of traced(), with this DEBUGCTL. */
void overflow_soon(uint64_t debugctl);

/* The parts */
void test_off(void);
void test_presence(void);
void test_delivery(void);
void test_delay(void);
void test_counters(void);
void test_control(void);
void test_init(void);
void test_reference(void);
void test_debug_store(void);
void test_last_branches(void);

#endif
#endif
